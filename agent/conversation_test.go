package agent_test

import (
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/agent"
)

func TestTurn_finds_and_tells(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: rice}
    reasoning: I must look it up.
    calls: [{name: find, arguments: {q: arroz}}]
    usage: {input: 10, output: 5, cached: 4, reasoning: 2}
  - when: {after: find, outcome: ok}
    say: "{{join \" y \" (pick \"name\" .Result.foods)}} {{(index .Result.foods 0).id}}"
    usage: {input: 20, output: 6}
`, agent.Options{}, func(s *stage) {
		r := s.say("rice?")
		s.wantAnswer(r, "arroz y pan <&> 9007199254740993")
		s.wantRan(`find {"q": "arroz"}`)
		s.wantOutcomes(1, 1, "0:ok")
		if *r.Usage.Input != 30 || *r.Usage.Output != 11 || *r.Usage.Cached != 4 {
			s.t.Errorf("usage = %d in, %d out, %d cached, want 30, 11, 4", *r.Usage.Input, *r.Usage.Output, *r.Usage.Cached)
		}
		again := s.say("rice again")
		s.wantAnswer(again, "arroz y pan <&> 9007199254740993")
		if *again.Usage.Input != 30 || *again.RunUsage.Input != 60 {
			s.t.Errorf("usage of turn and run = %d, %d, want 30, 60", *again.Usage.Input, *again.RunUsage.Input)
		}
		var told strings.Builder
		for _, e := range s.events {
			if e.Turn == 1 {
				told.WriteString(string(e.Kind) + " ")
			}
		}
		for _, want := range []string{"usage call stage", "outcome", "end"} {
			if !strings.Contains(told.String(), want) {
				s.t.Errorf("events = %s, want %q among them", told.String(), want)
			}
		}
	})
}

// bugs C1, D5: a tool's error is an observation, and its siblings keep theirs.
func TestTurn_C1_D5_a_failing_tool_does_not_end_the_turn(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: both}
    calls: [{name: find, arguments: {q: a}}, {name: store, arguments: {name: x, grams: 1}}]
  - when: {after: find, outcome: failed, code: tool_error}
    say: "{{.Result.message}} / {{len .Results}} / {{(index .Results 1).Outcome}}"
`, agent.Options{}, func(s *stage) {
		s.shut = errKitchen
		r := s.say("both")
		if r.End != agent.Answer || !strings.HasSuffix(r.Answer, "/ 2 / ok") {
			s.t.Errorf("turn = %s %q %v", r.End, r.Answer, r.Err)
		}
		s.wantOutcomes(1, 1, "0:failed/tool_error 1:ok")
	})
}

func TestTurn_nothing_found_is_not_could_not_look(t *testing.T) {
	scenario := `
rules:
  - when: {message: look}
    calls: [{name: find, arguments: {q: nothing}}]
  - when: {after: find, outcome: ok}
    say: "found {{len .Result.foods}}"
  - when: {after: find, outcome: failed}
    say: could not look
`
	everyCodec(t, scenario, agent.Options{}, func(s *stage) {
		s.wantAnswer(s.say("look"), "found 0")
		s.shut = errKitchen
		s.wantAnswer(s.say("look"), "could not look")
	})
}

// bug C3: what the model got wrong goes back to it, and the turn goes on.
func TestTurn_C3_wrong_arguments_go_back_to_the_model(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: store}
    calls: [{name: store, arguments: {name: rice, grams: "75,5"}}]
  - when: {after: store, code: invalid_arguments, result: '/grams'}
    calls: [{name: store, arguments: {name: rice, grams: 75}}]
  - when: {after: store, outcome: ok}
    say: "stored {{.Result.stored}}"
`, agent.Options{}, func(s *stage) {
		s.wantAnswer(s.say("store"), "stored 75")
		s.wantRan(`store {"name": "rice", "grams": 75}`)
		s.wantOutcomes(1, 1, "0:rejected/invalid_arguments")
		s.wantOutcomes(1, 2, "0:ok")
	})
}

func TestTurn_an_unknown_tool_is_named_the_nearest(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: look}
    calls: [{name: findd, arguments: {q: a}}]
  - when: {after: "*", code: unknown_tool, result: 'find'}
    calls: [{name: find, arguments: {q: a}}]
  - when: {after: find, outcome: ok}
    say: found
`, agent.Options{}, func(s *stage) {
		s.wantAnswer(s.say("look"), "found")
		s.wantRan(`find {"q": "a"}`)
	})
}

func TestTurn_three_calls_one_malformed_two_run(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: three}
    reasoning: Three at once.
    calls:
      - {name: find, arguments: {q: a}}
      - {name: find, arguments: '{"q": "b"'}
      - {name: store, arguments: {name: c, grams: 3}}
  - when: {after: find}
    say: "{{range .Results}}{{.Outcome}} {{.Code}},{{end}}"
`, agent.Options{}, func(s *stage) {
		s.wantAnswer(s.say("three"), "ok ,rejected unreadable_arguments,ok ,")
		s.wantOutcomes(1, 1, "0:ok 1:rejected/unreadable_arguments 2:ok")
		s.wantAnswer(s.say("three"), "ok ,rejected unreadable_arguments,ok ,")
	})
}

func TestTurn_unreadable_text_is_not_an_empty_object(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: broken}
    calls: [{name: find, arguments: '{"q'}]
  - when: {message: empty}
    calls: [{name: find, arguments: '{}'}]
  - when: {message: blank}
    calls: [{name: find}]
  - when: {after: find}
    say: "{{(index .Results 0).Outcome}}"
`, agent.Options{}, func(s *stage) {
		s.wantAnswer(s.say("broken"), "rejected")
		s.wantRan()
		s.wantAnswer(s.say("empty"), "ok")
		s.wantAnswer(s.say("blank"), "ok")
		s.wantRan("find {}", "find {}")
	})
}

