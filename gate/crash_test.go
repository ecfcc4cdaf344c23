package gate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

// crashPoints are the places on a call's way where its process is killed, in the
// order of that way. docs/ledger-states.md says what each leaves. A step of the
// store has four: asked for, begun, written and not durable, durable.
var crashPoints = []string{
	"run: asked", "run: begun", "run: written", "run: durable",
	"round: asked", "round: begun", "round: written", "round: durable",
	"complete", "lookup", "parse", "validate", "authorise", "approve",
	"open: asked", "open: begun", "open: written", "open: durable",
	"decide: asked", "decide: begun", "decide: written", "decide: durable",
	"admit", "claim",
	"start: asked", "start: begun", "start: written", "start: durable",
	"execute", "handler: entered", "handler: sends", "handler: sent", "handler: returns",
	"confirm", "confirm: asked", "confirm: answers",
	"record",
	"settle: asked", "settle: begun", "settle: written", "settle: durable",
	"told",
}

// The kinds of call that are killed, a read and a write of each grade, with what
// they do not come by.
var crashKinds = []struct {
	name   string
	passes func(place string) bool
}{
	{"look", func(place string) bool {
		return !slices.Contains([]string{"open", "decide", "start", "confirm"}, place)
	}},
	{"charge", func(place string) bool { return !slices.Contains([]string{"open", "decide", "confirm"}, place) }},
	{"post", func(place string) bool { return place != "open" && place != "decide" }},
	{"send", func(place string) bool { return place != "confirm" }},
}

// unknown reports whether nobody can know of a write that was killed at the i-th
// of points whether it took effect: from the durable start to the durable outcome.
func unknown(points []string, i int) bool {
	return i >= slices.Index(points, "start: durable") && i <= slices.Index(points, "settle: written")
}

// What a child is told: where its store is, its run, which kind of call it makes,
// and at which passing of which point to die.
const (
	envCrashChild = "HOLDFAST_GATE_CRASH_CHILD"
	envCrashKill  = "HOLDFAST_GATE_CRASH_KILL"
)

// noSleepAtExit is for the race detector, which otherwise sleeps a second at the end
// of each process.
const noSleepAtExit = "GORACE=atexit_sleep_ms=0"

// errand is what a child does.
type errand struct {
	Store, Place, Dir, Run, Kind string
	N                            int
}

// TestCrash kills a process at every point of a call's way, and lets another go
// on: a fake downstream counts at most one effect a key, no outcome that was told
// is lost, and exactly what nobody can know is uncertain. A sample is killed, and
// with HOLDFAST_CRASH=full every point for every kind, 20 times over.
func TestCrash(t *testing.T) {
	if text := os.Getenv(envCrashChild); text != "" {
		crashChild(t, text)
		return
	}
	for _, store := range crashStores {
		for i, kind := range crashKinds {
			t.Run(store.name+"/"+kind.name, func(t *testing.T) {
				t.Parallel()
				c := newCrash(t, errand{Store: store.name, Place: store.place(t), Kind: kind.name})
				c.wantPoints(kind.passes)
				c.sweep(i)
			})
		}
	}
}

// crash is one place where processes die, and the one that goes on after them.
type crash struct {
	*testing.T
	errand
	ledger *ledger.Ledger
	gate   *gate.Gate
	points []string // that a child passes, each as often as it does: "name", then "name#2"
}

func newCrash(t *testing.T, e errand) *crash {
	e.Dir = t.TempDir()
	c := &crash{T: t, errand: e}
	c.ledger, c.gate = crashHouse(t, e, nil)
	return c
}

func (c *crash) sweep(offset int) {
	step, seeds := 3, 1
	if os.Getenv("HOLDFAST_CRASH") == "full" {
		step, seeds = 1, 20
	}
	kills, began := 0, time.Now()
	for seed := range seeds {
		for i := offset % step; i < len(c.points); i += step {
			c.killAt(i, fmt.Sprintf("%s-%d-%d", c.Kind, seed, i), seed*1000+i)
			kills++
		}
		if seeds > 1 {
			fmt.Fprintf(os.Stderr, "%s: seed %d of %d done, %d kills in %v\n", c.Name(), seed+1, seeds, kills, time.Since(began).Round(time.Second))
		}
	}
	if n, _, faults, err := c.ledger.Verify(c.Context()); err != nil || len(faults) != 0 {
		c.Errorf("after %d kills: Verify() of %d events = %q, %v, want no faults", kills, n, faults, err)
	}
	c.Logf("%d points, %d kills", len(c.points), kills)
}

