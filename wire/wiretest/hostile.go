package wiretest

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/holdfast-go/holdfast/wire"
)

// testHostile feeds what a broken or hostile server sends: whatever it is, the
// decoder keeps little of it, and the reply is no complete one.
func testHostile(t *testing.T, c wire.Codec) {
	long := bytes.Repeat([]byte("x"), 1<<20)
	for _, h := range []struct {
		name, begin string
		piece       []byte
		times       int
		isError     bool // the reply must say what was wrong
	}{
		{"a line without an end", "data: {\"a\":\"", long, 17, true},
		{"a body without an end", "{\"a\":\"", long, 17, true},
		{"an array without an end", "[{\"a\":\"", long, 17, true},
		{"a message without an end", "\x00\xff\xff\xff", long, 1, true},
		{"many empty events", "", []byte("data: {}\n\n"), 1 << 15, false},
		{"many comments", "", []byte(": still here\n"), 1 << 15, false},
		{"deep nesting", "data: ", bytes.Repeat([]byte("{\"a\":["), 1<<12), 2, false},
		{"noise", "", []byte("\xff\xfe\x00 no reply\n"), 1 << 10, true},
	} {
		d := c.NewDecoder()
		d.Feed([]byte(h.begin))
		for range h.times {
			d.Feed(h.piece)
		}
		if kept := heap(); kept > 256<<20 {
			t.Errorf("%s: the heap holds %d bytes", h.name, kept)
		}
		r := d.Close()
		if r.Complete || len(toRun(r)) > 0 || d.Done() {
			t.Errorf("%s: complete %v, done %v, %d calls to run", h.name, r.Complete, d.Done(), len(toRun(r)))
		}
		if h.isError && r.Err == nil {
			t.Errorf("%s: no error", h.name)
		}
		if r.Err != nil && len(r.Err.Raw) > 64<<10 {
			t.Errorf("%s: the error quotes %d bytes", h.name, len(r.Err.Raw))
		}
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
