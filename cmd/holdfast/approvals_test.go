package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/ledger"
)

// A carriage return, an escape sequence or a character without width in an argument
// must not repaint the question, and nothing of it may be left out.
func TestApprovalIsShownWholeAndHarmless(t *testing.T) {
	hostile := "\r\x1b[2K\u200b\u202egpj.exe " + strings.Repeat("x", 100_000) + " THE END"
	args, err := json.Marshal(map[string]string{"to": hostile})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	writeApproval(&b, ledger.Approval{ID: "id", Tool: "pay\x1b[8m", Arguments: args, Why: "because\r" + hostile, Reason: hostile, Rule: hostile})
	shown := b.String()
	for _, r := range []string{"\r", "\x1b", "\u200b", "\u202e"} {
		if strings.Contains(shown, r) {
			t.Errorf("what is shown holds %q, which acts on a terminal", r)
		}
	}
	if n := strings.Count(shown, "THE END"); n != 4 {
		t.Errorf("the end of the text is shown %d times, want each of the 4 texts whole", n)
	}
}