// wantPoints lets a child live, and asserts that it passes the points that it is
// to pass, in their order.
func (c *crash) wantPoints(passes func(place string) bool) {
	e := c.errand
	e.Run, e.N = c.Kind+"-whole", 999_999
	if out, err := c.child(e, "none").CombinedOutput(); err != nil {
		c.Fatalf("unharmed child: %v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(c.Dir, "points "+e.Run))
	if err != nil {
		c.Fatal(err)
	}
	c.points = strings.Split(strings.TrimSpace(string(text)), "\n")
	var want, got []string
	for _, p := range crashPoints {
		if place, _, _ := strings.Cut(p, ":"); passes(place) {
			want = append(want, p)
		}
		if slices.Contains(c.points, p) {
			got = append(got, p)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		c.Errorf("the points that a child passes differ (-want +got):\n%s", diff)
	}
}

func (c *crash) child(e errand, kill string) *exec.Cmd {
	text, err := json.Marshal(e)
	if err != nil {
		c.Fatal(err)
	}
	cmd := exec.CommandContext(c.Context(), os.Args[0], "-test.run=^TestCrash$", "-test.v=false")
	cmd.Env = append(os.Environ(), envCrashChild+"="+string(text), envCrashKill+"="+kill, noSleepAtExit)
	return cmd
}

// killAt kills a child at one of its points and goes on in its place.
func (c *crash) killAt(i int, run string, n int) {
	e, point := c.errand, c.points[i]
	e.Run, e.N = run, n
	if out, err := c.child(e, point).CombinedOutput(); err == nil {
		c.Fatalf("child was to die at %s, and did not\n%s", point, out)
	}
	when := "killed at " + point
	told := notes(c.T, c.Dir, "told "+run)
	v := e.goOn(c.T, c.ledger, c.gate)
	switch write := c.Kind != "look"; {
	case len(told) > 0 && string(v.Outcome.Status) != told[0]:
		c.Errorf("%s: %s was told, and now it is %s", when, told[0], v.Outcome.Status)
	case write && unknown(c.points, i):
		if v.Outcome.Status != holdfast.Uncertain {
			c.Errorf("%s: the write is told as %s %s, want uncertain: nobody can know", when, v.Outcome.Status, v.Outcome.Code)
		}
	case v.Outcome.Status != holdfast.OK:
		c.Errorf("%s: the call is told as %s %s in the end, want ok", when, v.Outcome.Status, v.Outcome.Code)
	}
	if v.Outcome.Status == holdfast.Uncertain {
		c.resolve(when, e, v.LedgerID)
	}
	effects := notes(c.T, c.Dir, "effects "+run)
	if want := 1; c.Kind != "look" && len(effects) != want {
		c.Errorf("%s: %d effects in the end, want %d: %q", when, len(effects), want, effects)
	}
}

// resolve lets somebody look, as the tool's grade has it, and makes the write
// again where it did not happen.
func (c *crash) resolve(when string, e errand, id string) {
	if c.Kind == "post" {
		if _, err := c.gate.Reconfirm(c.Context(), id); err != nil {
			c.Fatalf("%s: Reconfirm() = %v", when, err)
		}
	}
	entry, err := c.ledger.Entry(c.Context(), id)
	if err != nil {
		c.Fatalf("%s: Entry() = %v", when, err)
	}
	happened := len(notes(c.T, c.Dir, "effects "+e.Run)) > 0
	if entry.State == ledger.StateUncertain {
		o := holdfast.Outcome{Status: holdfast.Failed, Code: holdfast.NoEffect}
		if happened {
			o = holdfast.Outcome{Status: holdfast.OK, Result: &holdfast.Result{Text: "seen"}}
		}
		if _, err := c.ledger.Resolve(c.Context(), id, entry.Fence, o, "bea", "the downstream's own list"); err != nil {
			c.Fatalf("%s: Resolve() = %v", when, err)
		}
	}
	again := e.round(2)
	if err := c.ledger.SaveRound(c.Context(), again); err != nil {
		c.Fatalf("%s: SaveRound() = %v", when, err)
	}
	v := e.decideAndRun(c.T, c.ledger, c.gate, again)
	if v.Outcome.Status != holdfast.OK || v.Outcome.Replayed != happened {
		c.Errorf("%s: proposed again it is %s %s, replayed %v, want ok, replayed %v: it had happened: %v",
			when, v.Outcome.Status, v.Outcome.Code, v.Outcome.Replayed, happened, happened)
	}
}

// round is the errand's one call.
func (e errand) round(number int) gate.Round {
	return gate.Round{
		Run: e.Run, Turn: 1, Number: number, Complete: true, Ending: "ended", Principal: me,
		Calls: []holdfast.Call{call(e.Kind, fmt.Sprintf(`{"n":%d}`, e.N))},
	}
}

// goOn makes the call, or goes on with what stands of it.
func (e errand) goOn(t *testing.T, l *ledger.Ledger, g *gate.Gate) gate.Verdict {
	t.Helper()
	if _, err := l.CreateRun(t.Context(), ledger.Run{ID: e.Run, Principal: me}); err != nil {
		t.Fatalf("CreateRun() = %v", err)
	}
	r := e.round(1)
	if err := l.SaveRound(t.Context(), r); err != nil {
		t.Fatalf("SaveRound() = %v", err)
	}
	return e.decideAndRun(t, l, g, r)
}

func (e errand) decideAndRun(t *testing.T, l *ledger.Ledger, g *gate.Gate, r gate.Round) gate.Verdict {
	t.Helper()
	const noticed = 30 * time.Second
	for began := time.Now(); ; {
		vs, err := g.Round(t.Context(), r, &gate.RoundOptions{Resume: true, Watch: watchPoints})
		if err != nil {
			t.Fatalf("Round() = %v", err)
		}
		switch {
		case elsewhere(vs[0]) && time.Since(began) < noticed:
			time.Sleep(10 * time.Millisecond)
			continue
		case vs[0].Outcome.Status != holdfast.Pending:
			return vs[0]
		}
		deciding(true)
		if _, err := l.Approve(t.Context(), vs[0].ApprovalID, "ben", ""); err != nil {
			t.Fatalf("Approve() = %v", err)
		}
		deciding(false)
	}
}

// elsewhere reports whether the record says that the call still runs. A database
// takes a moment to notice that a process has died.
func elsewhere(v gate.Verdict) bool {
	return v.Waiting || v.Outcome.Code == holdfast.InProgress
}

// crashChild is the process that dies.
func crashChild(t *testing.T, text string) {
	var e errand
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		t.Fatal(err)
	}
	p := &points{errand: e, kill: os.Getenv(envCrashKill), count: map[string]int{}}
	dying.Store(p)
	l, g := crashHouse(t, e, p)
	v := e.goOn(t, l, g)
	note(filepath.Join(e.Dir, "told "+e.Run), string(v.Outcome.Status))
	point("told")
	note(filepath.Join(e.Dir, "points "+e.Run), strings.Join(p.list, "\n"))
}

// points are those that this process passes, where it is to die at one.
type points struct {
	errand
	kill  string
	count map[string]int
	list  []string

	deciding bool // a person is about to
}

// dying is nil but in a child.
var dying atomic.Pointer[points]

func deciding(yes bool) {
	if p := dying.Load(); p != nil {
		p.deciding = yes
	}
}

func point(name string) {
	p := dying.Load()
	if p == nil {
		return
	}
	if p.count[name]++; p.count[name] > 1 {
		name = fmt.Sprintf("%s#%d", name, p.count[name])
	}
	p.list = append(p.list, name)
	if name == p.kill {
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		panic(fmt.Sprint("still alive: ", err))
	}
}

// watchPoints passes the points of the gate's stages.
func watchPoints(p gate.Progress) {
	if p.Verdict == nil {
		point(string(p.Stage))
	}
}

// crashStore passes the points of each update.
type crashStore struct {
	ledger.Store
	points *points
}

func (s crashStore) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	step := s.points.step()
	point(step + ": asked")
	err := s.Store.Update(ctx, func(tx ledger.Tx) error {
		point(step + ": begun")
		if err := fn(tx); err != nil {
			return err
		}
		point(step + ": written")
		return nil
	})
	if err == nil {
		point(step + ": durable")
	}
	return err
}

// step is what this update is for, by what came before it.
func (p *points) step() string {
	last := ""
	if len(p.list) > 0 {
		last, _, _ = strings.Cut(p.list[len(p.list)-1], "#")
	}
	switch last {
	case "":
		return "run"
	case "record":
		if p.deciding {
			return "decide"
		}
		return "settle"
	case "run: durable":
		return "round"
	case "approve":
		return "open"
	case "claim":
		return "start"
	}
	return "unforeseen"
}

func note(file, text string) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(text + "\n")
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		panic(err)
	}
}

