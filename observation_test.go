package holdfast_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
)

func TestObservationsAreTheContracts(t *testing.T) {
	wrong := schema.Problem{Path: "/data/weight_kg", Keyword: "type", Expected: "number", Got: `string "75,5"`, Message: `must be a number, not the string "75,5"`}
	for _, row := range []struct {
		says string
		o    holdfast.Outcome
		want string
	}{
		{
			"an ok goes back as the tool gave it",
			holdfast.Outcome{Status: holdfast.OK, Result: &holdfast.Result{JSON: json.RawMessage(`{"id":9007199254740993}`)}},
			`{"id":9007199254740993}`,
		},
		{"text stays text", holdfast.Outcome{Status: holdfast.OK, Result: &holdfast.Result{Text: "2 < 3"}}, "2 < 3"},
		{"no result is an empty object", holdfast.Outcome{Status: holdfast.OK}, `{}`},
		{
			"a rejection names each field",
			holdfast.Outcome{
				Status: holdfast.Rejected, Code: holdfast.InvalidArguments, Message: "write_measurement did not run: 1 argument is wrong.",
				Problems: []schema.Problem{wrong}, Next: "Correct the named fields and call the tool again.",
			},
			`{"outcome":"rejected","code":"invalid_arguments","executed":false,"message":"write_measurement did not run: 1 argument is wrong.",` +
				`"problems":[{"path":"/data/weight_kg","keyword":"type","expected":"number","got":"string \"75,5\"","message":"must be a number, not the string \"75,5\""}],` +
				`"next":"Correct the named fields and call the tool again."}`,
		},
		{
			"uncertain does not know whether it ran",
			holdfast.Outcome{Status: holdfast.Uncertain, Code: holdfast.Timeout, Message: "m"},
			`{"outcome":"uncertain","code":"timeout","executed":null,"message":"m"}`,
		},
		{
			"a replay says so",
			holdfast.Outcome{Status: holdfast.OK, Replayed: true, Message: "This call already ran; it was not run again.", Result: &holdfast.Result{JSON: json.RawMessage(`{"rows":1}`)}},
			`{"outcome":"ok","replayed":true,"message":"This call already ran; it was not run again.","result":{"rows":1}}`,
		},
		{
			"a parked agent call was entered",
			holdfast.Outcome{Status: holdfast.Pending, Code: holdfast.ApprovalPending, Parked: true, ApprovalID: "a1"},
			`{"outcome":"pending","code":"approval_pending","executed":true,"approval_id":"a1"}`,
		},
		{
			"an id that came twice has one result",
			holdfast.Outcome{
				Status: holdfast.OK, Result: &holdfast.Result{Text: "done"},
				Also: []holdfast.Outcome{holdfast.Reject(holdfast.DuplicateCallID, "m", "")},
			},
			`{"outcome":"ok","result":"done","also":[{"outcome":"rejected","code":"duplicate_call_id","executed":false,"message":"m"}]}`,
		},
	} {
		t.Run(row.says, func(t *testing.T) {
			if diff := cmp.Diff(row.want, holdfast.Observe(row.o, 1<<16).Content()); diff != "" {
				t.Errorf("Observe (-want +got):\n%s", diff)
			}
		})
	}
}

func TestObservationCutsResultsVisibly(t *testing.T) {
	text := strings.Repeat("ñ", 100)
	obs := holdfast.Observe(holdfast.Outcome{Status: holdfast.OK, Result: &holdfast.Result{Text: text}}, 33)
	if !strings.HasPrefix(obs.Text, strings.Repeat("ñ", 16)+"\n[cut here: this is the first 32 of 200 bytes") || !utf8.ValidString(obs.Text) {
		t.Errorf("cut text = %q, want whole runes and a mark of how much", obs.Text)
	}
	whole := json.RawMessage(`{"a":"` + text + `"}`)
	obs = holdfast.Observe(holdfast.Outcome{Status: holdfast.OK, Result: &holdfast.Result{JSON: whole}}, 33)
	if obs.JSON != nil || !strings.Contains(obs.Text, "of the JSON result]") {
		t.Errorf("cut JSON = %q with JSON %q, want marked text: half a document must not pass for one", obs.Text, obs.JSON)
	}
	obs = holdfast.Observe(holdfast.Outcome{Status: holdfast.OK, Replayed: true, Result: &holdfast.Result{JSON: whole}}, 33)
	if !json.Valid(obs.JSON) {
		t.Errorf("replay of a cut result = %q, want one JSON object", obs.JSON)
	}
}

