package scripted

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// chat is OpenAI Chat Completions.
type chat struct{}

type chatMessage struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Refusal   *string         `json:"refusal"`
	Reasoning *string         `json:"reasoning_content"`
	CallID    *string         `json:"tool_call_id"`
	Calls     []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function *struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
		Custom *struct {
			Name  string `json:"name"`
			Input string `json:"input"`
		} `json:"custom"`
	} `json:"tool_calls"`
}

func (chat) read(body []byte, _ *http.Request) (*request, *fault) {
	var in struct {
		Model    string        `json:"model"`
		Messages []chatMessage `json:"messages"`
		Stream   bool          `json:"stream"`
		Options  struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
		Tools []struct {
			Type     string `json:"type"`
			Function struct {
				Name       string          `json:"name"`
				Parameters json.RawMessage `json:"parameters"`
			} `json:"function"`
			Custom struct {
				Name string `json:"name"`
			} `json:"custom"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, invalid("%v", err)
	}
	if in.Model == "" || len(in.Messages) == 0 {
		return nil, invalid("model and messages are required")
	}
	q := &request{model: in.Model, stream: in.Stream, usage: in.Options.IncludeUsage}
	for i, t := range in.Tools {
		name := t.Function.Name + t.Custom.Name
		if !sentName.MatchString(name) {
			return nil, invalid("tools.%d: invalid name %q", i, name)
		}
		q.tools = append(q.tools, tool{name, t.Function.Parameters})
	}
	for i := range in.Messages {
		if bad := q.addChat(i, &in.Messages[i]); bad != nil {
			return nil, bad
		}
	}
	return q, checkPairs(q.items, pairing{})
}

func (q *request) addChat(i int, m *chatMessage) *fault {
	text, ok := contentText(m.Content)
	if !ok {
		return invalid("messages.%d: content is neither a string nor a list of parts", i)
	}
	switch m.Role {
	case "system", "developer":
		q.system += text
	case "user":
		if text == "" && !strings.Contains(string(m.Content), "image") {
			return invalid("messages.%d: a user message has no content", i)
		}
		// Images of a result come in a user message directly after it.
		if n := len(q.items); n > 0 && q.items[n-1].kind == results && strings.Contains(string(m.Content), "image_url") {
			return nil
		}
		q.items = append(q.items, item{kind: person, text: text, at: i})
	case "assistant":
		if len(m.Calls) == 0 && text == "" && m.Refusal == nil && m.Reasoning == nil {
			return invalid("messages.%d: an assistant message has neither content nor tool_calls", i)
		}
		return q.addChatReply(i, text, m)
	case "tool":
		if m.CallID == nil || len(m.Content) == 0 || string(m.Content) == "null" {
			return invalid("messages.%d: a tool message needs tool_call_id and content", i)
		}
		if n := len(q.items); n == 0 || q.items[n-1].kind != results {
			q.items = append(q.items, item{kind: results, at: i})
		}
		last := &q.items[len(q.items)-1]
		last.results = append(last.results, seenResult{id: *m.CallID, text: text})
	default:
		return invalid("messages.%d: invalid role %q", i, m.Role)
	}
	return nil
}

func (q *request) addChatReply(i int, text string, m *chatMessage) *fault {
	it := item{kind: model, text: text, at: i}
	for j, c := range m.Calls {
		name := ""
		switch {
		case c.Type == "function" && c.Function != nil:
			name = c.Function.Name
			var arguments string
			if json.Unmarshal(c.Function.Arguments, &arguments) != nil {
				return invalid("messages.%d.tool_calls.%d: function.arguments must be a string", i, j)
			}
		case c.Type == "custom" && c.Custom != nil:
			name = c.Custom.Name
		default:
			return invalid("messages.%d.tool_calls.%d: invalid type %q", i, j, c.Type)
		}
		if !sentName.MatchString(name) {
			return invalid("messages.%d.tool_calls.%d: invalid name %q", i, j, name)
		}
		if mark, ok := marked(c.ID, "call_", "c"); ok && (m.Reasoning == nil || thoughtMark(*m.Reasoning) != mark) {
			return invalid("messages.%d: the reasoning_content of a reply with tool calls must be passed back as it came", i)
		}
		it.calls = append(it.calls, seenCall{c.ID, name})
	}
	q.items = append(q.items, it)
	return nil
}

var chatStops = map[string]string{
	"stop": "stop", "tool_calls": "tool_calls", "length": "length", "content_filter": "content_filter",
	"refusal": "stop", "pause": "stop", "malformed": "function_call_filter: MALFORMED_FUNCTION_CALL",
}

// chatCall is a call as a message holds it; index is there in streams.
func chatCall(c *playedCall, index any, arguments string) json.RawMessage {
	var o object
	if index != nil {
		o.set("index", index)
	}
	if id := c.idWith("call_", "c"); id != "" {
		o.set("id", id)
	}
	if c.kind == "custom" {
		o.set("type", "custom")
		o.set("custom", obj("name", c.name, "input", arguments))
		return o.done()
	}
	o.set("type", "function")
	o.set("function", obj("name", c.name, "arguments", arguments))
	return o.done()
}

// own are the calls that the client is to run; Chat has no place for others.
func (p *played) own() []playedCall {
	return slices.DeleteFunc(slices.Clone(p.calls), func(c playedCall) bool { return c.byProvider() })
}

func (u usage) chat() json.RawMessage {
	return obj("prompt_tokens", u.Input, "completion_tokens", u.Output, "total_tokens", u.Input+u.Output,
		"prompt_tokens_details", obj("cached_tokens", u.Cached),
		"completion_tokens_details", obj("reasoning_tokens", u.Reasoning))
}

const created = 1790000000 // a fixed day: replies depend on nothing but the request

func (chat) whole(q *request, p *played) []byte {
	var m object
	m.set("role", "assistant")
	text, refusal := any(p.text), any(nil)
	if p.stop == "refusal" {
		text, refusal = nil, p.text
	}
	if p.text == "" {
		text = nil
	}
	m.set("content", text)
	m.set("refusal", refusal)
	if p.reasoning != "" {
		m.set("reasoning_content", p.reasoning)
	}
	var calls []json.RawMessage
	for _, c := range p.own() {
		calls = append(calls, chatCall(&c, nil, c.arguments))
	}
	if len(calls) > 0 {
		m.set("tool_calls", calls)
	}
	stop := any(chatStops[p.stop])
	if p.stop == "none" {
		stop = nil
	}
	return obj("id", "chatcmpl-"+p.id[:24], "object", "chat.completion", "created", created, "model", q.model,
		"choices", []json.RawMessage{obj("index", 0, "message", m.done(), "logprobs", nil, "finish_reason", stop)},
		"usage", p.usage.chat(), "system_fingerprint", "scripted")
}

// chunk is one event of a stream.
func (chat) chunk(q *request, p *played, in part, delta json.RawMessage, stop any) frame {
	choice := obj("index", 0, "delta", delta, "logprobs", nil, "finish_reason", stop)
	return frame{in, "data: " + string(chatChunk(q, p, []json.RawMessage{choice}, nil)) + "\n\n"}
}

func chatChunk(q *request, p *played, choices []json.RawMessage, usage json.RawMessage) json.RawMessage {
	var o object
	o.set("id", "chatcmpl-"+p.id[:24])
	o.set("object", "chat.completion.chunk")
	o.set("created", created)
	o.set("model", q.model)
	o.set("system_fingerprint", "scripted")
	o.set("choices", list(choices))
	if usage != nil {
		o.set("usage", usage)
	}
	return o.done()
}

func (f chat) stream(q *request, p *played) []frame {
	frames := []frame{f.chunk(q, p, opening, obj("role", "assistant", "content", ""), nil)}
	for _, s := range pieces(p.reasoning) {
		frames = append(frames, f.chunk(q, p, opening, obj("reasoning_content", s), nil))
	}
	field := "content"
	if p.stop == "refusal" {
		field = "refusal"
	}
	for _, s := range pieces(p.text) {
		frames = append(frames, f.chunk(q, p, inText, obj(field, s), nil))
	}
	for i, c := range p.own() {
		frames = append(frames, f.chunk(q, p, inCall, obj("tool_calls", []json.RawMessage{chatCall(&c, i, "")}), nil))
		field, text := "function", "arguments"
		if c.kind == "custom" {
			field, text = "custom", "input"
		}
		for _, s := range pieces(c.arguments) {
			delta := obj("index", i, field, obj(text, s))
			frames = append(frames, f.chunk(q, p, inCall, obj("tool_calls", []json.RawMessage{delta}), nil))
		}
	}
	frames = append(frames, f.chunk(q, p, ending, obj(), chatStops[p.stop]))
	if q.usage {
		frames = append(frames, frame{ending, "data: " + string(chatChunk(q, p, nil, p.usage.chat())) + "\n\n"})
	}
	return append(frames, frame{ending, "data: [DONE]\n\n"})
}

func (chat) failed(f *fault) []byte { return openAIError(f) }

func (chat) inStream(f *fault) frame {
	return frame{ending, "data: " + string(openAIError(f)) + "\n\n"}
}

func openAIError(f *fault) json.RawMessage {
	kind := f.code
	if f.status == http.StatusBadRequest {
		kind = "invalid_request_error"
	}
	return obj("error", obj("message", f.message, "type", kind, "param", nil, "code", f.code))
}
