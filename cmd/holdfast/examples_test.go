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

// TestExamples_shop_asks_above_50_euros and refunds an order once.
func TestExamples_shop_asks_above_50_euros(t *testing.T) {
	ledger := filepath.Join(t.TempDir(), "l.db")
	for _, tt := range []struct {
		args, want string
		code       int
	}{
		{`{"order_id":"A7","amount_cents":4900}`, `"outcome":"ok"`, exitDone},
		{`{"order_id":"A7","amount_cents":4900}`, `"replayed":true`, exitDone},
		{`{"order_id":"A7","amount_cents":4800}`, `"code":"key_conflict"`, exitOther},
		{`{"order_id":"B1","amount_cents":5001}`, `(this tool needs it when amount_cents > 5000)`, exitOther},
	} {
		var out bytes.Buffer
		code := run(t.Context(), []string{
			"call", filepath.Join("..", "..", "examples", "shop.yaml"), "refund", "--args", tt.args, "--ledger", ledger, "--json",
		}, strings.NewReader(""), &out, &out)
		if code != tt.code || !strings.Contains(out.String(), tt.want) {
			t.Errorf("call %s exits with %d and %q, want %d and %q in it", tt.args, code, out.String(), tt.code, tt.want)
		}
	}
}

// TestExamples_agency holds the conversation of the example with agents: one is
// asked, which needs a person, and one is handed the conversation and gives it back.
func TestExamples_agency(t *testing.T) {
	examples := filepath.Join("..", "..", "examples")
	var out, notes bytes.Buffer
	code := run(t.Context(), []string{
		"run", filepath.Join(examples, "agency.yaml"), "--model", "script:" + filepath.Join(examples, "agency", "play.yaml"), "--ledger", "memory",
	}, strings.NewReader("Fly me to Lisbon\ny\nI want my money back for A7\nn not yet\nThanks, that is all\n"), &out, &notes)
	if code != exitDone {
		t.Errorf("run exits with %d, want %d", code, exitDone)
	}
	for _, want := range []string{
		"The traveller says: HF 216 is booked, reference R7K2PD.", "I did not: refund did not run: a person said no: not yet.", "You are back with the agency.",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("answers = %q, want %q among them", out.String(), want)
		}
	}
	for _, want := range []string{
		"    ✓ search_flights", "travel.book_flight (within agency.ask_traveller) waits for you", "The conversation goes on with refunds.", "The conversation goes on with agency.",
	} {
		if !strings.Contains(notes.String(), want) {
			t.Errorf("notes = %q, want %q among them", notes.String(), want)
		}
	}
}
