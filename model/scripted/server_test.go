package scripted

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

const stage = `
scenario: stage
hints: [hello]
rules:
  - when: {message: '^hello'}
    say: "Hola, ¿qué tal? 😀"
    reasoning: A greeting.
    usage: {input: 11, output: 7, cached: 2, reasoning: 3}
  - when: {message: '^look'}
    reasoning: I shall look.
    calls:
      - {name: find, arguments: {q: "{{.Message}}", id: 9007199254740993}}
      - {name: find, arguments: '{"q":"\ud83d\ude00"}'}
  - when: {after: find, outcome: rejected, code: invalid_arguments}
    say: "rejected {{(index .Results 1).Code}}"
  - when: {after: find}
    say: "found {{.Result.n}} {{len .Results}}"
  - when: {message: '^cut'}
    calls: [{name: find, arguments: '{"q":"a long text that is cut somewhere"}'}]
    cut: call
  - when: {message: '^busy', times: 1}
    error: {status: 429, code: rate_limit_exceeded, message: slow down, retry_after: "2"}
  - when: {message: '^busy'}
    say: now I can
  - when: {message: '^late'}
    say: so far
    error: {status: 200, code: overloaded_error, message: no more}
  - when: {message: '^today'}
    calls: [{name: find, arguments: '{"d":"{{.Today}}","n":{{num "75,5"}}}', id: ''}]
    stop: stop
`

// dialect is how a test asks in one format.
type dialect struct {
	api, path string
	header    http.Header
	body      string // %M is the message, %S the stream flag
}

var dialects = []dialect{
	{
		"openai-chat", "/v1/chat/completions", nil,
		`{"model":"scripted","stream":%S,"messages":[{"role":"system","content":"Today is 2026-03-04."},{"role":"user","content":"%M"}],"tools":[{"type":"function","function":{"name":"x__find","parameters":{"type":"object"}}}]}`,
	},
	{
		"openai-responses", "/v1/responses", nil,
		`{"model":"scripted","stream":%S,"instructions":"Today is 2026-03-04.","input":[{"role":"user","content":"%M"}],"tools":[{"type":"function","name":"x__find","parameters":{"type":"object"}}]}`,
	},
	{
		"anthropic", "/v1/messages",
		http.Header{"Anthropic-Version": {"2023-06-01"}},
		`{"model":"scripted","stream":%S,"max_tokens":9,"system":"Today is 2026-03-04.","messages":[{"role":"user","content":"%M"}],"tools":[{"name":"x__find","input_schema":{"type":"object"}}]}`,
	},
	{
		"gemini", "/v1beta/models/scripted:generateContent", nil,
		`{"systemInstruction":{"parts":[{"text":"Today is 2026-03-04."}]},"contents":[{"role":"user","parts":[{"text":"%M"}]}],"tools":[{"functionDeclarations":[{"name":"x__find","parametersJsonSchema":{"type":"object"}}]}]}`,
	},
	{
		"interactions", "/v1beta/interactions", nil,
		`{"model":"scripted","stream":%S,"system_instruction":"Today is 2026-03-04.","input":[{"type":"user_input","content":[{"type":"text","text":"%M"}]}],"tools":[{"type":"function","name":"x__find","parameters":{"type":"object"}}]}`,
	},
}

func newServer(t *testing.T, text string) *Server {
	t.Helper()
	s, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return New(s, nil)
}

