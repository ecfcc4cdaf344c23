package agent_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/policy"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire/openai"
)

const asking = `
rules:
  - when: {system: boss, message: rice}
    calls: [{name: ask_cook, arguments: {task: store rice}}, {name: find, arguments: {q: after}}]
  - when: {system: boss, after: ask_cook}
    say: "the cook: {{.Result.outcome}}, {{.Result.result}}, {{len .Result.calls}} calls"
  - when: {system: cook, message: "store (?P<what>\\w+)"}
    reasoning: I shall.
    calls: [{name: find, arguments: {q: a}}, {name: store, arguments: {name: "{{.Group.what}}", grams: 5}}]
  - when: {system: cook, after: store, outcome: ok}
    say: "stored"
`

func TestTool_looks_like_any_other_to_its_caller(t *testing.T) {
	everyOffice(t, asking, func(f *office) {
		f.wantAnswer(f.say("rice"), "the cook: ok, stored, 2 calls")
		f.wantRan(`find {"q": "a"}`, `store {"name": "rice", "grams": 5}`, `find {"q": "after"}`)
		f.wantEntries("boss.ask_cook:ok", "boss.find:ok", "cook.find:ok", "cook.store:ok")

		all := f.entries()
		at := slices.IndexFunc(all, func(e ledger.Entry) bool { return e.Tool == "boss.ask_cook" })
		around := all[at]
		runs, err := f.ledger.Runs(f.t.Context(), ledger.Filter{Parent: around.ID})
		if err != nil || len(runs) != 1 || runs[0].ID != agent.RunWithin(around.ID) || runs[0].Principal != around.Principal {
			f.t.Fatalf("runs within the call = %+v, %v, want one, for the same principal", runs, err)
		}
		for _, e := range all {
			inner := strings.HasPrefix(e.Tool, "cook.")
			if (e.Run == runs[0].ID) != inner || e.Principal != around.Principal {
				f.t.Errorf("call of %s is of run %s, for %+v", e.Tool, e.Run, e.Principal)
			}
			if top, err := f.ledger.Outermost(f.t.Context(), e); inner && (err != nil || top.ID != around.ID) {
				f.t.Errorf("Outermost(%s) = %s, %v, want %s", e.Tool, top.ID, err, around.ID)
			}
		}
		told := shownEvents(f.events)
		if !strings.Contains(told, "0:stage 1:") || !strings.Contains(told, "1:end 0:") {
			f.t.Errorf("events by depth = %s, want the cook's between those of the call", told)
		}
	})
}

const approving = `
rules:
  - when: {system: boss, message: shop}
    calls:
      - {name: find, arguments: {q: before}}
      - {name: ask_cook, arguments: {task: shop}}
      - {name: store, arguments: {name: after, grams: 1}}
  - when: {system: boss, after: ask_cook}
    say: "boss: {{.Result.outcome}} {{.Result.result}}"
  - when: {system: cook, message: shop}
    calls:
      - {name: store, arguments: {name: a, grams: 1}}
      - {name: ask_helper, arguments: {task: shop}}
      - {name: store, arguments: {name: b, grams: 2}}
  - when: {system: cook, after: ask_helper}
    say: "cook: {{.Result.result}}"
  - when: {system: helper, message: shop}
    calls:
      - {name: store, arguments: {name: c, grams: 3}}
      - {name: buy, arguments: {name: d, grams: 4}}
      - {name: find, arguments: {q: behind}}
      - {name: buy, arguments: {name: e, grams: 5}}
  - when: {system: helper, after: buy, step: 1}
    calls: [{name: buy, arguments: {name: f, grams: 6}}]
  - when: {system: helper, after: buy, step: 2}
    say: "helper: {{.Result.code}}"
`

