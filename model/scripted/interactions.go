package scripted

import (
	"encoding/json"
	"net/http"
)

// interactions is the Google Interactions API without a store: all steps come
// with each request.
type interactions struct{}

type step struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text"` // of a content where steps may stand
	ID        string          `json:"id"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Content   json.RawMessage `json:"content"`
	Result    json.RawMessage `json:"result"`
	Signature string          `json:"signature"`
	IsError   bool            `json:"is_error"`
}

func (interactions) read(body []byte, _ *http.Request) (*request, *fault) {
	var in struct {
		Model    string          `json:"model"`
		System   string          `json:"system_instruction"`
		Input    json.RawMessage `json:"input"`
		Stream   bool            `json:"stream"`
		Previous string          `json:"previous_interaction_id"`
		Tools    []struct {
			Type       string          `json:"type"`
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, invalid("%v", err)
	}
	if in.Model == "" || len(in.Input) == 0 {
		return nil, invalid("model and input are required")
	}
	if in.Previous != "" {
		return nil, invalid("previous_interaction_id: interaction %q is not stored", in.Previous)
	}
	q := &request{model: in.Model, stream: in.Stream, system: in.System, usage: true}
	for i, t := range in.Tools {
		if t.Type != "function" || !geminiName.MatchString(t.Name) {
			return nil, invalid("tools[%d]: needs type function and a valid name", i)
		}
		q.tools = append(q.tools, tool{t.Name, t.Parameters})
	}
	var text string
	if json.Unmarshal(in.Input, &text) == nil {
		q.items = []item{{kind: person, text: text}}
		return q, nil
	}
	var steps []step
	if err := json.Unmarshal(in.Input, &steps); err != nil {
		return nil, invalid("input: %v", err)
	}
	thought := false
	for i := range steps {
		if bad := q.addStep(i, &steps[i], &thought); bad != nil {
			return nil, bad
		}
	}
	return q, checkPairs(q.items, pairing{unique: true})
}

// addStep adds one step; thought says that the reply going on has its thought.
func (q *request) addStep(i int, s *step, thought *bool) *fault {
	switch s.Type {
	case "text":
		if s.Text == nil || *s.Text == "" {
			return invalid("input[%d]: text must not be empty", i)
		}
		q.items = append(q.items, item{kind: person, text: *s.Text, at: i})
	case "user_input":
		text, ok := contentText(s.Content)
		if !ok || text == "" {
			return invalid("input[%d]: user_input needs content", i)
		}
		q.items = append(q.items, item{kind: person, text: text, at: i})
		*thought = false
	case "model_output":
		text, ok := contentText(s.Content)
		if !ok {
			return invalid("input[%d]: model_output needs content", i)
		}
		q.reply(i).text += text
	case "thought":
		if s.Signature != "" && !validSignature(s.Signature) {
			return invalid("input[%d]: corrupted thought signature", i)
		}
		q.reply(i)
		*thought = true
	case "function_call":
		if s.ID == "" || !isObject(s.Arguments) || !geminiName.MatchString(s.Name) {
			return invalid("input[%d]: function_call needs id, name, and arguments that are an object", i)
		}
		if s.Signature != "" && !validSignature(s.Signature) {
			return invalid("input[%d]: corrupted thought signature", i)
		}
		if _, ok := marked(s.ID, "", "r"); ok && !*thought {
			return invalid("input[%d]: the thought before function call %q is missing", i, s.ID)
		}
		r := q.reply(i)
		r.calls = append(r.calls, seenCall{s.ID, s.Name})
	case "function_result":
		if s.CallID == "" || len(s.Result) == 0 || string(s.Result) == "null" {
			return invalid("input[%d]: function_result needs call_id and result", i)
		}
		if n := len(q.items); n == 0 || q.items[n-1].kind != results {
			q.items = append(q.items, item{kind: results, at: i})
		}
		last := &q.items[len(q.items)-1]
		last.results = append(last.results, seenResult{id: s.CallID, name: s.Name, text: resultText(s.Result), failed: s.IsError})
		*thought = false
	case "google_search_call", "google_search_result":
		q.reply(i)
	default:
		return invalid("input[%d]: unknown type %q", i, s.Type)
	}
	return nil
}

func resultText(raw json.RawMessage) string {
	if text, ok := contentText(raw); ok {
		return text
	}
	return responseText(raw)
}

var interactionsStops = map[string]string{
	"stop": "completed", "tool_calls": "requires_action", "length": "incomplete", "content_filter": "failed",
	"refusal": "failed", "pause": "requires_continuation", "malformed": "failed", "none": "in_progress",
}

// body is the interaction object; steps are nil in streams.
func (interactions) body(q *request, p *played, status string, steps []json.RawMessage) json.RawMessage {
	var o object
	o.set("id", "v1_"+p.id[:24])
	o.set("status", status)
	if status != "in_progress" {
		o.set("usage", p.usage.interactions())
	}
	if steps != nil {
		o.set("steps", steps)
	}
	if status == "failed" {
		o.set("error", obj("code", p.stop, "message", "the reply was ended: "+p.stop))
	}
	o.set("object", "interaction")
	o.set("model", q.model)
	return o.done()
}

func (u usage) interactions() json.RawMessage {
	return obj("total_tokens", u.Input+u.Output, "total_input_tokens", u.Input, "total_cached_tokens", u.Cached,
		"total_output_tokens", u.Output-u.Reasoning, "total_tool_use_tokens", 0, "total_thought_tokens", u.Reasoning)
}

func textContent(text string) json.RawMessage { return obj("text", text, "type", "text") }

// searchSteps are a call that the provider ran, with its result.
func (c *playedCall) searchSteps() []json.RawMessage {
	return c.withResult(
		obj("type", "google_search_call", "id", c.mark[:8], "arguments", c.object()),
		obj("type", "google_search_result", "call_id", c.mark[:8], "result", list(nil)),
	)
}

func (f interactions) whole(q *request, p *played) []byte {
	var steps []json.RawMessage
	if p.reasoning != "" {
		steps = append(steps, obj("type", "thought", "summary", list([]json.RawMessage{textContent(p.reasoning)}),
			"signature", thoughtSignature(p.reasoning)))
	}
	if p.text != "" {
		steps = append(steps, obj("type", "model_output", "content", list([]json.RawMessage{textContent(p.text)})))
	}
	for i := range p.calls {
		c := &p.calls[i]
		if c.byProvider() {
			steps = append(steps, c.searchSteps()...)
			continue
		}
		steps = append(steps, c.step(c.object()))
	}
	if steps == nil {
		steps = []json.RawMessage{}
	}
	return f.body(q, p, interactionsStops[p.stop], steps)
}

func (c *playedCall) step(arguments json.RawMessage) json.RawMessage {
	var o object
	if id := c.idWith("", "r"); id != "" {
		o.set("id", id)
	}
	o.set("signature", thoughtSignature(c.mark))
	o.set("type", "function_call")
	o.set("name", c.name)
	o.set("arguments", arguments)
	return o.done()
}

// stepEvents builds a stream.
type stepEvents struct {
	frames []frame
	index  int
}

func (e *stepEvents) add(in part, kind string, pairs ...any) {
	data := obj(append(pairs, "event_type", kind)...)
	e.frames = append(e.frames, frame{in, "event: " + kind + "\ndata: " + string(data) + "\n\n"})
}

// step streams one step: its start, its deltas and its stop.
func (e *stepEvents) step(in part, start json.RawMessage, deltas []json.RawMessage, open bool) {
	e.add(in, "step.start", "index", e.index, "step", start)
	for _, d := range deltas {
		e.add(in, "step.delta", "index", e.index, "delta", d)
	}
	if !open {
		e.add(closing, "step.stop", "index", e.index)
	}
	e.index++
}

func (f interactions) stream(q *request, p *played) []frame {
	e := &stepEvents{}
	e.add(opening, "interaction.created", "interaction", f.body(q, p, "in_progress", nil))
	e.add(opening, "interaction.status_update", "interaction_id", "v1_"+p.id[:24], "status", "in_progress")
	if p.reasoning != "" {
		e.step(opening, obj("type", "thought"), []json.RawMessage{
			obj("content", textContent(p.reasoning), "type", "thought_summary"),
			obj("signature", thoughtSignature(p.reasoning), "type", "thought_signature"),
		}, false)
	}
	if p.text != "" {
		var deltas []json.RawMessage
		for _, s := range joinPieces(pieces(p.text)) {
			deltas = append(deltas, textContent(s))
		}
		e.step(inText, obj("type", "model_output"), deltas, false)
	}
	for i := range p.calls {
		c := &p.calls[i]
		if c.byProvider() {
			for _, s := range c.searchSteps() {
				e.step(inCall, s, nil, false)
			}
			continue
		}
		var deltas []json.RawMessage
		for _, s := range joinPieces(pieces(c.arguments)) {
			deltas = append(deltas, obj("arguments", s, "type", "arguments_delta"))
		}
		cutOff := p.stop == "length" && i == len(p.calls)-1 && !json.Valid([]byte(c.arguments))
		e.step(inCall, c.step(obj()), deltas, cutOff)
	}
	e.add(ending, "interaction.completed", "interaction", f.body(q, p, interactionsStops[p.stop], nil))
	e.frames = append(e.frames, frame{ending, "event: done\ndata: [DONE]\n\n"})
	return e.frames
}

func (interactions) failed(f *fault) []byte {
	code := f.code
	if f.status == http.StatusBadRequest {
		code = "invalid_request"
	}
	return obj("error", obj("message", f.message, "code", code))
}

func (interactions) inStream(f *fault) frame {
	data := obj("error", obj("message", f.message, "code", f.code), "event_type", "error")
	return frame{ending, "event: error\ndata: " + string(data) + "\n\n"}
}
