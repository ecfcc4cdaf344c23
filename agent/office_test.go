package agent_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
	"github.com/holdfast-go/holdfast/model"
	"github.com/holdfast-go/holdfast/model/scripted"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire"
)

// office is agents within agents: the boss may ask the cook, who may ask the
// helper; each has the kitchen's tools too. All are played by one scenario, which
// tells them apart by their prompts.
type office struct {
	*kitchen
	talk    // with the boss
	codec   wire.Codec
	store   *memory.Store
	server  *scripted.Server
	options agent.Options // of the cook and the helper
	timeout time.Duration // of asking
	policy  gate.Authorizer
	now     time.Duration // how much later it is by the store's clock

	ledger *ledger.Ledger
	gates  []*gate.Gate // the boss's first
	events []agent.Event
}

var staff = []string{"boss", "cook", "helper"}

func newOffice(t *testing.T, codec wire.Codec, scenario string) *office {
	t.Helper()
	play, err := scripted.Parse([]byte("scenario: test\n" + scenario))
	if err != nil {
		t.Fatal(err)
	}
	f := &office{
		kitchen: &kitchen{stored: map[string]int64{}, hold: make(chan struct{}), held: make(chan struct{}, 8)},
		talk:    talk{t: t}, codec: codec, timeout: time.Minute, server: scripted.New(play, nil),
	}
	f.store = memory.New(&memory.Options{Now: func() time.Time { return time.Now().Add(f.now) }})
	return f
}

// open makes everything anew over the store, as a new process does.
func (f *office) open(store ledger.Store) *office {
	f.t.Helper()
	var err error
	if f.ledger, err = ledger.New(f.t.Context(), store, nil); err != nil {
		f.t.Fatal(err)
	}
	f.gates = make([]*gate.Gate, len(staff))
	var below *agent.Agent
	for i := len(staff) - 1; i >= 0; i-- {
		below = f.hire(i, below)
	}
	f.agent = below
	if _, err := f.ledger.CreateRun(f.t.Context(), gate.Run{ID: "r", Catalog: "boss", Principal: holdfast.Principal{Tenant: "home", ID: "ana"}}); err != nil {
		f.t.Fatal(err)
	}
	return f
}

// hire makes one of the staff, who may ask below.
func (f *office) hire(i int, below *agent.Agent) *agent.Agent {
	f.t.Helper()
	tools := f.catalog(f.t).Tools()
	if below != nil {
		ask, err := agent.Tool("ask_"+staff[i+1], "Ask the "+staff[i+1]+".", below, f.timeout, nil)
		if err != nil {
			f.t.Fatal(err)
		}
		tools = append(tools, ask)
	}
	c, err := holdfast.NewCatalog(staff[i], tools...)
	if err != nil {
		f.t.Fatal(err)
	}
	if f.gates[i], err = gate.New(c, f.ledger, &gate.Options{Authorizer: f.policy}); err != nil {
		f.t.Fatal(err)
	}
	o := agent.Options{}
	if i > 0 {
		o = f.options
	}
	o.System = func() string { return "You are the " + staff[i] + "." }
	o.Watch = func(e agent.Event) { f.events = append(f.events, e) }
	a, err := agent.New(f.model(), f.gates[i], f.ledger, &o)
	if err != nil {
		f.t.Fatal(err)
	}
	return a
}

func (f *office) model() agent.Model {
	f.t.Helper()
	client, err := model.New(f.codec, "scripted", &model.Options{
		BaseURL: "http://scripted", Retries: -1, HTTPClient: &http.Client{Transport: f.server},
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return client
}

// close is the end of the process.
func (f *office) close() {
	f.t.Helper()
	for _, g := range f.gates {
		if err := g.Close(f.t.Context()); err != nil {
			f.t.Error(err)
		}
	}
	if err := f.ledger.Close(); err != nil {
		f.t.Error(err)
	}
}

func (f *office) restart() {
	f.t.Helper()
	f.close()
	f.open(f.store)
}

// wantWaits checks that a turn waits, for an approval of a call of that tool.
func (f *office) wantWaits(r agent.Result, tool string) ledger.Approval {
	f.t.Helper()
	if r.End != agent.Pending || r.ApprovalID == "" {
		f.t.Fatalf("turn = %+v, want it to wait for a person", r)
	}
	p, err := f.ledger.Approval(f.t.Context(), r.ApprovalID)
	if err != nil || p.State != ledger.Waiting || p.Tool != tool {
		f.t.Fatalf("approval = %+v, %v, want one of %s that waits", p, err, tool)
	}
	return p
}

func (f *office) approve(id string) {
	f.t.Helper()
	if _, err := f.ledger.Approve(f.t.Context(), id, "bea", ""); err != nil {
		f.t.Fatal(err)
	}
}

func (f *office) wantRan(want ...string) {
	f.t.Helper()
	if got := f.ran(); !slices.Equal(got, want) {
		f.t.Errorf("ran %q, want %q", got, want)
	}
}

// entries are all calls of the record, in order.
func (f *office) entries() []ledger.Entry {
	f.t.Helper()
	all, err := f.ledger.Entries(f.t.Context(), ledger.Filter{InOrder: true, Limit: 1000})
	if err != nil {
		f.t.Fatal(err)
	}
	return all
}

func (f *office) wantEntries(want ...string) {
	f.t.Helper()
	var got []string
	for _, e := range f.entries() {
		text := e.Tool + ":" + string(e.State)
		if e.Outcome != nil && e.Outcome.Code != "" {
			text += "/" + string(e.Outcome.Code)
		}
		got = append(got, text)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		f.t.Errorf("calls of the record = %q, want %q", got, want)
	}
}

// everyOffice runs a conversation in each format.
func everyOffice(t *testing.T, scenario string, do func(f *office)) {
	for _, codec := range codecs() {
		t.Run(codec.API(), func(t *testing.T) {
			f := newOffice(t, codec, scenario)
			do(f.open(f.store))
			f.close()
		})
	}
}

// selfTool is a tool of an agent that is made later: only so an agent could come
// to call itself.
func selfTool(t *testing.T, name string, h *holdfast.Handler) *holdfast.Tool {
	t.Helper()
	input, err := schema.Compile([]byte(`{"type":"object"}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	made, err := holdfast.NewTool(name, "Ask "+name+".", input, holdfast.Agent, time.Minute,
		func(ctx context.Context, args schema.Value) (holdfast.Result, error) { return (*h)(ctx, args) }, nil)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func shownEvents(events []agent.Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "%d:%s ", e.Depth, e.Kind)
	}
	return b.String()
}
