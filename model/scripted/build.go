package scripted

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// pieces splits a text as models stream it: a few letters at a time.
func pieces(text string) []string {
	var out []string
	sizes := []int{4, 1, 7, 3, 12, 2, 5}
	letters := []rune(text)
	for i := 0; len(letters) > 0; i++ {
		n := min(sizes[i%len(sizes)], len(letters))
		out = append(out, string(letters[:n]))
		letters = letters[n:]
	}
	return out
}

// object is an ordered JSON object under construction; raw values stand as they
// are, so a scenario's bytes reach the client unchanged.
type object struct{ b bytes.Buffer }

func obj(pairs ...any) json.RawMessage {
	var o object
	for i := 0; i+1 < len(pairs); i += 2 {
		o.set(pairs[i].(string), pairs[i+1])
	}
	return o.done()
}

func (o *object) set(name string, v any) {
	if o.b.Len() > 0 {
		o.b.WriteByte(',')
	}
	o.b.WriteString(strconv.Quote(name) + ":")
	switch v := v.(type) {
	case json.RawMessage:
		o.b.Write(v)
	case []json.RawMessage:
		o.b.Write(list(v))
	default:
		text, err := encode(v)
		if err != nil {
			text = []byte("null")
		}
		o.b.Write(text)
	}
}

func (o *object) done() json.RawMessage {
	return json.RawMessage("{" + o.b.String() + "}")
}

func list(values []json.RawMessage) json.RawMessage {
	return append(append(json.RawMessage("["), bytes.Join(raws(values), []byte(","))...), ']')
}

func raws(values []json.RawMessage) [][]byte {
	out := make([][]byte, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// byProvider reports a call that the provider runs itself.
func (c *playedCall) byProvider() bool { return c.kind == "provider" || c.kind == "unfinished" }

// withResult is such a call with its result, where there is one.
func (c *playedCall) withResult(call, result json.RawMessage) []json.RawMessage {
	if c.kind == "unfinished" {
		return []json.RawMessage{call}
	}
	return []json.RawMessage{call, result}
}

func (c *playedCall) status() string {
	if c.kind == "unfinished" {
		return "in_progress"
	}
	return "completed"
}
