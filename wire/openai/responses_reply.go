package openai

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/wire"
)

// Finish is the reply once the bytes have ended.
func (d *responsesReply) Finish() *wire.Reply {
	r := &d.Reply
	r.API, r.Stop, r.Ending = responsesAPI, d.status, d.ending()
	r.Text, r.Reasoning = d.text.Text()+d.refusal.Text(), d.reasoning.Text()
	if d.status == "incomplete" && d.reason != "" {
		r.Stop = "incomplete:" + d.reason
	}
	r.Complete = r.Ending == wire.Ended
	vetoed := r.Ending == wire.Cut || r.Ending == wire.Filtered || d.Reply.Err != nil
	for _, it := range d.calls {
		r.Calls = append(r.Calls, it.call(vetoed))
	}
	d.closeAnswered(r.Calls)
	r.Message = d.itemsVerbatim()
	return r
}

func (d *responsesReply) ending() wire.Ending {
	switch {
	case d.Reply.Err != nil || !d.ended:
		return wire.Broken
	case d.status == "incomplete" && d.reason == "content_filter":
		return wire.Filtered
	case d.status == "incomplete":
		return wire.Cut
	case d.status != "completed" && d.status != "":
		return wire.Broken // failed, cancelled, or not done yet: queued, in_progress
	case d.refusal.Len() > 0:
		return wire.Filtered
	}
	return wire.Ended
}

func (it *responseItem) call(vetoed bool) holdfast.Call {
	return holdfast.Call{
		ID: it.callID, Name: it.name, Namespace: it.namespace, Kind: it.kind,
		Arguments: it.arguments(), Complete: it.whole() && !vetoed,
	}
}

// closeAnswered marks calls whose output already stands in the reply.
func (d *responsesReply) closeAnswered(calls []holdfast.Call) {
	for _, it := range d.items {
		switch it.typ {
		case "function_call_output", "custom_tool_call_output", "local_shell_call_output", "shell_call_output",
			"apply_patch_call_output", "tool_search_output", "computer_call_output":
			for i := range calls {
				if it.callID != "" && calls[i].ID == it.callID {
					calls[i].ProviderExecuted = true
				}
			}
		}
	}
}

// itemsVerbatim is the output as it came: the items as each was done, or the
// final response's where that holds more of them.
func (d *responsesReply) itemsVerbatim() json.RawMessage {
	var done []*responseItem
	for _, it := range d.items {
		if it.done {
			done = append(done, it)
		}
	}
	if len(done) == 0 {
		return nil
	}
	if d.outputs > len(done) {
		return json.RawMessage(d.output)
	}
	slices.SortStableFunc(done, func(a, b *responseItem) int {
		if !a.hasIndex || !b.hasIndex {
			return 0
		}
		return cmp.Compare(a.index, b.index)
	})
	message := []byte{'['}
	for i, it := range done {
		if i > 0 {
			message = append(message, ',')
		}
		message = append(message, it.raw...)
	}
	return append(message, ']')
}
