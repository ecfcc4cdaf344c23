package telemetry

import (
	"context"
	"net/http"
	"slices"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/wire"
)

// Tracer makes spans. Safe for concurrent use.
type Tracer struct {
	tracer  trace.Tracer
	options TraceOptions
}

// TraceOptions of NewTracer; nil means defaults.
type TraceOptions struct {
	// Content puts arguments, secrets masked, and results into the spans. They then
	// stand where the ledger's access rules and erasure do not reach. False: a
	// span names the ledger id under which the record has them.
	Content bool
}

// scope is the instrumentation's name.
const scope = "github.com/holdfast-go/holdfast"

// NewTracer makes a tracer over a provider.
func NewTracer(p trace.TracerProvider, o *TraceOptions) *Tracer {
	t := &Tracer{tracer: p.Tracer(scope)}
	if o != nil {
		t.options = *o
	}
	return t
}

// Observe is for gate.Options: a span for each passage of a call, whose parent is
// whatever span the caller's context holds. A call that waited for a person has
// one that ends pending, and another once it goes on; a write that is asked about
// later has one for each time.
func (t *Tracer) Observe(ctx context.Context, p gate.Progress) context.Context {
	if p.Verdict == nil {
		ctx, _ = t.tracer.Start(ctx, spanName("execute_tool", known(p)), trace.WithSpanKind(trace.SpanKindInternal), trace.WithAttributes(begins(p)...))
		return ctx
	}
	span := trace.SpanFromContext(ctx)
	defer span.End()
	if !span.IsRecording() {
		return ctx
	}
	span.SetAttributes(ends(p)...)
	if t.options.Content {
		if p.Arguments != nil {
			span.SetAttributes(attribute.String("gen_ai.tool.call.arguments", string(p.Arguments)))
		}
		span.SetAttributes(attribute.String("gen_ai.tool.call.result", p.Verdict.Observation.Content()))
	}
	switch o := p.Verdict.Outcome; o.Status {
	case holdfast.Failed, holdfast.Uncertain:
		span.SetAttributes(attribute.String("error.type", string(o.Code)))
		span.SetStatus(codes.Error, string(o.Status))
	}
	return ctx
}

// known is a tool's name for a span, "" where a model made it up.
func known(p gate.Progress) string {
	if p.Definition == nil {
		return ""
	}
	return p.Tool
}

func spanName(what, name string) string {
	if name == "" {
		return what
	}
	return what + " " + name
}

func begins(p gate.Progress) []attribute.KeyValue {
	all := []attribute.KeyValue{
		attribute.String("gen_ai.operation.name", "execute_tool"),
		attribute.String("gen_ai.tool.name", p.Tool),
		attribute.String("gen_ai.tool.type", "function"),
		attribute.String("gen_ai.tool.call.id", p.CallID),
		attribute.String("gen_ai.conversation.id", p.Run),
		attribute.Int("holdfast.turn", p.Turn),
		attribute.Int("holdfast.round", p.Round),
		attribute.Int("holdfast.position", p.Position),
	}
	if d := p.Definition; d != nil {
		all = append(all, attribute.String("gen_ai.tool.description", d.Description()), attribute.String("holdfast.effect", string(d.Effect())))
		if grade := d.Options().Grade; grade != "" {
			all = append(all, attribute.String("holdfast.grade", string(grade)))
		}
	}
	return all
}

func ends(p gate.Progress) []attribute.KeyValue {
	v := p.Verdict
	all := []attribute.KeyValue{
		attribute.String("holdfast.outcome", string(v.Outcome.Status)),
		attribute.String("holdfast.stage", string(v.Stage)),
		attribute.Bool("holdfast.replayed", v.Outcome.Replayed),
	}
	for name, value := range map[string]string{"holdfast.code": string(v.Outcome.Code), "holdfast.ledger_id": v.LedgerID, "holdfast.approval_id": v.ApprovalID} {
		if value != "" {
			all = append(all, attribute.String(name, value))
		}
	}
	if p.Abandoned {
		all = append(all, attribute.Bool("holdfast.abandoned", true))
	}
	return all
}

// Incoming is for server.Options: the span that a request names in traceparent, as
// W3C's Trace Context has it, is the parent of those of what it causes.
func (t *Tracer) Incoming(ctx context.Context, h http.Header) context.Context {
	return propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(h))
}

// Turn is for agent.Options: a span for each stretch of a turn, which the spans
// of its exchanges and calls stand in.
func (t *Tracer) Turn(ctx context.Context, run string, turn int) (context.Context, func(agent.Result, error)) {
	ctx, span := t.tracer.Start(ctx, "invoke_agent", trace.WithSpanKind(trace.SpanKindInternal), trace.WithAttributes(
		attribute.String("gen_ai.operation.name", "invoke_agent"), attribute.String("gen_ai.conversation.id", run), attribute.Int("holdfast.turn", turn)))
	return ctx, func(r agent.Result, err error) {
		defer span.End()
		span.SetAttributes(attribute.String("holdfast.end", string(r.End)), attribute.Int("holdfast.rounds", r.Rounds))
		span.SetAttributes(usage(r.Usage)...)
		if err != nil || r.Err != nil {
			span.SetStatus(codes.Error, "the turn could not go on")
		}
	}
}

// Model is m, known by a name, with a span for each exchange.
func (t *Tracer) Model(m agent.Model, name string) agent.Model { return &tracedModel{m, t, name} }

type tracedModel struct {
	agent.Model
	tracer *Tracer
	name   string
}

// Reply asks the model inside a span.
func (m *tracedModel) Reply(ctx context.Context, r *wire.Request, show func(wire.Event)) (*wire.Reply, error) {
	ctx, span := m.tracer.tracer.Start(ctx, spanName("chat", m.name), trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("gen_ai.operation.name", "chat"), attribute.String("gen_ai.request.model", m.name)))
	defer span.End()
	reply, err := m.Model.Reply(ctx, r, show)
	if reply != nil {
		span.SetAttributes(attribute.String("gen_ai.response.id", reply.ID), attribute.String("gen_ai.response.model", reply.Model),
			attribute.StringSlice("gen_ai.response.finish_reasons", []string{reply.Stop}), attribute.Int("holdfast.calls", len(reply.Calls)))
		span.SetAttributes(usage(reply.Usage)...)
	}
	if err != nil {
		span.SetStatus(codes.Error, "the model could not be asked")
	}
	return reply, err
}

func usage(u wire.Usage) (all []attribute.KeyValue) {
	if u.Input != nil {
		all = append(all, attribute.Int64("gen_ai.usage.input_tokens", *u.Input))
	}
	if u.Output != nil {
		all = append(all, attribute.Int64("gen_ai.usage.output_tokens", *u.Output))
	}
	return all
}

// Join makes one observer of several: each is told in their order when a call
// begins, and in the other order at its end.
func Join(observers ...func(context.Context, gate.Progress) context.Context) func(context.Context, gate.Progress) context.Context {
	observers = slices.Clone(observers)
	return func(ctx context.Context, p gate.Progress) context.Context {
		if p.Verdict == nil {
			for _, o := range observers {
				ctx = o(ctx, p)
			}
			return ctx
		}
		for _, o := range slices.Backward(observers) {
			o(ctx, p)
		}
		return ctx
	}
}
