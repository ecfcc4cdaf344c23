package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/wire"
)

func TestTurn_an_obedient_model_ends_at_the_round_limit(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: go, always: true}
    calls: [{name: find, arguments: '{"q":"{{.Step}}"}'}, {name: store, arguments: '{"name":"n{{.Step}}","grams":1}'}]
  - when: {message: then}
    say: "calm"
`, agent.Options{MaxRounds: 4}, func(s *stage) {
		r := s.say("go")
		if r.End != agent.RoundLimit || r.Rounds != 4 || !strings.Contains(r.Message, "limit of 4 rounds") {
			s.t.Errorf("turn = %s after %d rounds, %q; want round_limit after 4", r.End, r.Rounds, r.Message)
		}
		if len(s.requests) != 4 || len(s.ran()) != 8 {
			s.t.Errorf("%d requests and %d calls ran, want 4 and 8", len(s.requests), len(s.ran()))
		}
		s.wantOutcomes(1, 4, "0:ok 1:ok")
		s.wantAnswer(s.say("then"), "calm")
	})
}

// bug C7: a stop that speaks of calls where there are none ends the turn.
func TestTurn_C7_an_empty_reply_ends_incomplete(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: empty}
    stop: tool_calls
  - when: {message: then}
    say: here
`, agent.Options{}, func(s *stage) {
		if r := s.say("empty"); r.End != agent.Incomplete || r.Rounds != 1 {
			s.t.Errorf("turn = %s after %d rounds, want incomplete after 1", r.End, r.Rounds)
		}
		s.wantAnswer(s.say("then"), "here")
	})
}

func TestTurn_a_reply_cut_or_filtered_without_calls_ends_incomplete(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: long}
    say: a long sto
    stop: length
  - when: {message: foul}
    say: "well,"
    stop: content_filter
  - when: {message: refuse}
    say: I cannot
    stop: refusal
  - when: {message: then}
    say: fine
`, agent.Options{}, func(s *stage) {
		if r := s.say("long"); r.End != agent.Incomplete || r.Answer != "a long sto" {
			s.t.Errorf("cut turn = %s %q, want incomplete with what there was", r.End, r.Answer)
		}
		for _, m := range []string{"foul", "refuse"} {
			if r := s.say(m); r.End != s.filtered() {
				s.t.Errorf("%s turn = %s %q, want %s", m, r.End, r.Answer, s.filtered())
			}
		}
		s.wantAnswer(s.say("then"), "fine")
	})
}

// filtered is how a turn ends that the provider filters: Interactions has no
// word for it but failed.
func (s *stage) filtered() agent.End {
	if s.codec.API() == "interactions" {
		return agent.Failed
	}
	return agent.Incomplete
}

func TestTurn_a_filtered_reply_runs_none_of_its_calls(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: foul}
    calls: [{name: store, arguments: {name: a, grams: 1}}]
    stop: content_filter
  - when: {message: then}
    say: fine
`, agent.Options{}, func(s *stage) {
		if r := s.say("foul"); r.End != s.filtered() {
			s.t.Errorf("turn = %s, want %s", r.End, s.filtered())
		}
		s.wantRan()
		s.wantAnswer(s.say("then"), "fine")
	})
}

func TestTurn_of_a_broken_stream_nothing_enters_the_history(t *testing.T) {
	for _, cut := range []string{"cut: start", "cut: text", "cut: call", "cut: end", "stop: none", "error: {status: 200, code: overloaded_error, message: busy}"} {
		t.Run(cut, func(t *testing.T) {
			for _, codec := range codecs() {
				s := newStage(t, codec, `
rules:
  - when: {message: break}
    say: so far
    calls: [{name: store, arguments: {name: a, grams: 1}}]
    `+cut+`
  - when: {message: then}
    say: fine
`, agent.Options{})
				if r := s.say("break"); r.End != agent.Failed || r.Err == nil {
					t.Errorf("%s: turn = %s %v, want error", codec.API(), r.End, r.Err)
				}
				s.wantRan()
				s.wantAnswer(s.say("then"), "fine")
				if last := s.requests[len(s.requests)-1]; strings.Contains(last, "so far") {
					t.Errorf("%s: the broken reply is in the next request: %s", codec.API(), last)
				}
			}
		})
	}
}

