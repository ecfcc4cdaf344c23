package ollama_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/ollama"
	"github.com/holdfast-go/holdfast/wire/wiretest"
)

// speak writes a reply as Ollama streams it. What is no object cannot be its
// argument; such a text goes as a string.
func speak(s wiretest.Spoken) []byte {
	var b strings.Builder
	line := func(message string, rest string) {
		fmt.Fprintf(&b, `{"model":"m","created_at":"2026-01-01T00:00:00Z","message":%s,"done":%s}`+"\n", message, rest)
	}
	line(`{"role":"assistant","content":`+string(rawjson.Quote(s.Text))+`}`, "false")
	for _, c := range s.Calls {
		arguments := c.Arguments
		if !json.Valid([]byte(arguments)) {
			arguments = string(rawjson.Quote(arguments))
		}
		id := ""
		if c.ID != "" {
			id = `"id":` + string(rawjson.Quote(c.ID)) + `,`
		}
		line(`{"role":"assistant","content":"","tool_calls":[{`+id+`"function":{"name":`+string(rawjson.Quote(c.Name))+`,"arguments":`+arguments+`}}]}`, "false")
	}
	reason := "stop"
	if s.Cut {
		reason = "length"
	}
	line(`{"role":"assistant","content":""}`, `true,"done_reason":"`+reason+`","prompt_eval_count":9,"eval_count":4`)
	return []byte(b.String())
}

func read(messages []json.RawMessage) (entries []wiretest.Entry) {
	pending := 0
	var ids []string
	for _, raw := range messages {
		var m struct {
			Role, Content string
			ID            string `json:"tool_call_id"`
			Name          string `json:"tool_name"`
			Calls         []struct {
				ID       string
				Function struct {
					Name      string
					Arguments json.RawMessage
				}
			} `json:"tool_calls"`
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			panic(err)
		}
		switch m.Role {
		case "user":
			entries = append(entries, wiretest.Entry{Kind: "user", Content: m.Content})
		case "tool":
			// Told apart by order where there is no id.
			id := m.ID
			if id == "" && pending < len(ids) {
				id = ids[pending]
			}
			pending++
			entries = append(entries, wiretest.Entry{Kind: "result", ID: id, Content: m.Content})
		case "assistant":
			entries = append(entries, wiretest.Entry{Kind: "text", Content: m.Content})
			pending, ids = 0, nil
			for _, c := range m.Calls {
				id := c.ID
				if id == "" {
					id = fmt.Sprintf("call %d of message %d", len(ids), len(entries))
				}
				ids = append(ids, id)
				entries = append(entries, wiretest.Entry{Kind: "call", ID: id, Name: c.Function.Name, Arguments: string(c.Function.Arguments)})
			}
		}
	}
	return entries
}

func TestOllama(t *testing.T) {
	wiretest.Run(t, wiretest.Options{
		Unforced: true,
		Codec:    ollama.Chat{}, EndSign: regexp.MustCompile(`"done":true`),
		Speak: speak, Read: read, IDs: true, Name: regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`),
	})
}

func FuzzOllama(f *testing.F) {
	wiretest.Fuzz(f, ollama.Chat{}, speak(wiretest.Spoken{Text: "héllo", Calls: []holdfast.Call{{ID: "a", Name: "search", Arguments: `{"q":"\ud83d\ude00"}`}, {Name: "fetch", Arguments: `{}`}}}))
}

func decode(body string) *wire.Reply {
	return wiretest.Decode(ollama.Chat{}, []byte(body))
}

func TestPitfall6_ArgumentsAreTheObjectsSource(t *testing.T) {
	r := decode(`{"model":"m","message":{"role":"assistant","tool_calls":[{"function":{"name":"x","arguments":{"n": 9007199254740993 }}},{"function":{"name":"x","arguments":{"n":2}}}]},"done":true,"done_reason":"stop"}`)
	if len(r.Calls) != 2 || r.Calls[0].Arguments != `{"n": 9007199254740993 }` || r.Calls[1].Arguments != `{"n":2}` || !r.Complete {
		t.Errorf("calls = %+v, complete %v", r.Calls, r.Complete)
	}
}

func TestAnErrorLineVoidsTheReply(t *testing.T) {
	r := decode(`{"model":"m","message":{"role":"assistant","tool_calls":[{"function":{"name":"x","arguments":{}}}]},"done":false}` + "\n" + `{"error":"llama runner process no longer running"}` + "\n")
	if r.Complete || r.Calls[0].Complete || r.Err == nil || r.Err.Message != "llama runner process no longer running" {
		t.Errorf("complete %v, call complete %v, error %v", r.Complete, r.Calls[0].Complete, r.Err)
	}
}

func TestRequestSaysWhetherItStreamsAndRefusesAForcedCall(t *testing.T) {
	e, err := ollama.Chat{}.Request(&wire.Request{Model: "m", System: "s", Items: []wire.Item{{User: "u"}}, MaxTokens: 5})
	if want := `{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"u"}],"stream":false,"options":{"num_predict":5}}`; err != nil || string(e.Body) != want || e.Path != "/api/chat" {
		t.Errorf("request = %s to %s, %v, want %s", e.Body, e.Path, err, want)
	}
	if _, err := (ollama.Chat{}).Request(&wire.Request{Choice: wire.ToolChoice{Mode: "required"}}); err == nil {
		t.Error("a forced call: no error")
	}
}
