package anthropic

import (
	"encoding/json"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/encode"
)

// names are Anthropic's: up to 128 bytes on the newest models, 64 everywhere.
var names = wire.NameRule{Bytes: 64, First: "0123456789-", Rest: "-"}

func legalID(id string) bool {
	for i := range len(id) {
		c := id[i]
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return id != ""
}

// History is the items as messages. What cannot be replayed as it came:
//
//	unreadable arguments            an object that holds their text
//	lone surrogate                  U+FFFD
//	unknown or illegal name         the nearest legal name
//	missing, repeated, foreign id   an id of our own, in call and result
//	cut call                        the call, with the rejection as its result
//	cut thinking, without signature left out
//	empty text                      left out
//	tool that the provider ran,
//	without a result                left out with what it would need
//	refused reply                   its text alone
//	reply of another API            its text and calls
//	call without a result           a result that says so
func (Messages) History(items []wire.Item, names wire.Names) ([]json.RawMessage, error) {
	return history(apiMessages, items, names)
}

// History is that of [Messages].
func (Invoke) History(items []wire.Item, names wire.Names) ([]json.RawMessage, error) {
	return history(apiInvoke, items, names)
}

func history(api string, items []wire.Item, table wire.Names) ([]json.RawMessage, error) {
	turns, err := wire.Pair(items, table, wire.HistoryRule{API: api, Names: names, ID: legalID})
	if err != nil {
		return nil, err
	}
	later := laterResults(api, turns)
	var out []json.RawMessage
	var results [][]byte // of the reply before, until the user message that holds them
	flush := func(text string) {
		if len(results) == 0 && text == "" {
			return
		}
		out = append(out, userMessage(results, text))
		results = nil
	}
	for i := range turns {
		t := &turns[i]
		if t.Reply == nil {
			flush(t.User)
			continue
		}
		flush("")
		if message := assistantMessage(api, t, later[i]); message != nil {
			out = append(out, message)
			for j := range t.Calls {
				results = append(results, toolResult(&t.Calls[j]))
			}
		}
	}
	flush("")
	return alternate(out), nil
}

// alternate joins messages of one role that stand next to each other: two of a
// person where no reply came between, two replies where the first was paused.
// The newest servers do that themselves; others refuse them.
func alternate(messages []json.RawMessage) []json.RawMessage {
	var out []json.RawMessage
	for _, m := range messages {
		role := rawjson.MemberString(m, "role")
		last := len(out) - 1
		if last < 0 || rawjson.MemberString(out[last], "role") != role {
			out = append(out, m)
			continue
		}
		blocks := append(blocksOf(out[last]), blocksOf(m)...)
		out[last] = append(append([]byte(`{"role":"`+role+`","content":`), rawjson.List(blocks)...), '}')
	}
	return out
}

// blocksOf is a message's content as blocks.
func blocksOf(message json.RawMessage) [][]byte {
	content := rawjson.Member(message, "content")
	if rawjson.Kind(content) == '"' {
		return [][]byte{textBlock(rawjson.String(content))}
	}
	var blocks [][]byte
	for _, b := range rawjson.Elements(content) {
		blocks = append(blocks, b)
	}
	return blocks
}

// laterResults tells for each turn the ids of provider-run tools whose results
// stand in a reply after it.
func laterResults(api string, turns []wire.Turn) []map[string]bool {
	later := make([]map[string]bool, len(turns))
	var seen map[string]bool
	for i := len(turns) - 1; i >= 0; i-- {
		later[i] = seen
		if turns[i].Reply == nil || turns[i].Reply.API != api {
			continue
		}
		for _, id := range resultIDs(contentOf(turns[i].Reply)) {
			next := map[string]bool{id: true}
			for k := range seen {
				next[k] = true
			}
			seen = next
		}
	}
	return later
}

func contentOf(r *wire.Reply) []byte { return rawjson.Member(r.Message, "content") }

// resultIDs are the ids of provider-run tools whose results stand in content.
func resultIDs(content []byte) []string {
	var ids []string
	for _, b := range rawjson.Elements(content) {
		if isResult(rawjson.MemberString(b, "type")) {
			ids = append(ids, rawjson.MemberString(b, "tool_use_id"))
		}
	}
	return ids
}

// userMessage holds all results first, then the text.
func userMessage(results [][]byte, text string) json.RawMessage {
	content := rawjson.Quote(text)
	if len(results) > 0 {
		blocks := results
		if text != "" {
			blocks = append(blocks, textBlock(text))
		}
		content = rawjson.List(blocks)
	}
	return append(append([]byte(`{"role":"user","content":`), content...), '}')
}

func textBlock(text string) []byte {
	return append(append([]byte(`{"type":"text","text":`), rawjson.Quote(text)...), '}')
}

// assistantMessage is the reply as history holds it, nil where nothing is left.
func assistantMessage(api string, t *wire.Turn, later map[string]bool) json.RawMessage {
	var blocks [][]byte
	if t.Reply.API == api && t.Reply.Ending != wire.Filtered && ownCalls(t.Reply) {
		blocks = mend(t, later)
	} else {
		blocks = rebuild(t)
	}
	if len(blocks) == 0 {
		return nil
	}
	return append(append([]byte(`{"role":"assistant","content":`), rawjson.List(blocks)...), '}')
}

// ownCalls reports that the message holds a block for each call of the reply.
func ownCalls(r *wire.Reply) bool {
	n := 0
	for _, b := range rawjson.Elements(contentOf(r)) {
		if rawjson.MemberString(b, "type") == "tool_use" {
			n++
		}
	}
	return n == len(r.Calls) && (n > 0 || len(r.Message) > 0)
}

func rebuild(t *wire.Turn) [][]byte {
	var blocks [][]byte
	if t.Reply.Text != "" {
		blocks = append(blocks, textBlock(t.Reply.Text))
	}
	for i := range t.Calls {
		blocks = append(blocks, toolUse([]byte(`{"type":"tool_use"}`), &t.Calls[i]))
	}
	return blocks
}

// toolUse is block with id, name and input as this history writes them.
func toolUse(block []byte, c *wire.PairedCall) []byte {
	block = rawjson.Set(block, "id", rawjson.Quote(c.SentID))
	block = rawjson.Set(block, "name", rawjson.Quote(c.SentName))
	return rawjson.Set(block, "input", encode.Input(c))
}

// mend is the reply's own blocks, each as it came where it can be sent so.
func mend(t *wire.Turn, later map[string]bool) [][]byte {
	m := mending{turn: t, results: later, serverUses: map[string]bool{}}
	content := contentOf(t.Reply)
	m.look(content)
	var blocks [][]byte
	for _, b := range rawjson.Elements(content) {
		if kept := m.block(b); kept != nil {
			blocks = append(blocks, rawjson.Clean(kept))
		}
	}
	return blocks
}

// mending walks one reply's blocks.
type mending struct {
	turn       *wire.Turn
	results    map[string]bool // ids whose results stand in later replies
	own        map[string]bool // ids whose results stand in this one
	callers    map[string]bool // ids of code that made calls which we answer
	serverUses map[string]bool // ids of provider-run tools that are kept
	position   int             // of the next call
}

func (m *mending) look(content []byte) {
	m.own, m.callers = map[string]bool{}, map[string]bool{}
	for _, id := range resultIDs(content) {
		m.own[id] = true
	}
	position := 0
	for _, b := range rawjson.Elements(content) {
		if rawjson.MemberString(b, "type") != "tool_use" {
			continue
		}
		if m.turn.Call(position) != nil {
			m.callers[rawjson.MemberString(rawjson.Member(b, "caller"), "tool_id")] = true
		}
		position++
	}
}

// block is b as it is sent, nil where it is left out.
func (m *mending) block(b []byte) []byte {
	switch kind := rawjson.MemberString(b, "type"); kind {
	case "tool_use":
		c := m.turn.Call(m.position)
		m.position++
		switch {
		case c == nil:
			return nil
		case c.AsSent && rawjson.Kind(rawjson.Member(b, "input")) == '{':
			return b
		}
		return toolUse(b, c)
	case "text":
		if rawjson.MemberString(b, "text") == "" {
			return nil
		}
	case "thinking":
		if rawjson.MemberString(b, "signature") == "" {
			return nil
		}
	case "server_tool_use", "mcp_tool_use":
		id := rawjson.MemberString(b, "id")
		if !m.own[id] && !m.results[id] && !m.callers[id] && m.turn.Reply.Ending != wire.Paused {
			return nil
		}
	}
	return b
}

// toolResult answers one call.
func toolResult(c *wire.PairedCall) []byte {
	out := append([]byte(`{"type":"tool_result","tool_use_id":`), rawjson.Quote(c.SentID)...)
	if content := resultContent(c.Result); content != nil {
		out = append(append(out, `,"content":`...), content...)
	}
	if c.Result.Error {
		out = append(out, `,"is_error":true`...)
	}
	if c.Namespace != "" {
		out = append(append(out, `,"toolset_name":`...), rawjson.Quote(c.Namespace)...)
	}
	return append(out, '}')
}

// resultContent is a result's text, or its text and images as blocks; nil where
// it has neither, as an empty text block is refused.
func resultContent(o holdfast.Observation) []byte {
	text := o.Content()
	if len(o.Images) == 0 {
		if text == "" {
			return nil
		}
		return rawjson.Quote(text)
	}
	var blocks [][]byte
	if text != "" {
		blocks = append(blocks, textBlock(text))
	}
	for _, im := range o.Images {
		blocks = append(blocks, imageBlock(im))
	}
	return rawjson.List(blocks)
}

// imageBlock is an image, or a line that says that its kind is not taken.
func imageBlock(im holdfast.Image) []byte {
	switch im.MediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		out := append([]byte(`{"type":"image","source":{"type":"base64","media_type":`), rawjson.Quote(im.MediaType)...)
		out = append(append(out, `,"data":`...), encode.Base64(im)...)
		return append(out, `}}`...)
	}
	return textBlock(encode.LeftOut(im))
}