func TestTurn_a_provider_that_refuses_ends_it_as_error(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: no}
    error: {status: 401, code: invalid_api_key, message: no such key}
  - when: {message: then}
    say: fine
`, agent.Options{}, func(s *stage) {
		if r := s.say("no"); r.End != agent.Failed || !strings.Contains(r.Err.Error(), "no such key") {
			s.t.Errorf("turn = %s %v, want error with the provider's words", r.End, r.Err)
		}
		s.wantAnswer(s.say("then"), "fine")
	})
}

func TestTurn_parks_on_an_approval_and_resumes_in_another_process(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: buy}
    reasoning: It must be bought.
    calls:
      - {name: find, arguments: {q: a}}
      - {name: buy, arguments: {name: rice, grams: 5}}
      - {name: store, arguments: {name: pan, grams: 2}}
  - when: {after: buy, outcome: ok}
    say: "bought, {{range .Results}}{{.Outcome}} {{end}}"
  - when: {after: buy, outcome: rejected}
    say: "{{(index .Results 1).Code}} {{(index .Results 2).Outcome}}"
`, agent.Options{}, func(s *stage) {
		r := s.say("buy")
		if r.End != agent.Pending || r.ApprovalID == "" {
			s.t.Fatalf("turn = %s, approval %q; want pending on one", r.End, r.ApprovalID)
		}
		s.wantRan(`find {"q": "a"}`)
		if len(s.requests) != 1 {
			s.t.Errorf("%d requests while a call waits, want 1", len(s.requests))
		}
		_, err := s.agent.Turn(s.t.Context(), "r", "hurry")
		var open *ledger.OpenTurnError
		if !errors.As(err, &open) || open.Approval != r.ApprovalID {
			s.t.Errorf("a new message to a parked run = %v, want a refusal that names %s", err, r.ApprovalID)
		}
		if again := s.resume(); again.End != agent.Pending || again.ApprovalID != r.ApprovalID {
			s.t.Errorf("resumed before a decision = %s %s, want pending on %s", again.End, again.ApprovalID, r.ApprovalID)
		}
		s.restart()
		if _, err := s.ledger.Approve(s.t.Context(), r.ApprovalID, "ana", ""); err != nil {
			s.t.Fatal(err)
		}
		s.restart()
		s.wantAnswer(s.resume(), "bought, ok ok ok ")
		s.wantRan(`find {"q": "a"}`, `store {"name": "rice", "grams": 5}`, `store {"name": "pan", "grams": 2}`)
		if _, err := s.agent.Resume(s.t.Context(), "r"); !errors.Is(err, agent.ErrNoOpenTurn) {
			s.t.Errorf("Resume of an ended turn = %v, want ErrNoOpenTurn", err)
		}

		r = s.say("buy")
		if _, err := s.ledger.Deny(s.t.Context(), r.ApprovalID, "ana", "too dear"); err != nil {
			s.t.Fatal(err)
		}
		s.wantAnswer(s.resume(), "approval_denied ok")
	})
}

func TestCancel_of_a_parked_run_closes_its_approval(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: buy}
    calls: [{name: buy, arguments: {name: rice, grams: 5}}, {name: store, arguments: {name: pan, grams: 2}}]
  - when: {message: then}
    say: fine