func notes(t *testing.T, dir, file string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return nil // nothing was noted
	}
	return strings.Fields(string(text))
}

// crashHouse is a gate over the errand's store, with a tool of each kind. Their
// downstream is a file of each run, in which every effect is a line with its key.
func crashHouse(t *testing.T, e errand, p *points) (*ledger.Ledger, *gate.Gate) {
	t.Helper()
	at := slices.IndexFunc(crashStores, func(s crashStoreKind) bool { return s.name == e.Store })
	store, err := crashStores[at].open(t.Context(), e.Place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if p != nil {
		store = crashStore{store, p}
	}
	l, err := ledger.New(t.Context(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	catalog, err := holdfast.NewCatalog("", e.tools(t)...)
	if err != nil {
		t.Fatal(err)
	}
	g, err := gate.New(catalog, l, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close(context.Background()) })
	return l, g
}

func (e errand) tools(t *testing.T) []*holdfast.Tool {
	t.Helper()
	effects := func(ctx context.Context) string {
		return filepath.Join(e.Dir, "effects "+holdfast.CallInfoFrom(ctx).Run)
	}
	handle := func(write bool) func(context.Context, schema.Value) (holdfast.Result, error) {
		return func(ctx context.Context, _ schema.Value) (holdfast.Result, error) {
			point("handler: entered")
			point("handler: sends")
			if write {
				note(effects(ctx), holdfast.CallInfoFrom(ctx).Key)
			}
			point("handler: sent")
			point("handler: returns")
			return holdfast.Result{Text: "done"}, nil
		}
	}
	confirm := func(ctx context.Context, key string, _ schema.Value) (holdfast.Confirmation, error) {
		point("confirm: asked")
		there := slices.Contains(notes(t, filepath.Dir(effects(ctx)), filepath.Base(effects(ctx))), key)
		point("confirm: answers")
		if there {
			return holdfast.Confirmation{Effect: holdfast.Happened, Evidence: "in the list"}, nil
		}
		return holdfast.Confirmation{Effect: holdfast.DidNotHappen, Evidence: "not in the list"}, nil
	}
	var list []*holdfast.Tool
	for _, k := range []struct {
		name    string
		effect  holdfast.Effect
		options holdfast.ToolOptions
	}{
		{"look", holdfast.Read, holdfast.ToolOptions{}},
		{"charge", holdfast.Write, holdfast.ToolOptions{Grade: holdfast.Deduplicates}},
		{"post", holdfast.Write, holdfast.ToolOptions{Confirm: confirm}},
		{"send", holdfast.Write, holdfast.ToolOptions{Grade: holdfast.Person, Approval: always().Approval}},
	} {
		list = append(list, tool(t, k.name, k.effect, "", handle(k.effect == holdfast.Write), &k.options))
	}
	return list
}

// TestThePageOfStatesNamesEveryPoint keeps the page's table and the points where
// processes are killed the same.
func TestThePageOfStatesNamesEveryPoint(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "ledger-states.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "## What a crash leaves\n")
	table, _, ended := strings.Cut(table, "\n## ")
	if !found || !ended {
		t.Fatal("the page has no part about what a crash leaves")
	}
	var got []string
	for row := range strings.Lines(table) {
		first, _, _ := strings.Cut(strings.TrimPrefix(row, "|"), "|")
		for _, m := range regexp.MustCompile("`([a-z]+(?:: [a-z]+)?)`").FindAllStringSubmatch(first, -1) {
			if strings.HasPrefix(row, "| ") {
				got = append(got, m[1])
			}
		}
	}
	if diff := cmp.Diff(crashPoints, got); diff != "" {
		t.Errorf("the page's points differ from those where processes are killed (-killed +page):\n%s", diff)
	}
}
