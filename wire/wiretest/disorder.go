package wiretest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

// testDisorder plays a spoken reply's events twice, out of order, behind its end
// and after another reply: whatever comes of it, a call to run has the very
// arguments that were spoken for it, and never {} in their place.
func testDisorder(t *testing.T, o Options) {
	spoken := Spoken{Text: "let me look", Calls: []holdfast.Call{function("call_a1", "search", `{"q":"x"}`), function("call_a2", "store", `{"amount":75}`)}}
	whole := o.Speak(spoken)
	events := split(whole)
	if joined := bytes.Join(events, nil); !bytes.Equal(joined, whole) || len(events) < 2 {
		t.Fatalf("a spoken reply has %d events: %q", len(events), whole)
	}
	for i := range events {
		for j := range events {
			swapped := slices.Clone(events)
			swapped[i], swapped[j] = swapped[j], swapped[i]
			checkSpoken(t, o, fmt.Sprintf("events %d and %d exchanged", i, j), spoken, swapped)
			checkSpoken(t, o, fmt.Sprintf("event %d again before %d", i, j), spoken, slices.Insert(slices.Clone(events), j, events[i]))
			moved := slices.Delete(slices.Clone(events), i, i+1)
			checkSpoken(t, o, fmt.Sprintf("event %d moved to %d", i, j), spoken, slices.Insert(moved, j, events[i]))
		}
		checkSpoken(t, o, fmt.Sprintf("event %d after the end", i), spoken, append(slices.Clone(events), events[i]))
	}
	backwards := slices.Clone(events)
	slices.Reverse(backwards)
	checkSpoken(t, o, "backwards", spoken, backwards)

	again := spoken
	again.Calls = []holdfast.Call{function("call_b1", "store", `{"amount":1}`), function("call_b2", "store", `{"amount":2}`)}
	both := append(slices.Clone(events), split(o.Speak(again))...)
	// Where the protocol has a last event, another reply's may not join in.
	if reply, p := decode(o.Codec, both...); p.done && len(toRun(reply)) > len(spoken.Calls) {
		t.Errorf("two replies behind each other: %d calls to run, want those of one: %s", len(toRun(reply)), wire.ParseJSON(reply))
	}
}

func checkSpoken(t *testing.T, o Options, name string, spoken Spoken, events [][]byte) {
	t.Helper()
	reply, p := decode(o.Codec, events...)
	if p.problem != "" {
		t.Errorf("%s: preview: %s", name, p.problem)
	}
	checkBroken(t, name, reply)
	seen := map[string]bool{}
	for _, c := range reply.Calls {
		if c.ID != "" && seen[c.ID] {
			continue // the gate lets the first stand
		}
		seen[c.ID] = true
		if !reply.Complete || !c.Complete {
			continue
		}
		args := c.Arguments
		if strings.TrimSpace(args) == "" {
			args = "{}" // as the gate reads it
		}
		if c.Name == "" || !rawjson.IsObject([]byte(args)) {
			continue // the gate refuses it
		}
		if !slices.ContainsFunc(spoken.Calls, func(s holdfast.Call) bool { return s.Name == c.Name && s.Arguments == args }) {
			t.Errorf("%s: would run %s %s, which was not spoken", name, c.Name, c.Arguments)
		}
	}
}

// split cuts a spoken reply into its events, lines or messages.
func split(b []byte) (events [][]byte) {
	for len(b) > 0 {
		n := len(b)
		switch i, j := bytes.Index(b, []byte("\n\n")), bytes.Index(b, []byte("\r\n\r\n")); {
		case b[0] == 0 && len(b) >= 4:
			n = int(binary.BigEndian.Uint32(b))
		case i >= 0:
			n = i + 2
		case j >= 0:
			n = j + 4
		case bytes.HasPrefix(b, []byte("{")):
			n = bytes.IndexByte(b, '\n') + 1
		}
		if n <= 0 || n > len(b) {
			n = len(b)
		}
		events, b = append(events, b[:n:n]), b[n:]
	}
	return events
}
