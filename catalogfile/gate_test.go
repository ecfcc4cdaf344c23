package catalogfile

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
)

// The rules of a file are the gate's: what it says of approval, keys and bounds
// is what happens to a call.
func TestCatalog_through_the_gate(t *testing.T) {
	c, err := Load(filepath.Join("..", "examples", "travel.yaml"))
	if err != nil {
		t.Fatalf("Load = %v", err)
	}
	l, err := ledger.New(t.Context(), memory.New(nil), nil)
	if err != nil {
		t.Fatalf("ledger.New = %v", err)
	}
	defer l.Close()
	g, err := gate.New(c, l, nil)
	if err != nil {
		t.Fatalf("gate.New = %v", err)
	}
	defer g.Close(t.Context())

	const booking = `{"flight":"HF 204","passenger":"Ana Ruiz","amount_cents":`
	turn := 0
	for _, step := range []struct {
		name, tool, arguments string
		status                holdfast.Status
		code                  holdfast.Code
		told                  string
	}{
		{"a read", "search_flights", `{"from":"MAD","to":"LIS","date":"2026-05-01"}`, holdfast.OK, "", `"fare_id":9007199254740993`},
		{"by its qualified name", "travel.flight_status", `{"flight":"HF 204"}`, holdfast.OK, "", "On time."},
		{"a day that does not exist", "search_flights", `{"from":"MAD","to":"LIS","date":"2026-02-30"}`, holdfast.Rejected, holdfast.InvalidArguments, "/date"},
		{"a write below the bound", "book_flight", booking + `15000}`, holdfast.OK, "", "R7K2PD"},
		{"a write above it", "book_flight", booking + `18900}`, holdfast.Pending, holdfast.ApprovalPending, ""},
		{"a write that always asks", "cancel_booking", `{"booking":"R7K2PD"}`, holdfast.Pending, holdfast.ApprovalPending, ""},
		{"its key again, with other arguments", "cancel_booking", `{"booking":"R7K2PD","reason":"x"}`, holdfast.Rejected, holdfast.KeyConflict, ""},
	} {
		turn++
		verdicts, err := g.Round(t.Context(), gate.Round{
			Run: "r", Turn: turn, Number: 1, Complete: true,
			Calls: []holdfast.Call{{ID: "c", Name: step.tool, Kind: holdfast.FunctionCall, Arguments: step.arguments, Complete: true}},
		}, nil)
		if err != nil {
			t.Fatalf("%s: Round = %v", step.name, err)
		}
		v := verdicts[0]
		if v.Outcome.Status != step.status || v.Outcome.Code != step.code || !strings.Contains(v.Observation.Content(), step.told) {
			t.Errorf("%s = %s %s %s, want %s %s with %q", step.name, v.Outcome.Status, v.Outcome.Code, v.Observation.Content(), step.status, step.code, step.told)
		}
		if v.ApprovalID == "" || step.tool != "book_flight" {
			continue
		}
		a, err := l.Approval(t.Context(), v.ApprovalID)
		if err != nil {
			t.Fatalf("Approval = %v", err)
		}
		if wait := a.Expires.Sub(a.Requested); wait != time.Hour {
			t.Errorf("%s waits for %v, want 1h", step.name, wait)
		}
	}
}