`, agent.Options{}, func(s *stage) {
		r := s.say("buy")
		s.restart()
		if c, err := s.agent.Cancel(s.t.Context(), "r"); err != nil || c.End != agent.Cancelled {
			s.t.Fatalf("Cancel = %s, %v", c.End, err)
		}
		a, err := s.ledger.Approval(s.t.Context(), r.ApprovalID)
		if err != nil || a.State != ledger.Withdrawn {
			s.t.Errorf("approval = %s, %v, want withdrawn", a.State, err)
		}
		s.wantOutcomes(1, 1, "0:rejected/cancelled 1:rejected/cancelled")
		s.wantRan()
		s.wantAnswer(s.say("then"), "fine")
	})
}

// bug D1: every call has its outcome, and the next request is accepted.
func TestTurn_D1_cancelled_while_a_tool_runs(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: go}
    reasoning: Slowly.
    calls: [{name: find, arguments: {q: a}}, {name: slow_write}, {name: slow}]
  - when: {message: then}
    say: fine
`, agent.Options{}, func(s *stage) {
		ctx, cancel := context.WithCancel(s.t.Context())
		go func() { <-s.held; cancel() }()
		r, err := s.agent.Turn(ctx, "r", "go")
		if err != nil || r.End != agent.Cancelled {
			s.t.Fatalf("Turn = %s, %v, want cancelled", r.End, err)
		}
		s.wantOutcomes(1, 1, "0:ok 1:uncertain/cancelled 2:rejected/cancelled")
		s.wantAnswer(s.say("then"), "fine")
	})
}

func TestTurn_cancelled_while_the_model_speaks(t *testing.T) {
	for _, codec := range codecs() {
		s := newStage(t, codec, `
pace: 1ms
rules:
  - when: {message: go}
    say: a long text that is on its way for quite some while and then some more
  - when: {message: then}
    say: fine
`, agent.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		watch := func(e agent.Event) {
			if e.Kind == agent.TextEvent {
				cancel()
			}
		}
		a := s.remade(watch)
		r, err := a.Turn(ctx, "r", "go")
		if err != nil || r.End != agent.Cancelled {
			t.Fatalf("%s: Turn = %s, %v, want cancelled", codec.API(), r.End, err)
		}
		s.wantAnswer(s.say("then"), "fine")
	}
}

// The provider paused a turn of its own tools: the reply is sent back as it is.
func TestTurn_a_paused_reply_is_sent_back(t *testing.T) {
	s := newStage(t, codecs()[2], `
rules:
  - when: {message: search, step: 0}
    say: Searching.
    calls: [{name: web_search, kind: provider, arguments: {query: x}}]
    stop: pause
  - when: {message: search, step: 1}
    say: found
`, agent.Options{})
	r := s.say("search")
	s.wantAnswer(r, "found")
	if r.Rounds != 2 || s.outcomes(1, 1) != "" {
		t.Errorf("%d rounds, outcomes %q; want 2 and none: the provider ran the call", r.Rounds, s.outcomes(1, 1))
	}
}

func TestTurn_a_call_that_the_provider_ran_is_not_ours(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: search}
    say: "found it"
    calls: [{name: web_search, kind: provider, arguments: {query: x}}]
    stop: stop
  - when: {message: both}
    calls: [{name: web_search, kind: provider, arguments: {query: x}}, {name: find, arguments: {q: a}}]
  - when: {after: find}
    say: "{{len .Results}}"
`, agent.Options{}, func(s *stage) {
		s.wantAnswer(s.say("search"), "found it")
		s.wantRan()
		s.wantAnswer(s.say("both"), "1")
		s.wantAnswer(s.say("both"), "1")
	})
}

// bug D2: a call that the provider ran and did not finish poisons nothing.
func TestTurn_D2_a_provider_s_call_without_its_result(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: search}
    say: "I searched."
    calls: [{name: web_search, kind: unfinished, arguments: {query: x}}]
    stop: stop
  - when: {message: then}
    say: fine
`, agent.Options{}, func(s *stage) {
		s.wantAnswer(s.say("search"), "I searched.")
		s.wantRan()
		s.wantAnswer(s.say("then"), "fine")
	})
}

// bug A11: a no-argument call is replayed with its empty object.
func TestTurn_A11_a_call_without_arguments_is_replayed_whole(t *testing.T) {
	s := newStage(t, codecs()[2], `
rules:
  - when: {message: look}
    calls: [{name: find}]
  - when: {after: find}
    say: seen
`, agent.Options{})
	s.wantAnswer(s.say("look"), "seen")
	if last := s.requests[len(s.requests)-1]; !strings.Contains(last, `"input":{}`) {
		t.Errorf("next request = %s, want \"input\":{} in it", last)
	}
}

