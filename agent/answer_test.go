package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/schema"
)

const answering = `
rules:
  - when: {message: '"path":"/grams"'}
    say: '{"food": "{{find "arroz|pan" .System}}rice", "grams": 9007199254740993}'
  - when: {message: readable}
    say: '{"food": "rice", "grams": "many"}'
  - when: {message: how much}
    calls: [{name: find, arguments: {q: a}}]
  - when: {after: find}
    say: 'It is {"food": "rice"}'
  - when: {message: '^then'}
    say: '{"food": "bread", "grams": 1}'
`

func answerSchema(t *testing.T) *schema.Schema {
	t.Helper()
	s, err := schema.Compile([]byte(`{"type":"object","properties":{"food":{"type":"string"},"grams":{"type":"integer"}},"required":["food","grams"],"additionalProperties":false}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTurn_a_final_answer_that_does_not_fit_goes_back_with_its_problems(t *testing.T) {
	everyCodec(t, answering, agent.Options{Output: answerSchema(t)}, func(s *stage) {
		r := s.say("how much?")
		if r.End != agent.Answer || r.Rounds != 4 || string(r.JSON) != `{"food": "rice", "grams": 9007199254740993}` {
			s.t.Errorf("turn = %s after %d rounds, %s (%s %v)", r.End, r.Rounds, r.JSON, r.Message, r.Err)
		}
		before := s.requests[len(s.requests)-1]
		if !strings.Contains(before, "JSON Schema") || !json.Valid([]byte(before)) {
			s.t.Errorf("the request does not speak of the schema: %s", before)
		}
		s.restart()
		if r := s.say("then"); string(r.JSON) != `{"food": "bread", "grams": 1}` {
			s.t.Errorf("turn after a restart = %s %s %v", r.End, r.JSON, r.Err)
		}
		last := s.requests[len(s.requests)-1]
		for _, want := range []string{"not one readable JSON value", "1 thing is wrong"} {
			if !strings.Contains(last, want) {
				s.t.Errorf("after a restart the request lacks %q: %s", want, last)
			}
		}
	})
}

func TestTurn_an_answer_that_never_fits_ends_at_the_round_limit(t *testing.T) {
	s := newStage(t, codecs()[0], "rules: [{when: {always: true}, say: never}]", agent.Options{Output: answerSchema(t), MaxRounds: 3})
	r := s.say("never")
	if r.End != agent.RoundLimit || r.Rounds != 3 || !strings.Contains(r.Message, "without an answer that fits") {
		t.Errorf("turn = %s after %d rounds, %q", r.End, r.Rounds, r.Message)
	}
}
