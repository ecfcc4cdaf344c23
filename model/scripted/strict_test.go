package scripted

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// conversation asks "look", and builds the next request of the reply as a
// careful client would: verbatim, each call answered once and in order.
type conversation struct {
	d     dialect
	items []json.RawMessage // messages, input items, contents or steps
}

func (d dialect) begin(t *testing.T, v *Server) *conversation {
	t.Helper()
	_, text, err := d.say(t, v, "look", false)
	if err != nil {
		t.Fatal(err)
	}
	c := &conversation{d: d}
	var r struct {
		Choices []struct {
			Message json.RawMessage `json:"message"`
		} `json:"choices"`
		Output     []json.RawMessage `json:"output"`
		Content    json.RawMessage   `json:"content"`
		Candidates []struct {
			Content json.RawMessage `json:"content"`
		} `json:"candidates"`
		Steps []json.RawMessage `json:"steps"`
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	ids := callIDs(text)
	if len(ids) != 2 {
		t.Fatalf("%s: ids %v in %s", d.api, ids, text)
	}
	add := func(s string) { c.items = append(c.items, json.RawMessage(s)) }
	switch d.api {
	case "openai-chat":
		add(`{"role":"user","content":"look"}`)
		c.items = append(c.items, r.Choices[0].Message)
		for _, id := range ids {
			add(`{"role":"tool","tool_call_id":"` + id + `","content":"{\"n\":3}"}`)
		}
	case "openai-responses":
		add(`{"role":"user","content":"look"}`)
		c.items = append(c.items, r.Output...)
		for _, id := range ids {
			add(`{"type":"function_call_output","call_id":"` + id + `","output":"{\"n\":3}"}`)
		}
	case "anthropic":
		add(`{"role":"user","content":"look"}`)
		add(`{"role":"assistant","content":` + string(r.Content) + `}`)
		add(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + ids[0] + `","content":"{\"n\":3}"},{"type":"tool_result","tool_use_id":"` + ids[1] + `","content":"{\"n\":3}"}]}`)
	case "gemini":
		add(`{"role":"user","parts":[{"text":"look"}]}`)
		c.items = append(c.items, r.Candidates[0].Content)
		add(`{"role":"user","parts":[{"functionResponse":{"id":"` + ids[0] + `","name":"x__find","response":{"output":{"n":3}}}},{"functionResponse":{"id":"` + ids[1] + `","name":"x__find","response":{"output":{"n":3}}}}]}`)
	case "interactions":
		add(`{"type":"user_input","content":[{"type":"text","text":"look"}]}`)
		c.items = append(c.items, r.Steps...)
		for _, id := range ids {
			add(`{"type":"function_result","call_id":"` + id + `","name":"x__find","result":{"n":3}}`)
		}
	}
	return c
}

// callIDs finds the ids that results must carry.
func callIDs(text string) []string {
	field := `"id":"`
	if strings.Contains(text, `"call_id":"`) {
		field = `"call_id":"`
	}
	var ids []string
	for _, part := range strings.Split(text, field)[1:] {
		id := part[:strings.IndexByte(part, '"')]
		if strings.HasPrefix(id, "call_") || strings.HasPrefix(id, "toolu_") || len(id) == 32 {
			ids = append(ids, id)
		}
	}
	return ids
}

func (c *conversation) send(t *testing.T, v *Server) (*http.Response, string) {
	t.Helper()
	field := map[string]string{
		"openai-chat": "messages", "openai-responses": "input", "anthropic": "messages", "gemini": "contents", "interactions": "input",
	}[c.d.api]
	body := `{"model":"scripted","max_tokens":9,"` + field + `":` + string(list(c.items)) + `}`
	if c.d.api == "gemini" {
		body = `{"` + field + `":` + string(list(c.items)) + `}`
	}
	resp, text, err := ask(t, v, c.d.path, c.d.header, body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, text
}

func TestServer_takes_back_what_it_said_and_goes_on(t *testing.T) {
	for _, d := range dialects {
		v := newServer(t, stage)
		resp, text := d.begin(t, v).send(t, v)
		if resp.StatusCode != 200 || !strings.Contains(text, "found 3 2") {
			t.Errorf("%s: next = %d %s", d.api, resp.StatusCode, text)
		}
	}
}

// edit makes a wrong conversation of a right one.
type edit func([]json.RawMessage) []json.RawMessage

func drop(i int) edit {
	return func(items []json.RawMessage) []json.RawMessage {
		at := (i + len(items)) % len(items)
		return append(append([]json.RawMessage{}, items[:at]...), items[at+1:]...)
	}
}

func swap(items []json.RawMessage) []json.RawMessage {
	n := len(items)
	items[n-1], items[n-2] = items[n-2], items[n-1]
	return items
}

func replace(from, to string) edit {
	return func(items []json.RawMessage) []json.RawMessage {
		for i, it := range items {
			items[i] = json.RawMessage(strings.Replace(string(it), from, to, 1))
		}
		return items
	}
}

func repeat(items []json.RawMessage) []json.RawMessage { return append(items, items[len(items)-1]) }

func firstTwo(items []json.RawMessage) []json.RawMessage { return items[:2] }

func rename(items []json.RawMessage) []json.RawMessage {
	items[2] = json.RawMessage(strings.Replace(string(items[2]), `"name":"x__find"`, `"name":"y"`, 1))
	return items
}

type refusal struct {
	api, what string
	edit      edit
}

func refusals() []refusal {
	return []refusal{
		{"openai-chat", "a missing result", drop(-1)},
		{"openai-chat", "no results at all", firstTwo},
		{"openai-chat", "results out of order", swap},
		{"openai-chat", "a result twice", repeat},
		{"openai-chat", "no call before its result", drop(1)},
		{"openai-chat", "arguments as an object", replace(`"arguments":"{\"q\":\"\\ud83d\\ude00\"}"`, `"arguments":{}`)},
		{"openai-chat", "reasoning left out", replace(`"reasoning_content":"I shall look."`, `"x":1`)},
		{"openai-chat", "a lone surrogate", replace(`look`, `\ud99c`)},
		{"openai-responses", "a missing output", drop(-1)},
		{"openai-responses", "outputs out of order", swap},
		{"openai-responses", "an output twice", repeat},
		{"openai-responses", "reasoning left out", drop(1)},
		{"openai-responses", "encrypted reasoning changed", replace(`"encrypted_content":"`, `"encrypted_content":"A`)},
		{"openai-responses", "reasoning without its call", firstTwo},
		{"openai-responses", "an unknown item", replace(`"type":"reasoning"`, `"type":"musing"`)},
		{"anthropic", "no results", drop(-1)},
		{"anthropic", "a changed signature", replace(`"signature":"`, `"signature":"A`)},
		{"anthropic", "thinking left out", replace(`"type":"thinking"`, `"type":"text","text":"x"`)},
		{"anthropic", "input left out", replace(`"input":{`, `"in":{`)},
		{"anthropic", "roles that do not alternate", drop(1)},
		{"anthropic", "text before results", replace(`[{"type":"tool_result"`, `[{"type":"text","text":"x"},{"type":"tool_result"`)},
		{"anthropic", "a wrong id", replace(`"tool_use_id":"toolu_`, `"tool_use_id":"toolu_x`)},
		{"gemini", "no responses", drop(-1)},
		{"gemini", "a missing signature", replace(`"thoughtSignature"`, `"sig"`)},
		{"gemini", "a changed signature", replace(`"thoughtSignature":"`, `"thoughtSignature":"AAAA`)},
		{"gemini", "a response that is no object", replace(`{"output":{"n":3}}`, `[3]`)},
		{"gemini", "another name", rename},
		{"gemini", "args that are no object", replace(`"args":{`, `"args":"x","b":{`)},
		{"interactions", "a missing result", drop(-1)},
		{"interactions", "results out of order", swap},
		{"interactions", "a thought left out", drop(1)},
		{"interactions", "a changed signature", replace(`"signature":"`, `"signature":"AAAA`)},
		{"interactions", "a result without result", replace(`"result":{"n":3}`, `"result":null`)},
	}
}

func TestServer_refuses_a_history_that_its_provider_would_refuse(t *testing.T) {
	for _, c := range refusals() {
		for _, d := range dialects {
			if d.api != c.api {
				continue
			}
			v := newServer(t, stage)
			conv := d.begin(t, v)
			before := string(list(conv.items))
			conv.items = c.edit(conv.items)
			if string(list(conv.items)) == before {
				t.Errorf("%s, %s: the edit changed nothing", c.api, c.what)
			}
			if resp, text := conv.send(t, v); resp.StatusCode != 400 || !json.Valid([]byte(text)) {
				t.Errorf("%s, %s = %d %s, want 400", c.api, c.what, resp.StatusCode, text)
			}
		}
	}
}

func TestLoneSurrogate(t *testing.T) {
	for text, want := range map[string]int{
		`"\ud83d\ude00"`: -1, `"\ud83d"`: 1, `"\ude00"`: 1, `"\\ud83d"`: -1, `"\u00e9 \ud83dx"`: 8, `"\"\ud99c"`: 3, `"\ud83d\ud83d"`: 1,
	} {
		if got := loneSurrogate(text); got != want {
			t.Errorf("loneSurrogate(%s) = %d, want %d", text, got, want)
		}
	}
}