// An approval that an agent needs two levels down surfaces at the top. Each is
// answered after the process was replaced, and resuming runs nothing twice.
func TestTool_an_inner_approval_surfaces_at_the_top(t *testing.T) {
	everyOffice(t, approving, func(f *office) {
		r := f.say("shop")
		before := []string{`find {"q": "before"}`, `store {"name": "a", "grams": 1}`, `store {"name": "c", "grams": 3}`}
		p := f.wantWaits(r, "helper.buy")
		if !strings.Contains(r.Message, "boss.ask_cook made waits for a person") {
			f.t.Errorf("message = %q", r.Message)
		}
		f.wantRan(before...)
		f.wantEntries("boss.find:ok", "boss.ask_cook:parked/approval_pending", "cook.store:ok", "cook.ask_helper:parked/approval_pending",
			"helper.store:ok", "helper.buy:pending")
		if again := f.resume(); again.ApprovalID != p.ID {
			f.t.Errorf("resumed without a decision: waits for %q, want %q", again.ApprovalID, p.ID)
		}
		if _, err := f.agent.Turn(f.t.Context(), "r", "another"); err == nil || !strings.Contains(err.Error(), p.ID) {
			f.t.Errorf("a new message = %v, want it refused, naming the approval %s", err, p.ID)
		}

		f.restart()
		f.approve(p.ID)
		second := f.wantWaits(f.resume(), "helper.buy")
		if second.ID == p.ID || !strings.Contains(string(second.Arguments), `"e"`) {
			f.t.Errorf("second approval = %s %s, want that of e", second.ID, second.Arguments)
		}
		f.restart()
		if _, err := f.ledger.Deny(f.t.Context(), second.ID, "bea", "enough"); err != nil {
			f.t.Fatal(err)
		}
		f.wantWaits(f.resume(), "helper.buy")
		f.restart()
		f.now = 25 * time.Hour // it expires
		f.wantAnswer(f.resume(), "boss: ok cook: helper: approval_expired")
		f.wantRan(append(before, `store {"name": "d", "grams": 4}`, `find {"q": "behind"}`, `store {"name": "b", "grams": 2}`, `store {"name": "after", "grams": 1}`)...)
	})
}

// Cancelling the outer turn reaches the calls that wait two levels down.
func TestTool_cancelling_reaches_what_waits_within(t *testing.T) {
	everyOffice(t, approving, func(f *office) {
		p := f.wantWaits(f.say("shop"), "helper.buy")
		f.restart()
		r, err := f.agent.Cancel(f.t.Context(), "r")
		if err != nil || r.End != agent.Cancelled {
			f.t.Fatalf("Cancel = %+v, %v", r, err)
		}
		if p, err = f.ledger.Approval(f.t.Context(), p.ID); err != nil || p.State != ledger.Withdrawn {
			f.t.Errorf("approval is %s, %v, want it withdrawn", p.State, err)
		}
		f.wantEntries("boss.find:ok", "boss.ask_cook:failed/cancelled", "boss.store:rejected/cancelled",
			"cook.store:ok", "cook.ask_helper:failed/cancelled", "cook.store:rejected/cancelled",
			"helper.store:ok", "helper.buy:rejected/cancelled", "helper.find:rejected/cancelled", "helper.buy:rejected/cancelled")
		runs, err := f.ledger.Runs(f.t.Context(), ledger.Filter{})
		if err != nil || len(runs) != 3 {
			f.t.Fatalf("runs = %+v, %v, want three", runs, err)
		}
		for _, run := range runs {
			turns, err := f.ledger.Turns(f.t.Context(), run.ID)
			if err != nil || len(turns) != 1 || turns[0].End != string(agent.Cancelled) {
				f.t.Errorf("turns of run %s = %+v, %v, want one that was cancelled", run.ID, turns, err)
			}
		}
	})
}

// However the inner turn ends, the call has an outcome that says so.
func TestTool_tells_how_the_agent_ended(t *testing.T) {
	for name, row := range map[string]struct {
		cook string
		code holdfast.Code
		says string
	}{
		"at its round limit": {`{calls: [{name: find, arguments: {q: a}}]}`, holdfast.LimitExceeded, "its limit of 2 rounds"},
		"incomplete":         {`{say: half, stop: length}`, holdfast.ToolError, "was cut"},
		"with an error":      {`{error: {status: 400, code: bad, message: no such model}}`, holdfast.ToolError, "could not be asked"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newOffice(t, openai.Chat{}, `
rules:
  - when: {system: boss, message: ask}
    calls: [{name: ask_cook, arguments: {task: go}}]
  - when: {system: boss, after: ask_cook, outcome: failed}
    say: "{{.Result.code}}: {{.Result.message}}"
  - when: {system: cook, message: go}
    replies: [`+row.cook+`, `+row.cook+`]
`)
			f.options.MaxRounds = 2
			f.open(f.store)
			r := f.say("ask")
			if r.End != agent.Answer || !strings.HasPrefix(r.Answer, string(row.code)+": ask_cook gave no answer: ") || !strings.Contains(r.Answer, row.says) {
				t.Errorf("turn = %s %q %v, want %s and %q", r.End, r.Answer, r.Err, row.code, row.says)
			}
			f.close()
		})
	}
}

// An inner write of which nobody knows makes the outer call uncertain.
func TestTool_an_inner_uncertain_write_makes_the_call_uncertain(t *testing.T) {
	f := newOffice(t, openai.Chat{}, asking)
	f.lost = errKitchen
	f.open(f.store)
	f.say("rice")
	f.wantEntries("boss.ask_cook:uncertain/unconfirmed", "boss.find:ok", "cook.find:ok", "cook.store:uncertain/tool_error")
	f.close()
}

