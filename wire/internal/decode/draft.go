package decode

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

// maxParts is how many blocks, parts, steps, items or calls a reply may have: far
// more than a model sends, and few enough to look through.
const maxParts = 4096

// Draft is a reply while it grows, and what is shown of it meanwhile.
type Draft struct {
	Reply wire.Reply
	// Seen says that something of this format came.
	Seen bool

	events []wire.Event
	block  *strings.Builder // of events' texts
}

// Base is the draft itself: how a [Decoder] reaches it in what embeds it.
func (d *Draft) Base() *Draft { return d }

// Restart voids everything before: a relay spliced a retried stream in.
func (d *Draft) Restart() {
	*d = Draft{Seen: true, events: append(d.events[:0], wire.Event{Kind: wire.Restart}), block: d.block}
}

// Fail notes an error; the first stands.
func (d *Draft) Fail(code, message string, raw json.RawMessage) {
	if d.Reply.Err == nil {
		d.Reply.Err = &wire.Error{Code: code, Message: message, Raw: raw}
	}
}

// Unreadable notes an event that is no JSON: what it held is lost, so the reply
// cannot be complete.
func (d *Draft) Unreadable(event []byte) {
	d.Fail("unreadable_event", "an event of the reply is not JSON", rawjson.AppendQuoted(nil, event[:min(len(event), 1<<10)]))
}

// OutOfOrder notes a part of a call that came before its start or after its end:
// what the call holds is not what was meant.
func (d *Draft) OutOfOrder() {
	d.Fail("out_of_order", "a part of a call came where no call can take it", nil)
}

// Index reads the number that says which part an event speaks of; null is none.
// What is there and is no such number fails the reply: a fragment would go to
// whatever part stands last.
func (d *Draft) Index(raw []byte) (index int64, ok bool) {
	if rawjson.IsNull(raw) {
		return 0, false
	}
	if rawjson.Kind(raw) == '"' {
		raw = []byte(rawjson.String(raw))
	}
	if index, ok = rawjson.Int(raw); ok {
		return index, true
	}
	const exact = 1 << 53
	if f, err := strconv.ParseFloat(string(raw), 64); err == nil && rawjson.Kind(raw) == '0' && f == math.Trunc(f) && math.Abs(f) <= exact {
		return int64(f), true // 1.0, as some languages write it
	}
	d.OutOfOrder()
	return 0, false
}

// Room reports that a reply with n parts may get one more, and fails it if not.
func (d *Draft) Room(n int) bool {
	if n < maxParts {
		return true
	}
	d.Fail("reply_too_large", "the reply has more parts than a reply can", nil)
	return false
}
