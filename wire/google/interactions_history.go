package google

import (
	"encoding/json"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/encode"
)

// History is the items as steps. What cannot be replayed as it came:
//
//	unreadable arguments            an object that holds their text
//	lone surrogate                  U+FFFD
//	unknown or illegal name         the nearest legal name
//	missing, repeated, foreign id   an id of our own, in call and result
//	cut call                        the call, with the rejection as its result
//	tool that the provider ran,
//	without a result                left out
//	failed or filtered reply        its text alone
//	reply of another API            its text and calls
//	call without a result           a result that says so
func (Interactions) History(items []wire.Item, names wire.Names) ([]json.RawMessage, error) {
	return interactionsHistory(items, names)
}

func interactionsHistory(items []wire.Item, names wire.Names) ([]json.RawMessage, error) {
	turns, err := wire.Pair(items, names, wire.HistoryRule{API: apiInteractions, Names: interactionsNames})
	if err != nil {
		return nil, err
	}
	out := []json.RawMessage{}
	for i := range turns {
		t := &turns[i]
		if t.Reply == nil {
			out = append(out, textStep("user_input", t.User))
			continue
		}
		for _, step := range replySteps(t) {
			out = append(out, step)
		}
		for j := range t.Calls {
			out = append(out, resultStep(&t.Calls[j]))
		}
	}
	return out, nil
}

func textStep(kind, text string) json.RawMessage {
	out := []byte(`{"type":"` + kind + `","content":[`)
	return append(append(out, textContent(text)...), `]}`...)
}

func textContent(text string) []byte {
	return append(append([]byte(`{"type":"text","text":`), rawjson.Quote(text)...), '}')
}

// replySteps are a reply's own steps, each as it came where it can be sent so.
func replySteps(t *wire.Turn) [][]byte {
	calls, results := 0, map[string]bool{}
	for _, s := range rawjson.Elements(t.Reply.Message) {
		if rawjson.MemberString(s, "type") == "function_call" {
			calls++
		}
		if id := rawjson.MemberString(s, "call_id"); id != "" {
			results[id] = true
		}
	}
	if t.Reply.API != apiInteractions || t.Reply.Ending == wire.Filtered || calls != len(t.Reply.Calls) {
		return rebuiltSteps(t)
	}
	var steps [][]byte
	position := 0
	for _, s := range rawjson.Elements(t.Reply.Message) {
		switch kind := rawjson.MemberString(s, "type"); {
		case kind == "function_call":
			c := t.Call(position)
			position++
			switch {
			case c != nil:
				s = mendedStep(s, c)
			case !results[rawjson.MemberString(s, "id")]:
				continue
			}
		case kind == "model_output":
			if content := rawjson.Member(s, "content"); rawjson.Kind(content) != '[' || rawjson.IsEmpty(content) {
				continue
			}
		case providersOwn(kind) && rawjson.Member(s, "call_id") == nil:
			if !results[rawjson.MemberString(s, "id")] && t.Reply.Ending != wire.Paused {
				continue
			}
		}
		steps = append(steps, rawjson.Clean(s))
	}
	return steps
}

// mendedStep is a step as it came where its call can be sent so.
func mendedStep(step []byte, c *wire.PairedCall) []byte {
	if c.SentID != c.ID {
		step = rawjson.Set(step, "id", rawjson.Quote(c.SentID))
	}
	if c.SentName != c.Name {
		step = rawjson.Set(step, "name", rawjson.Quote(c.SentName))
	}
	if !sameArguments(c) || rawjson.Kind(rawjson.Member(step, "arguments")) != '{' {
		step = rawjson.Set(step, "arguments", encode.Input(c))
	}
	return step
}

func rebuiltSteps(t *wire.Turn) [][]byte {
	var steps [][]byte
	if t.Reply.Text != "" {
		steps = append(steps, textStep("model_output", t.Reply.Text))
	}
	for i := range t.Calls {
		steps = append(steps, mendedStep([]byte(`{"type":"function_call"}`), foreign(t.Calls[i])))
	}
	return steps
}

// foreign is a call of which nothing stands in the step yet.
func foreign(c wire.PairedCall) *wire.PairedCall {
	c.ID, c.Name = "", ""
	return &c
}

// resultStep answers one call. An array would be read as content, so only an
// object goes as it is.
func resultStep(c *wire.PairedCall) json.RawMessage {
	out := append([]byte(`{"type":"function_result","call_id":`), rawjson.Quote(c.SentID)...)
	out = append(append(out, `,"name":`...), rawjson.Quote(c.SentName)...)
	out = append(append(out, `,"result":`...), interactionsResult(c.Result)...)
	if c.Result.Error {
		out = append(out, `,"is_error":true`...)
	}
	return append(out, '}')
}

func interactionsResult(o holdfast.Observation) []byte {
	if len(o.Images) == 0 {
		if rawjson.Kind(o.JSON) == '{' {
			return o.JSON
		}
		return rawjson.Quote(o.Content())
	}
	var items [][]byte
	if text := o.Content(); text != "" {
		items = append(items, textContent(text))
	}
	for _, im := range o.Images {
		if picture(im.MediaType) {
			items = append(items, append(append([]byte(`{"type":"image",`), inline(im, "mime_type")...), '}'))
		} else {
			items = append(items, textContent(encode.LeftOut(im)))
		}
	}
	return rawjson.List(items)
}
