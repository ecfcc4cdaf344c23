package gate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
)

const measurement = `{"type":"object","required":["date","data"],"properties":{
	"date":{"type":"string","format":"date"},
	"data":{"type":"object","properties":{"weight_kg":{"type":"number","minimum":20},"waist_cm":{"type":"number"},
		"sets":{"type":"array","items":{"type":"object","properties":{"reps":{"type":"integer"},"weight_kg":{"type":"number"}}}}}}}}`

func TestCode_invalid_arguments(t *testing.T) {
	var e entered
	h := open(t, nil, tool(t, "write_measurement", holdfast.Write, measurement, e.answers(`{}`), nil))
	v := h.one("write_measurement", `{"date":"2024-04-11","data":{"weight_kg":"75,5"}}`)
	want(t, v, holdfast.Rejected, holdfast.InvalidArguments, gate.Validate)
	var seen struct {
		Outcome, Code, Message, Next string
		Executed                     *bool
		Problems                     []struct{ Path, Keyword, Expected, Got, Message string }
	}
	if err := json.Unmarshal(v.Observation.JSON, &seen); err != nil {
		t.Fatal(err)
	}
	if seen.Executed == nil || *seen.Executed || len(seen.Problems) != 1 || seen.Problems[0].Path != "/data/weight_kg" || seen.Problems[0].Keyword != "type" ||
		seen.Message != "write_measurement did not run: 1 argument is wrong." || seen.Next != "Correct the named fields and call the tool again." {
		t.Errorf("observation = %s", v.Observation.JSON)
	}
	for name, args := range map[string]string{
		"null for an optional":        `{"date":"2024-04-11","data":{"weight_kg":null}}`,
		"null nested in an array":     `{"date":"2024-04-11","data":{"sets":[{"reps":5,"weight_kg":null}]}}`,
		"missing required (G6)":       `{}`,
		"no such day":                 `{"date":"2026-02-30","data":{}}`,
		"a string for a number (B11)": `{"date":"2024-04-11","data":{"weight_kg":"75"}}`,
		"JSON in a string (B2)":       `{"date":"2024-04-11","data":"{\"weight_kg\":75}"}`,
	} {
		want(t, h.one("write_measurement", args), holdfast.Rejected, holdfast.InvalidArguments, gate.Validate)
		if e.times() != 0 {
			t.Fatalf("%s: handler entered", name)
		}
	}
	want(t, h.one("write_measurement", `{"date":"2024-04-11","data":{"weight_kg":75.5}}`), holdfast.OK, "", gate.Execute)
	if e.times() != 1 || e.args[0] != `{"date":"2024-04-11","data":{"weight_kg":75.5}}` {
		t.Errorf("handler got %v, want exactly what was sent", e.args)
	}
}

func TestMealIsTakenExactly(t *testing.T) {
	var e entered
	h := open(t, nil, tool(t, "meal", holdfast.Read, `{"type":"object","properties":{"meal":{"enum":["Desayuno","Almuerzo","Comida","Merienda","Cena"]}}}`, e.answers(`[]`), nil))
	v := h.one("meal", `{"meal":" desayuno "}`)
	want(t, v, holdfast.Rejected, holdfast.InvalidArguments, gate.Validate)
	contains(t, "observation", v.Observation.Content(), "Desayuno", "Cena")
	want(t, h.one("meal", `{"meal":"Desayuno"}`), holdfast.OK, "", gate.Execute)
}

func TestAllProblemsAreRecordedAndFewAreShown(t *testing.T) {
	var e entered
	src := `{"type":"object","properties":{"list":{"type":"array","items":{"type":"integer"}}}}`
	h := open(t, nil, tool(t, "many", holdfast.Read, src, e.answers(`{}`), nil))
	v := h.one("many", `{"list":[`+strings.TrimSuffix(strings.Repeat(`"x",`, 50), ",")+`]}`)
	want(t, v, holdfast.Rejected, holdfast.InvalidArguments, gate.Validate)
	var seen struct {
		Problems []any
		More     int `json:"more_problems"`
	}
	if err := json.Unmarshal(v.Observation.JSON, &seen); err != nil {
		t.Fatal(err)
	}
	if len(seen.Problems) > 20 || len(seen.Problems)+seen.More != 50 || len(h.entry(v.LedgerID).Outcome.Problems) != 50 {
		t.Errorf("shown %d, more %d, recorded %d; want 50 in all", len(seen.Problems), seen.More, len(h.entry(v.LedgerID).Outcome.Problems))
	}
}

func TestBugC2_MissingAndUnknownNamesAreToldTogether(t *testing.T) {
	var e entered
	src := `{"type":"object","properties":{"old_string":{"type":"string"}},"required":["old_string"],"additionalProperties":false}`
	h := open(t, nil, tool(t, "edit", holdfast.Write, src, e.answers(`{}`), nil))
	v := h.one("edit", `{"old-string":"x"}`)
	want(t, v, holdfast.Rejected, holdfast.InvalidArguments, gate.Validate)
	contains(t, "observation", v.Observation.Content(), "old_string", "old-string")
}

func TestBugB6_NameThatDiffersOnlyByCaseNeverFillsAField(t *testing.T) {
	var e entered
	src := `{"type":"object","properties":{"command":{"type":"string"}}}`
	h := open(t, nil, tool(t, "sh", holdfast.Read, src, e.answers(`{}`), nil))
	v := h.one("sh", `{"command":"echo ok","COMMAND":"rm -rf /"}`)
	want(t, v, holdfast.OK, "", gate.Execute)
	if len(v.Warnings) == 0 || len(h.entry(v.LedgerID).Warnings) == 0 {
		t.Error("a name that differs only by case is not noted")
	}
}
