package otlp

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// stubs are two spans with one of everything.
func stubs() []sdktrace.ReadOnlySpan {
	at := time.Unix(1700000000, 5)
	of := func(span byte) trace.SpanContext {
		return trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{0xab, 15: 1}, SpanID: trace.SpanID{0xcd, 7: span}, TraceFlags: trace.FlagsSampled})
	}
	return tracetest.SpanStubs{
		{
			Name: "execute_tool look", SpanContext: of(1), Parent: of(2), SpanKind: trace.SpanKindInternal, StartTime: at, EndTime: at.Add(time.Second),
			Attributes: []attribute.KeyValue{
				attribute.String("s", `a "b"`), attribute.Int64("i", 9007199254740993), attribute.Bool("b", false), attribute.Float64("f", .5), attribute.StringSlice("l", []string{"x"}),
			},
			Events:               []sdktrace.Event{{Name: "e", Time: at, Attributes: []attribute.KeyValue{attribute.Int("n", 1)}}},
			Links:                []sdktrace.Link{{SpanContext: of(3)}},
			Status:               sdktrace.Status{Code: codes.Error, Description: "uncertain"},
			InstrumentationScope: instrumentation.Scope{Name: "holdfast"}, Resource: resource.NewSchemaless(attribute.String("service.name", "test")),
		},
		{
			Name: "chat", SpanContext: of(2), SpanKind: trace.SpanKindClient, StartTime: at, EndTime: at, Status: sdktrace.Status{Code: codes.Ok},
			InstrumentationScope: instrumentation.Scope{Name: "other", Version: "1"}, Resource: resource.NewSchemaless(attribute.String("service.name", "test")),
		},
	}.Snapshots()
}

const wantBody = `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"test"}}]},"scopeSpans":[
{"scope":{"name":"holdfast"},"spans":[{"traceId":"ab000000000000000000000000000001","spanId":"cd00000000000001","parentSpanId":"cd00000000000002","flags":1,
"name":"execute_tool look","kind":1,"startTimeUnixNano":"1700000000000000005","endTimeUnixNano":"1700000001000000005","attributes":[
{"key":"s","value":{"stringValue":"a \"b\""}},{"key":"i","value":{"intValue":"9007199254740993"}},{"key":"b","value":{"boolValue":false}},
{"key":"f","value":{"doubleValue":0.5}},{"key":"l","value":{"arrayValue":{"values":[{"stringValue":"x"}]}}}],
"events":[{"timeUnixNano":"1700000000000000005","name":"e","attributes":[{"key":"n","value":{"intValue":"1"}}]}],
"links":[{"traceId":"ab000000000000000000000000000001","spanId":"cd00000000000003"}],"status":{"message":"uncertain","code":2}}]},
{"scope":{"name":"other","version":"1"},"spans":[{"traceId":"ab000000000000000000000000000001","spanId":"cd00000000000002","flags":1,"name":"chat","kind":3,
"startTimeUnixNano":"1700000000000000005","endTimeUnixNano":"1700000000000000005","status":{"code":1}}]}]}]}`

func TestSpansGoOutAsTheProtocolHasThem(t *testing.T) {
	var body []byte
	var header http.Header
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		header = r.Header
		if r.URL.Path != "/v1/traces" || r.Method != http.MethodPost {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer collector.Close()
	e, err := FromEnvironment(environment("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL+"/", "OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%20b, y=1"))
	if err != nil {
		t.Fatalf("FromEnvironment = %v", err)
	}
	if err := e.ExportSpans(t.Context(), stubs()); err != nil {
		t.Fatalf("ExportSpans = %v", err)
	}
	var got, want any
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatalf("body %s = %v", body, err)
	}
	if err := json.Unmarshal([]byte(wantBody), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the body differs (-want +got):\n%s", diff)
	}
	if header.Get("Content-Type") != "application/json" || header.Get("X-Key") != "a b" || header.Get("Y") != "1" {
		t.Errorf("headers = %v, want JSON and those of the environment", header)
	}
	body = nil
	if err := e.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := e.ExportSpans(t.Context(), stubs()); err != nil || body != nil {
		t.Errorf("after its end ExportSpans = %v and sent %q, want nothing", err, body)
	}
}

func environment(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func TestTheEnvironmentNamesTheCollector(t *testing.T) {
	for name, row := range map[string]struct {
		env     []string
		address string // "": no exporter
		fault   string
	}{
		"nothing":             {nil, "", ""},
		"the base":            {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"}, "http://c:4318/v1/traces", ""},
		"the traces' own":     {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://d/x"}, "https://d/x", ""},
		"switched off":        {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c", "OTEL_SDK_DISABLED", "true"}, "", ""},
		"no traces":           {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c", "OTEL_TRACES_EXPORTER", "none"}, "", ""},
		"another protocol":    {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}, "", "http/json"},
		"no URL":              {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT", "c:4318"}, "", "URL"},
		"no header":           {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c", "OTEL_EXPORTER_OTLP_HEADERS", "secret"}, "", "name=value"},
		"no time":             {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c", "OTEL_EXPORTER_OTLP_TIMEOUT", "10s"}, "", "milliseconds"},
		"a time and protocol": {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c", "OTEL_EXPORTER_OTLP_TIMEOUT", "10", "OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"}, "http://c/v1/traces", ""},
	} {
		e, err := FromEnvironment(environment(row.env...))
		switch {
		case row.fault != "":
			if err == nil || !strings.Contains(err.Error(), row.fault) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: FromEnvironment = %v, want an error about %s", name, err, row.fault)
			}
		case err != nil || (e == nil) != (row.address == "") || e != nil && e.address != row.address:
			t.Errorf("%s: FromEnvironment = %+v, %v, want %q", name, e, err, row.address)
		}
	}
}

// transport answers without a network, so that time can be played.
type transport struct {
	mu       sync.Mutex
	statuses []int
	asked    int
}

func (c *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	status := c.statuses[min(c.asked, len(c.statuses)-1)]
	c.asked++
	if status == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
}

func TestWhatTheCollectorDoesNotTakeIsTriedAgainForAWhile(t *testing.T) {
	for name, row := range map[string]struct {
		statuses []int
		asked    int
		ok       bool
	}{
		"at once":           {[]int{200}, 1, true},
		"busy":              {[]int{503, 429, 200}, 3, true},
		"broken line":       {[]int{0, 200}, 2, true},
		"wrong":             {[]int{400}, 1, false},
		"not let in":        {[]int{401}, 1, false},
		"busy for too long": {[]int{503}, 5, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := &transport{statuses: row.statuses}
			e, err := New("http://collector/v1/traces?key=secret", &Options{Client: &http.Client{Transport: c}})
			if err != nil {
				t.Fatal(err)
			}
			err = e.ExportSpans(t.Context(), stubs())
			if (err == nil) != row.ok || c.asked != row.asked {
				t.Errorf("%s: ExportSpans = %v after %d requests, want %d", name, err, c.asked, row.asked)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: the error %v holds the key", name, err)
			}
		})
	}
}
