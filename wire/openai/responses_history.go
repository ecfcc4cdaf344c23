package openai

import (
	"encoding/json"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

// History is the items as input items. What cannot be replayed as it came:
//
//	unreadable arguments            an object that holds their text
//	no arguments                    {}
//	lone surrogate                  U+FFFD
//	unknown or illegal name         the nearest legal name
//	missing, repeated, foreign id   an id of our own, in call and output
//	second call of one id           left out
//	cut call                        the call, with the rejection as its output
//	cut, filtered or refused reply  its text, and the calls of a cut one
//	broken reply                    left out
//	reasoning that is not encrypted left out, and the ids that would ask for it
//	built-in call without an output
//	that we can write               a function call of the same name
//	approval asked for by MCP       denied
//	reply of another API            its text and calls
//	call without a result           an output that says so
func (Responses) History(items []wire.Item, table wire.Names) ([]json.RawMessage, error) {
	return responsesHistory(items, table, quirks{})
}

func responsesHistory(items []wire.Item, table wire.Names, q quirks) ([]json.RawMessage, error) {
	turns, err := wire.Pair(items, table, wire.HistoryRule{API: responsesAPI, Names: names})
	if err != nil {
		return nil, err
	}
	var out []json.RawMessage
	for i := range turns {
		t := &turns[i]
		if t.Reply == nil {
			out = append(out, userMessage(rawjson.Quote(t.User)))
			continue
		}
		own := ownItems(t)
		if own == nil {
			own = rebuiltItems(t)
		}
		if q.callsLast {
			own = callsLast(own)
		}
		out = append(out, own...)
		for j := range t.Calls {
			out = append(out, callOutput(&t.Calls[j]))
		}
		out = append(out, deniedApprovals(own)...)
	}
	return out, nil
}

// rebuiltItems are text and calls in items that carry no ids of the provider's,
// so that none of them asks for reasoning that is not there.
func rebuiltItems(t *wire.Turn) []json.RawMessage {
	var out []json.RawMessage
	if t.Reply.Text != "" || len(t.Calls) == 0 {
		b := append([]byte(`{"role":"assistant","content":`), rawjson.Quote(t.Reply.Text)...)
		out = append(out, append(b, '}'))
	}
	for i := range t.Calls {
		item := []byte(`{"type":"function_call"}`)
		if t.Calls[i].Kind == holdfast.CustomCall {
			item = []byte(`{"type":"custom_tool_call"}`)
		}
		out = append(out, callItem(item, &t.Calls[i]))
	}
	return out
}

// callItem is item with the call as this history has it.
func callItem(item []byte, c *wire.PairedCall) json.RawMessage {
	item = rawjson.Set(item, "call_id", rawjson.Quote(c.SentID))
	item = rawjson.Set(item, "name", rawjson.Quote(c.SentName))
	if c.Kind == holdfast.CustomCall {
		return rawjson.Set(item, "input", rawjson.Quote(c.Arguments))
	}
	return rawjson.Set(item, "arguments", rawjson.Quote(string(c.Object)))
}

// ownItems are the reply's own items, mended where they must be; nil where they
// cannot be used.
func ownItems(t *wire.Turn) []json.RawMessage {
	r := t.Reply
	if r.API != responsesAPI || r.Ending == wire.Cut || r.Ending == wire.Filtered || rawjson.Kind(r.Message) != '[' || !rawjson.Sendable(r.Message) {
		return nil
	}
	paired := make(map[int]*wire.PairedCall, len(t.Calls))
	for i := range t.Calls {
		paired[t.Calls[i].Position] = &t.Calls[i]
	}
	out := []json.RawMessage{}
	position, lost := 0, false
	for _, item := range rawjson.Elements(r.Message) {
		typ := rawjson.MemberString(item, "type")
		switch {
		case typ == "reasoning" && !replayable(item):
			lost = true
			continue
		case isCall(typ, item):
			item = withoutEventMembers(item)
			c := paired[position]
			executed := position < len(r.Calls) && r.Calls[position].ProviderExecuted
			position++
			if c == nil && !executed {
				continue // a second call of one id
			}
			if c != nil {
				item = mendedCall(typ, item, c)
			}
		}
		out = append(out, json.RawMessage(item))
	}
	if position != len(r.Calls) {
		return nil
	}
	if lost {
		for i, item := range out {
			out[i] = rawjson.Drop(item, "id")
		}
	}
	return out
}

// withoutEventMembers drops what belongs to events and what Bedrock's items hold
// too.
func withoutEventMembers(item []byte) []byte {
	for _, name := range []string{"item_id", "output_index"} {
		if rawjson.Member(item, name) != nil {
			item = rawjson.Drop(item, name)
		}
	}
	return item
}

// replayable reports reasoning that its provider can read again.
func replayable(item []byte) bool {
	if rawjson.MemberString(item, "encrypted_content") != "" {
		return true
	}
	for range rawjson.Elements(rawjson.Member(item, "content")) {
		return true
	}
	return false
}

// isCall reports an item that Reply.Calls holds.
func isCall(typ string, item []byte) bool {
	switch typ {
	case "function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call":
		return true
	case "tool_search_call":
		return rawjson.MemberString(item, "execution") != "server"
	}
	return false
}

func mendedCall(typ string, item []byte, c *wire.PairedCall) json.RawMessage {
	switch {
	case c.Kind == holdfast.BuiltinCall && !answerable(typ):
		return callItem([]byte(`{"type":"function_call"}`), c)
	case c.Kind == holdfast.BuiltinCall && c.SentID != c.ID:
		return rawjson.Set(item, "call_id", rawjson.Quote(c.SentID))
	case c.Kind == holdfast.FunctionCall && (!c.AsSent || string(c.Object) != c.Arguments),
		c.Kind == holdfast.CustomCall && !c.AsSent:
		return callItem(item, c)
	}
	return item
}

// answerable reports a built-in call whose output is text, or has a form for no.
func answerable(typ string) bool {
	switch typ {
	case "local_shell_call", "shell_call", "apply_patch_call", "tool_search_call":
		return true
	}
	return false
}

// callOutput is a call's result in the item that its kind wants. There is no
// error flag: the content says it.
func callOutput(c *wire.PairedCall) json.RawMessage {
	typ := "function_call_output"
	output := outputContent(&c.Result)
	switch {
	case c.Kind == holdfast.CustomCall:
		typ = "custom_tool_call_output"
	case c.Kind == holdfast.BuiltinCall && answerable(c.Name):
		return builtinOutput(c)
	}
	return outputItem(typ, c.SentID, "output", output)
}

func outputItem(typ, id, member string, output []byte) json.RawMessage {
	b := append([]byte(`{"type":"`+typ+`","call_id":`), rawjson.Quote(id)...)
	b = append(append(b, `,"`+member+`":`...), output...)
	return append(b, '}')
}

// builtinOutput tells a call of OpenAI's own local tools that it did not run.
func builtinOutput(c *wire.PairedCall) json.RawMessage {
	text := rawjson.Quote(c.Result.Content())
	switch c.Name {
	case "shell_call":
		output := append([]byte(`[{"stdout":"","stderr":`), text...)
		return outputItem("shell_call_output", c.SentID, "output", append(output, `,"outcome":{"type":"exit","exit_code":1}}]`...))
	case "apply_patch_call":
		return rawjson.Set(outputItem("apply_patch_call_output", c.SentID, "output", text), "status", []byte(`"failed"`))
	case "tool_search_call":
		item := outputItem("tool_search_output", c.SentID, "tools", []byte(`[]`))
		return rawjson.Set(rawjson.Set(item, "execution", []byte(`"client"`)), "status", []byte(`"completed"`))
	}
	return outputItem("local_shell_call_output", c.SentID, "output", text)
}

// outputContent is text, or parts where there are images.
func outputContent(obs *holdfast.Observation) []byte {
	if len(obs.Images) == 0 {
		return rawjson.Quote(obs.Content())
	}
	b := append([]byte(`[{"type":"input_text","text":`), rawjson.Quote(obs.Content())...)
	for _, im := range obs.Images {
		b = append(append(b, `},{"type":"input_image","image_url":`...), rawjson.Quote(dataURL(im))...)
	}
	return append(b, "}]"...)
}

// deniedApprovals answers what an MCP server asked through the provider. Nobody
// here was asked, and what nobody agreed to does not run.
func deniedApprovals(items []json.RawMessage) []json.RawMessage {
	var out []json.RawMessage
	for _, item := range items {
		if rawjson.MemberString(item, "type") != "mcp_approval_request" {
			continue
		}
		id := rawjson.Member(item, "id")
		if id == nil {
			continue
		}
		b := append([]byte(`{"type":"mcp_approval_response","approval_request_id":`), id...)
		out = append(out, append(b, `,"approve":false}`...))
	}
	return out
}

// callsLast moves messages before the first call of their reply: some servers
// want outputs to follow calls with nothing between.
func callsLast(items []json.RawMessage) []json.RawMessage {
	first := -1
	out := make([]json.RawMessage, 0, len(items))
	var after []json.RawMessage
	for _, item := range items {
		typ := rawjson.MemberString(item, "type")
		message := typ == "message" || typ == ""
		if isCall(typ, item) && first < 0 {
			first = len(out)
		}
		if first >= 0 && !message {
			after = append(after, item)
			continue
		}
		out = append(out, item)
	}
	return append(out, after...)
}
