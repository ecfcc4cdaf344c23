package catalogfile_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/catalogfile"
	"github.com/holdfast-go/holdfast/schema"
)

func TestOpen_brings_the_policy_that_the_file_names(t *testing.T) {
	file := filepath.Join("..", "examples", "mail.yaml")
	f, err := catalogfile.Open(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	if doubts := f.Policy.Doubts(f.Catalog); len(doubts) > 0 {
		t.Errorf("doubts of the example = %v, want none", doubts)
	}
	if _, err := catalogfile.Load(file); err == nil || !strings.Contains(err.Error(), "only Open") {
		t.Errorf("Load = %v, want it refused: without its policy what that denies would run", err)
	}
	if f, err := catalogfile.Open(filepath.Join("..", "examples", "travel.yaml"), nil); err != nil || f.Policy != nil {
		t.Errorf("Open of a file that names none = %+v, %v, want no policy", f, err)
	}
}

func TestOpen_tells_what_is_wrong_with_the_policy(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tools := "\ntools:\n  - {name: look, description: Look., effect: read, timeout: 1s, input: {type: object}, run: {static: seen}}\n"
	write("rules.yaml", "rules:\n  - {name: a, decision: perhaps, tools: '*'}\n")
	for policy, want := range map[string]string{
		"rules.yaml":     "rules.yaml:2:25: rule a: ",
		"gone.yaml":      "catalog.yaml:1:9: reading the policy: ",
		"../escape.yaml": "catalog.yaml:1:9: reading the policy: ",
	} {
		_, err := catalogfile.Open(write("catalog.yaml", "policy: "+policy+tools), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("policy %s: Open = %v, want %q", policy, err, want)
		}
	}
}

type noAgents struct{}

func (noAgents) Ask(*catalogfile.Agent) holdfast.Handler { return refuse }
func (noAgents) HandOver(string) holdfast.Handler        { return refuse }

func refuse(context.Context, schema.Value) (holdfast.Result, error) {
	return holdfast.Result{}, errors.New("nobody is asked here")
}

func TestOpen_lets_no_agent_bring_a_policy_of_its_own(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"rules.yaml": "rules: []\n",
		"inner.yaml": "policy: rules.yaml\ntools: [{name: look, description: Look., effect: read, timeout: 1s, input: {type: object}, run: {static: seen}}]\n",
		"outer.yaml": "agents: {ben: {prompt: Look., catalog: inner.yaml}}\n" +
			"tools: [{name: ask, description: Ask., effect: agent, timeout: 1s, input: {type: object}, run: {agent: ben}}]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := catalogfile.Open(filepath.Join(dir, "outer.yaml"), noAgents{})
	if err == nil || !strings.Contains(err.Error(), "inner.yaml:1:9: the outermost catalog names the policy") {
		t.Errorf("Open = %v, want the inner policy refused", err)
	}
}
