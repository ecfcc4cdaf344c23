package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// TestExamples_play_together runs the example catalog with the example scenario,
// as the docs say.
func TestExamples_play_together(t *testing.T) {
	examples := filepath.Join("..", "..", "examples")
	for message, want := range map[string]string{
		"Is HF 204 on time?":   "It says: On time.",
		"Is HF 20400 on time?": "I could not look: flight_status did not run: 1 argument is wrong.",
		"Hello":                "Is HF 204 on time?",
	} {
		var out bytes.Buffer
		code := run(t.Context(), []string{
			"run", filepath.Join(examples, "travel.yaml"), "--model", "script:" + filepath.Join(examples, "flights.yaml"), "--ledger", "memory", message,
		}, strings.NewReader(""), &out, &out)
		if code != exitDone || !strings.Contains(out.String(), want) {
			t.Errorf("run %q exits with %d and %q, want %q in it", message, code, out.String(), want)
		}
	}
}
