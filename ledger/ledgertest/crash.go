package ledgertest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/ledger"
)

// What a child process of Crash is told.
const (
	envChild = "HOLDFAST_CRASH_CHILD" // what to do
	envPlace = "HOLDFAST_CRASH_PLACE" // the store's place
	envKill  = "HOLDFAST_CRASH_KILL"  // at which point to die, counted from 1
)

// envFull asks for the whole sweep instead of a sample.
const envFull = "HOLDFAST_CRASH"

var passed atomic.Int64

// Point is a place where a child of Crash may die, as if by SIGKILL. A store's
// test may put some inside the store; elsewhere it does nothing.
func Point() {
	at := os.Getenv(envKill)
	if at == "" {
		return
	}
	if n := passed.Add(1); strconv.FormatInt(n, 10) == at {
		die()
	}
}

// Crash kills processes that use one store, at every point and at random, and
// looks at what they leave: no effect twice, no acknowledged outcome lost, every
// unknown one uncertain. place makes an empty store and says where it is, open
// opens it, again and again, in this process and in others. Crash must be
// called by a test function of its own, at its top.
//
// A sample is run, and all of it with HOLDFAST_CRASH=full.
func Crash(t *testing.T, place func(t *testing.T) string, open func(ctx context.Context, place string) (ledger.Store, error)) {
	if what := os.Getenv(envChild); what != "" {
		child(t, what, open)
		return
	}
	full := os.Getenv(envFull) == "full"
	h := &harness{T: t, place: place, open: open}
	t.Run("at every point", func(t *testing.T) { h.sweep(t, full) })
	t.Run("at random under many workers", func(t *testing.T) { h.random(t, full) })
	for _, processes := range []int{1, 3} {
		t.Run(fmt.Sprintf("racers of %d processes", processes), func(t *testing.T) { h.race(t, full, processes) })
	}
	t.Run("a process that is stopped past its lease", h.zombie)
}

type harness struct {
	*testing.T
	place func(t *testing.T) string
	open  func(ctx context.Context, place string) (ledger.Store, error)
}

// command starts a child. The world outside is files that it appends to.
func (h *harness) command(ctx context.Context, what, place, dir string, kill int) *exec.Cmd {
	name, _, _ := strings.Cut(h.Name(), "/")
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+name+"$", "-test.v=false")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), envChild+"="+what, envPlace+"="+place)
	if kill != 0 {
		cmd.Env = append(cmd.Env, envKill+"="+strconv.Itoa(kill))
	}
	return cmd
}

func (h *harness) finish(t *testing.T, what, place, dir string) string {
	t.Helper()
	out, err := h.command(t.Context(), what, place, dir, 0).CombinedOutput()
	if err != nil {
		t.Fatalf("%s after the kill: %v\n%s", what, err, out)
	}
	return string(out)
}

// sweep kills the scripted child at each of its points in turn.
func (h *harness) sweep(t *testing.T, full bool) {
	dir := t.TempDir()
	out, err := h.command(t.Context(), "script", h.place(t), dir, -1).CombinedOutput()
	if err != nil {
		t.Fatalf("unharmed child: %v\n%s", err, out)
	}
	points := lastNumber(t, filepath.Join(dir, "points"))
	if points < 25 {
		t.Fatalf("the script passes %d points, want at least 25", points)
	}
	seeds, step := 1, max(1, points/7)
	if full {
		seeds, step = 3, 1
	}
	killed := 0
	began := time.Now()
	for seed := range seeds {
		for at := 1 + seed%step; at <= points; at += step {
			h.killAt(t, at)
			killed++
		}
		if full {
			progress(t, "seed %d of %d, %d kills in %v", seed+1, seeds, killed, time.Since(began).Round(time.Second))
		}
	}
	t.Logf("%d points, %d kills", points, killed)
}

func (h *harness) killAt(t *testing.T, at int) {
	place, dir := h.place(t), t.TempDir()
	out, err := h.command(t.Context(), "script", place, dir, at).CombinedOutput()
	if err == nil {
		t.Fatalf("child was to die at point %d, and did not\n%s", at, out)
	}
	h.wantTruth(t, fmt.Sprint("killed at point ", at), place, dir, true)
	h.finish(t, "script", place, dir)
	w := readWorld(t, dir)
	for _, key := range scriptKeys {
		if w.effects[key] != 1 {
			t.Errorf("killed at point %d: %d effects of %s in the end, want 1", at, w.effects[key], key)
		}
	}
	h.wantTruth(t, fmt.Sprint("finished after point ", at), place, dir, true)
}

// world is what happened outside, and what was acknowledged to somebody.
type world struct {
	effects map[string]int
	acked   map[string]bool
}

func readWorld(t *testing.T, dir string) world {
	t.Helper()
	w := world{effects: map[string]int{}, acked: map[string]bool{}}
	for _, line := range lines(t, filepath.Join(dir, "effects")) {
		w.effects[line]++
	}
	for _, line := range lines(t, filepath.Join(dir, "acked")) {
		w.acked[line] = true
	}
	return w
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		list = append(list, s.Text())
	}
	return list
}

