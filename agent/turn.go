package agent

import (
	"context"
	"fmt"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/wire"
)

// turn is one open turn on its way, used by one goroutine.
type turn struct {
	home   *Agent // whom the turn was begun with
	agent  *Agent // who has the conversation
	next   *Agent // who has it from the next round on, or nil
	handed int    // how often it was handed over in this turn
	run    gate.Run
	record gate.Turn
	items  []wire.Item // the whole conversation, but for the last round's results
	rounds int
	last   *saved // the round that is not dealt with yet, or nil
	unfit  string // why the last round's answer was not taken, or ""
	usage  wire.Usage
	before wire.Usage // of the run's earlier turns
	depth  int        // of agents' calls that the run is within
}

// saved is a round that is durable.
type saved struct {
	round gate.Round
	reply *wire.Reply
	// again says that its calls may have been put through before.
	again bool
}

// drive asks and deals with replies until the turn ends or waits.
func (t *turn) drive(ctx context.Context) (Result, error) {
	for {
		if t.last != nil {
			ended, err := t.deal(ctx, t.last)
			if err != nil || ended != nil {
				return t.finish(ctx, ended, err)
			}
			t.last = nil
		}
		if t.rounds >= t.home.options.MaxRounds {
			return t.end(ctx, t.limit())
		}
		ended, err := t.ask(ctx)
		if err != nil || ended != nil {
			return t.finish(ctx, ended, err)
		}
	}
}

// ask asks the model and saves its reply as the turn's next round, before
// anything of it runs.
func (t *turn) ask(ctx context.Context) (*Result, error) {
	a, number := t.agent, t.rounds+1
	if ctx.Err() != nil {
		return cancelled(ctx), nil
	}
	request := &wire.Request{
		Items: t.items, Tools: a.tools, Choice: a.options.Choice, MaxTokens: a.options.MaxTokens,
		Stream: !a.options.Whole, Quirks: a.options.Tools.Quirks,
		System: a.system(), Output: a.options.Output,
	}
	reply, err := t.listen(ctx, request, number)
	switch {
	case ctx.Err() != nil && (err != nil || reply == nil || reply.Ending == wire.Broken):
		return cancelled(ctx), nil
	case err == nil && reply == nil:
		err = fmt.Errorf("the model gave neither a reply nor an error")
	case err == nil && reply.Ending == wire.Broken:
		err = fmt.Errorf("the reply broke off")
		if reply.Err != nil {
			err = reply.Err
		}
	}
	if err != nil {
		return &Result{End: Failed, Message: "The model could not be asked, or its reply broke off; nothing of it ran.", Err: err}, nil
	}
	round, err := t.save(ctx, number, reply)
	if err != nil {
		return nil, err
	}
	t.rounds, t.unfit = number, ""
	t.add(round)
	t.last = round
	t.tell(number, Event{Kind: UsageEvent, Usage: &round.reply.Usage})
	for i := range round.reply.Calls {
		c := &round.reply.Calls[i]
		t.tell(number, Event{Kind: CallEvent, Position: i, Name: c.Name, Call: c})
	}
	return nil, nil
}

// save makes a reply durable as a round. What goes on from here is what was
// saved, so that a restart goes on with the same.
func (t *turn) save(ctx context.Context, number int, reply *wire.Reply) (*saved, error) {
	text, err := encodeReply(reply)
	if err != nil {
		return nil, err
	}
	round := gate.Round{
		Run: t.run.ID, API: reply.API, Turn: t.record.Number, Number: number, Reply: text, Calls: reply.Calls,
		Complete: reply.Complete, Ending: string(reply.Ending), Names: t.agent.tools.Names, Principal: t.run.Principal,
	}
	if len(t.home.team) > 0 {
		round.Agent = t.agent.options.Name
	}
	// A reply that came whole is kept also where the caller has just left: each
	// of its calls gets an outcome then, and the next request is in order.
	ctx, cancel := t.home.detached(ctx)
	defer cancel()
	if err := t.home.history.SaveRound(ctx, round); err != nil {
		return nil, err
	}
	kept, err := decodeReply(round)
	if err != nil {
		return nil, err
	}
	return &saved{round: round, reply: kept}, nil
}

// detached is a context for the record, which does not end with the caller.
func (a *Agent) detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), a.options.RecordTimeout)
}

// add puts a round's reply into the conversation and its usage into the sums.
func (t *turn) add(s *saved) {
	t.usage = sum(t.usage, s.reply.Usage)
	if speaks(s.reply) {
		t.items = append(t.items, wire.Item{Reply: s.reply})
	}
}

