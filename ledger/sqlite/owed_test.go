package sqlite_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"

	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
)

// withoutOwing says that commits are always synced before anybody sees them.
func withoutOwing(t *testing.T) bool {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Log("no store knows here that it is alone")
		return true
	}
	return false
}

// halfway begins an update of k, up to its sync, which goes on when on is closed.
func halfway(t *testing.T, s *sqlite.Store, d *disk) (on chan struct{}, updated chan error) {
	syncs, release := d.hold()
	updated = make(chan error, 1)
	go func() { updated <- s.Update(t.Context(), row("k")) }()
	on = <-syncs
	release()
	return on, updated
}

func TestView_says_nothing_before_it_is_durable(t *testing.T) {
	if withoutOwing(t) {
		return
	}
	s, d := openOn(t)
	on, updated := halfway(t, s, d)
	var durable atomic.Bool
	read, viewed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(viewed)
		err := s.View(t.Context(), func(tx ledger.Tx) error {
			defer close(read)
			_, err := tx.Get("owners", "k")
			return err
		})
		if err != nil || !durable.Load() {
			t.Errorf("View() = %v, durable: %v, want it to end when what it read is durable", err, durable.Load())
		}
	}()
	<-read
	for range 1000 {
		runtime.Gosched() // it may end too early now
	}
	durable.Store(true)
	close(on)
	<-viewed
	if err := <-updated; err != nil {
		t.Errorf("Update() = %v, want no error", err)
	}
}

func TestStore_another_on_the_file_sees_only_what_is_durable(t *testing.T) {
	s, d := openOn(t)
	other := open(t, s.Path(), nil)
	on, updated := halfway(t, s, d)
	if has(t, other, "k") {
		t.Error("another store sees a row that is not durable")
	}
	close(on)
	if err := <-updated; err != nil || !has(t, other, "k") {
		t.Errorf("Update() = %v, want it there, and seen by the other store", err)
	}
}

func TestOpen_waits_until_what_another_has_committed_is_durable(t *testing.T) {
	if withoutOwing(t) {
		return
	}
	s, d := openOn(t)
	on, updated := halfway(t, s, d)
	if other, err := sqlite.Open(t.Context(), s.Path(), &sqlite.Options{Busy: time.Millisecond}); err == nil {
		t.Error("Open() = no error while another store's commit was not durable")
		_ = other.Close()
	}
	close(on)
	if err := <-updated; err != nil {
		t.Errorf("Update() = %v, want no error", err)
	}
	if other := open(t, s.Path(), nil); !has(t, other, "k") {
		t.Error("a durable row is not there")
	}
}

func TestStore_while_a_sync_cannot_be_made_up_for_nothing_is_told(t *testing.T) {
	if withoutOwing(t) {
		return
	}
	s, d := openOn(t)
	d.set(nil, sqlite3.IOERR_FSYNC)
	if err := s.Update(t.Context(), row("unknown")); err == nil || errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("Update() = %v, want an error that does not promise anything", err)
	}
	if err := s.Update(t.Context(), row("refused")); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("Update() meanwhile = %v, want ErrUnavailable", err)
	}
	if err := s.View(t.Context(), func(ledger.Tx) error { return nil }); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("View() meanwhile = %v, want ErrUnavailable", err)
	}
	d.set(nil, nil)
	if err := s.Update(t.Context(), row("after")); err != nil {
		t.Errorf("Update() when the disk is well again = %v, want no error", err)
	}
	if has(t, s, "refused") || !has(t, s, "after") {
		t.Error("rows are not those that were acknowledged")
	}
}

// A failed sync loses what it was for, and the next one succeeds: what was
// acknowledged later must not have been written behind the gap.
func TestStore_what_is_acknowledged_after_a_failed_sync_survives_a_loss_of_power(t *testing.T) {
	for _, callers := range []int{1, 16} {
		t.Run(fmt.Sprint(callers, " callers"), func(t *testing.T) {
			d := &tape{VFS: vfs.Find("")}
			name := strings.ReplaceAll(t.Name(), "/", "-")
			vfs.Register(name, d)
			t.Cleanup(func() { vfs.Unregister(name) })
			path := filepath.Join(t.TempDir(), "l.db")
			s, err := sqlite.OpenWith(t.Context(), path, nil, name)
			if err != nil {
				t.Fatalf("Open() = %v, want no error", err)
			}
			defer s.Close()
			d.mu.Lock()
			d.fail = 12
			d.mu.Unlock()
			acked := updateAtOnce(t, s, callers)
			dir := t.TempDir()
			d.mu.Lock()
			files := d.image(len(d.ops), rand.New(rand.NewPCG(3, 4)))
			d.mu.Unlock()
			for name, data := range files {
				if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			after := open(t, filepath.Join(dir, "l.db"), nil)
			for _, id := range acked {
				if !has(t, after, id) {
					t.Errorf("%s was acknowledged, and is gone", id)
				}
			}
		})
	}
}

// updateAtOnce makes 20 updates of each caller, of which some fail.
func updateAtOnce(t *testing.T, s *sqlite.Store, callers int) (acked []string) {
	t.Helper()
	var (
		mu     sync.Mutex
		failed int
		wg     sync.WaitGroup
	)
	for i := range callers {
		wg.Go(func() {
			for j := range 20 {
				id := fmt.Sprint("row ", i, " ", j)
				err := s.Update(t.Context(), row(id))
				mu.Lock()
				if err == nil {
					acked = append(acked, id)
				} else {
					failed++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if failed == 0 || len(acked) < 10*callers {
		t.Errorf("%d updates failed and %d did not, want some, and most", failed, len(acked))
	}
	return acked
}