// What cannot be sent back as it came is sent in its nearest legal form.
func TestTurn_hostile_arguments_do_not_poison_the_history(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: surrogate}
    calls: [{name: find, arguments: '{"q":"a\ud99cb"}'}]
  - when: {message: twice}
    calls: [{name: find, arguments: '{"q":"a","q":"b"}'}]
  - when: {message: array}
    calls: [{name: find, arguments: '["a"]'}]
  - when: {message: values}
    calls: [{name: find, arguments: '{"q":"a"}{"q":"b"}'}]
  - when: {message: name}
    calls: [{name: "find me, please!", arguments: {q: a}}]
  - when: {after: "*"}
    say: "{{(index .Results 0).Code}}"
`, agent.Options{}, func(s *stage) {
		for message, want := range map[string]string{
			"surrogate": "unreadable_arguments", "twice": "unreadable_arguments", "array": "unreadable_arguments",
			"values": "unreadable_arguments", "name": "unknown_tool",
		} {
			s.wantAnswer(s.say(message), want)
		}
		s.wantRan()
	})
}

// A conversation that began with one provider goes on with each other.
func TestTurn_goes_on_with_another_provider(t *testing.T) {
	const scenario = `
rules:
  - when: {message: look}
    reasoning: I look.
    calls: [{name: find, arguments: {q: a}}, {name: find, id: 'odd:id/1', arguments: '{"q'}]
  - when: {after: find}
    say: "{{len .Results}}"
  - when: {message: then}
    say: fine
`
	for _, first := range codecs() {
		for _, second := range codecs() {
			s := newStage(t, first, scenario, agent.Options{})
			s.wantAnswer(s.say("look"), "2")
			s.codec = second
			s.restart()
			r := s.say("look")
			if r.End != agent.Answer || r.Answer != "2" {
				t.Errorf("%s, then %s: turn = %s %q %v", first.API(), second.API(), r.End, r.Answer, r.Err)
			}
			s.wantAnswer(s.say("then"), "fine")
		}
	}
}

// What a new process sends is byte for byte what the old one would have sent.
func TestTurn_sends_the_same_after_a_restart(t *testing.T) {
	const scenario = `
rules:
  - when: {message: look}
    reasoning: I look.
    calls: [{name: find, arguments: {q: a}}, {name: find, arguments: '{"q": 1}'}, {name: store, arguments: {name: a, grams: 1}}, {name: nothing}]
  - when: {after: find, step: 1}
    calls: [{name: store, arguments: {grams: 1, name: a}}, {name: find, id: '', arguments: {q: nothing}}]
  - when: {after: store}
    say: "{{len .Results}}"
  - when: {message: then}
    say: fine
`
	for _, codec := range codecs() {
		var last [2]string
		for i := range last {
			s := newStage(t, codec, scenario, agent.Options{})
			s.say("look")
			s.say("look")
			if i == 1 {
				s.restart()
			}
			s.say("then")
			last[i] = s.requests[len(s.requests)-1]
		}
		if last[0] != last[1] {
			t.Errorf("%s: after a restart the request is\n%s\nwant\n%s", codec.API(), last[1], last[0])
		}
	}
}

func TestTurn_more_calls_than_a_round_may_have(t *testing.T) {
	var calls strings.Builder
	for i := range 70 { // each another, or one read would answer for several
		fmt.Fprintf(&calls, "      - {name: find, arguments: {q: a%d}}\n", i)
	}
	everyCodec(t, "\nrules:\n  - when: {message: many}\n    calls:\n"+calls.String()+`
  - when: {after: find}
    say: "{{len .Results}} {{(index .Results 63).Outcome}} {{(index .Results 64).Code}}"
`, agent.Options{}, func(s *stage) {
		s.wantAnswer(s.say("many"), "70 ok too_many_calls")
		if n := len(s.ran()); n != 64 {
			s.t.Errorf("%d calls ran, want 64", n)
		}
	})
}

func TestTurn_one_at_a_time(t *testing.T) {
	s := newStage(t, codecs()[0], `
