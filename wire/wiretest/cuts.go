package wiretest

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/wire"
)

// long asks for every cut instead of a sample.
const longVariable = "HOLDFAST_LONG"

// testCuts cuts every recording at event boundaries and at random bytes: never a
// panic, and never a call to run from a reply whose end sign did not come.
func testCuts(t *testing.T, o Options) {
	boundaries, places := 4, 4
	if os.Getenv(longVariable) == "1" {
		boundaries, places = -1, 200
	}
	rng := rand.New(rand.NewPCG(1, 2))
	cuts := 0
	for _, r := range recordings(t, o.Recorded) {
		for form, b := range r.forms() {
			end := endOf(b, r.format, o)
			for _, at := range cutPlaces(rng, b, boundaries, places) {
				cuts++
				reply, p := decode(o.Codec, b[:at])
				if run := toRun(reply); at < end && (len(run) > 0 || reply.Complete || p.whole) {
					t.Errorf("%s as %s cut at %d, its end sign ends at %d: complete %v, whole %v, calls to run %v", r.name, form, at, end, reply.Complete, p.whole, run)
				}
				checkBroken(t, r.name, reply)
			}
		}
	}
	t.Logf("%s: %d cuts", o.Codec.API(), cuts)
}

func checkBroken(t *testing.T, name string, reply *wire.Reply) {
	t.Helper()
	if reply.Complete != (reply.Ending == wire.Ended || reply.Ending == wire.Paused) {
		t.Errorf("%s cut: complete %v with ending %q", name, reply.Complete, reply.Ending)
	}
	if reply.Complete && reply.Err != nil {
		t.Errorf("%s cut: complete with error %v", name, reply.Err)
	}
}

// endOf is the offset just after the byte that first tells the end: the end sign
// of a stream (a streamed array is one), the last byte of a whole body.
func endOf(b []byte, format string, o Options) int {
	if format == "json" && !bytes.HasPrefix(bytes.TrimSpace(b), []byte("[")) {
		return len(bytes.TrimSpace(b))
	}
	if at := o.EndSign.FindIndex(b); at != nil {
		return at[1]
	}
	return len(b) + 1
}

// cutPlaces are boundaries and random bytes.
func cutPlaces(rng *rand.Rand, b []byte, boundaries, places int) []int {
	var at []int
	ends := boundariesOf(b)
	if boundaries < 0 {
		at = ends
	} else if len(ends) > 0 {
		for range boundaries {
			at = append(at, ends[rng.IntN(len(ends))])
		}
	}
	for range places {
		at = append(at, rng.IntN(len(b)+1))
	}
	return at
}

// boundariesOf are the ends of an event stream's messages, or of lines.
func boundariesOf(b []byte) (ends []int) {
	if len(b) > 0 && b[0] == 0 {
		for at := 0; at+4 <= len(b); {
			if at += int(binary.BigEndian.Uint32(b[at:])); at > len(b) {
				break
			}
			ends = append(ends, at)
		}
		return ends
	}
	for i, x := range b {
		if x == '\n' {
			ends = append(ends, i+1)
		}
	}
	return ends
}

// testSpokenCuts cuts a reply of our own at every byte: it runs everywhere, also
// where no recordings are.
func testSpokenCuts(t *testing.T, o Options) {
	b := o.Speak(Spoken{Text: "let me look", Calls: []holdfast.Call{function("call_a1", "search", `{"q":"x"}`), function("call_a2", "fetch", `{}`)}})
	at := o.EndSign.FindIndex(b)
	if at == nil {
		t.Fatalf("%s: a spoken reply has no end sign: %s", o.Codec.API(), b)
	}
	for cut := range b {
		reply, p := decode(o.Codec, b[:cut])
		if run := toRun(reply); cut < at[1] && (len(run) > 0 || reply.Complete || p.whole) {
			t.Errorf("spoken reply cut at %d, its end sign ends at %d: complete %v, whole %v, calls to run %v", cut, at[1], reply.Complete, p.whole, run)
		}
		checkBroken(t, "spoken reply", reply)
	}
	if reply, _ := decode(o.Codec, b); len(toRun(reply)) != 2 {
		t.Errorf("spoken reply whole: %d calls to run, want 2: %s", len(toRun(reply)), wire.ParseJSON(reply))
	}
}
