package otlp

import (
	"encoding/hex"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// The JSON form of OTLP: member names in camel case, ids in hex, 64-bit numbers
// as strings.

type request struct {
	ResourceSpans []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource   attributes   `json:"resource"`
	ScopeSpans []scopeSpans `json:"scopeSpans"`
}

type attributes struct {
	Attributes []keyValue `json:"attributes"`
}

type scopeSpans struct {
	Scope scope  `json:"scope"`
	Spans []span `json:"spans"`
}

type scope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type span struct {
	TraceID      string     `json:"traceId"`
	SpanID       string     `json:"spanId"`
	ParentSpanID string     `json:"parentSpanId,omitempty"`
	TraceState   string     `json:"traceState,omitempty"`
	Flags        uint32     `json:"flags,omitempty"`
	Name         string     `json:"name"`
	Kind         int        `json:"kind"`
	Start        string     `json:"startTimeUnixNano"`
	End          string     `json:"endTimeUnixNano"`
	Attributes   []keyValue `json:"attributes,omitempty"`
	Dropped      int        `json:"droppedAttributesCount,omitempty"`
	Events       []event    `json:"events,omitempty"`
	Links        []link     `json:"links,omitempty"`
	Status       status     `json:"status"`
}

type event struct {
	Time       string     `json:"timeUnixNano"`
	Name       string     `json:"name"`
	Attributes []keyValue `json:"attributes,omitempty"`
}

type link struct {
	TraceID    string     `json:"traceId"`
	SpanID     string     `json:"spanId"`
	Attributes []keyValue `json:"attributes,omitempty"`
}

type status struct {
	Message string `json:"message,omitempty"`
	Code    int    `json:"code,omitempty"`
}

type keyValue struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

// value is exactly one of its members.
type value struct {
	String *string  `json:"stringValue,omitempty"`
	Bool   *bool    `json:"boolValue,omitempty"`
	Int    *string  `json:"intValue,omitempty"`
	Double *float64 `json:"doubleValue,omitempty"`
	Array  *values  `json:"arrayValue,omitempty"`
}

type values struct {
	Values []value `json:"values"`
}

// requestOf groups spans by who made them; all are of one resource.
func requestOf(spans []sdktrace.ReadOnlySpan) request {
	at := map[instrumentation.Scope]int{}
	group := resourceSpans{Resource: attributes{list(spans[0].Resource().Attributes())}}
	for _, s := range spans {
		by := s.InstrumentationScope()
		by.Attributes = attribute.Set{}
		i, ok := at[by]
		if !ok {
			i = len(group.ScopeSpans)
			at[by] = i
			group.ScopeSpans = append(group.ScopeSpans, scopeSpans{Scope: scope{by.Name, by.Version}})
		}
		group.ScopeSpans[i].Spans = append(group.ScopeSpans[i].Spans, spanOf(s))
	}
	return request{[]resourceSpans{group}}
}

func spanOf(s sdktrace.ReadOnlySpan) span {
	of := s.SpanContext()
	trace128, span64 := of.TraceID(), of.SpanID()
	out := span{
		TraceID: hex.EncodeToString(trace128[:]), SpanID: hex.EncodeToString(span64[:]), TraceState: of.TraceState().String(), Flags: uint32(of.TraceFlags()),
		Name: s.Name(), Kind: kindOf(s.SpanKind()), Start: nanos(s.StartTime()), End: nanos(s.EndTime()),
		Attributes: list(s.Attributes()), Dropped: s.DroppedAttributes(), Status: statusOf(s.Status()),
	}
	if parent := s.Parent().SpanID(); parent.IsValid() {
		out.ParentSpanID = hex.EncodeToString(parent[:])
	}
	for _, e := range s.Events() {
		out.Events = append(out.Events, event{nanos(e.Time), e.Name, list(e.Attributes)})
	}
	for _, l := range s.Links() {
		t, p := l.SpanContext.TraceID(), l.SpanContext.SpanID()
		out.Links = append(out.Links, link{hex.EncodeToString(t[:]), hex.EncodeToString(p[:]), list(l.Attributes)})
	}
	return out
}

func kindOf(k trace.SpanKind) int {
	switch k {
	case trace.SpanKindServer:
		return 2
	case trace.SpanKindClient:
		return 3
	case trace.SpanKindProducer:
		return 4
	case trace.SpanKindConsumer:
		return 5
	}
	return 1
}

func statusOf(s sdktrace.Status) status {
	switch s.Code {
	case codes.Ok:
		return status{Code: 1}
	case codes.Error:
		return status{s.Description, 2}
	}
	return status{}
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

func list(all []attribute.KeyValue) []keyValue {
	out := make([]keyValue, 0, len(all))
	for _, a := range all {
		out = append(out, keyValue{string(a.Key), valueOf(a.Value)})
	}
	return out
}

func valueOf(v attribute.Value) value {
	switch v.Type() {
	case attribute.BOOL:
		return value{Bool: new(v.AsBool())}
	case attribute.INT64:
		return value{Int: new(strconv.FormatInt(v.AsInt64(), 10))}
	case attribute.FLOAT64:
		return value{Double: new(v.AsFloat64())}
	case attribute.STRINGSLICE:
		array := &values{Values: []value{}}
		for _, s := range v.AsStringSlice() {
			array.Values = append(array.Values, value{String: new(s)})
		}
		return value{Array: array}
	}
	return value{String: new(v.String())}
}