// ask sends a body and returns the status, the reply's bytes and how they ended.
func ask(t *testing.T, v *Server, path string, h http.Header, body string) (*http.Response, string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://scripted"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name := range h {
		r.Header.Set(name, h.Get(name))
	}
	resp, err := (&http.Client{Transport: v}).Do(r)
	if err != nil {
		t.Fatalf("Do = %v", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp, string(text), err
}

func (d dialect) say(t *testing.T, v *Server, message string, stream bool) (*http.Response, string, error) {
	t.Helper()
	flag, path := "false", d.path
	if stream {
		flag, path = "true", strings.Replace(path, ":generateContent", ":streamGenerateContent?alt=sse", 1)
	}
	return ask(t, v, path, d.header, strings.NewReplacer("%M", message, "%S", flag).Replace(d.body))
}

// events are the data of a stream's events, each of which must be JSON.
func sseData(t *testing.T, text string) []string {
	t.Helper()
	var data []string
	for line := range strings.SplitSeq(text, "\n") {
		d, ok := strings.CutPrefix(strings.TrimSuffix(line, "\r"), "data: ")
		if !ok || d == "[DONE]" {
			continue
		}
		if !json.Valid([]byte(d)) {
			t.Errorf("event is no JSON: %s", d)
		}
		data = append(data, d)
	}
	return data
}

func TestServer_speaks_every_format_whole_and_streamed(t *testing.T) {
	for _, d := range dialects {
		v := newServer(t, stage)
		resp, text, err := d.say(t, v, "hello", false)
		if err != nil || resp.StatusCode != 200 || !json.Valid([]byte(text)) || !strings.Contains(text, "Hola, ¿qué tal? 😀") {
			t.Errorf("%s whole = %d %v %s", d.api, resp.StatusCode, err, text)
		}
		if resp.Header.Get("Holdfast-Scripted") != "stage" {
			t.Errorf("%s does not say that it is scripted: %v", d.api, resp.Header)
		}
		resp, text, err = d.say(t, v, "hello", true)
		if err != nil || resp.Header.Get("Content-Type") != "text/event-stream" || len(sseData(t, text)) < 4 {
			t.Errorf("%s streamed = %d %v %s", d.api, resp.StatusCode, err, text)
		}
		again, same, _ := d.say(t, v, "hello", true)
		if again.StatusCode != 200 || same != text {
			t.Errorf("%s: the same request got another reply", d.api)
		}
	}
}

func TestServer_streams_an_array_without_alt_sse(t *testing.T) {
	d := dialects[3]
	_, text, err := ask(t, newServer(t, stage), "/v1beta/models/m:streamGenerateContent", nil, strings.ReplaceAll(d.body, "%M", "hello"))
	var chunks []json.RawMessage
	if err != nil || json.Unmarshal([]byte(text), &chunks) != nil || len(chunks) < 3 {
		t.Errorf("array = %v %s", err, text)
	}
}

func TestServer_tells_who_asks_the_unknown_what_it_knows(t *testing.T) {
	for _, d := range dialects {
		_, text, _ := d.say(t, newServer(t, stage), "what?", false)
		if !strings.Contains(text, "scripted model") || !strings.Contains(text, "- hello") {
			t.Errorf("%s fallback = %s", d.api, text)
		}
	}
	resp, text, _ := ask(t, newServer(t, stage), "/v1/nothing", nil, "{}")
	if resp.StatusCode != 404 || !strings.Contains(text, "scripted provider") {
		t.Errorf("unknown path = %d %s", resp.StatusCode, text)
	}
}

func TestServer_breaks_off_where_the_scenario_says(t *testing.T) {
	for _, d := range dialects {
		for _, stream := range []bool{true, false} {
			resp, text, err := d.say(t, newServer(t, stage), "cut", stream)
			if resp.StatusCode != 200 || !errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(text, "somewhere\"}") {
				t.Errorf("%s stream=%t cut = %d %v %s", d.api, stream, resp.StatusCode, err, text)
			}
		}
	}
}

func TestServer_fails_in_the_format_s_own_way(t *testing.T) {
	for _, d := range dialects {
		v := newServer(t, stage)
		resp, text, _ := d.say(t, v, "busy", true)
		if resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "2" || !strings.Contains(text, "slow down") || !json.Valid([]byte(text)) {
			t.Errorf("%s busy = %d %v %s", d.api, resp.StatusCode, resp.Header, text)
		}
		if _, text, _ := d.say(t, v, "busy", false); !strings.Contains(text, "now I can") {
			t.Errorf("%s, asked again = %s", d.api, text)
		}
		resp, text, _ = d.say(t, v, "late", true)
		if resp.StatusCode != 200 || !strings.Contains(text, "no more") || strings.Contains(text, "[DONE]") {
			t.Errorf("%s late = %d %s", d.api, resp.StatusCode, text)
		}
	}
}

func TestServer_expands_arguments(t *testing.T) {
	for _, d := range dialects {
		_, text, _ := d.say(t, newServer(t, stage), "look at it", false)
		flat := strings.ReplaceAll(text, `\`, "")
		for _, want := range []string{`{"q": "look at it", "id": 9007199254740993}`, `{"q":"ud83dude00"}`, "x__find"} {
			if !strings.Contains(flat, want) {
				t.Errorf("%s: %s is not in %s", d.api, want, text)
			}
		}
		_, text, _ = d.say(t, newServer(t, stage), "today", false)
		if flat := strings.ReplaceAll(text, `\`, ""); !strings.Contains(flat, `{"d":"2026-03-04","n":75.5}`) || strings.Contains(flat, `"call_n`) {
			t.Errorf("%s: today = %s", d.api, text)
		}
	}
}

func TestListen_serves_over_the_network(t *testing.T) {
	base, stop, err := newServer(t, stage).Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	d := dialects[0]
	body := strings.NewReplacer("%M", "cut", "%S", "true").Replace(d.body)
	resp, err := http.Post(base+d.path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err == nil || len(text) == 0 {
		t.Errorf("a reply that is cut = %v, %q; want an error after some bytes", err, text)
	}
}

func TestRoundTrip_ends_with_its_context(t *testing.T) {
	v := newServer(t, "scenario: slow\npace: 1h\nrules: [{say: a long text that takes its time}]")
	ctx, cancel := context.WithCancel(t.Context())
	d := dialects[0]
	body := strings.NewReplacer("%M", "x", "%S", "true").Replace(d.body)
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://scripted"+d.path, bytes.NewReader([]byte(body)))
	resp, err := v.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	cancel()
	if _, err := io.ReadAll(resp.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("reading after cancel = %v, want context canceled", err)
	}
}
