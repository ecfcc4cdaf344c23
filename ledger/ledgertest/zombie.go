package ledgertest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
)

// zombieLease is short, so that nobody waits for long until it has run out.
const zombieLease = time.Second

// zombie starts a write, lets it take effect, and commits it when it is told to,
// however late that is.
func (p *program) zombie(s ledger.Store) {
	ctx, stop := context.WithCancel(p.Context())
	var renewing sync.WaitGroup
	defer renewing.Wait()
	defer stop()
	renewing.Go(func() { _ = p.Ledger.Run(ctx) }) // its end is ours: stop
	for i := 0; !p.leased(s); i++ {
		p.call(pay(fmt.Sprint("warm up ", i), "nobody"), true)
	}
	c := pay("zombie", "zombie")
	e, standing, err := p.Start(p.Context(), c)
	if err != nil || !standing.Free() {
		p.Fatalf("Start() = %+v, %v", standing, err)
	}
	note("effects", "zombie")
	note("started", e.ID)
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		p.Fatalf("waiting to go on: %v", err)
	}
	got, err := p.Settle(p.Context(), e.ID, e.Fence, ok("late"), "record", "I was only stopped")
	if !errors.Is(err, ledger.ErrLost) || got.State != ledger.StateUncertain {
		p.Fatalf("Settle() past the lease = %s, %v, want uncertain, ErrLost", got.State, err)
	}
}

// leased reports whether others see the lease of this owner.
func (p *program) leased(s ledger.Store) bool {
	there := false
	err := s.View(p.Context(), func(tx ledger.Tx) error {
		_, err := tx.Get("owners", p.Owner())
		if there = err == nil; errors.Is(err, ledger.ErrNotFound) {
			return nil
		}
		return err
	})
	if err != nil {
		p.Fatalf("View() = %v", err)
	}
	return there
}

// zombie stops a process in the middle of a write for longer than its lease, and
// lets it go on: its commit is refused and kept as evidence.
func (h *harness) zombie(t *testing.T) {
	place, dir := h.place(t), t.TempDir()
	cmd := h.command(t.Context(), "zombie", place, dir, 0)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	started := filepath.Join(dir, "started")
	waitUntil(t, "the process starts its write", func() bool { return len(lines(t, started)) > 0 })
	if err := stop(cmd.Process); errors.Is(err, errors.ErrUnsupported) {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		t.Skip("skipped: a process cannot be stopped here")
	} else if err != nil {
		t.Fatal(err)
	}
	s, err := h.open(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l, err := ledger.New(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	id := lines(t, started)[0]
	waitUntil(t, "its write is uncertain", func() bool {
		standing, err := l.Look(t.Context(), pay("zombie", "zombie"))
		if err != nil || standing.Code != holdfast.InProgress && standing.Code != holdfast.UnresolvedWrite {
			t.Fatalf("Look() = %+v, %v, want it in progress, then unresolved", standing, err)
		}
		return standing.Code == holdfast.UnresolvedWrite
	})
	if _, standing, err := l.Start(t.Context(), pay("zombie", "zombie")); err != nil || standing.Code != holdfast.UnresolvedWrite {
		t.Errorf("Start() = %+v, %v, want it refused: the first may have happened", standing, err)
	}
	if err := goOn(cmd.Process); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(stdin, "\n"); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the process that went on: %v", err)
	}
	events, err := l.Events(t.Context(), id)
	if err != nil || !slices.ContainsFunc(events, func(e ledger.Event) bool { return e.What == "evidence" }) {
		t.Errorf("Events() = %+v, %v, want the late result kept as evidence", events, err)
	}
	h.wantTruth(t, "after a zombie", place, dir, true)
}

// waitUntil waits for another process.
func waitUntil(t *testing.T, what string, is func() bool) {
	t.Helper()
	for began := time.Now(); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("a minute went by and it is not so that %s", what)
		}
	}
}
