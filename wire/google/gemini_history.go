package google

import (
	"encoding/json"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/internal/encode"
)

// History is the items as contents. What cannot be replayed as it came:
//
//	unreadable arguments            an object that holds their text
//	lone surrogate                  U+FFFD
//	unknown or illegal name         the nearest legal name
//	missing id                      none in call and result: they are matched by place
//	repeated id                     an id of our own, in call and result
//	cut call                        the call, with the rejection as its result
//	empty text without a signature  left out
//	blocked reply                   its text alone
//	reply of another API            its text and calls, the first call of each
//	                                reply with the mark that skips its signature
//	call without a result           a result that says so
func (Gemini) History(items []wire.Item, names wire.Names) ([]json.RawMessage, error) {
	return geminiHistory(items, names, "")
}

func geminiHistory(items []wire.Item, names wire.Names, model string) ([]json.RawMessage, error) {
	turns, err := wire.Pair(items, names, wire.HistoryRule{API: apiGemini, Names: geminiNames})
	if err != nil {
		return nil, err
	}
	out := []json.RawMessage{}
	for i := range turns {
		t := &turns[i]
		if t.Reply == nil {
			out = append(out, geminiContent("user", [][]byte{geminiText(t.User)}))
			continue
		}
		h := geminiTurn{turn: t, own: t.Reply.API == apiGemini && t.Reply.Ending != wire.Filtered}
		h.own = h.own && h.calls() == len(t.Reply.Calls)
		parts := h.parts(model)
		if len(parts) == 0 {
			continue
		}
		out = append(out, geminiContent("model", parts))
		if results, pictures := h.results(model); len(results) > 0 {
			out = append(out, geminiContent("user", results))
			if len(pictures) > 0 {
				out = append(out, geminiContent("user", pictures))
			}
		}
	}
	return out, nil
}

func geminiContent(role string, parts [][]byte) json.RawMessage {
	out := []byte(`{"role":"` + role + `","parts":`)
	return append(append(out, rawjson.List(parts)...), '}')
}

func geminiText(text string) []byte {
	return append(append([]byte(`{"text":`), rawjson.Quote(text)...), '}')
}

// geminiTurn writes one reply and its results.
type geminiTurn struct {
	turn *wire.Turn
	own  bool // the reply is Gemini's, and its message holds its calls
}

func (h *geminiTurn) content() []byte { return rawjson.Member(h.turn.Reply.Message, "parts") }

func (h *geminiTurn) calls() int {
	n := 0
	for _, p := range rawjson.Elements(h.content()) {
		if rawjson.Member(p, "functionCall") != nil {
			n++
		}
	}
	return n
}

func (h *geminiTurn) parts(model string) [][]byte {
	if !h.own {
		return h.rebuilt()
	}
	var parts [][]byte
	position := 0
	// Calls of an older generation carry no signature, and a newer one asks for it.
	unsigned := model != "" && takesMedia(model) && !takesMedia(h.turn.Reply.Model)
	for _, p := range rawjson.Elements(h.content()) {
		if rawjson.Member(p, "functionCall") != nil {
			c := h.turn.Call(position)
			position++
			if c == nil {
				continue // as many calls as results
			}
			p = mendedCall(p, c)
			if unsigned && rawjson.Member(p, "thoughtSignature") == nil {
				p = rawjson.Set(p, "thoughtSignature", []byte(skipSignature))
			}
			unsigned = false
		} else if rawjson.Member(p, "functionResponse") != nil {
			continue
		} else if rawjson.Kind(rawjson.Member(p, "text")) == '"' && rawjson.MemberString(p, "text") == "" && rawjson.Member(p, "thoughtSignature") == nil {
			continue
		}
		parts = append(parts, rawjson.Clean(p))
	}
	return parts
}

// mendedCall is a part as it came where its call can be sent so.
func mendedCall(part []byte, c *wire.PairedCall) []byte {
	call := rawjson.Member(part, "functionCall")
	if id := sentID(c, true); id != c.ID {
		call = rawjson.Set(call, "id", rawjson.Quote(id))
	}
	if c.SentName != c.Name {
		call = rawjson.Set(call, "name", rawjson.Quote(c.SentName))
	}
	if args := rawjson.Member(call, "args"); !sameArguments(c) || args != nil && rawjson.Kind(args) != '{' {
		call = rawjson.Set(call, "args", encode.Input(c))
	}
	if len(call) == len(rawjson.Member(part, "functionCall")) && string(call) == string(rawjson.Member(part, "functionCall")) {
		return part
	}
	return rawjson.Set(part, "functionCall", call)
}

// sentID is the id that goes back: only one that came from Gemini itself, as
// Vertex AI knows none, and calls and results are matched by place.
func sentID(c *wire.PairedCall, own bool) string {
	if c.ID == "" || !own {
		return ""
	}
	return c.SentID
}

// skipSignature is what Google gives for a call that no Gemini model made.
const skipSignature = `"skip_thought_signature_validator"`

func (h *geminiTurn) rebuilt() [][]byte {
	var parts [][]byte
	if h.turn.Reply.Text != "" {
		parts = append(parts, geminiText(h.turn.Reply.Text))
	}
	for i := range h.turn.Calls {
		c := &h.turn.Calls[i]
		call := append([]byte(`{"functionCall":{"name":`), rawjson.Quote(c.SentName)...)
		call = append(append(append(call, `,"args":`...), encode.Input(c)...), '}')
		if i == 0 {
			call = append(append(call, `,"thoughtSignature":`...), skipSignature...)
		}
		parts = append(parts, append(call, '}'))
	}
	return parts
}

// results are one functionResponse for each call, in order, and the images that
// the model does not take within them.
func (h *geminiTurn) results(model string) (responses, pictures [][]byte) {
	within := model == "" || takesMedia(model)
	for i := range h.turn.Calls {
		c := &h.turn.Calls[i]
		out := []byte(`{"functionResponse":{`)
		if id := sentID(c, h.own); id != "" {
			out = append(append(append(out, `"id":`...), rawjson.Quote(id)...), ',')
		}
		out = append(append(out, `"name":`...), rawjson.Quote(c.SentName)...)
		out = append(append(out, `,"response":`...), geminiResponse(c.Result)...)
		var media [][]byte
		for _, im := range c.Result.Images {
			if picture(im.MediaType) {
				media = append(media, append(append([]byte(`{"inlineData":{`), inline(im, "mimeType")...), `}}`...))
			} else {
				pictures = append(pictures, geminiText(encode.LeftOut(im)))
			}
		}
		if within && len(media) > 0 {
			out = append(append(out, `,"parts":`...), rawjson.List(media)...)
		} else {
			pictures = append(pictures, media...)
		}
		responses = append(responses, append(out, `}}`...))
	}
	return responses, pictures
}

// geminiResponse is a result as the object that Gemini wants: under "output", or
// under "error" where the call did not succeed.
func geminiResponse(o holdfast.Observation) []byte {
	name := "output"
	if o.Error {
		name = "error"
	}
	return rawjson.Set([]byte(`{}`), name, resultValue(o))
}
