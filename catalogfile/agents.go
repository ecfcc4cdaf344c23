package catalogfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/linefile"
	"github.com/holdfast-go/holdfast/policy"
)

// File is a catalog file as it was read.
type File struct {
	Catalog *holdfast.Catalog
	Policy  *policy.Policy // that calls of the file and of its agents are held to; nil: it names none
	Agents  []*Agent       // in the file's order
	// HandsTo are the agents that tools of the file hand over to, by name.
	HandsTo []string
}

// Agent is what a catalog file says of an agent: what a tool with `run: {agent: …}`
// asks, and whom one with `run: {handoff: …}` gives the conversation.
type Agent struct {
	Name      string
	Prompt    string
	Model     string // "": whoever asks it knows
	MaxRounds int    // 0: not stated
	Folder    string // of the file that names it, seen from the outermost file's: "." or "books/old"
	File      *File  // its own tools, and the agents that these ask
}

// Agents makes what runs the tools that ask agents, or hand over to them. A tool's
// handler may be made before there is a model to ask, and is called when there is one.
type Agents interface {
	Ask(a *Agent) holdfast.Handler
	HandOver(to string) holdfast.Handler
}

// Open is Load for a program that can run agents, or that holds calls to the file's
// policy: what is wrong with that is told with the rest. The catalogs of agents stand beside or below the file, as its schemas do.
func Open(file string, agents Agents) (*File, error) {
	dir, base, src, err := readIn(file)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	b := &builder{file: file, files: dir.FS(), agents: agents, chain: []string{path.Clean(base)}}
	return b.whole(src)
}

// maxAgentDepth bounds how deep catalogs of agents lie within each other.
const maxAgentDepth = 8

// readAgents reads what the file says of agents, with their catalogs.
func (b *builder) readAgents() {
	list := b.root.Get("agents")
	if list == nil || list.Kind != linefile.Mapping {
		return
	}
	for _, m := range list.Members {
		at := "/agents/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(m.Name)
		if !b.sound(at) || m.Value.Kind != linefile.Mapping {
			continue
		}
		a := &Agent{Name: m.Name, Prompt: m.Value.Get("prompt").Text, Folder: path.Dir(b.chain[len(b.chain)-1])}
		if n := m.Value.Get("model"); n != nil {
			a.Model = n.Text
		}
		if n := m.Value.Get("max_rounds"); n != nil {
			var err error
			if a.MaxRounds, err = strconv.Atoi(n.Text); err != nil {
				b.add(n.Place, "", at+"/max_rounds", n.Text+" is no number of rounds, such as 6")
			}
		}
		a.File = b.catalogOf(m.Value.Get("catalog"), at+"/catalog")
		b.known = append(b.known, a)
	}
}

// catalogOf opens the catalog file of an agent.
func (b *builder) catalogOf(n *linefile.Node, at string) *File {
	if b.files == nil {
		b.add(n.Place, "", at, "names a file, but the catalog has no folder to look in")
		return nil
	}
	name := path.Clean(path.Join(path.Dir(b.chain[len(b.chain)-1]), n.Text))
	switch {
	case slices.Contains(b.chain, name):
		b.add(n.Place, "", at, fmt.Sprintf("%s is a file that this one stands within already: an agent would call itself", n.Text))
		return nil
	case len(b.chain) == maxAgentDepth:
		b.add(n.Place, "", at, fmt.Sprintf("catalogs of agents lie more than %d deep within each other", maxAgentDepth))
		return nil
	}
	src, err := readFile(b.files, name)
	if err != nil {
		b.add(n.Place, "", at, "reading the catalog: "+err.Error())
		return nil
	}
	below, err := fs.Sub(b.files, path.Dir(name))
	if err != nil {
		b.add(n.Place, "", at, "reading the catalog: "+err.Error())
		return nil
	}
	inner := &builder{file: name, schemas: below, files: b.files, agents: b.agents, chain: append(slices.Clone(b.chain), name)}
	f, err := inner.whole(src)
	if faults := (*Error)(nil); errors.As(err, &faults) {
		b.faults = append(b.faults, faults.Faults...)
	}
	return f
}

// agentNamed is the agent of the file that a tool's run names.
func (t *toolBuilder) agentNamed(n *linefile.Node, at string) *Agent {
	i := slices.IndexFunc(t.known, func(a *Agent) bool { return a.Name == n.Text })
	if i < 0 {
		t.fault(at, fmt.Sprintf("there is no agent %q under agents", n.Text))
		return nil
	}
	return t.known[i]
}

// asks makes the handler of a tool that is an agent.
func (t *toolBuilder) asks(n *linefile.Node) holdfast.Handler {
	t.wantsAgents("agent")
	a := t.agentNamed(n, "/run/agent")
	if a == nil || a.File == nil || t.agents == nil {
		return nil
	}
	t.agent = a
	return t.agents.Ask(a)
}

// handsOver makes the handler of a tool that hands the conversation over. To whom
// it can, the conversation says: the agent may be one that another file names.
func (t *toolBuilder) handsOver(n *linefile.Node) holdfast.Handler {
	t.wantsAgents("handoff")
	t.handsTo = append(t.handsTo, n.Text)
	if t.agents == nil {
		return nil
	}
	return t.agents.HandOver(n.Text)
}

// wantsAgents says what is wrong about a tool of such a kind as a whole.
func (t *toolBuilder) wantsAgents(kind string) {
	if t.agents == nil {
		t.fault("/run/"+kind, "run kind "+kind+" needs a program that asks models; this one reads the catalog alone")
	}
	if e := t.n.Get("effect"); e != nil && e.Text != string(holdfast.Agent) {
		t.fault("/effect", "run kind "+kind+" is of effect agent, and nothing else is")
	}
	if t.n.Get("sandbox") != nil {
		t.fault("/sandbox", "what an agent may reach, its own tools declare")
	}
}

// definition is what an approval of a call of the agent is bound to beside the tool.
func (a *Agent) definition() json.RawMessage {
	type tool struct {
		Name   string `json:"name"`
		Digest string `json:"digest"`
	}
	d := struct {
		Agent  string `json:"agent"`
		Prompt string `json:"prompt"`
		Model  string `json:"model,omitempty"`
		Rounds int    `json:"max_rounds,omitempty"`
		Tools  []tool `json:"tools"`
	}{Agent: a.Name, Prompt: a.Prompt, Model: a.Model, Rounds: a.MaxRounds}
	for _, t := range a.File.Catalog.Tools() {
		d.Tools = append(d.Tools, tool{a.File.Catalog.Qualify(t), t.Digest()})
	}
	text, err := json.Marshal(d)
	if err != nil {
		panic("catalogfile: an agent's definition does not marshal: " + err.Error())
	}
	return text
}
