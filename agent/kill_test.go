package agent_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
	"github.com/holdfast-go/holdfast/wire/openai"
)

// These tests kill real processes that hold a conversation of agents within agents,
// over a SQLite file, and let others go on.
const (
	envFolder = "HOLDFAST_AGENT_FOLDER" // of the child: its ledger and its effects
	envPoint  = "HOLDFAST_AGENT_POINT"  // at which the child dies, or the number of a write
	envBefore = "HOLDFAST_AGENT_BEFORE" // it dies before the point is durable, else after
)

// points are what is durable, one after the other, in the conversation of
// approving: replies, calls and approvals, of each of the three.
var points = []string{
	"boss reply", "boss.ask_cook started", "cook reply", "cook.store started", "cook.store ok", "cook.ask_helper started", "helper reply",
	"helper.store started", "helper.store ok", "helper.buy waiting", "cook.ask_helper parked", "boss.ask_cook parked", "helper.buy approved",
	"helper.buy started", "helper.buy ok", "helper.find ok", "cook.ask_helper ok", "cook.store ok", "boss.ask_cook ok", "boss.store ok",
}

// sampled are the points that are always killed at; all are with HOLDFAST_CRASH=full.
var sampled = []string{"helper reply", "helper.buy waiting", "helper.buy started", "helper.buy ok", "boss.ask_cook ok"}

// mortal is a store in a process that kills itself at a point.
type mortal struct {
	ledger.Store
	point  string
	before bool

	mu     sync.Mutex
	writes int
}

// recorder sees what a transaction puts.
type recorder struct {
	ledger.Tx
	seen []string
}

func (r *recorder) Put(row ledger.Row) error {
	var body struct {
		Tool, State string
		Names       map[string]string
	}
	text, err := row.Bytes()
	if err == nil && json.Unmarshal(text, &body) == nil {
		switch row.Table {
		case "rounds":
			for _, name := range body.Names {
				who, _, _ := strings.Cut(name, ".")
				r.seen = append(r.seen, who+" reply")
				break
			}
		case "entries", "approvals":
			r.seen = append(r.seen, body.Tool+" "+body.State)
		}
	}
	return r.Tx.Put(row)
}

func (m *mortal) Update(ctx context.Context, fn func(tx ledger.Tx) error) error {
	m.mu.Lock()
	m.writes++
	number := strconv.Itoa(m.writes)
	m.mu.Unlock()
	hit := false
	err := m.Store.Update(ctx, func(tx ledger.Tx) error {
		r := &recorder{Tx: tx}
		err := fn(r)
		hit = number == m.point || slices.Contains(r.seen, m.point)
		if hit && m.before && err == nil {
			die()
		}
		return err
	})
	if hit && err == nil {
		die()
	}
	return err
}

// die is kill -9 of this very process.
func die() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {} // until it comes
}

// TestTool_child is the process that is killed; by itself it does nothing.
func TestTool_child(t *testing.T) {
	folder := os.Getenv(envFolder)
	if folder == "" {
		t.Skip("this is the child of the tests that kill")
	}
	store, err := sqlite.Open(t.Context(), filepath.Join(folder, "ledger.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := newOffice(t, openai.Chat{}, approving)
	f.effects = filepath.Join(folder, "effects")
	f.open(&mortal{Store: store, point: os.Getenv(envPoint), before: os.Getenv(envBefore) != ""})
	r, err := f.toTheEnd()
	if err != nil || r.End != agent.Answer {
		t.Errorf("turn = %+v, %v, want an answer", r, err)
	}
	f.close()
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}

// child runs one, and reports whether it came to the end of the conversation.
func child(t *testing.T, folder, point string, before bool) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestTool_child$")
	cmd.Env = append(os.Environ(), envFolder+"="+folder, envPoint+"="+point)
	if before {
		cmd.Env = append(cmd.Env, envBefore+"=1")
	}
	out, err := cmd.CombinedOutput()
	if err != nil && strings.Contains(string(out), "FAIL") {
		t.Fatalf("the child failed: %v\n%s", err, out)
	}
	return err == nil
}

// A process is killed at each point, before it is durable and after, and the next
// one goes on: nothing happens twice, nothing that was told is lost, and of what is
// not known it is said so.
func TestTool_killed_at_every_point(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs SIGKILL")
	}
	full := os.Getenv("HOLDFAST_CRASH") == "full"
	for _, point := range points {
		for _, before := range []bool{true, false} {
			if !full && (before || !slices.Contains(sampled, point)) {
				continue
			}
			t.Run(fmt.Sprintf("%s, before %t", point, before), func(t *testing.T) {
				t.Parallel()
				killed(t, point, before)
			})
		}
	}
	if full {
		for n := range 60 {
			for _, before := range []bool{true, false} {
				t.Run(fmt.Sprintf("write %d, before %t", n+1, before), func(t *testing.T) {
					t.Parallel()
					killed(t, strconv.Itoa(n+1), before)
				})
			}
		}
	}
}

func killed(t *testing.T, point string, before bool) {
	folder := t.TempDir()
	if child(t, folder, point, before) && slices.Contains(points, point) {
		t.Fatalf("the child came to its end and was not killed at %q", point)
	}
	if !child(t, folder, "never", false) {
		t.Fatal("the next process did not come to the end of the conversation")
	}
	happened := map[string]int{}
	file, err := os.Open(filepath.Join(folder, "effects"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		happened[lines.Text()]++
	}
	store, err := sqlite.Open(t.Context(), filepath.Join(folder, "ledger.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	book, err := ledger.New(t.Context(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	entries, err := book.Entries(t.Context(), ledger.Filter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]ledger.State{}
	for _, e := range entries {
		if e.Outcome == nil || !slices.Contains([]ledger.State{ledger.StateOK, ledger.StateUncertain}, e.State) {
			t.Errorf("call of %s is %s at the end", e.Tool, e.State)
		}
		if e.Effect == holdfast.Write {
			states[e.Key] = e.State
		}
	}
	if len(states) != 7 {
		t.Errorf("the record holds %d writes, want 7", len(states))
	}
	for key, n := range happened {
		if n > 1 || states[key] == "" {
			t.Errorf("the write of key %s happened %d times and is %q in the record", key, n, states[key])
		}
	}
	for key, state := range states {
		if state == ledger.StateOK && happened[key] == 0 {
			t.Errorf("the write of key %s is told as ok and did not happen", key)
		}
	}
	if _, _, faults, err := book.Verify(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("Verify = %v, %v, want the chain whole", faults, err)
	}
}
