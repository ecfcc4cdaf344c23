package scripted

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// responses is OpenAI Responses, without a store: the whole conversation comes
// with each request.
type responses struct{}

type responsesItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	ID        string          `json:"id"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Input     json.RawMessage `json:"input"`
	Content   json.RawMessage `json:"content"`
	Output    json.RawMessage `json:"output"`
	Summary   json.RawMessage `json:"summary"`
	Encrypted string          `json:"encrypted_content"`
}

func (responses) read(body []byte, _ *http.Request) (*request, *fault) {
	var in struct {
		Model        string          `json:"model"`
		Instructions string          `json:"instructions"`
		Input        json.RawMessage `json:"input"`
		Stream       bool            `json:"stream"`
		Previous     *string         `json:"previous_response_id"`
		Tools        []struct {
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
	if in.Previous != nil && *in.Previous != "" {
		return nil, invalid("previous_response_id: response %q is not stored", *in.Previous)
	}
	q := &request{model: in.Model, stream: in.Stream, system: in.Instructions}
	for i, t := range in.Tools {
		if t.Type != "function" && t.Type != "custom" {
			continue
		}
		if !sentName.MatchString(t.Name) {
			return nil, invalid("tools.%d: invalid name %q", i, t.Name)
		}
		q.tools = append(q.tools, tool{t.Name, t.Parameters})
	}
	var text string
	if json.Unmarshal(in.Input, &text) == nil {
		q.items = []item{{kind: person, text: text}}
		return q, nil
	}
	var items []responsesItem
	if err := json.Unmarshal(in.Input, &items); err != nil {
		return nil, invalid("input: %v", err)
	}
	if bad := q.readItems(items); bad != nil {
		return nil, bad
	}
	return q, checkPairs(q.items, pairing{unique: true})
}

// readItems groups items into replies, results and messages, and checks that
// reasoning stands where it must.
func (q *request) readItems(items []responsesItem) *fault {
	ids := map[string]bool{}
	for i := range items {
		it := &items[i]
		if it.ID != "" && it.Type != "item_reference" {
			if ids[it.ID] {
				return invalid("input.%d: duplicate item with id %q", i, it.ID)
			}
			ids[it.ID] = true
		}
		var next *responsesItem
		if i+1 < len(items) {
			next = &items[i+1]
		}
		if bad := q.addItem(i, it, next); bad != nil {
			return bad
		}
	}
	return nil
}

func (q *request) addItem(i int, it, next *responsesItem) *fault {
	switch it.Type {
	case "", "message":
		text, ok := contentText(it.Content)
		if !ok || len(it.Content) == 0 {
			return invalid("input.%d: a message needs content", i)
		}
		switch it.Role {
		case "system", "developer":
			q.system += text
		case "user":
			q.items = append(q.items, item{kind: person, text: text, at: i})
		case "assistant":
			q.reply(i).text += text
		default:
			return invalid("input.%d: invalid role %q", i, it.Role)
		}
	case "reasoning":
		if it.Summary == nil {
			return invalid("input.%d: a reasoning item needs its summary", i)
		}
		if it.Encrypted != "" && it.Encrypted != sign("reasoning", it.ID) {
			return invalid("input.%d: encrypted content could not be verified", i)
		}
		if next == nil || !isModelItem(next) {
			return invalid("input.%d: item %q of type 'reasoning' came without the item that followed it", i, it.ID)
		}
		q.reply(i).thought = it.ID
	case "function_call", "custom_tool_call":
		return q.addItemCall(i, it)
	case "function_call_output", "custom_tool_call_output":
		text, ok := contentText(it.Output)
		if !ok || len(it.Output) == 0 {
			return invalid("input.%d: an output needs output, a string or a list of parts", i)
		}
		if n := len(q.items); n == 0 || q.items[n-1].kind != results {
			q.items = append(q.items, item{kind: results, at: i})
		}
		last := &q.items[len(q.items)-1]
		last.results = append(last.results, seenResult{id: it.CallID, text: text})
	case "web_search_call":
		q.reply(i)
	default:
		return invalid("input.%d: invalid type %q", i, it.Type)
	}
	return nil
}

func (q *request) addItemCall(i int, it *responsesItem) *fault {
	if it.CallID == "" {
		return invalid("input.%d: a call needs call_id", i)
	}
	if !sentName.MatchString(it.Name) {
		return invalid("input.%d: invalid name %q", i, it.Name)
	}
	text := it.Arguments
	if it.Type == "custom_tool_call" {
		text = it.Input
	}
	var s string
	if json.Unmarshal(text, &s) != nil {
		return invalid("input.%d: arguments must be a string", i)
	}
	reply := q.reply(i)
	if mark, ok := marked(it.CallID, "call_", "s"); ok && !strings.HasPrefix(reply.thought, "rs_"+mark) {
		return invalid("input.%d: item of type 'function_call' came without its required 'reasoning' item", i)
	}
	reply.calls = append(reply.calls, seenCall{it.CallID, it.Name})
	return nil
}

// reply is the model's reply that an item belongs to.
func (q *request) reply(i int) *item {
	if n := len(q.items); n == 0 || q.items[n-1].kind != model {
		q.items = append(q.items, item{kind: model, at: i})
	}
	return &q.items[len(q.items)-1]
}

func isModelItem(it *responsesItem) bool {
	switch it.Type {
	case "function_call", "custom_tool_call", "reasoning", "web_search_call":
		return true
	case "", "message":
		return it.Role == "assistant"
	}
	return false
}

// output is one item of a reply, as it is added, as it streams and as it ends.
type output struct {
	added, done json.RawMessage
	events      func(w *responsesWriter, i int)
}

func (f responses) outputs(p *played) []output {
	var outs []output
	if p.reasoning != "" {
		id := "rs_" + thoughtMark(p.reasoning) + p.id[:24]
		summary := list([]json.RawMessage{obj("type", "summary_text", "text", p.reasoning)})
		outs = append(outs, output{
			added: obj("id", id, "type", "reasoning", "summary", list(nil), "encrypted_content", sign("reasoning", id)),
			done:  obj("id", id, "type", "reasoning", "summary", summary, "encrypted_content", sign("reasoning", id)),
			events: func(w *responsesWriter, i int) {
				w.add(opening, "response.reasoning_summary_part.added", "item_id", id, "output_index", i, "summary_index", 0,
					"part", obj("type", "summary_text", "text", ""))
				for _, s := range pieces(p.reasoning) {
					w.add(opening, "response.reasoning_summary_text.delta", "item_id", id, "output_index", i, "summary_index", 0, "delta", s)
				}
				w.add(opening, "response.reasoning_summary_text.done", "item_id", id, "output_index", i, "summary_index", 0, "text", p.reasoning)
			},
		})
	}
	if p.text != "" {
		outs = append(outs, f.message(p))
	}
	for i := range p.calls {
		outs = append(outs, f.call(p, &p.calls[i], i))
	}
	return outs
}

func (responses) message(p *played) output {
	id := "msg_" + p.id[:24]
	kind, field := "output_text", "text"
	if p.stop == "refusal" {
		kind, field = "refusal", "refusal"
	}
	content := func(text string) json.RawMessage {
		if kind == "refusal" {
			return obj("type", kind, field, text)
		}
		return obj("type", kind, "annotations", list(nil), field, text)
	}
	return output{
		added: obj("id", id, "type", "message", "status", "in_progress", "role", "assistant", "content", list(nil)),
		done:  obj("id", id, "type", "message", "status", p.itemStatus(), "role", "assistant", "content", list([]json.RawMessage{content(p.text)})),
		events: func(w *responsesWriter, i int) {
			w.add(inText, "response.content_part.added", "item_id", id, "output_index", i, "content_index", 0, "part", content(""))
			for _, s := range pieces(p.text) {
				w.add(inText, "response."+kind+".delta", "item_id", id, "output_index", i, "content_index", 0, "delta", s)
			}
			w.add(closing, "response."+kind+".done", "item_id", id, "output_index", i, "content_index", 0, field, p.text)
			w.add(closing, "response.content_part.done", "item_id", id, "output_index", i, "content_index", 0, "part", content(p.text))
		},
	}
}

func (responses) call(p *played, c *playedCall, n int) output {
	if c.byProvider() {
		id := "ws_" + c.mark[:24]
		item := obj("id", id, "type", "web_search_call", "status", c.status(), "action", c.object())
		return output{added: item, done: item, events: func(*responsesWriter, int) {}}
	}
	prefix, kind, field, event := "fc_", "function_call", "arguments", "response.function_call_arguments"
	if c.kind == "custom" {
		prefix, kind, field, event = "ctc_", "custom_tool_call", "input", "response.custom_tool_call_input"
	}
	id := prefix + digest(p.id, strconv.Itoa(n))[:24]
	item := func(text, status string) json.RawMessage {
		var o object
		o.set("id", id)
		o.set("type", kind)
		o.set("status", status)
		o.set(field, text)
		if callID := c.idWith("call_", "s"); callID != "" {
			o.set("call_id", callID)
		}
		o.set("name", c.name)
		return o.done()
	}
	return output{
		added: item("", "in_progress"),
		done:  item(c.arguments, p.itemStatus()),
		events: func(w *responsesWriter, i int) {
			for _, s := range pieces(c.arguments) {
				w.add(inCall, event+".delta", "item_id", id, "output_index", i, "delta", s)
			}
			w.add(closing, event+".done", "item_id", id, "output_index", i, field, c.arguments)
		},
	}
}

func (p *played) itemStatus() string {
	if p.stop == "length" || p.stop == "content_filter" {
		return "incomplete"
	}
	return "completed"
}

// body is the response object; ended tells the last one from the first.
func (responses) body(q *request, p *played, ended bool, items []json.RawMessage) json.RawMessage {
	status, reason, failed, used := "in_progress", json.RawMessage("null"), json.RawMessage("null"), json.RawMessage("null")
	if ended {
		status, used = "completed", p.usage.responses()
		switch p.stop {
		case "length":
			status, reason = "incomplete", obj("reason", "max_output_tokens")
		case "content_filter":
			status, reason = "incomplete", obj("reason", "content_filter")
		case "malformed":
			status, failed = "failed", obj("code", "server_error", "message", "the model produced a malformed call")
		case "none":
			status = "in_progress"
		}
	}
	return obj("id", "resp_"+p.id[:24], "object", "response", "created_at", created, "status", status, "error", failed,
		"incomplete_details", reason, "model", q.model, "output", list(items), "usage", used)
}

func (u usage) responses() json.RawMessage {
	return obj("input_tokens", u.Input, "input_tokens_details", obj("cached_tokens", u.Cached), "output_tokens", u.Output,
		"output_tokens_details", obj("reasoning_tokens", u.Reasoning), "total_tokens", u.Input+u.Output)
}

func (f responses) whole(q *request, p *played) []byte {
	var items []json.RawMessage
	for _, o := range f.outputs(p) {
		items = append(items, o.done)
	}
	return f.body(q, p, true, items)
}

// responsesWriter numbers the events of a stream.
type responsesWriter struct {
	frames []frame
	n      int
}

func (w *responsesWriter) add(in part, kind string, pairs ...any) {
	pairs = append([]any{"type", kind, "sequence_number", w.n}, pairs...)
	w.n++
	w.frames = append(w.frames, frame{in, "event: " + kind + "\ndata: " + string(obj(pairs...)) + "\n\n"})
}

func (f responses) stream(q *request, p *played) []frame {
	w := &responsesWriter{}
	w.add(opening, "response.created", "response", f.body(q, p, false, nil))
	w.add(opening, "response.in_progress", "response", f.body(q, p, false, nil))
	outs := f.outputs(p)
	var items []json.RawMessage
	for i, o := range outs {
		w.add(opening, "response.output_item.added", "output_index", i, "item", o.added)
		o.events(w, i)
		w.add(closing, "response.output_item.done", "output_index", i, "item", o.done)
		items = append(items, o.done)
	}
	end := "response.completed"
	switch p.stop {
	case "length", "content_filter":
		end = "response.incomplete"
	case "malformed":
		end = "response.failed"
	}
	w.add(ending, end, "response", f.body(q, p, true, items))
	return w.frames
}

func (responses) failed(f *fault) []byte { return openAIError(f) }

func (responses) inStream(f *fault) frame {
	data := obj("type", "error", "sequence_number", 0, "error", obj("type", f.code, "code", f.code, "message", f.message, "param", nil))
	return frame{ending, "event: error\ndata: " + string(data) + "\n\n"}
}