// bugs B8, A5: nothing of a reply that was cut runs, finished siblings neither.
func TestTurn_a_cut_reply_runs_nothing_and_is_told(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: one}
    calls: [{name: store, arguments: '{"name":"a","gra'}]
    stop: length
  - when: {message: two}
    calls: [{name: store, arguments: {name: a, grams: 1}}, {name: store, arguments: '{"name":"b"'}]
    stop: length
  - when: {after: store, code: incomplete_response}
    say: "cut {{len .Results}}"
`, agent.Options{}, func(s *stage) {
		s.wantAnswer(s.say("one"), "cut 1")
		s.wantAnswer(s.say("two"), "cut 2")
		s.wantRan()
		s.wantOutcomes(2, 1, "0:rejected/incomplete_response 1:rejected/incomplete_response")
		if r := s.say("two"); r.Rounds != 2 {
			s.t.Errorf("a cut reply and its answer are %d rounds, want 2", r.Rounds)
		}
	})
}

// bugs C4, G4: calls are found by their presence, and the loop goes on.
func TestTurn_C4_G4_stop_with_calls_runs_them(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: look}
    calls: [{name: find, arguments: {q: a}}]
    stop: stop
  - when: {after: find}
    say: seen
`, agent.Options{}, func(s *stage) {
		s.wantAnswer(s.say("look"), "seen")
		s.wantRan(`find {"q": "a"}`)
	})
}

// bug A6, A10: ids that were not sent are made by us, and stay.
func TestTurn_A6_calls_without_ids(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: look}
    calls: [{name: find, id: '', arguments: {q: a}}, {name: find, id: '', arguments: {q: b}}]
  - when: {after: find}
    say: "{{len .Results}} {{(index .Results 1).Outcome}}"
`, agent.Options{}, func(s *stage) {
		s.wantAnswer(s.say("look"), "2 ok")
		s.wantAnswer(s.say("look"), "2 ok")
	})
}

func TestTurn_the_same_id_twice_in_a_round(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: look}
    calls: [{name: find, id: same, arguments: {q: a}}, {name: find, id: same, arguments: {q: b}}]
  - when: {after: find}
    say: "{{len .Results}} {{(index .Result.also 0).code}}"
`, agent.Options{}, func(s *stage) {
		s.wantAnswer(s.say("look"), "1 duplicate_call_id")
		s.wantRan(`find {"q": "a"}`)
		s.wantOutcomes(1, 1, "0:ok 1:rejected/duplicate_call_id")
	})
}

// bug A9: an id is unique within its round only.
func TestTurn_A9_an_id_of_an_earlier_turn(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: find}
    calls: [{name: find, id: call_8, arguments: {q: a}}]
  - when: {message: store}
    calls: [{name: store, id: call_8, arguments: {name: a, grams: 1}}]
  - when: {after: find}
    say: "{{(index .Results 0).Tool}}"
  - when: {after: store}
    say: "{{.Result.stored}}"
`, agent.Options{}, func(s *stage) {
		if r := s.say("find"); r.End != agent.Answer || !strings.HasSuffix(r.Answer, "find") {
			s.t.Errorf("turn 1 = %s %q", r.End, r.Answer)
		}
		s.wantAnswer(s.say("store"), "1")
	})
}

func TestTurn_the_same_write_again_is_replayed_and_side_by_side_two(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: again}
    calls: [{name: store, arguments: {name: a, grams: 1}}]
  - when: {message: again, after: store, step: 1}
    calls: [{name: store, arguments: {grams: 1.0, name: a}}]
  - when: {message: again, after: store, step: 2, result: 'not run again'}
    say: "{{.Result.replayed}} {{.Result.result.stored}}"
  - when: {message: twice}
    calls: [{name: store, arguments: {name: b, grams: 1}}, {name: store, arguments: {name: b, grams: 1}}]
  - when: {message: twice, after: store}
    say: "{{(index .Results 1).JSON.stored}}"
`, agent.Options{}, func(s *stage) {
		s.wantAnswer(s.say("again"), "true 1")
		s.wantAnswer(s.say("twice"), "2")
		if s.stored["a"] != 1 || s.stored["b"] != 2 {
			s.t.Errorf("stored %v, want a 1 and b 2", s.stored)
		}
	})
}

func TestTurn_a_write_whose_outcome_is_lost_is_uncertain_and_not_repeated(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: store}
    calls: [{name: store, arguments: {name: a, grams: 1}}]
  - when: {after: store, outcome: uncertain, step: 1}
    calls: [{name: store, arguments: {name: a, grams: 1}}]
  - when: {after: store, step: 2}
    say: "{{.Result.outcome}} {{.Result.code}}"
`, agent.Options{}, func(s *stage) {
		s.lost = errKitchen
		s.wantAnswer(s.say("store"), "rejected unresolved_write")
		s.wantRan(`store {"name": "a", "grams": 1}`)
	})
}

// bug D4: results stand in call order, so the same history is the same bytes.
func TestTurn_D4_results_are_in_call_order(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: race}
    calls: [{name: slow, id: one}, {name: find, id: two, arguments: {q: a}}]
  - when: {after: slow}
    say: "{{range .Results}}{{.Tool}} {{end}}"
`, agent.Options{}, func(s *stage) {
		go func() { <-s.held; s.hold <- struct{}{} }()
		r := s.say("race")
		if r.End != agent.Answer || strings.Index(r.Answer, "slow") > strings.Index(r.Answer, "find") {
			s.t.Errorf("turn = %s %q %v", r.End, r.Answer, r.Err)
		}
	})
}
