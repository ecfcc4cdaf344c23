package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
)

// disk is the operating system's, until a test breaks it.
type disk struct {
	vfs.VFS

	mu          sync.Mutex
	write, sync func(file string) error // are asked first, where not nil
	syncs       int
}

func (d *disk) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := vfsutil.WrapOpen(d.VFS, name, flags)
	return d.wrap(f, name), flags, err
}

func (d *disk) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := vfsutil.WrapOpenFilename(d.VFS, name, flags)
	return d.wrap(f, name.String()), flags, err
}

func (d *disk) wrap(f vfs.File, name string) vfs.File {
	if f == nil {
		return nil
	}
	return &diskFile{File: f, disk: d, name: name}
}

// ask has writes and syncs ask first whether they may go on, and when.
func (d *disk) ask(write, sync func(file string) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.write, d.sync = write, sync
}

// set makes writes and syncs fail.
func (d *disk) set(write, sync error) { d.ask(fails(write), fails(sync)) }

func fails(err error) func(string) error {
	return func(string) error { return err }
}

// hold stops the syncs, until release: each asks when it may go on.
func (d *disk) hold() (syncs <-chan chan struct{}, release func()) {
	held := make(chan chan struct{})
	d.ask(nil, func(string) error {
		on := make(chan struct{})
		held <- on
		<-on
		return nil
	})
	return held, func() { d.ask(nil, nil) }
}

type diskFile struct {
	vfs.File
	disk *disk
	name string
}

func (f *diskFile) WriteAt(b []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	ask := f.disk.write
	f.disk.mu.Unlock()
	if ask != nil {
		if err := ask(f.name); err != nil {
			return 0, err
		}
	}
	return f.File.WriteAt(b, at)
}

func (f *diskFile) Sync(flags vfs.SyncFlag) error {
	f.disk.mu.Lock()
	ask := f.disk.sync
	f.disk.syncs++
	f.disk.mu.Unlock()
	if ask != nil {
		if err := ask(f.name); err != nil {
			return err
		}
	}
	return f.File.Sync(flags)
}

func (f *diskFile) SharedMemory() vfs.SharedMemory {
	if shm, ok := f.File.(vfs.FileSharedMemory); ok {
		return shm.SharedMemory()
	}
	return nil
}

func (f *diskFile) LockState() vfs.LockLevel { return vfsutil.WrapLockState(f.File) }

// openOn opens a store on a disk of its own.
func openOn(t *testing.T) (*sqlite.Store, *disk) {
	t.Helper()
	return openOver(t, vfs.Find(""))
}

func openOver(t *testing.T, over vfs.VFS) (*sqlite.Store, *disk) {
	t.Helper()
	d := &disk{VFS: over}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, t.Name())
	vfs.Register(name, d)
	t.Cleanup(func() { vfs.Unregister(name) })
	s, err := sqlite.OpenWith(t.Context(), filepath.Join(t.TempDir(), "l.db"), nil, name)
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, d
}

func row(id string) func(ledger.Tx) error {
	return func(tx ledger.Tx) error { return tx.Put(ledger.Row{Table: "owners", ID: id}) }
}

func has(t *testing.T, s ledger.Store, id string) bool {
	t.Helper()
	found := false
	err := s.View(t.Context(), func(tx ledger.Tx) error {
		_, err := tx.Get("owners", id)
		if found = err == nil; errors.Is(err, ledger.ErrNotFound) {
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatalf("View() = %v, want no error", err)
	}
	return found
}

func TestStore_a_full_disk_changes_nothing_and_says_so(t *testing.T) {
	for name, fault := range map[string]error{"full": sqlite3.FULL, "write errors": sqlite3.IOERR_WRITE} {
		t.Run(name, func(t *testing.T) {
			s, d := openOn(t)
			if err := s.Update(t.Context(), row("before")); err != nil {
				t.Fatalf("Update() = %v, want no error", err)
			}
			d.set(fault, nil)
			err := s.Update(t.Context(), row("during"))
			if !errors.Is(err, ledger.ErrUnavailable) || !errors.Is(err, fault) {
				t.Errorf("Update() = %v, want ErrUnavailable and %v", err, fault)
			}
			if has(t, s, "during") {
				t.Error("an update that was told unavailable is there")
			}
			d.set(nil, nil)
			if err := s.Update(t.Context(), row("after")); err != nil {
				t.Errorf("Update() when the disk is well again = %v, want no error", err)
			}
			if !has(t, s, "before") || has(t, s, "during") || !has(t, s, "after") {
				t.Error("rows are not those that were acknowledged")
			}
		})
	}
}

func TestStore_after_a_failed_sync_nothing_is_claimed_to_be_known(t *testing.T) {
	s, d := openOn(t)
	d.set(nil, sqlite3.IOERR_FSYNC)
	err := s.Update(t.Context(), row("unknown"))
	if err == nil || errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("Update() = %v, want an error that does not promise anything", err)
	}
	d.set(nil, nil)
	if err := s.Update(t.Context(), row("after")); err != nil || !has(t, s, "after") {
		t.Errorf("Update() when the disk is well again = %v, want it there", err)
	}
}

func TestLedger_a_full_disk_refuses_a_write_before_its_effect(t *testing.T) {
	s, d := openOn(t)
	l, err := ledger.New(t.Context(), s, nil)
	if err != nil {
		t.Fatalf("New() = %v, want no error", err)
	}
	claim := ledger.Claim{Entry: ledger.Entry{Tool: "pay", Effect: holdfast.Write, Key: "k", ArgumentsDigest: "d"}}
	d.set(sqlite3.FULL, nil)
	if _, _, err := l.Start(t.Context(), claim); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("Start() = %v, want ErrUnavailable", err)
	}
	d.set(nil, nil)
	e, standing, err := l.Start(t.Context(), claim)
	if err != nil || !standing.Free() {
		t.Fatalf("Start() = %+v, %v, want it free", standing, err)
	}
	d.set(sqlite3.FULL, nil)
	done := holdfast.Outcome{Status: holdfast.OK}
	if _, err := l.Settle(t.Context(), e.ID, e.Fence, done, "record", ""); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("Settle() = %v, want ErrUnavailable", err)
	}
	if got, err := l.Entry(t.Context(), e.ID); err != nil || got.State != ledger.StateUncertain {
		t.Errorf("Entry() = %s, %v, want it told as uncertain", got.State, err)
	}
	d.set(nil, nil)
	if _, err := l.Settle(t.Context(), e.ID, e.Fence, done, "record", ""); err != nil {
		t.Errorf("Settle() again = %v, want no error", err)
	}
}

