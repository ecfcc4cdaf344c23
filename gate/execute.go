package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
)

// execute enters the handler: from this line on there may be an effect. It asks
// whether the handler finished within its limits, and what that says of the
// effect.
func (g *Gate) execute(ctx context.Context, c *call) {
	if ctx.Err() != nil {
		c.outcome = *c.cancelledBefore()
		return
	}
	g.enterHandler(ctx, c)
}

// enterHandler runs the handler, and makes an outcome of how it ended.
func (g *Gate) enterHandler(ctx context.Context, c *call) {
	runCtx := holdfast.WithCallInfo(ctx, c.callInfo())
	if c.effect() == holdfast.Agent {
		c.inner = new(collector)
		runCtx = context.WithValue(runCtx, collectorKey{}, c.inner)
	}
	r, end := g.attempt(runCtx, c)
	if end.clean() {
		c.outcome = g.finished(c, &r.value)
	} else {
		c.outcome = c.broken(end)
	}
	c.withInner()
	if end.gaveUp || end.panicked {
		g.leave(c, "handler", end, func() holdfast.Outcome {
			if r.clean() {
				return g.finished(c, &r.value)
			}
			return c.broken(r.end)
		})
	}
}

func (c *call) callInfo() holdfast.CallInfo {
	r := &c.round.Round
	return holdfast.CallInfo{
		Key: c.writeKey(), LedgerID: c.ledgerID, Run: r.Run, Turn: r.Turn, Round: r.Number, Tool: c.info.name, Principal: r.Principal,
	}
}

// broken is the outcome of a handler that did not hand back a result. A write
// that does not say "no effect" is uncertain, whatever else it says.
func (c *call) broken(e end) holdfast.Outcome {
	if no := c.noAnswer(e); no != nil {
		return *no
	}
	code := holdfast.ToolError
	switch {
	case e.panicked:
		code = holdfast.Panicked
	case e.timedOut:
		code = holdfast.Timeout
	case e.stopped:
		code = holdfast.Cancelled
	}
	unknown := c.effect() == holdfast.Write && (e.panicked || e.gaveUp || !saysNoEffect(e.err))
	if c.effect() == holdfast.Agent && e.gaveUp {
		unknown = true
	}
	if unknown {
		return c.uncertain(code, e.err)
	}
	return c.failed(code, e.err)
}

// finished is the outcome of a handler that handed back a result. What is wrong
// with a result fails a read; a write that finished has happened all the same. It
// may change r.
func (g *Gate) finished(c *call, r *holdfast.Result) holdfast.Outcome {
	result, code, problems := c.checkResult(r)
	if code == "" {
		return holdfast.Outcome{Status: holdfast.OK, Result: result}
	}
	if c.effect() == holdfast.Write {
		return c.oddResult(code, result, problems)
	}
	return c.badResult(code, problems)
}

// checkResult asks whether a result is within its limits and keeps the tool's
// output schema, and takes the call's secrets out of it. It may change r.
func (c *call) checkResult(r *holdfast.Result) (*holdfast.Result, holdfast.Code, []schema.Problem) {
	if r.Size() > c.info.options.HandlerBytes {
		return nil, holdfast.LimitExceeded, nil
	}
	output := c.info.options.Output
	if r.JSON != nil && !utf8.Valid(r.JSON) {
		r.JSON = bytes.ToValidUTF8(r.JSON, []byte("\uFFFD"))
	}
	if r.JSON == nil {
		r.Text = strings.ToValidUTF8(r.Text, "\uFFFD")
		if output != nil {
			return c.scrubResult(r), holdfast.OutputInvalid, []schema.Problem{{
				Keyword: "json", Expected: "one JSON value", Got: "text", Message: "must be JSON, not text",
			}}
		}
		return c.scrubResult(r), "", nil
	}
	if output == nil {
		if json.Valid(r.JSON) {
			return c.scrubResult(r), "", nil
		}
		return c.scrubResult(asText(r)), holdfast.OutputInvalid, []schema.Problem{{
			Keyword: "json", Expected: "one JSON value", Message: "is not one JSON value",
		}}
	}
	v, err := schema.Read(r.JSON, outputLimits(c.info.options.HandlerBytes))
	if err != nil {
		return c.scrubResult(asText(r)), holdfast.OutputInvalid, c.scrubProblems([]schema.Problem{readProblem(err)})
	}
	if report := output.Validate(v); !report.Valid() {
		return c.scrubResult(r), holdfast.OutputInvalid, c.scrubProblems(report.Problems)
	}
	return c.scrubResult(r), "", nil
}

// outputLimits let through what the handler may hand back at all.
func outputLimits(bytes int) *schema.Limits {
	return &schema.Limits{Bytes: bytes, String: bytes}
}

// asText keeps a result that is not the JSON it claims to be.
func asText(r *holdfast.Result) *holdfast.Result {
	return &holdfast.Result{Text: strings.ToValidUTF8(string(r.JSON), "\uFFFD"), Images: r.Images}
}

// leftBehind is a handler that ignored its cancellation.
type leftBehind struct {
	recorded chan struct{} // closed once the outcome is told to the ledger
}

// leave counts and names code that did not return in time, and logs a panic.
// outcome, if given, makes a late result's outcome; it is kept as evidence.
func (g *Gate) leave(c *call, what string, e end, outcome func() holdfast.Outcome) {
	if e.panicked {
		g.options.Log.Error("tool panicked", "what", what, "tool", c.name(), "run", c.round.Run, "entry", c.ledgerID, "stack", e.stack)
	}
	if !e.gaveUp {
		return
	}
	c.clock.abandoned()
	g.abandoned.Add(1)
	g.lingering.Add(1)
	id := c.ledgerID // now: a read gets its own as it is recorded, beside the goroutine below
	if outcome != nil && id != "" {
		g.stillRuns.Store(id, true)
	}
	g.options.Log.Error("tool ignores its cancellation and was abandoned", "what", what, "tool", c.name(), "run", c.round.Run, "entry", c.ledgerID)
	left := &leftBehind{recorded: make(chan struct{})}
	if outcome != nil {
		c.left = left
	}
	go func() {
		<-e.late
		g.lingering.Add(-1)
		if outcome == nil {
			return
		}
		g.stillRuns.Delete(id)
		<-left.recorded
		if c.started {
			g.keeper.keep(c.ledgerID, c.fence, outcome(), "a late result of a handler that was abandoned")
		}
	}()
}

// saysNoEffect asks an error whether nothing happened. An error is code that is
// not ours: one that panics says nothing.
func saysNoEffect(err error) (yes bool) {
	defer func() {
		if recover() != nil {
			yes = false
		}
	}()
	return holdfast.HasNoEffect(err)
}

// errText is a tool's error as the model may read it, or "".
func (c *call) errText(err error) string {
	if err == nil {
		return ""
	}
	text := ""
	if guarded(func() error {
		text = err.Error()
		return nil
	}) != nil {
		return ""
	}
	return shorten(c.scrub(text), maxErrorShown)
}
