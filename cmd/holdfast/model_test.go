package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/model/scripted"
)

const rice = `
scenario: rice
rules:
  - when: {message: arroz}
    calls: [{name: search_foods, arguments: {query: arroz}}]
  - when: {after: search_foods, outcome: ok}
    say: "{{(index .Result.foods 0).name}}, turn {{.Turn}}"
`

// TestAServerBehindAnAddressIsAsked talks over HTTP in each format; the second
// turn shows that the history of the first is accepted.
func TestAServerBehindAnAddressIsAsked(t *testing.T) {
	scenario, err := scripted.Parse([]byte(rice))
	if err != nil {
		t.Fatal(err)
	}
	base, stop, err := scripted.New(scenario, nil).Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	for _, api := range []string{"openai-chat", "openai-responses", "anthropic", "gemini", "interactions"} {
		record := filepath.Join(t.TempDir(), "l.db")
		for _, want := range []string{"Arroz blanco (cocido), turn 1\n", "Arroz blanco (cocido), turn 2\n"} {
			args := []string{"run", "coach", "--model", base + "#scripted", "--api", api, "--run", "r", "--ledger", record, "arroz"}
			var out, errs bytes.Buffer
			if code := run(t.Context(), args, strings.NewReader(""), &out, &errs); code != exitDone {
				t.Errorf("%s: exit code %d: %s", api, code, errs.String())
			}
			if out.String() != want {
				t.Errorf("%s: the answer is %q, want %q", api, out.String(), want)
			}
		}
	}
}
