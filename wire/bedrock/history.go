package bedrock

import (
	"encoding/json"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/encode"
)

var names = wire.NameRule{Bytes: 64, First: "0123456789-", Rest: "-"}

const maxID = 64

func legalID(id string) bool {
	for i := range len(id) {
		c := id[i]
		if strings.IndexByte("_-.:", c) < 0 && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return id != "" && len(id) <= maxID
}

// History is the items as messages whose roles alternate. What cannot be
// replayed as it came:
//
//	unreadable arguments            an object that holds their text
//	lone surrogate                  U+FFFD
//	unknown or illegal name         the nearest legal name
//	missing, repeated, foreign id   an id of our own, in call and result
//	cut call                        the call, with the rejection as its result
//	blank text, unsigned reasoning  left out
//	tool that the provider ran      left out, its result too
//	filtered reply                  its text alone
//	reply of another API            its text and calls
//	call without a result           a result that says so
func (Converse) History(items []wire.Item, names wire.Names) ([]json.RawMessage, error) {
	return history(items, names, true)
}

// history may leave out the status of results, which only some models take.
func history(items []wire.Item, table wire.Names, status bool) ([]json.RawMessage, error) {
	turns, err := wire.Pair(items, table, wire.HistoryRule{API: apiConverse, Names: names, ID: legalID})
	if err != nil {
		return nil, err
	}
	var h conversation
	for i := range turns {
		t := &turns[i]
		if t.Reply == nil {
			h.add("user", [][]byte{textBlock(t.User)})
			continue
		}
		blocks := replyBlocks(t)
		if len(blocks) == 0 {
			continue
		}
		h.add("assistant", blocks)
		var results [][]byte
		for j := range t.Calls {
			results = append(results, toolResult(&t.Calls[j], status))
		}
		h.add("user", results)
	}
	return h.messages(), nil
}

// conversation joins what one role says in a row into one message.
type conversation struct {
	roles  []string
	blocks [][][]byte
}

func (h *conversation) add(role string, blocks [][]byte) {
	if len(blocks) == 0 {
		return
	}
	if last := len(h.roles) - 1; last >= 0 && h.roles[last] == role {
		h.blocks[last] = append(h.blocks[last], blocks...)
		return
	}
	h.roles = append(h.roles, role)
	h.blocks = append(h.blocks, blocks)
}

func (h *conversation) messages() []json.RawMessage {
	out := make([]json.RawMessage, len(h.roles))
	for i, role := range h.roles {
		m := append([]byte(`{"role":"`+role+`","content":`), rawjson.List(h.blocks[i])...)
		out[i] = append(m, '}')
	}
	return out
}

func textBlock(text string) []byte {
	return append(append([]byte(`{"text":`), rawjson.Quote(text)...), '}')
}

func replyBlocks(t *wire.Turn) [][]byte {
	content := rawjson.Member(t.Reply.Message, "content")
	calls := 0
	for _, b := range rawjson.Elements(content) {
		if rawjson.Member(b, "toolUse") != nil {
			calls++
		}
	}
	if t.Reply.API != apiConverse || t.Reply.Ending == wire.Filtered || calls != len(t.Reply.Calls) {
		return rebuilt(t)
	}
	var blocks [][]byte
	position := 0
	for _, b := range rawjson.Elements(content) {
		if use := rawjson.Member(b, "toolUse"); use != nil {
			if c := t.Call(position); c != nil {
				blocks = append(blocks, rawjson.Clean(toolUse(use, c)))
			}
			position++
			continue
		}
		if sendable(b) {
			blocks = append(blocks, rawjson.Clean(b))
		}
	}
	return blocks
}

// sendable reports a block that Converse takes back.
func sendable(b []byte) bool {
	for name, v := range rawjson.Members(b) {
		switch string(name) {
		case "text":
			return strings.TrimSpace(rawjson.String(v)) != ""
		case "toolResult":
			return false
		case "reasoningContent":
			text := rawjson.Member(v, "reasoningText")
			return text == nil || rawjson.MemberString(text, "signature") != ""
		}
	}
	return true
}

func rebuilt(t *wire.Turn) [][]byte {
	var blocks [][]byte
	if strings.TrimSpace(t.Reply.Text) != "" {
		blocks = append(blocks, textBlock(t.Reply.Text))
	}
	for i := range t.Calls {
		c := t.Calls[i]
		c.ID, c.Name, c.AsSent = "", "", false
		blocks = append(blocks, toolUse([]byte(`{}`), &c))
	}
	return blocks
}

// toolUse is a call's block with what must change of it changed. A type is told
// of calls but taken back only of those that the provider ran.
func toolUse(use []byte, c *wire.PairedCall) []byte {
	if c.SentID != c.ID {
		use = rawjson.Set(use, "toolUseId", rawjson.Quote(c.SentID))
	}
	if c.SentName != c.Name {
		use = rawjson.Set(use, "name", rawjson.Quote(c.SentName))
	}
	if input := rawjson.Member(use, "input"); !c.AsSent || rawjson.Kind(input) != '{' {
		use = rawjson.Set(use, "input", encode.Input(c))
	}
	if rawjson.Member(use, "type") != nil {
		use = rawjson.Drop(use, "type")
	}
	return append(append([]byte(`{"toolUse":`), use...), '}')
}

// toolResult answers one call. JSON goes as text: as a document, its numbers
// would lose digits.
func toolResult(c *wire.PairedCall, status bool) []byte {
	out := append([]byte(`{"toolResult":{"toolUseId":`), rawjson.Quote(c.SentID)...)
	out = append(append(out, `,"content":`...), rawjson.List(resultBlocks(c.Result))...)
	if c.Result.Error && status {
		out = append(out, `,"status":"error"`...)
	}
	return append(out, `}}`...)
}

// resultBlocks are a result's text and images. Blank text is refused.
func resultBlocks(o holdfast.Observation) [][]byte {
	var blocks [][]byte
	if text := o.Content(); strings.TrimSpace(text) != "" {
		blocks = append(blocks, textBlock(text))
	}
	for _, im := range o.Images {
		blocks = append(blocks, imageBlock(im))
	}
	if len(blocks) == 0 {
		blocks = append(blocks, []byte(`{"json":{}}`))
	}
	return blocks
}

func imageBlock(im holdfast.Image) []byte {
	switch im.MediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		out := []byte(`{"image":{"format":"` + im.MediaType[len("image/"):] + `","source":{"bytes":`)
		return append(append(out, encode.Base64(im)...), `}}}`...)
	}
	return textBlock(encode.LeftOut(im))
}