// The call's timeout ends the inner turn too, and every call has an outcome.
func TestTool_timeout_ends_the_inner_turn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newOffice(t, openai.Chat{}, `
rules:
  - when: {system: boss, message: ask}
    calls: [{name: ask_cook, arguments: {task: go}}]
  - when: {system: boss, after: ask_cook, outcome: failed}
    say: "{{.Result.code}}"
  - when: {system: cook, message: go}
    calls: [{name: slow, arguments: {}}]
`)
		f.timeout = 5 * time.Second
		f.open(f.store)
		f.wantAnswer(f.say("ask"), "timeout")
		f.wantEntries("boss.ask_cook:failed/timeout", "cook.slow:failed/cancelled")
		turns, err := f.ledger.Turns(t.Context(), agent.RunWithin(f.entries()[0].ID))
		if err != nil || len(turns) != 1 || turns[0].End != string(agent.Cancelled) {
			t.Errorf("inner turns = %+v, %v, want one that was cancelled", turns, err)
		}
		f.close()
	})
}

// An agent may not call itself, not by way of others either, and agents may not
// call agents without an end.
func TestTool_refuses_cycles_and_depth(t *testing.T) {
	f := newOffice(t, openai.Chat{}, `
rules:
  - when: {system: boss, message: go}
    calls: [{name: ask_cook, arguments: {task: go}}]
  - when: {system: cook, message: go}
    calls: [{name: ask_helper, arguments: {task: go}}]
  - when: {system: helper, message: go}
    calls: [{name: again, arguments: {}}]
  - when: {after: "*"}
    say: "{{.Result.message}}{{.Result.result}}"
`)
	t.Run("depth", func(t *testing.T) {
		f := *f
		f.t, f.options = t, agent.Options{MaxDepth: 1}
		f.open(f.store)
		r := f.say("go")
		if !strings.Contains(r.Answer, "agents may call agents 1 deep, and this would be 2") {
			t.Errorf("turn = %s %q, want the call refused at depth 2", r.End, r.Answer)
		}
		f.close()
	})
	t.Run("cycle", func(t *testing.T) {
		f := *f
		f.t = t
		f.open(f.store)
		var self holdfast.Handler
		c, err := holdfast.NewCatalog("helper", selfTool(t, "again", &self))
		if err != nil {
			t.Fatal(err)
		}
		g, err := gate.New(c, f.ledger, nil)
		if err != nil {
			t.Fatal(err)
		}
		helper, err := agent.New(f.model(), g, f.ledger, &agent.Options{System: func() string { return "You are the helper." }})
		if err != nil {
			t.Fatal(err)
		}
		self = helper.Handler(func(schema.Value) (string, error) { return "go", nil })
		if _, err := f.ledger.CreateRun(t.Context(), gate.Run{ID: "own"}); err != nil {
			t.Fatal(err)
		}
		r, err := helper.Turn(t.Context(), "own", "go")
		if err != nil || !strings.Contains(r.Answer, "an agent may not call itself") {
			t.Errorf("turn = %s %q, %v, want the call within the call refused", r.End, r.Answer, err)
		}
		f.close()
	})
}

// The process ends at each of its writes in turn, before it is durable and after,
// while agents call agents and persons are asked within: whoever comes next goes on
// from the record alone, and no write runs twice.
func TestTool_survives_the_end_of_its_process_at_every_write(t *testing.T) {
	formats := codecs()
	if os.Getenv("HOLDFAST_LONG") == "" {
		formats = formats[:1]
	}
	for _, codec := range formats {
		t.Run(codec.API(), func(t *testing.T) {
			for _, after := range []bool{false, true} {
				writes := 0
				for n := 2; ; n++ { // the first is the run's
					f := newOffice(t, codec, approving)
					store := &dying{Store: f.store, left: n, after: after}
					if !f.crashAt(store) {
						break
					}
					writes++
					f.survives(n, after)
				}
				if writes < 30 {
					t.Errorf("the turn made only %d writes; want more to die at", writes)
				}
			}
		})
	}
}

