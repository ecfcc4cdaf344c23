package coach

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
)

func weigh(kilos string) string {
	return `{"date":"2024-04-11","data":{"weight_kg":` + kilos + `}}`
}

func TestWriteMeasurement_comma_is_rejected_and_the_correction_writes_one_value(t *testing.T) {
	g := newGym(t)
	want(t, g.call("write_measurement", `{"date":"2024-04-11","data":{"waist_cm":81.5,"arm_cm":35}}`), holdfast.OK, "")

	v := g.call("write_measurement", weigh(`"75,5"`))
	want(t, v, holdfast.Rejected, holdfast.InvalidArguments)
	if p := v.Outcome.Problems; len(p) != 1 || p[0].Path != "/data/weight_kg" || p[0].Keyword != "type" {
		t.Errorf("problems = %+v, want one at /data/weight_kg", p)
	}
	if n := g.count("measurements"); n != 2 {
		t.Errorf("measurements has %d rows after the rejection, want 2", n)
	}

	out := result[measurementOut](t, g.call("write_measurement", weigh("75.5")))
	all := map[string]string{"waist_cm": "81.5", "arm_cm": "35", "weight_kg": "75.5"}
	if diff := cmp.Diff(all, g.day(ana, "2024-04-11")); diff != "" {
		t.Errorf("stored day (-want +got):\n%s", diff)
	}
	if n := g.count("measurements"); n != 3 || out.Data["weight_kg"] != "75.5" || len(out.Data) != 3 {
		t.Errorf("measurements has %d rows and the result is %+v, want one more value", n, out)
	}
}

func TestWriteMeasurement_refuses_what_is_no_measure(t *testing.T) {
	g := newGym(t)
	for _, c := range []struct{ name, arguments, path string }{
		{"null for an optional number", weigh("null"), "/data/weight_kg"},
		{"a pound weight in the wrong unit's range", weigh("4000"), "/data/weight_kg"},
		{"below the bound", weigh("19.999"), "/data/weight_kg"},
		{"a misspelt measure", `{"date":"2024-04-11","data":{"weigth_kg":75.5}}`, "/data"},
		{"nothing at all", `{"date":"2024-04-11","data":{}}`, "/data"},
		{"data as a text", `{"date":"2024-04-11","data":"{\"weight_kg\":75.5}"}`, "/data"},
		{"no date", `{"data":{"weight_kg":75.5}}`, ""},
	} {
		v := g.call("write_measurement", c.arguments)
		want(t, v, holdfast.Rejected, holdfast.InvalidArguments)
		if v.Outcome.Problems[0].Path != c.path {
			t.Errorf("%s: problems = %+v, want the first at %q", c.name, v.Outcome.Problems, c.path)
		}
	}
	if n := g.count("measurements"); n != 0 {
		t.Errorf("measurements has %d rows, want none", n)
	}
}

func TestWriteMeasurement_the_same_value_again_needs_nobody(t *testing.T) {
	g := newGym(t)
	want(t, g.call("write_measurement", weigh("75.5")), holdfast.OK, "")
	want(t, g.call("write_measurement", weigh("75.50")), holdfast.OK, "")
	if got := g.day(ana, "2024-04-11")["weight_kg"]; got != "75.5" {
		t.Errorf("weight = %s, want 75.5", got)
	}
}

// pending proposes to replace 75.5 by 80 and gives the approval.
func pending(t *testing.T, g *gym) (gate.Round, gate.Approval) {
	t.Helper()
	want(t, g.call("write_measurement", weigh("75.5")), holdfast.OK, "")
	r := gate.Round{
		Run: "run", Turn: 90, Number: 1, Complete: true, Principal: ana,
		Calls: []holdfast.Call{call("w", "write_measurement", weigh("80")), call("r", "read_measurement", `{"date":"2024-04-11"}`)},
	}
	verdicts, err := g.gate.Round(t.Context(), r, nil)
	if err != nil {
		t.Fatalf("Round = %v", err)
	}
	want(t, verdicts[0], holdfast.Pending, holdfast.ApprovalPending)
	if !verdicts[1].Waiting {
		t.Errorf("the call behind a pending one = %s, want it to wait", verdicts[1].Outcome.Status)
	}
	a, err := g.ledger.Approval(t.Context(), verdicts[0].ApprovalID)
	if err != nil {
		t.Fatalf("Approval(%s) = %v", verdicts[0].ApprovalID, err)
	}
	return r, a
}

