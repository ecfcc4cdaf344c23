package agent_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/openai"
)

// chatReply is a whole body with these calls.
func chatReply(stop string, calls ...string) []byte {
	return fmt.Appendf(nil, `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[%s]},"finish_reason":%q}]}`,
		strings.Join(calls, ","), stop)
}

func chatCall(id, name, args string) string {
	return fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":%q,"arguments":%q}}`, id, name, args)
}

func guardStage(t *testing.T) *stage {
	return newStage(t, openai.Chat{}, "rules: [{when: {always: true}, say: hi}]", agent.Options{})
}

func (s *stage) guard(number int) *agent.Guard {
	s.t.Helper()
	g, err := agent.NewGuard(s.gate, s.codec, gate.Round{Run: "r", Number: number, Principal: holdfast.Principal{ID: "ana"}}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return g
}

func joined(messages []json.RawMessage) string {
	parts := make([]string, len(messages))
	for i, m := range messages {
		parts[i] = string(m)
	}
	return strings.Join(parts, "\n")
}

func TestGuard_answers_each_round_with_what_it_adds(t *testing.T) {
	s := guardStage(t)
	g := s.guard(0)
	if len(g.Tools()) != 6 {
		t.Errorf("Tools() holds %d tools, want 6", len(g.Tools()))
	}
	for i, reply := range []string{
		string(chatReply("tool_calls", chatCall("c1", "find", `{"q":"rice"}`), chatCall("c2", "store", `{"name":"rice","grams":100}`))),
		string(chatReply("tool_calls", chatCall("c1", "store", `{"name":"rice","grams":"x"}`))), // an id that was there before
	} {
		messages, parked, err := g.Answer(t.Context(), []byte(reply))
		if err != nil || parked != nil {
			t.Fatalf("Answer = %v, %v", parked, err)
		}
		got := joined(messages)
		if want := 3 - i; len(messages) != want || strings.Count(got, `"role":"tool"`) != want-1 {
			t.Errorf("round %d adds %s, want the reply and %d results", i+1, got, want-1)
		}
	}
	s.wantRan(`find {"q":"rice"}`, `store {"name":"rice","grams":100}`)
	s.wantOutcomes(1, 1, "0:ok 1:ok")
	s.wantOutcomes(1, 2, "0:rejected/invalid_arguments")
	messages, parked, err := g.Answer(t.Context(), []byte(`{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"Done."},"finish_reason":"stop"}]}`))
	if len(messages) != 0 || parked != nil || err != nil {
		t.Errorf("Answer of the last reply = %s, %v, %v, want nothing more to send", joined(messages), parked, err)
	}
}

func TestGuard_reply_that_broke_off_runs_nothing(t *testing.T) {
	s := guardStage(t)
	g := s.guard(0)
	whole := string(chatReply("tool_calls", chatCall("c1", "store", `{"name":"rice","grams":1}`)))
	for name, text := range map[string]string{
		"cut":      whole[:len(whole)-40],
		"no stop":  `{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[` + `{"index":0,"id":"c1","function":{"name":"store","arguments":"{\"name\":\"rice\",\"grams\":1}"}}` + `]}}]}`,
		"an error": `{"error":{"code":"overloaded","message":"busy"}}`,
		"nothing":  "",
	} {
		messages, parked, err := g.Answer(t.Context(), []byte(text))
		if err == nil || parked != nil || messages != nil {
			t.Errorf("%s: Answer = %s, %v, %v, want an error", name, joined(messages), parked, err)
		}
		if told, ok := errors.AsType[*wire.Error](err); name == "an error" && (!ok || told.Code != "overloaded") {
			t.Errorf("%s: Answer = %v, want the provider's own", name, err)
		}
	}
	s.wantRan()
	if _, _, err := g.Answer(t.Context(), []byte(whole)); err != nil {
		t.Errorf("Answer after broken replies = %v", err)
	}
	s.wantOutcomes(1, 1, "0:ok")
}

func TestGuard_parks_and_resumes_also_in_another_process(t *testing.T) {
	for _, restart := range []bool{false, true} {
		t.Run(fmt.Sprintf("restart %t", restart), func(t *testing.T) {
			s := guardStage(t)
			g := s.guard(0)
			reply := chatReply("tool_calls",
				chatCall("c1", "store", `{"name":"rice","grams":1}`), chatCall("c2", "buy", `{"name":"rice","grams":2}`), chatCall("c3", "find", `{}`))
			messages, parked, err := g.Answer(t.Context(), reply)
			if err != nil || parked == nil || len(messages) != 0 || parked.Position != 1 {
				t.Fatalf("Answer = %s, %+v, %v, want a parked call at position 1", joined(messages), parked, err)
			}
			s.wantRan(`store {"name":"rice","grams":1}`)
			if restart {
				s.open()
				g = s.guard(1)
			}
			if _, err := s.ledger.Approve(t.Context(), parked.ApprovalID, "ben", ""); err != nil {
				t.Fatal(err)
			}
			messages, parked, err = g.Resume(t.Context(), reply)
			if err != nil || parked != nil || len(messages) != 4 {
				t.Fatalf("Resume = %s, %v, %v, want the reply and 3 results", joined(messages), parked, err)
			}
			s.wantRan(`store {"name":"rice","grams":1}`, `store {"name":"rice","grams":2}`, `find {}`)
			s.wantOutcomes(1, 1, "0:ok 1:ok 2:ok")
		})
	}
}

func TestGuard_cut_and_filtered_replies(t *testing.T) {
	s := guardStage(t)
	g := s.guard(0)
	call := chatCall("c1", "store", `{"name":"rice","grams":1}`)
	messages, parked, err := g.Answer(t.Context(), chatReply("length", call))
	if err != nil || parked != nil || len(messages) != 2 || !strings.Contains(joined(messages), "incomplete_response") {
		t.Errorf("Answer of a cut reply = %s, %v, %v, want its rejection", joined(messages), parked, err)
	}
	messages, parked, err = g.Answer(t.Context(), chatReply("content_filter", call))
	if err != nil || parked != nil || len(messages) != 0 {
		t.Errorf("Answer of a filtered reply = %s, %v, %v, want the end of the turn", joined(messages), parked, err)
	}
	s.wantRan()
}

func TestNewGuard_refuses_what_it_cannot_use(t *testing.T) {
	s := guardStage(t)
	for name, turn := range map[string]gate.Round{"no run": {}, "no gate": {Run: "r"}} {
		g := s.gate
		if name == "no gate" {
			g = nil
		}
		if _, err := agent.NewGuard(g, s.codec, turn, nil); err == nil {
			t.Errorf("NewGuard with %s = nil, want an error", name)
		}
	}
}
