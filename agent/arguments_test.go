package agent_test

import (
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/agent"
)

// never is a watch that knows what text arguments never hold, by tool.
type never map[string]string

func (n never) Watch(tool string) func(string) int {
	bad, ok := n[tool]
	if !ok {
		return nil
	}
	text := ""
	return func(piece string) int {
		before := len(text)
		text += piece
		if at := strings.Index(strings.ReplaceAll(text, " ", "·"), bad); at >= 0 {
			return at + len(bad) - 1 - before
		}
		return len(piece)
	}
}

func TestTurn_stops_arguments_that_cannot_become_valid(t *testing.T) {
	everyCodec(t, `
rules:
  - when: {message: store}
    say: I store it.
    calls:
      - {name: find, arguments: {q: a}}
      - {name: store, arguments: '{"name":"rice","grams":"seventy-five and a half of them"}'}
      - {name: find, arguments: {q: b}}
  - when: {after: store, code: invalid_arguments, result: '/grams'}
    calls: [{name: store, arguments: '{"name":"rice","grams":75}'}]
  - when: {after: store, outcome: ok}
    say: "stored {{.Result.stored}}"
`, agent.Options{Arguments: never{"kitchen.store": `"grams":"`}}, func(s *stage) {
		s.wantAnswer(s.say("store"), "stored 75")
		if s.options.Whole {
			s.wantOutcomes(1, 1, "0:ok 1:rejected/invalid_arguments 2:ok")
			return
		}
		s.wantRan(`store {"name":"rice","grams":75}`)
		outcomes := s.outcomes(1, 1)
		if !strings.HasPrefix(outcomes, "0:rejected/incomplete_response 1:rejected/invalid_arguments") {
			s.t.Errorf("outcomes of the stopped round = %q, want its other calls rejected as incomplete", outcomes)
		}
		rounds, err := s.ledger.Rounds(s.t.Context(), "r", 1)
		if err != nil {
			s.t.Fatal(err)
		}
		stopped := rounds[0]
		if got, want := stopped.Calls[1].Arguments, `{"name":"rice","grams":"`; got != want || stopped.Ending != "stopped" {
			s.t.Errorf("the record has %q, ending %q; want the text up to the fault, %q, stopped", got, stopped.Ending, want)
		}
		if reply, err := agent.SavedReply(stopped); err != nil || reply.Text != "I store it." {
			s.t.Errorf("the record's text = %q, %v; want what came before", reply.Text, err)
		}
	})
}

func TestTurn_stopped_says_what_is_wrong(t *testing.T) {
	for name, row := range map[string]struct{ arguments, bad, want string }{
		"a wrong type":       {`{"name":"rice","grams":"75"}`, `"grams":"`, `"path":"/grams","keyword":"type"`},
		"a number too small": {`{"name":"rice","grams":0}`, `0}`, `"path":"/grams","keyword":"minimum"`},
		"an undeclared name": {`{"name":"rice","kilos":1}`, `"k`, `"path":"","keyword":"additionalProperties"`},
		"a missing name":     {`{"name":"rice"}`, `}`, `"path":"","keyword":"required"`},
		"no JSON":            {`{"name":"rice",,}`, `,,`, `"code":"invalid_arguments"`},
		"no reason known":    {`{"name":"rice","grams":75}`, `"rice"`, `"keyword":"arguments"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, codecs()[0], `
rules:
  - when: {message: store}
    calls: [{name: store, arguments: '`+row.arguments+`'}]
  - when: {after: store}
    say: "{{json .Result}}"
`, agent.Options{Arguments: never{"kitchen.store": row.bad}})
			s.say("store")
			s.wantOutcomes(1, 1, "0:rejected/invalid_arguments")
			s.seen.Lock()
			sent := strings.ReplaceAll(s.requests[len(s.requests)-1], `\"`, `"`)
			s.seen.Unlock()
			if !strings.Contains(sent, row.want) {
				t.Errorf("the model was told %s, want %s in it", sent, row.want)
			}
			s.wantRan()
		})
	}
}

// TestTurn_goes_on_after_a_stopped_reply shows that the record is enough to go on.
func TestTurn_goes_on_after_a_stopped_reply(t *testing.T) {
	s := newStage(t, codecs()[0], `
rules:
  - when: {message: store}
    calls: [{name: store, arguments: '{"name":"rice","grams":"75"}'}]
  - when: {message: again}
    say: "{{.Turn}}"
  - when: {after: store}
    say: understood
`, agent.Options{Arguments: never{"kitchen.store": `"grams":"`}})
	s.wantAnswer(s.say("store"), "understood")
	s.restart()
	s.wantAnswer(s.say("again"), "2")
}