rules:
  - when: {message: go}
    calls: [{name: slow}]
  - when: {after: slow}
    say: done
`, agent.Options{})
	done := make(chan agent.Result)
	go func() {
		r, _ := s.agent.Turn(t.Context(), "r", "go")
		done <- r
	}()
	<-s.held
	var open *ledger.OpenTurnError
	if _, err := s.agent.Turn(t.Context(), "r", "go"); !errors.As(err, &open) {
		t.Errorf("a second turn meanwhile = %v, want that one is open", err)
	}
	s.hold <- struct{}{}
	s.wantAnswer(<-done, "done")
}

// Several processes resume one run at once: the approved write runs once, and
// whoever is too late says so.
func TestResume_by_several_processes_runs_an_approved_write_once(t *testing.T) {
	for range 20 {
		s := newStage(t, codecs()[0], `
rules:
  - when: {message: buy}
    calls: [{name: buy, arguments: {name: rice, grams: 5}}, {name: store, arguments: {name: pan, grams: 2}}]
  - when: {after: buy, outcome: ok}
    say: bought
`, agent.Options{})
		r := s.say("buy")
		if _, err := s.ledger.Approve(t.Context(), r.ApprovalID, "ana", ""); err != nil {
			t.Fatal(err)
		}
		agents := []*agent.Agent{s.agent}
		for range 3 {
			s.open()
			agents = append(agents, s.agent)
		}
		ends := make(chan string, len(agents))
		for _, a := range agents {
			go func() {
				r, err := a.Resume(t.Context(), "r")
				if err != nil {
					ends <- "error: " + err.Error()
					return
				}
				ends <- string(r.End)
			}()
		}
		answered := 0
		for range agents {
			switch end := <-ends; {
			case end == "answer":
				answered++
			case end == "pending", strings.Contains(end, "already saved"), strings.Contains(end, "no open turn"):
			default:
				t.Errorf("Resume = %s", end)
			}
		}
		if s.stored["rice"] != 5 || s.stored["pan"] != 2 {
			t.Errorf("stored %v, want rice 5 and pan 2, once each", s.stored)
		}
		if answered == 0 {
			s.wantAnswer(s.resume(), "bought")
		}
	}
}

func TestNew_refuses_what_it_cannot_work_with(t *testing.T) {
	s := newStage(t, codecs()[0], "rules: []", agent.Options{})
	if _, err := agent.New(nil, s.gate, s.ledger, nil); err == nil {
		t.Error("New without a model is no error")
	}
	if _, err := agent.New(silent{codecs()[0]}, s.gate, s.ledger, &agent.Options{MaxRounds: -1}); err == nil {
		t.Error("New with -1 rounds is no error")
	}
	if _, err := s.agent.Turn(t.Context(), "r", ""); err == nil {
		t.Error("Turn without a message is no error")
	}
	if _, err := s.agent.Turn(t.Context(), "nobody", "hi"); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("Turn of an unknown run = %v, want not found", err)
	}
	if _, err := s.agent.Resume(t.Context(), "r"); !errors.Is(err, agent.ErrNoOpenTurn) {
		t.Errorf("Resume of a new run = %v, want ErrNoOpenTurn", err)
	}
}

// silent is a model that gives neither a reply nor an error.
type silent struct{ codec wire.Codec }

func (m silent) Codec() wire.Codec { return m.codec }

func (m silent) Reply(context.Context, *wire.Request, func(wire.Event)) (*wire.Reply, error) {
	return nil, nil
}

func TestTurn_a_model_that_gives_nothing_ends_it_as_error(t *testing.T) {
	s := newStage(t, codecs()[0], "rules: []", agent.Options{})
	a, err := agent.New(silent{codecs()[0]}, s.gate, s.ledger, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := a.Turn(t.Context(), "r", "hi"); err != nil || r.End != agent.Failed {
		t.Errorf("Turn = %s, %v, want error", r.End, err)
	}
}
