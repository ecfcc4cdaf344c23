package catalogfile

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
)

// parrots are agents that answer with what they were made of.
type parrots struct{}

func (parrots) Ask(a *Agent) holdfast.Handler { return says("asked " + a.Name) }

func (parrots) HandOver(to string) holdfast.Handler { return says("over to " + to) }

func says(text string) holdfast.Handler {
	return func(context.Context, schema.Value) (holdfast.Result, error) { return holdfast.Result{Text: text}, nil }
}

const deskFile = `
catalog: desk
agents:
  librarian: {prompt: You keep books., catalog: books/library.yaml, model: "script:x.yaml", max_rounds: 6}
  till: {prompt: You take money., catalog: till.yaml}
tools:
  - {name: ask_librarian, description: Ask., effect: agent, timeout: 1m, input: {type: object}, run: {agent: librarian}}
  - {name: to_till, description: Pay., effect: agent, timeout: 1s, input: {type: object}, run: {handoff: till}}
`

func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func bookFiles() map[string]string {
	return map[string]string{
		"desk.yaml":           deskFile,
		"books/library.yaml":  "catalog: library\nagents:\n  binder: {prompt: You bind., catalog: bind.yaml}\ntools:\n  - {name: find, description: Find., effect: read, timeout: 1s, input: {file: in.json}, run: {static: found}}\n  - {name: ask_binder, description: Ask., effect: agent, timeout: 1s, input: {type: object}, run: {agent: binder}}\n",
		"books/in.json":       `{"type":"object"}`,
		"books/bind.yaml":     "tools:\n  - {name: bind, description: Bind., effect: write, timeout: 1s, input: {type: object}, run: {static: bound}}\n",
		"till.yaml":           "tools:\n  - {name: to_desk, description: Back., effect: agent, timeout: 1s, input: {type: object}, run: {handoff: desk}}\n",
		"cycle.yaml":          "agents:\n  me: {prompt: I am., catalog: cycle.yaml}\ntools:\n  - {name: t, description: T., effect: read, timeout: 1s, input: {type: object}, run: {static: x}}\n",
		"far.yaml":            "agents:\n  back: {prompt: I am., catalog: round.yaml}\ntools:\n  - {name: t, description: T., effect: read, timeout: 1s, input: {type: object}, run: {static: x}}\n",
		"round.yaml":          "agents:\n  back: {prompt: I am., catalog: far.yaml}\ntools:\n  - {name: t, description: T., effect: read, timeout: 1s, input: {type: object}, run: {static: x}}\n",
		"wrong.yaml":          "agents:\n  gone: {prompt: I am., catalog: gone.yaml}\n  bad: {prompt: I am., catalog: bad.yaml}\n  out: {prompt: I am., catalog: ../out.yaml}\ntools:\n  - {name: t, description: T., effect: read, timeout: 1s, input: {type: object}, run: {agent: nobody}}\n",
		"bad.yaml":            "tools:\n  - {name: t, description: T., effect: read, timeout: no, input: {type: object}, run: {static: x}}\n",
		"books/deep/note.txt": "",
	}
}

func TestOpen_agents_of_a_file(t *testing.T) {
	dir := writeFiles(t, bookFiles())
	f, err := Open(filepath.Join(dir, "desk.yaml"), parrots{})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Agents) != 2 || f.Agents[0].Name != "librarian" || f.Agents[0].Prompt != "You keep books." || f.Agents[0].Model != "script:x.yaml" ||
		f.Agents[0].MaxRounds != 6 || f.Agents[0].Folder != "." || f.Agents[0].File.Agents[0].Folder != "books" || f.HandsTo[0] != "till" || len(f.Agents[0].File.Agents) != 1 {
		t.Errorf("agents = %+v, want the librarian and the till, with what the file says of them", f.Agents)
	}
	said := map[string]string{}
	for _, tool := range f.Catalog.Tools() {
		r, err := tool.Handle(t.Context(), args(t, `{}`))
		if err != nil {
			t.Fatal(err)
		}
		said[tool.Name()] = r.Text + " " + string(tool.Options().Declared)
	}
	if got := said["ask_librarian"]; !strings.Contains(got, "asked librarian") || !strings.Contains(got, `"prompt":"You keep books."`) || !strings.Contains(got, `"library.find"`) {
		t.Errorf("ask_librarian = %s, want it to ask, and its definition to hold prompt and tools", got)
	}
	if got := said["to_till"]; got != `over to till {"handoff":"till"}` {
		t.Errorf("to_till = %s", got)
	}
}

// What an agent may do is part of the definition of the tool that asks it.
func TestOpen_the_digest_of_an_agent_s_tool_covers_the_agent_s_tools(t *testing.T) {
	digest := func(change func(map[string]string)) string {
		files := bookFiles()
		change(files)
		f, err := Open(filepath.Join(writeFiles(t, files), "desk.yaml"), parrots{})
		if err != nil {
			t.Fatal(err)
		}
		return f.Catalog.Tools()[0].Digest()
	}
	same := digest(func(map[string]string) {})
	for what, change := range map[string]func(map[string]string){
		"its prompt": func(f map[string]string) { f["desk.yaml"] = strings.Replace(deskFile, "books.,", "secrets.,", 1) },
		"a tool of it": func(f map[string]string) {
			f["books/library.yaml"] = strings.Replace(f["books/library.yaml"], "found", "lost", 1)
		},
		"a tool further down": func(f map[string]string) {
			f["books/bind.yaml"] = strings.Replace(f["books/bind.yaml"], "bound", "burnt", 1)
		},
	} {
		if digest(change) == same {
			t.Errorf("changed %s: the digest is the same, so an approval would still hold", what)
		}
	}
}

func TestOpen_faults_of_agents(t *testing.T) {
	dir := writeFiles(t, bookFiles())
	for file, want := range map[string][]string{
		"cycle.yaml": {"cycle.yaml:2:", "an agent would call itself"},
		"far.yaml":   {"round.yaml:2:", "an agent would call itself"},
		"wrong.yaml": {`there is no agent "nobody"`, "of effect agent, and nothing else", "gone.yaml", "bad.yaml:2:", "is no length of time", "reading the catalog"},
	} {
		_, err := Open(filepath.Join(dir, file), parrots{})
		for _, text := range want {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("Open(%s) = %v, want %q in it", file, err, text)
			}
		}
	}
	if _, err := Load(filepath.Join(dir, "desk.yaml")); err == nil || !strings.Contains(err.Error(), "needs a program that asks models") {
		t.Errorf("Load(desk.yaml) = %v, want it to say that it cannot run agents", err)
	}
}