// deal does what a saved round asks for: its calls are put through the gate,
// and its end may be the turn's. A nil result means that the turn goes on.
func (t *turn) deal(ctx context.Context, s *saved) (*Result, error) {
	if !owns(s.round.Calls) {
		return t.closing(s.reply), nil
	}
	verdicts, err := t.agent.gate.Round(t.desks(ctx), s.round, &gate.RoundOptions{
		Resume: s.again,
		Watch:  func(p gate.Progress) { t.progress(s.round, p) },
	})
	if err != nil {
		return nil, err
	}
	for i := range verdicts {
		if v := &verdicts[i]; v.Waiting || v.Outcome.Status == holdfast.Pending {
			return waiting(v), nil
		}
	}
	t.answer(s, verdicts)
	t.follow(verdicts)
	t.goOver()
	switch {
	case s.reply.Ending == wire.Filtered:
		return t.closing(s.reply), nil
	case ctx.Err() != nil:
		return cancelled(ctx), nil
	}
	return nil, nil
}

// answer puts the results of a round's calls into the conversation.
func (t *turn) answer(s *saved, verdicts []gate.Verdict) {
	if !speaks(s.reply) {
		return
	}
	if results := observations(verdicts); len(results) > 0 {
		t.items = append(t.items, wire.Item{Results: results})
	}
}

// closing is what a reply without calls of ours means for the turn.
func (t *turn) closing(r *wire.Reply) *Result {
	switch {
	case r.Ending == wire.Paused:
		return nil
	case r.Ending == wire.Cut:
		return &Result{End: Incomplete, Answer: r.Text, Message: "The model's reply was cut: " + r.Stop + "."}
	case r.Ending == wire.Filtered:
		return &Result{End: Incomplete, Answer: r.Text, Message: "The provider filtered the model's reply, or the model refused: " + r.Stop + "."}
	case r.Text == "":
		return &Result{End: Incomplete, Message: "The model ended its reply with neither an answer nor a call."}
	}
	return t.answers(r)
}

func waiting(v *gate.Verdict) *Result {
	r := &Result{End: Pending, ApprovalID: v.ApprovalID}
	r.Message = "A call of " + v.Tool + " waits for a person's approval."
	switch {
	case v.Outcome.Status != holdfast.Pending:
		r.Message = "A call of " + v.Tool + " runs in another process just now."
	case v.Outcome.Parked && r.ApprovalID != "":
		r.Message = "A call that " + v.Tool + " made waits for a person's approval."
	case v.Outcome.Parked:
		r.Message = v.Outcome.Message
	}
	return r
}

func (t *turn) limit() Result {
	if t.unfit != "" {
		return Result{End: RoundLimit, Message: fmt.Sprintf("The turn ended at its limit of %d rounds, without an answer that fits. %s", t.rounds, t.unfit)}
	}
	return Result{End: RoundLimit, Message: fmt.Sprintf(
		"The turn ended at its limit of %d rounds. The calls of the last round ran and are recorded; the model was not asked again.", t.rounds)}
}

func cancelled(ctx context.Context) *Result {
	r := &Result{End: Cancelled, Message: "The turn was cancelled."}
	if cause := context.Cause(ctx); cause != nil && cause != context.Canceled {
		r.Message = "The turn was cancelled: " + cause.Error() + "."
	}
	return r
}

// finish hands back what ended the driving: a fault leaves the turn open.
func (t *turn) finish(ctx context.Context, ended *Result, err error) (Result, error) {
	if err != nil {
		return t.filled(Result{}), fmt.Errorf("turn %d of run %s: %w", t.record.Number, t.run.ID, err)
	}
	if ended.End != Pending {
		return t.end(ctx, *ended)
	}
	r := t.filled(*ended)
	t.tell(t.rounds, Event{Kind: EndEvent, Result: &r})
	return r, nil
}

// end closes the turn in the record and tells so.
func (t *turn) end(ctx context.Context, r Result) (Result, error) {
	r = t.filled(r)
	record := t.record
	record.End, record.Answer = string(r.End), r.Answer
	if record.Answer == "" {
		record.Answer = r.Message
	}
	ctx, cancel := t.home.detached(ctx)
	defer cancel()
	if err := t.home.history.EndTurn(ctx, record); err != nil {
		return r, err
	}
	t.tell(t.rounds, Event{Kind: EndEvent, Result: &r})
	return r, nil
}

func (t *turn) filled(r Result) Result {
	r.Run, r.Turn, r.Rounds, r.Agent = t.run.ID, t.record.Number, t.rounds, t.agent.options.Name
	r.Usage, r.RunUsage = t.usage, sum(t.before, t.usage)
	return r
}
