package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/anthropic"
)

var ana = holdfast.Principal{Tenant: "gym", ID: "ana"}

// watched is a gate with everybody who watches over it.
type watched struct {
	t       *testing.T
	gate    *gate.Gate
	ledger  *ledger.Ledger
	metrics *Metrics
	tracer  *Tracer
	spans   *tracetest.SpanRecorder
	rounds  int
	inside  trace.SpanContext // what the handler's context held
}

func watch(t *testing.T, o *TraceOptions) *watched {
	t.Helper()
	w := &watched{t: t, metrics: NewMetrics(), spans: tracetest.NewSpanRecorder()}
	w.tracer = NewTracer(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(w.spans)), o)
	l, err := ledger.New(t.Context(), memory.New(nil), &ledger.Options{Committed: w.metrics.Committed})
	if err != nil {
		t.Fatalf("ledger.New = %v", err)
	}
	w.ledger = l
	c, err := holdfast.NewCatalog("shop",
		w.tool("look", holdfast.Read, func(ctx context.Context, _ schema.Value) (holdfast.Result, error) {
			w.inside = trace.SpanContextFromContext(ctx)
			return holdfast.Result{Text: "three apples"}, nil
		}, nil),
		w.tool("pay", holdfast.Write, func(context.Context, schema.Value) (holdfast.Result, error) {
			return holdfast.Result{}, errors.New("the line went dead")
		}, &holdfast.ToolOptions{Grade: holdfast.Deduplicates}),
		w.tool("ask", holdfast.Write, nothing, &holdfast.ToolOptions{Approval: &holdfast.ApprovalRule{}}))
	if err != nil {
		t.Fatalf("NewCatalog = %v", err)
	}
	w.gate, err = gate.New(c, l, &gate.Options{Observe: Join(w.tracer.Observe, w.metrics.Observe)})
	if err != nil {
		t.Fatalf("gate.New = %v", err)
	}
	w.metrics.Follow(l, w.gate)
	return w
}

func nothing(context.Context, schema.Value) (holdfast.Result, error) { return holdfast.Result{}, nil }

func (w *watched) tool(name string, effect holdfast.Effect, h holdfast.Handler, o *holdfast.ToolOptions) *holdfast.Tool {
	w.t.Helper()
	s, err := schema.Compile([]byte(`{"type":"object","properties":{"pin":{"type":"string","writeOnly":true}}}`), nil)
	if err != nil {
		w.t.Fatalf("Compile = %v", err)
	}
	tool, err := holdfast.NewTool(name, "A tool for a test.", s, effect, time.Second, h, o)
	if err != nil {
		w.t.Fatalf("NewTool = %v", err)
	}
	return tool
}

func (w *watched) call(ctx context.Context, name, arguments string) gate.Verdict {
	w.t.Helper()
	w.rounds++
	vs, err := w.gate.Round(ctx, gate.Round{
		Run: "run", Turn: 1, Number: w.rounds, Complete: true, Ending: "ended", Principal: ana,
		Calls: []holdfast.Call{{ID: "c" + fmt.Sprint(w.rounds), Name: name, Kind: holdfast.FunctionCall, Arguments: arguments, Complete: true}},
	}, &gate.RoundOptions{NoWait: true})
	if err != nil {
		w.t.Fatalf("Round = %v", err)
	}
	return vs[0]
}

func (w *watched) scrape() string {
	w.t.Helper()
	rec := httptest.NewRecorder()
	w.metrics.Handler().ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
	if rec.Code != 200 {
		w.t.Fatalf("scraping = %d %s", rec.Code, rec.Body)
	}
	return rec.Body.String()
}