func TestWriteMeasurement_replacing_a_value_asks_and_shows_old_and_new(t *testing.T) {
	g := newGym(t)
	r, a := pending(t, g)
	var changes []replaced
	if err := json.Unmarshal(a.Finding.Shown, &changes); err != nil {
		t.Fatalf("finding %s: %v", a.Finding.Shown, err)
	}
	if diff := cmp.Diff([]replaced{{"weight_kg", "75.5", "80"}}, changes); diff != "" {
		t.Errorf("finding (-want +got):\n%s", diff)
	}
	if !strings.Contains(a.Why, "weight_kg: 75.5 → 80") {
		t.Errorf("approval says %q, want old against new", a.Why)
	}
	if got := g.day(ana, "2024-04-11")["weight_kg"]; got != "75.5" {
		t.Errorf("weight while it waits = %s, want 75.5", got)
	}

	if _, err := g.ledger.Approve(t.Context(), a.ID, "ana", ""); err != nil {
		t.Fatalf("Approve = %v", err)
	}
	verdicts, err := g.gate.Round(t.Context(), r, &gate.RoundOptions{Resume: true})
	if err != nil {
		t.Fatalf("Round(resume) = %v", err)
	}
	want(t, verdicts[0], holdfast.OK, "")
	if out := result[measurementOut](t, verdicts[1]); out.Data["weight_kg"] != "80" {
		t.Errorf("the call behind reads %+v, want the new value", out)
	}
	if got := g.day(ana, "2024-04-11")["weight_kg"]; got != "80" {
		t.Errorf("weight = %s, want 80", got)
	}
	if n := g.count("measurements"); n != 2 {
		t.Errorf("measurements has %d rows, want the old one kept", n)
	}
}

func TestWriteMeasurement_denied_replaces_nothing(t *testing.T) {
	g := newGym(t)
	r, a := pending(t, g)
	if _, err := g.ledger.Deny(t.Context(), a.ID, "ana", "me equivoqué"); err != nil {
		t.Fatalf("Deny = %v", err)
	}
	verdicts, err := g.gate.Round(t.Context(), r, &gate.RoundOptions{Resume: true})
	if err != nil {
		t.Fatalf("Round(resume) = %v", err)
	}
	want(t, verdicts[0], holdfast.Rejected, holdfast.ApprovalDenied)
	if !strings.Contains(verdicts[0].Observation.Content(), "me equivoqué") {
		t.Errorf("denial tells %s, want the reason", verdicts[0].Observation.Content())
	}
	if got := g.day(ana, "2024-04-11")["weight_kg"]; got != "75.5" {
		t.Errorf("weight = %s, want 75.5", got)
	}
}

// What was agreed to was 75.5 → 80; 77 in between was shown to nobody.
func TestWriteMeasurement_value_that_changed_while_it_waited_is_asked_anew(t *testing.T) {
	g := newGym(t)
	r, a := pending(t, g)
	g.storeAside("other", "77")
	if _, err := g.ledger.Approve(t.Context(), a.ID, "ana", ""); err != nil {
		t.Fatalf("Approve = %v", err)
	}
	verdicts, err := g.gate.Round(t.Context(), r, &gate.RoundOptions{Resume: true})
	if err != nil {
		t.Fatalf("Round(resume) = %v", err)
	}
	if v := verdicts[0]; v.Outcome.Status != holdfast.Pending || v.ApprovalID == a.ID {
		t.Errorf("resumed = %s under approval %s, want pending under another than %s", v.Outcome.Status, v.ApprovalID, a.ID)
	}
	if got := g.day(ana, "2024-04-11")["weight_kg"]; got != "77" {
		t.Errorf("weight = %s, want 77", got)
	}
}

// storeAside records a weight as another process does.
func (g *gym) storeAside(key, kilos string) {
	g.t.Helper()
	c, err := Open(g.t.Context(), g.path, nil)
	if err != nil {
		g.t.Fatal(err)
	}
	defer c.Close()
	err = c.store.write(g.t.Context(), func(tx *sql.Tx) error {
		return insertMeasurement(g.t.Context(), tx, holdfast.CallInfo{Key: key, Principal: ana}, "2024-04-11", "weight_kg", json.Number(kilos))
	})
	if err != nil {
		g.t.Fatal(err)
	}
}

func TestWriteMeasurement_value_that_came_after_the_last_look_is_not_replaced(t *testing.T) {
	g := newGym(t)
	c := g.coach
	ctx := holdfast.WithCallInfo(t.Context(), holdfast.CallInfo{Key: "k", Principal: ana})
	c.seen.put("k", measurements{})
	g.storeAside("other", "77")
	kilos := json.Number("75.5")
	_, err := c.write(ctx, writeMeasurementIn{Date: "2024-04-11", Data: measurementsData{WeightKG: &kilos}})
	if !holdfast.HasNoEffect(err) || !strings.Contains(fmt.Sprint(err), "changed meanwhile") {
		t.Errorf("write = %v, want no effect: changed meanwhile", err)
	}
	if got := g.day(ana, "2024-04-11")["weight_kg"]; got != "77" {
		t.Errorf("weight = %s, want 77", got)
	}
}

func TestWriteMeasurement_precondition_that_cannot_look_stops_the_call(t *testing.T) {
	g := newGym(t)
	g.failAt[Precondition] = errors.New("the disk is gone")
	want(t, g.call("write_measurement", weigh("75.5")), holdfast.Rejected, holdfast.PreconditionFailed)
	if n := g.count("measurements"); n != 0 {
		t.Errorf("measurements has %d rows, want none", n)
	}
}