func TestObservationHoldsTwentyProblems(t *testing.T) {
	many := make([]schema.Problem, 57)
	for i := range many {
		many[i] = schema.Problem{Path: "/a", Keyword: "type"}
	}
	var got struct {
		Problems []schema.Problem
		More     int `json:"more_problems"`
	}
	observe := func(problems []schema.Problem) int {
		o := holdfast.Outcome{Status: holdfast.Rejected, Code: holdfast.InvalidArguments, Problems: problems}
		got.Problems, got.More = nil, 0
		text := holdfast.Observe(o, 1<<16).JSON
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		return len(text)
	}
	observe(many)
	if len(got.Problems) != 20 || got.More != 37 {
		t.Errorf("%d problems and %d more, want 20 and 37", len(got.Problems), got.More)
	}
	for i := range many {
		many[i].Message = strings.Repeat("x", 500)
	}
	if size := observe(many); size > 3<<10 || len(got.Problems)+got.More != 57 {
		t.Errorf("observation of %d bytes with %d problems and %d more, want at most about 2 KB of problems and 57 in all", size, len(got.Problems), got.More)
	}
}

func TestExecutedIsToldTruly(t *testing.T) {
	for status, want := range map[holdfast.Status]string{
		holdfast.OK: "true", holdfast.Rejected: "false", holdfast.Pending: "false", holdfast.Failed: "true", holdfast.Uncertain: "null",
	} {
		got, err := json.Marshal(holdfast.Outcome{Status: status}.Executed())
		if err != nil || string(got) != want {
			t.Errorf("Executed of %s = %s, want %s", status, got, want)
		}
	}
}

func TestObservationHoldsTwoKilobytesOfProblems(t *testing.T) {
	for name, text := range map[string]string{
		"many short ones": "", "long ones": strings.Repeat("x", 300), "one that does not fit alone": strings.Repeat("é", 5000), "escapes": strings.Repeat("\x01", 5000),
	} {
		problems := make([]schema.Problem, 50)
		for i := range problems {
			problems[i] = schema.Problem{Path: fmt.Sprintf("/%s%d", text, i), Keyword: "type", Expected: "integer", Got: `string "x"`, Message: `must be an integer, not the string "x"`}
		}
		obs := holdfast.Observe(holdfast.Outcome{Status: holdfast.Rejected, Code: holdfast.InvalidArguments, Problems: problems}, 1000)
		var got struct {
			Problems json.RawMessage
			More     int `json:"more_problems"`
		}
		var told []schema.Problem
		if err := errors.Join(json.Unmarshal(obs.JSON, &got), json.Unmarshal(got.Problems, &told)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(got.Problems) > 2<<10 || len(told) == 0 || len(told)+got.More != len(problems) {
			t.Errorf("%s: %d problems in %d bytes and %d more, want at most 2048 bytes and 50 in all", name, len(told), len(got.Problems), got.More)
		}
	}
}

// Of an agent's many calls the model is told a bounded number, and the uncertain ones
// are among them.
func TestObserveBoundsTheCallsOfAnAgent(t *testing.T) {
	var inner []holdfast.Inner
	for i := range 500 {
		status := []holdfast.Status{holdfast.Rejected, holdfast.OK, holdfast.Failed}[i%3]
		if i == 450 {
			status = holdfast.Uncertain
		}
		inner = append(inner, holdfast.Inner{Tool: "t", Status: status, LedgerID: strconv.Itoa(i)})
	}
	var seen struct {
		Calls []holdfast.Inner
		More  int `json:"more_calls"`
	}
	text := holdfast.Observe(holdfast.Outcome{Status: holdfast.Uncertain, Inner: inner}, 1<<10).Content()
	if err := json.Unmarshal([]byte(text), &seen); err != nil {
		t.Fatal(err)
	}
	unknown := slices.IndexFunc(seen.Calls, func(in holdfast.Inner) bool { return in.Status == holdfast.Uncertain })
	if len(seen.Calls) != 40 || seen.More != 500-40 || unknown < 0 || len(text) > 8<<10 {
		t.Errorf("%d calls are told and %d more, the uncertain one at %d, in %d bytes", len(seen.Calls), seen.More, unknown, len(text))
	}
}
