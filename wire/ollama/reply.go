package ollama

import (
	"bytes"
	"encoding/json"

	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

func (d *assembler) ending() wire.Ending {
	switch {
	case d.Reply.Err != nil || !d.done:
		return wire.Broken
	case d.reason == "length":
		return wire.Cut
	}
	return wire.Ended
}

// Finish is the reply once the bytes have ended.
func (d *assembler) Finish() *wire.Reply {
	r := &d.Reply
	r.API, r.Stop, r.Ending = api, d.reason, d.ending()
	r.Text, r.Reasoning = d.text.Text(), d.thinking.Text()
	r.Complete = r.Ending == wire.Ended
	for i := range r.Calls {
		r.Calls[i].Complete = r.Complete
	}
	r.Message = d.assistantMessage()
	return r
}

// assistantMessage is what the lines add up to, calls as they came.
func (d *assembler) assistantMessage() json.RawMessage {
	if d.text.Len() == 0 && len(d.Reply.Calls) == 0 {
		return nil
	}
	b := append([]byte(`{"role":"assistant","content":`), rawjson.Quote(d.text.Text())...)
	if d.thinking.Len() > 0 {
		b = append(append(b, `,"thinking":`...), rawjson.Quote(d.thinking.Text())...)
	}
	if len(d.Reply.Calls) > 0 {
		b = append(append(b, `,"tool_calls":[`...), bytes.Join(d.entries, []byte{','})...)
		b = append(b, ']')
	}
	return append(b, '}')
}