// wantTruth opens the store as the next process would, and compares it with the
// world.
func (h *harness) wantTruth(t *testing.T, when, place, dir string, stories bool) {
	t.Helper()
	s, err := h.open(t.Context(), place)
	if err != nil {
		t.Fatalf("%s: opening = %v, want no error", when, err)
	}
	defer s.Close()
	l, err := ledger.New(t.Context(), s, nil)
	if err != nil {
		t.Fatalf("%s: New() = %v, want no error", when, err)
	}
	defer l.Close()
	told := map[string]ledger.State{}
	for page := ""; ; {
		list, err := l.Entries(t.Context(), ledger.Filter{Before: page, Limit: 500})
		if err != nil {
			t.Fatalf("%s: Entries() = %v, want no error", when, err)
		}
		for _, e := range list {
			page = e.ID
			if _, newer := told[e.Key]; !newer {
				told[e.Key] = e.State
			}
		}
		if len(list) < 500 {
			break
		}
	}
	if _, _, faults, err := l.Verify(t.Context()); err != nil || len(faults) != 0 {
		t.Errorf("%s: Verify() faults = %q, %v, want none", when, faults, err)
	}
	if stories {
		wantStories(t, l)
	}
	w := readWorld(t, dir)
	for key, n := range w.effects {
		state := told[key]
		if n > 1 {
			t.Errorf("%s: %d effects of %s, want at most 1", when, n, key)
		}
		if state != ledger.StateOK && state != ledger.StateUncertain {
			t.Errorf("%s: %s took effect and is told as %q, want ok or uncertain", when, key, state)
		}
	}
	for key := range w.acked {
		if told[key] != ledger.StateOK {
			t.Errorf("%s: %s was acknowledged as ok and is told as %q", when, key, told[key])
		}
	}
	for key, state := range told {
		if state == ledger.StateOK && key != "" && w.effects[key] == 0 {
			t.Errorf("%s: %s is told as ok and had no effect", when, key)
		}
		if state == ledger.StateStarted || state == ledger.StateClaimed {
			t.Errorf("%s: %s is still told as %s after its process died", when, key, state)
		}
	}
}

// random kills a busy child after a random while, many times on one store.
func (h *harness) random(t *testing.T, full bool) {
	kills := 4
	if full {
		kills = 300
	}
	place, dir := h.place(t), t.TempDir()
	for i := range kills {
		h.killBusy(t, place, dir, i)
		some := i%25 == 24 // each story takes time, and there are ever more
		h.wantTruth(t, fmt.Sprint("random kill ", i), place, dir, !full || some)
		if full && some {
			progress(t, "%d of %d random kills, %d effects", i+1, kills, len(readWorld(t, dir).effects))
		}
	}
	t.Logf("%d kills, %d effects", kills, len(readWorld(t, dir).effects))
}

// killBusy kills a child in the midst of its work: a while after it has begun.
func (h *harness) killBusy(t *testing.T, place, dir string, before int) {
	t.Helper()
	var out bytes.Buffer
	cmd := h.command(t.Context(), "busy", place, dir, 0)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "the busy child works", func() bool { return len(lines(t, filepath.Join(dir, "busy"))) > before })
	time.Sleep(time.Duration(20+rand.IntN(130)) * time.Millisecond)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatalf("busy child ended by itself: %v\n%s", err, out.String())
	}
	_ = cmd.Wait() // it was killed
}

// race lets racers of some processes claim the same keys at once.
func (h *harness) race(t *testing.T, full bool, processes int) {
	racers, keys := 8, 10
	if full {
		racers, keys = 64, 200
	}
	for _, others := range []string{"same", "other"} {
		place, dir := h.place(t), t.TempDir()
		var wg sync.WaitGroup
		for i := range processes {
			wg.Go(func() {
				cmd := h.command(t.Context(), fmt.Sprintf("race %s %d %d %d", others, racers, keys, i), place, dir, 0)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("racing child: %v\n%s", err, out)
				}
			})
		}
		wg.Wait()
		w := readWorld(t, dir)
		for k := range keys {
			if key := fmt.Sprint("race", k); w.effects[key] != 1 {
				t.Errorf("key %s with %s arguments was won %d times, want once", key, others, w.effects[key])
			}
		}
		t.Logf("%d racers each in %d processes for %d keys with %s arguments: one winner each", racers, processes, keys, others)
	}
}

func lastNumber(t *testing.T, path string) int {
	t.Helper()
	list := lines(t, path)
	if len(list) == 0 {
		t.Fatalf("%s is empty", path)
	}
	n, err := strconv.Atoi(list[len(list)-1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// progress says how far a long test is, while it runs.
func progress(t *testing.T, format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%s: %s\n", t.Name(), fmt.Sprintf(format, args...))
}
