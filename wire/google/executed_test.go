package google_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/google"
	"github.com/holdfast-go/holdfast/wire/wiretest"
)

// A reply in which Google ran something itself goes back as it came: without its
// thoughts' signatures the next request would be refused or think anew.
func TestInteractions_what_the_provider_ran_goes_back_with_its_thoughts(t *testing.T) {
	for _, tt := range []struct{ name, steps, want string }{
		{
			"a tool of its own, and a call of ours",
			`{"type":"thought","signature":"s1"},{"type":"google_search_call","id":"g1","arguments":{"queries":["x"]},"signature":"s2"},{"type":"google_search_result","call_id":"g1","result":[]},{"type":"function_call","id":"f1","name":"read","arguments":{"n":1}}`, "",
		},
		{
			"a function that it ran, and a call of ours",
			`{"type":"thought","signature":"s1"},{"type":"function_call","id":"p1","name":"lookup","arguments":{}},{"type":"function_result","call_id":"p1","result":"9"},{"type":"thought","signature":"s2"},{"type":"function_call","id":"f1","name":"read","arguments":{"n":1}}`, "",
		},
		{
			"a phantom beside them",
			`{"type":"thought","signature":"s1"},{"type":"function_call","id":"","name":"","arguments":{}},{"type":"function_call","id":"f1","name":"read","arguments":{"n":1}}`,
			`{"type":"thought","signature":"s1"},{"type":"function_call","id":"f1","name":"read","arguments":{"n":1}}`,
		},
		{
			"a second call of one id",
			`{"type":"thought","signature":"s1"},{"type":"function_call","id":"p1","name":"lookup","arguments":{}},{"type":"function_result","call_id":"p1","result":"9"},{"type":"function_call","id":"f1","name":"read","arguments":{"n":1}},{"type":"function_call","id":"f1","name":"read","arguments":{"n":2}}`,
			`{"type":"thought","signature":"s1"},{"type":"function_call","id":"p1","name":"lookup","arguments":{}},{"type":"function_result","call_id":"p1","result":"9"},{"type":"function_call","id":"f1","name":"read","arguments":{"n":1}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := wiretest.Decode(google.Interactions{}, []byte(`{"id":"i","status":"requires_action","steps":[`+tt.steps+`]}`))
			var results []holdfast.Observation
			for i, c := range r.Calls {
				if !c.ProviderExecuted {
					results = append(results, holdfast.Observation{Position: i, Text: "done"})
				}
			}
			history, err := google.Interactions{}.History([]wire.Item{{User: "Go."}, {Reply: r}, {Results: results}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := tt.want
			if want == "" {
				want = tt.steps
			}
			want += `,{"type":"function_result","call_id":"f1","name":"read","result":"done"}`
			if got := join(history[1:]); got != want {
				t.Errorf("history =\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func join(steps []json.RawMessage) string {
	all := make([]string, len(steps))
	for i, s := range steps {
		all[i] = string(s)
	}
	return strings.Join(all, ",")
}
