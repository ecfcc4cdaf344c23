package main

import (
	"bytes"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/internal/bedrockfake"
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
	t.Cleanup(stop)
	for _, api := range []string{"openai-chat", "openai-responses", "anthropic", "gemini", "interactions"} {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			record := filepath.Join(t.TempDir(), "l.db")
			for _, want := range []string{"Arroz blanco (cocido), turn 1\n", "Arroz blanco (cocido), turn 2\n"} {
				args := []string{"run", "coach", "--model", base + "#scripted", "--api", api, "--run", "r", "--ledger", record, "arroz"}
				var out, errs bytes.Buffer
				if code := run(t.Context(), args, strings.NewReader(""), &out, &errs); code != exitDone {
					t.Errorf("exit code %d: %s", code, errs.String())
				}
				if out.String() != want {
					t.Errorf("the answer is %q, want %q", out.String(), want)
				}
			}
		})
	}
}

// TestBedrockIsAskedWithASignature talks to a Bedrock that answers only who signs.
func TestBedrockIsAskedWithASignature(t *testing.T) {
	account := bedrockfake.Account{AccessKey: "AKIDEXAMPLE", Secret: "secret", Region: "eu-west-1"}
	server := httptest.NewServer(bedrockfake.New(account, bedrockfake.Call{Tool: "search_foods", Arguments: `{"query":"arroz"}`, Text: "Arroz."}))
	defer server.Close()
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": server.URL, "AWS_REGION": account.Region, "AWS_ACCESS_KEY_ID": account.AccessKey,
		"AWS_SECRET_ACCESS_KEY": account.Secret, "AWS_SESSION_TOKEN": "", "AWS_BEARER_TOKEN_BEDROCK": "",
	} {
		t.Setenv(name, value)
	}
	args := []string{"run", "coach", "--model", "bedrock/anthropic.claude-v1:0", "--ledger", "memory", "arroz"}
	var out, errs bytes.Buffer
	if code := run(t.Context(), args, strings.NewReader(""), &out, &errs); code != exitDone || out.String() != "Arroz.\n" {
		t.Errorf("run = %d %q, %s, want the answer", code, out.String(), errs.String())
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "other")
	out.Reset()
	if code := run(t.Context(), args, strings.NewReader(""), &out, &errs); code != exitOther || !strings.Contains(errs.String(), "the signature is wrong") {
		t.Errorf("run with another secret = %d %q, %s, want to be refused", code, out.String(), errs.String())
	}
}