func TestMetricsCountCallsByToolOutcomeAndCode(t *testing.T) {
	w := watch(t, nil)
	w.call(t.Context(), "look", `{}`)
	w.call(t.Context(), "look", `{}`)
	w.call(t.Context(), "look", `{`)
	w.call(t.Context(), "pay", `{}`)
	w.call(t.Context(), "ask", `{}`)
	for i := range 100 {
		w.call(t.Context(), fmt.Sprint("made_up_", i), `{}`)
	}
	w.metrics.Answered("GET", "/v1/runs/{run}", 200, time.Millisecond)
	got := w.scrape()
	for _, want := range []string{
		`holdfast_calls_total{code="",outcome="ok",replayed="false",tool="shop.look"} 2`,
		`holdfast_calls_total{code="unreadable_arguments",outcome="rejected",replayed="false",tool="shop.look"} 1`,
		`holdfast_calls_total{code="tool_error",outcome="uncertain",replayed="false",tool="shop.pay"} 1`,
		`holdfast_calls_total{code="approval_pending",outcome="pending",replayed="false",tool="shop.ask"} 1`,
		`holdfast_calls_total{code="unknown_tool",outcome="rejected",replayed="false",tool="unknown"} 100`,
		`holdfast_calls_in_flight 0`,
		`holdfast_stage_seconds_count{stage="execute"} 3`,
		`holdfast_stage_seconds_count{stage="complete"} 105`,
		`holdfast_execute_seconds_count{tool="shop.look"} 2`,
		`holdfast_approvals_waiting 1`,
		`holdfast_entries_uncertain 1`,
		`holdfast_ledger_up 1`,
		`holdfast_abandoned_running 0`,
		`holdfast_ledger_commit_seconds_count{result="ok"}`,
		`holdfast_http_requests_total{method="GET",route="/v1/runs/{run}",status="200"} 1`,
		`go_goroutines`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if strings.Contains(got, "made_up") {
		t.Error("a model's made-up name became a label")
	}
	if series := strings.Count(got, "\nholdfast_"); series > 400 {
		t.Errorf("%d series after 105 calls, want them bounded by the catalog", series)
	}
}

func TestALedgerThatCannotBeReadIsTold(t *testing.T) {
	w := watch(t, nil)
	if err := w.ledger.Close(); err != nil {
		t.Fatal(err)
	}
	s := &standing{ledger: w.ledger, gate: w.gate, seen: figures{up: false}, at: time.Now()}
	m := NewMetrics()
	m.registry.MustRegister(s)
	rec := httptest.NewRecorder()
	m.Handler().ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
	if got := rec.Body.String(); !strings.Contains(got, "holdfast_ledger_up 0") || strings.Contains(got, "holdfast_approvals_waiting 0") {
		t.Error("a ledger that is away is told as one in which nothing waits")
	}
}

func attributesOf(s sdktrace.ReadOnlySpan) map[string]string {
	all := map[string]string{}
	for _, a := range s.Attributes() {
		all[string(a.Key)] = a.Value.String()
	}
	return all
}

func TestACallIsASpanOfItsCallersTraceAndNamesItsRecord(t *testing.T) {
	w := watch(t, nil)
	ctx, caller := w.tracer.tracer.Start(t.Context(), "the caller")
	w.call(ctx, "look", `{"pin":"4711","q":"apples"}`)
	v := w.call(ctx, "pay", `{"q":"apples"}`)
	w.call(ctx, "made_up", `{}`)
	caller.End()
	ended := w.spans.Ended()
	if len(ended) != 4 {
		t.Fatalf("%d spans ended, want the three calls' and the caller's", len(ended))
	}
	for i, s := range ended[:3] {
		if s.Parent().SpanID() != caller.SpanContext().SpanID() || s.SpanKind() != trace.SpanKindInternal {
			t.Errorf("span %d is not within its caller's", i)
		}
		for _, a := range s.Attributes() {
			if strings.Contains(a.Value.String(), "apples") || strings.Contains(a.Value.String(), "4711") {
				t.Errorf("%s holds what a call said, without being asked: %s", a.Key, a.Value.String())
			}
		}
	}
	look, pay, madeUp := attributesOf(ended[0]), attributesOf(ended[1]), attributesOf(ended[2])
	if w.inside.SpanID() != ended[0].SpanContext().SpanID() {
		t.Error("the handler's context does not hold the call's span, so that its own spans would be lost")
	}
	if ended[0].Name() != "execute_tool shop.look" || ended[2].Name() != "execute_tool" {
		t.Errorf("names = %q, %q; want the tool's, and none that a model made up", ended[0].Name(), ended[2].Name())
	}
	for name, want := range map[string]string{
		"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "shop.look", "gen_ai.tool.call.id": "c1", "gen_ai.tool.type": "function",
		"gen_ai.tool.description": "A tool for a test.", "gen_ai.conversation.id": "run", "holdfast.outcome": "ok", "holdfast.effect": "read", "holdfast.turn": "1",
	} {
		if look[name] != want {
			t.Errorf("%s = %q, want %q", name, look[name], want)
		}
	}
	if _, err := w.ledger.Entry(t.Context(), look["holdfast.ledger_id"]); err != nil {
		t.Errorf("holdfast.ledger_id = %q, %v; want the id of the record", look["holdfast.ledger_id"], err)
	}
	if pay["holdfast.ledger_id"] != v.LedgerID || pay["holdfast.grade"] != "deduplicates" || pay["error.type"] != "tool_error" || pay["holdfast.outcome"] != "uncertain" || ended[1].Status().Code != codes.Error {
		t.Errorf("an uncertain write's span = %v, %v; want its grade, its code and an error", pay, ended[1].Status())
	}
	if madeUp["holdfast.code"] != "unknown_tool" || madeUp["holdfast.outcome"] != "rejected" || ended[2].Status().Code == codes.Error {
		t.Errorf("a rejected call's span = %v, %v; want its code, and no error: nothing ran", madeUp, ended[2].Status())
	}
}

func TestASpanOfTheCallerIsTheParent(t *testing.T) {
	const traceID, spanID = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for name, row := range map[string]struct{ header, parent string }{
		"named":        {"00-" + traceID + "-" + spanID + "-01", spanID},
		"none":         {"", "0000000000000000"},
		"not readable": {"00-" + traceID + "-xyz-01", "0000000000000000"},
	} {
		w := watch(t, nil)
		h := http.Header{}
		h.Set("traceparent", row.header)
		w.call(w.tracer.Incoming(t.Context(), h), "look", `{}`)
		span := w.spans.Ended()[0]
		if got := span.Parent().SpanID().String(); got != row.parent {
			t.Errorf("%s: the call's span has parent %s, want %s", name, got, row.parent)
		}
		if got := span.SpanContext().TraceID().String(); (got == traceID) != (row.parent == spanID) {
			t.Errorf("%s: the call's span is of trace %s", name, got)
		}
	}
}

func TestContentStandsInSpansOnlyWhereItIsAskedForAndWithoutSecrets(t *testing.T) {
	w := watch(t, &TraceOptions{Content: true})
	w.call(t.Context(), "look", `{"pin":"4711","q":"apples"}`)
	got := attributesOf(w.spans.Ended()[0])
	if !strings.Contains(got["gen_ai.tool.call.arguments"], `"q":"apples"`) || got["gen_ai.tool.call.result"] != "three apples" {
		t.Errorf("arguments = %s, result = %s", got["gen_ai.tool.call.arguments"], got["gen_ai.tool.call.result"])
	}
	if strings.Contains(got["gen_ai.tool.call.arguments"], "4711") {
		t.Errorf("arguments = %s hold a secret", got["gen_ai.tool.call.arguments"])
	}
}

// parrot is a model that says one thing.
type parrot struct{ err error }

func (parrot) Codec() wire.Codec { return anthropic.Messages{} }

func (p parrot) Reply(context.Context, *wire.Request, func(wire.Event)) (*wire.Reply, error) {
	if p.err != nil {
		return nil, p.err
	}
	in, out := int64(12), int64(3)
	return &wire.Reply{
		API: "anthropic", ID: "msg_1", Model: "parrot-1", Text: "hello", Stop: "end_turn", Ending: wire.Ended, Complete: true, Usage: wire.Usage{Input: &in, Output: &out},
		Message: json.RawMessage(`{"role":"assistant","content":[{"type":"text","text":"hello"}]}`),
	}, nil
}

func TestATurnIsASpanAndItsExchangesStandInIt(t *testing.T) {
	for name, row := range map[string]struct {
		model parrot
		end   string
		code  codes.Code
	}{"an answer": {parrot{}, "answer", codes.Unset}, "no model": {parrot{errors.New("no route")}, "error", codes.Error}} {
		w := watch(t, nil)
		a, err := agent.New(w.tracer.Model(row.model, "parrot"), w.gate, w.ledger, &agent.Options{Observe: w.tracer.Turn})
		if err != nil {
			t.Fatalf("agent.New = %v", err)
		}
		run, err := w.ledger.CreateRun(t.Context(), ledger.Run{Principal: ana})
		if err != nil {
			t.Fatalf("CreateRun = %v", err)
		}
		if _, err := a.Turn(t.Context(), run.ID, "hi"); err != nil {
			t.Fatalf("Turn = %v", err)
		}
		ended := w.spans.Ended()
		at := slices.IndexFunc(ended, func(s sdktrace.ReadOnlySpan) bool { return s.Name() == "invoke_agent" })
		if at < 0 || len(ended) < 2 {
			t.Fatalf("%s: %d spans, want the turn's and its exchanges'", name, len(ended))
		}
		turn, chat := ended[at], ended[0]
		if chat.Name() != "chat parrot" || chat.Parent().SpanID() != turn.SpanContext().SpanID() || chat.SpanKind() != trace.SpanKindClient || chat.Status().Code != row.code {
			t.Errorf("%s: the exchange = %s of kind %v, %v; want it within the turn", name, chat.Name(), chat.SpanKind(), chat.Status())
		}
		if got := attributesOf(turn); got["holdfast.end"] != row.end || got["gen_ai.conversation.id"] != run.ID {
			t.Errorf("%s: the turn = %v, want its end %s", name, got, row.end)
		}
		if got := attributesOf(chat); row.code == codes.Unset && (got["gen_ai.usage.input_tokens"] != "12" || got["gen_ai.response.finish_reasons"] != `["end_turn"]`) {
			t.Errorf("%s: the exchange = %v, want its usage and its stop", name, got)
		}
	}
}

func TestJoinedObserversSeeEachOthersContexts(t *testing.T) {
	type key struct{}
	var told []string
	one := func(name string) func(context.Context, gate.Progress) context.Context {
		return func(ctx context.Context, p gate.Progress) context.Context {
			told = append(told, fmt.Sprint(name, " ", p.Verdict != nil, " ", ctx.Value(key{})))
			return context.WithValue(ctx, key{}, name)
		}
	}
	both := Join(one("a"), one("b"))
	ctx := both(t.Context(), gate.Progress{})
	both(ctx, gate.Progress{Verdict: &gate.Verdict{}})
	if got, want := strings.Join(told, ", "), "a false <nil>, b false a, b true b, a true b"; got != want {
		t.Errorf("told %s, want %s", got, want)
	}
}