func (f *office) crashAt(store *dying) bool {
	f.t.Helper()
	f.open(store)
	if _, err := f.toTheEnd(); err != nil && !store.dead {
		f.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(f.t.Context())
	cancel()
	for _, g := range f.gates {
		_ = g.Close(ctx)
	}
	_ = f.ledger.Close()
	return store.dead
}

// toTheEnd drives the run on, approving what waits, until its turn ended.
func (f *office) toTheEnd() (agent.Result, error) {
	for {
		r, err := f.agent.Resume(f.t.Context(), "r")
		if errors.Is(err, agent.ErrNoOpenTurn) {
			turns, err := f.ledger.Turns(f.t.Context(), "r")
			if err != nil {
				return r, err
			}
			if len(turns) > 0 {
				return agent.Result{End: agent.End(turns[0].End), Answer: turns[0].Answer}, nil
			}
			if r, err = f.agent.Turn(f.t.Context(), "r", "shop"); err != nil {
				return r, err
			}
		} else if err != nil {
			return r, err
		}
		if r.End != agent.Pending || r.ApprovalID == "" {
			return r, nil
		}
		if _, err := f.ledger.Approve(f.t.Context(), r.ApprovalID, "ana", ""); err != nil {
			return r, err
		}
	}
}

func (f *office) survives(n int, after bool) {
	f.t.Helper()
	f.open(f.store)
	r, err := f.toTheEnd()
	if err != nil || r.End != agent.Answer {
		f.t.Errorf("died at write %d (after: %t), then: %s %q %s %v, %v", n, after, r.End, r.Answer, r.Message, r.Err, err)
	}
	ran := slices.DeleteFunc(f.ran(), func(call string) bool { return !strings.HasPrefix(call, "store") })
	slices.Sort(ran)
	once := slices.Compact(slices.Clone(ran))
	if len(ran) > len(once) {
		f.t.Errorf("died at write %d (after: %t): writes ran twice: %q", n, after, ran)
	}
	lost := 0
	for _, e := range f.entries() {
		switch {
		case e.Outcome == nil || e.State == ledger.StateStarted || e.State == ledger.StateParked || e.State == ledger.StatePending:
			f.t.Errorf("died at write %d (after: %t): call of %s is %s at the end", n, after, e.Tool, e.State)
		case e.Effect == holdfast.Write && e.State == ledger.StateUncertain:
			lost++
		}
	}
	if len(once)+lost < 7 { // what ran twice would count above; what may not have run is uncertain
		f.t.Errorf("died at write %d (after: %t): %d writes ran and %d are uncertain, want 7: %q", n, after, len(once), lost, once)
	}
	f.close()
}

// What a stranger wrote marks the caller's run, though an agent read it; and what
// the caller read marks the agent's.
func TestTool_labels_flow_both_ways(t *testing.T) {
	const up = `
rules:
  - when: {system: boss, message: up}
    calls: [{name: ask_cook, arguments: {task: look}}, {name: store, arguments: {name: up, grams: 1}}]
  - when: {system: cook, message: look}
    calls: [{name: mail, arguments: {}}]
  - when: {system: boss, message: down}
    calls: [{name: mail, arguments: {}}, {name: ask_cook, arguments: {task: store}}]
  - when: {system: cook, message: store}
    calls: [{name: store, arguments: {name: down, grams: 1}}]
  - when: {after: "*"}
    say: done
`
	for message, waits := range map[string]string{"up": "boss.store", "down": "cook.store"} {
		t.Run(message, func(t *testing.T) {
			f := newOffice(t, openai.Chat{}, up)
			f.open(f.store)
			p := f.wantWaits(f.say(message), waits)
			if len(p.Labels) != 1 || !strings.Contains(p.Why, "untrusted text from ") {
				t.Errorf("asked because %q, labels %v; want it to say what the run holds", p.Why, p.Labels)
			}
			f.restart()
			f.approve(p.ID)
			f.wantAnswer(f.resume(), "done")
			f.close()
		})
	}
}

// A budget of a run is spent by the agents that it calls too, and policy holds for
// their calls as for its own.
func TestTool_budget_and_policy_hold_within(t *testing.T) {
	rules, err := policy.Parse("p.yaml", []byte(`
rules:
  - {name: work, decision: allow, tools: "*"}
  - {name: no purchases, decision: deny, tools: "*.buy", why: nothing is bought}
budgets:
  - {name: stores, tools: "*.store", per_run: 1}
`))
	if err != nil {
		t.Fatal(err)
	}
	f := newOffice(t, openai.Chat{}, `
rules:
  - when: {system: boss, message: go}
    calls: [{name: ask_cook, arguments: {task: go}}, {name: store, arguments: {name: b, grams: 1}}]
  - when: {system: boss, after: ask_cook}
    say: done
  - when: {system: cook, message: go}
    calls: [{name: store, arguments: {name: a, grams: 1}}, {name: buy, arguments: {name: c, grams: 1}}]
  - when: {system: cook, after: store}
    say: done
`)
	f.policy = rules
	f.open(f.store)
	f.wantAnswer(f.say("go"), "done")
	f.wantRan(`store {"name": "a", "grams": 1}`)
	f.wantEntries("boss.ask_cook:ok", "boss.store:rejected/budget_exceeded", "cook.store:ok", "cook.buy:rejected/not_permitted")
	f.close()
}
