package scripted

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
)

// anthropic is Anthropic Messages.
type anthropic struct{}

type block struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text"`
	Thinking  *string         `json:"thinking"`
	Signature *string         `json:"signature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

func (anthropic) read(body []byte, r *http.Request) (*request, *fault) {
	var in struct {
		Model     string          `json:"model"`
		MaxTokens int             `json:"max_tokens"`
		System    json.RawMessage `json:"system"`
		Stream    bool            `json:"stream"`
		Messages  []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"input_schema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, invalid("%v", err)
	}
	switch {
	case r.Header.Get("anthropic-version") == "":
		return nil, invalid("anthropic-version: header is required")
	case in.Model == "" || in.MaxTokens < 1 || len(in.Messages) == 0:
		return nil, invalid("model, max_tokens and messages are required")
	}
	q := &request{model: in.Model, stream: in.Stream, usage: true}
	q.system, _ = contentText(in.System)
	for i, t := range in.Tools {
		if !sentName.MatchString(t.Name) || !isObject(t.Schema) {
			return nil, invalid("tools.%d: needs a name of letters, digits, _ and -, and an input_schema", i)
		}
		q.tools = append(q.tools, tool{t.Name, t.Schema})
	}
	for i, m := range in.Messages {
		if wanted := []string{"user", "assistant"}[i%2]; m.Role != wanted {
			return nil, invalid("messages.%d: role is %q where %q was expected: roles must alternate", i, m.Role, wanted)
		}
		if bad := q.addMessage(i, m.Role, m.Content); bad != nil {
			return nil, bad
		}
	}
	return q, checkPairs(q.items, pairing{unique: true})
}

func (q *request) addMessage(i int, role string, content json.RawMessage) *fault {
	var text string
	if json.Unmarshal(content, &text) == nil {
		if text == "" {
			return invalid("messages.%d: content must not be empty", i)
		}
		kind := person
		if role == "assistant" {
			kind = model
		}
		q.items = append(q.items, item{kind: kind, text: text, at: i})
		return nil
	}
	var blocks []block
	if err := json.Unmarshal(content, &blocks); err != nil {
		return invalid("messages.%d.content: %v", i, err)
	}
	if len(blocks) == 0 {
		return invalid("messages.%d: content must not be empty", i)
	}
	if role == "assistant" {
		return q.addReplyBlocks(i, blocks)
	}
	return q.addUserBlocks(i, blocks)
}

var toolUseID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

func (q *request) addReplyBlocks(i int, blocks []block) *fault {
	it := item{kind: model, at: i}
	thought := ""
	for j, b := range blocks {
		switch b.Type {
		case "text":
			if b.Text == nil || *b.Text == "" {
				return invalid("messages.%d.content.%d: text content blocks must be non-empty", i, j)
			}
			it.text += *b.Text
		case "thinking":
			if b.Thinking == nil || b.Signature == nil || *b.Signature != sign("thinking", *b.Thinking) {
				return invalid("messages.%d.content.%d: invalid signature in thinking block", i, j)
			}
			if len(it.calls) > 0 {
				return invalid("messages.%d.content.%d: a thinking block must stand before tool_use", i, j)
			}
			thought = thoughtMark(*b.Thinking)
		case "redacted_thinking", "web_search_tool_result":
		case "tool_use", "server_tool_use":
			if !toolUseID.MatchString(b.ID) || !isObject(b.Input) || !sentName.MatchString(b.Name) {
				return invalid("messages.%d.content.%d: %s needs an id, a name and an input that is an object", i, j, b.Type)
			}
			if b.Type == "server_tool_use" {
				if !closesServerCall(blocks[j+1:], b.ID) {
					return invalid("messages.%d.content.%d: server_tool_use %q has no result", i, j, b.ID)
				}
				continue
			}
			if mark, ok := marked(b.ID, "toolu_", "r"); ok && mark != thought {
				return invalid("messages.%d.content.%d: the thinking block before this tool_use is missing", i, j)
			}
			it.calls = append(it.calls, seenCall{b.ID, b.Name})
		default:
			return invalid("messages.%d.content.%d: invalid type %q", i, j, b.Type)
		}
	}
	q.items = append(q.items, it)
	return nil
}

func closesServerCall(rest []block, id string) bool {
	for _, b := range rest {
		if strings.HasSuffix(b.Type, "_tool_result") && b.ToolUseID == id {
			return true
		}
	}
	return false
}

func (q *request) addUserBlocks(i int, blocks []block) *fault {
	var given []seenResult
	var said []item
	for j, b := range blocks {
		switch b.Type {
		case "text":
			if b.Text == nil || *b.Text == "" {
				return invalid("messages.%d.content.%d: text content blocks must be non-empty", i, j)
			}
			said = append(said, item{kind: person, text: *b.Text, at: i})
		case "tool_result":
			if len(said) > 0 {
				return invalid("messages.%d.content.%d: tool_result blocks must come first", i, j)
			}
			content, ok := contentText(b.Content)
			if !ok || emptyTextBlock(b.Content) {
				return invalid("messages.%d.content.%d: content must be a string or non-empty blocks", i, j)
			}
			given = append(given, seenResult{id: b.ToolUseID, text: content, failed: b.IsError})
		case "image":
		default:
			return invalid("messages.%d.content.%d: invalid type %q", i, j, b.Type)
		}
	}
	if given != nil {
		q.items = append(q.items, item{kind: results, results: given, at: i})
	}
	// Roles must alternate, so what a person said without a reply in between
	// stands in one message, a block each.
	q.items = append(q.items, said...)
	return nil
}

func emptyTextBlock(content json.RawMessage) bool {
	var blocks []block
	if json.Unmarshal(content, &blocks) != nil {
		return false
	}
	for _, b := range blocks {
		if b.Type == "text" && (b.Text == nil || *b.Text == "") {
			return true
		}
	}
	return false
}

var anthropicStops = map[string]string{
	"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal",
	"refusal": "refusal", "pause": "pause_turn", "malformed": "end_turn",
}

func (anthropic) message(q *request, p *played, content []json.RawMessage, stop any, u json.RawMessage) json.RawMessage {
	return obj("id", "msg_"+p.id[:24], "type", "message", "role", "assistant", "model", q.model, "content", list(content),
		"stop_reason", stop, "stop_sequence", nil, "usage", u)
}

func (u usage) anthropic(output int) json.RawMessage {
	return obj("input_tokens", u.Input-u.Cached, "cache_creation_input_tokens", 0, "cache_read_input_tokens", u.Cached, "output_tokens", output)
}

// serverBlocks are a call that the provider ran, with its result.
func (c *playedCall) serverBlocks() []json.RawMessage {
	id := "srvtoolu_" + c.mark[:24]
	return c.withResult(
		obj("type", "server_tool_use", "id", id, "name", "web_search", "input", c.object()),
		obj("type", "web_search_tool_result", "tool_use_id", id, "content", list(nil)),
	)
}

func (f anthropic) whole(q *request, p *played) []byte {
	var content []json.RawMessage
	if p.reasoning != "" {
		content = append(content, obj("type", "thinking", "thinking", p.reasoning, "signature", sign("thinking", p.reasoning)))
	}
	if p.text != "" {
		content = append(content, obj("type", "text", "text", p.text))
	}
	for i := range p.calls {
		c := &p.calls[i]
		if c.byProvider() {
			content = append(content, c.serverBlocks()...)
			continue
		}
		content = append(content, obj("type", "tool_use", "id", c.idWith("toolu_", "r"), "name", c.name, "input", c.object()))
	}
	stop := any(anthropicStops[p.stop])
	if p.stop == "none" {
		stop = nil
	}
	return f.message(q, p, content, stop, p.usage.anthropic(p.usage.Output))
}

// events builds a stream.
type events struct{ frames []frame }

func (e *events) add(in part, kind string, pairs ...any) {
	data := obj(append([]any{"type", kind}, pairs...)...)
	e.frames = append(e.frames, frame{in, "event: " + kind + "\ndata: " + string(data) + "\n\n"})
}

func (f anthropic) stream(q *request, p *played) []frame {
	e := &events{}
	e.add(opening, "message_start", "message", f.message(q, p, nil, nil, p.usage.anthropic(1)))
	i := 0
	if p.reasoning != "" {
		e.add(opening, "content_block_start", "index", i, "content_block", obj("type", "thinking", "thinking", "", "signature", ""))
		for _, s := range pieces(p.reasoning) {
			e.add(opening, "content_block_delta", "index", i, "delta", obj("type", "thinking_delta", "thinking", s))
		}
		e.add(opening, "content_block_delta", "index", i, "delta", obj("type", "signature_delta", "signature", sign("thinking", p.reasoning)))
		e.add(opening, "content_block_stop", "index", i)
		i++
	}
	e.add(opening, "ping")
	if p.text != "" {
		e.add(inText, "content_block_start", "index", i, "content_block", obj("type", "text", "text", ""))
		for _, s := range pieces(p.text) {
			e.add(inText, "content_block_delta", "index", i, "delta", obj("type", "text_delta", "text", s))
		}
		e.add(closing, "content_block_stop", "index", i)
		i++
	}
	for n := range p.calls {
		i = f.streamCall(e, p, n, i)
	}
	e.add(ending, "message_delta", "delta", obj("stop_reason", anthropicStops[p.stop], "stop_sequence", nil),
		"usage", p.usage.anthropic(p.usage.Output))
	e.add(ending, "message_stop")
	return e.frames
}

// streamCall streams call n as block i and returns the next block's index. The
// last call of a reply that its length cut is left open, as the provider does.
func (anthropic) streamCall(e *events, p *played, n, i int) int {
	c := &p.calls[n]
	if c.byProvider() {
		for _, b := range c.serverBlocks() {
			e.add(inCall, "content_block_start", "index", i, "content_block", b)
			e.add(closing, "content_block_stop", "index", i)
			i++
		}
		return i
	}
	e.add(inCall, "content_block_start", "index", i, "content_block",
		obj("type", "tool_use", "id", c.idWith("toolu_", "r"), "name", c.name, "input", obj()))
	e.add(inCall, "content_block_delta", "index", i, "delta", obj("type", "input_json_delta", "partial_json", ""))
	for _, s := range pieces(c.arguments) {
		e.add(inCall, "content_block_delta", "index", i, "delta", obj("type", "input_json_delta", "partial_json", s))
	}
	if p.stop != "length" || n < len(p.calls)-1 || json.Valid([]byte(c.arguments)) {
		e.add(closing, "content_block_stop", "index", i)
	}
	return i + 1
}

var anthropicErrors = map[int]string{
	400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
	413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 529: "overloaded_error",
}

func (anthropic) failed(f *fault) []byte {
	kind := anthropicErrors[f.status]
	if kind == "" {
		kind = "api_error"
	}
	if f.code != "" && f.status != http.StatusBadRequest {
		kind = f.code
	}
	return obj("type", "error", "error", obj("type", kind, "message", f.message), "request_id", "req_scripted")
}

func (f anthropic) inStream(bad *fault) frame {
	return frame{ending, "event: error\ndata: " + string(f.failed(bad)) + "\n\n"}
}
