package gate_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
)

// Each write to the ledger of one round fails once, before or after it is
// durable, or is the last that the process makes. Then another process resumes.
func TestAnyWriteToTheLedgerMayFail(t *testing.T) {
	const updates = 12 // more than the round below makes
	for _, how := range []string{"before", "after", "death before", "death after"} {
		for n := 1; n <= updates; n++ {
			t.Run(fmt.Sprintf("%s write %d", how, n), func(t *testing.T) { sweep(t, how, n) })
		}
	}
}

func sweep(t *testing.T, how string, n int) {
	var read, plain, asked, failing entered
	made := []*holdfast.Tool{
		lookTool(t, &read), putTool(t, &plain, nil),
		tool(t, "pay", holdfast.Write, "", asked.answers(`{"paid":true}`), always()),
		tool(t, "lose", holdfast.Write, "", failing.fails(errors.New("connection reset")), nil),
	}
	h := open(t, nil, made...)
	h.store.sweep(n, how)
	r := h.round(call("look", `{}`), call("put", `{"n":1}`), call("pay", `{}`), call("lose", `{}`))
	first := h.put(r, nil)
	for range 5 {
		for _, v := range first {
			if v.Outcome.Status == holdfast.Pending {
				_, _ = h.ledger.Approve(t.Context(), v.ApprovalID, "ben", "")
			}
		}
		if h.store.killed() {
			h = h.again(made...)
		}
		vs, err := h.gate.Round(t.Context(), r, &gate.RoundOptions{Resume: true})
		if err != nil {
			continue // the record could not be read: nothing was decided
		}
		first = vs
	}
	h = h.again(made...)
	last := h.resume(r)
	for name, e := range map[string]*entered{"put": &plain, "pay": &asked, "lose": &failing} {
		if e.times() > 1 {
			t.Errorf("handler of %s entered %d times", name, e.times())
		}
	}
	for i, e := range []*entered{&read, &plain, &asked, &failing} {
		v := last[i]
		if v.Waiting || v.Outcome.Status == holdfast.Pending || !v.Answer {
			t.Errorf("call %d is not told in the end: %+v", i, v)
		}
		ran := e.times() > 0
		switch v.Outcome.Status {
		case holdfast.Rejected:
			if ran && i > 0 {
				t.Errorf("call %d ran and is told as %+v", i, v.Outcome)
			}
		case holdfast.OK:
			if !ran || i == 3 {
				t.Errorf("call %d did not succeed and is told as %+v", i, v.Outcome)
			}
		case holdfast.Failed:
			t.Errorf("call %d is told as %+v; nothing said that nothing happened", i, v.Outcome)
		}
	}
}

// sweep makes the n-th Update from now fail, or the last.
func (s *flakyStore) sweep(n int, how string) {
	count := 0
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = func() string {
		if count++; count != n {
			return ""
		}
		return how
	}
}

// Every code of the contract has a test by its name.
func TestEveryCodeHasItsTest(t *testing.T) {
	source, err := os.ReadFile("../outcome.go")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(text)
	}
	codes := regexp.MustCompile(`Code += "([a-z_]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(codes) < 30 {
		t.Fatalf("found %d codes", len(codes))
	}
	for _, c := range codes {
		if !strings.Contains(tests.String(), "func TestCode_"+c[1]+"(") {
			t.Errorf("code %s has no TestCode_%s", c[1], c[1])
		}
	}
}