func TestStore_an_update_costs_one_sync_and_many_share_it(t *testing.T) {
	s, d := openOn(t)
	count := func() int {
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.syncs
	}
	if err := s.Update(t.Context(), row("first")); err != nil {
		t.Fatalf("Update() = %v, want no error", err)
	}
	before := count()
	for i := range 5 {
		if err := s.Update(t.Context(), row(fmt.Sprint("alone ", i))); err != nil {
			t.Fatalf("Update() = %v, want no error", err)
		}
	}
	if got := count() - before; got != 5 {
		t.Errorf("5 updates made %d syncs, want 5", got)
	}
	before = count()
	if err := s.View(t.Context(), func(ledger.Tx) error { return nil }); err != nil {
		t.Fatalf("View() = %v, want no error", err)
	}
	mine := errors.New("mine")
	if err := s.Update(context.Background(), func(ledger.Tx) error { return mine }); !errors.Is(err, mine) {
		t.Fatalf("Update() = %v, want fn's error", err)
	}
	if got := count() - before; got != 0 {
		t.Errorf("a view and an update without changes made %d syncs, want none", got)
	}
}

func TestLedger_a_write_alone_costs_two_syncs(t *testing.T) {
	s, d := openOn(t)
	l, err := ledger.New(t.Context(), s, nil)
	if err != nil {
		t.Fatalf("New() = %v, want no error", err)
	}
	for _, key := range []string{"first", "second", "third"} {
		d.mu.Lock()
		before := d.syncs
		d.mu.Unlock()
		c := storyClaim(key)
		if standing, err := l.Look(t.Context(), c); err != nil || !standing.Free() {
			t.Fatalf("Look() = %+v, %v, want it free", standing, err)
		}
		e, standing, err := l.Start(t.Context(), c)
		if err != nil || !standing.Free() {
			t.Fatalf("Start() = %+v, %v, want it free", standing, err)
		}
		if _, err := l.Settle(t.Context(), e.ID, e.Fence, holdfast.Outcome{Status: holdfast.OK}, "record", ""); err != nil {
			t.Fatalf("Settle() = %v, want no error", err)
		}
		d.mu.Lock()
		if got := d.syncs - before; key != "first" && got != 2 { // the first begins the log
			t.Errorf("a write made %d syncs, want 2: one before its handler, one before its answer", got)
		}
		d.mu.Unlock()
	}
}

func TestStore_a_log_that_is_written_late_still_says_that_it_was_the_writing(t *testing.T) {
	s, d := openOn(t)
	d.set(fmt.Errorf("writing: %w", syscall.ENOSPC), nil)
	if err := s.Update(t.Context(), row("k")); !errors.Is(err, ledger.ErrUnavailable) || !errors.Is(err, sqlite3.FULL) {
		t.Errorf("Update() = %v, want ErrUnavailable and that the disk is full", err)
	}
	d.set(errors.New("controller on fire"), nil)
	if err := s.Update(t.Context(), row("k")); !errors.Is(err, ledger.ErrUnavailable) || !errors.Is(err, sqlite3.IOERR_WRITE) {
		t.Errorf("Update() = %v, want ErrUnavailable and a write error", err)
	}
}
