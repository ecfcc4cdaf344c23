package wiretest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/rawjson"
	"github.com/holdfast-go/holdfast/wire"
)

// testValues plays a spoken reply whose fragments of argument text are values
// instead of texts: whatever comes of it, nothing runs with {} in their place.
func testValues(t *testing.T, o Options) {
	call := function("call_a1", "store", `{"amount":75}`)
	spoken := o.Speak(Spoken{Calls: []holdfast.Call{call}})
	halves := [][]byte{rawjson.Quote(call.Arguments), rawjson.Quote(call.Arguments[:len(call.Arguments)/2]), rawjson.Quote(call.Arguments[len(call.Arguments)/2:])}
	for _, value := range []string{`{"amount":75}`, `[1]`, `5`, `true`} {
		b := spoken
		for _, half := range halves {
			b = bytes.ReplaceAll(b, half, []byte(value))
		}
		reply, _ := decode(o.Codec, b)
		for _, c := range toRun(reply) {
			if text := strings.TrimSpace(c.Arguments); text == "" || text == "{}" {
				t.Errorf("fragments that are %s: would run with %q: %s", value, c.Arguments, wire.ParseJSON(reply))
			}
		}
	}
}
