package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
)

// tape is a disk that keeps everything that was asked of it, in order.
type tape struct {
	vfs.VFS

	mu   sync.Mutex
	ops  []op
	fail int // this sync of the log, counted down, fails
}

type op struct {
	file string
	kind string // write, truncate, sync, delete
	at   int64
	data []byte
	lost bool // a sync for it has failed
}

func (d *tape) add(o op) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ops = append(d.ops, o)
}

func (d *tape) length() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.ops)
}

func (d *tape) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := vfsutil.WrapOpen(d.VFS, name, flags)
	return d.wrap(f, name), flags, err
}

func (d *tape) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := vfsutil.WrapOpenFilename(d.VFS, name, flags)
	return d.wrap(f, name.String()), flags, err
}

func (d *tape) wrap(f vfs.File, name string) vfs.File {
	if f == nil || name == "" {
		return f
	}
	return &tapeFile{File: f, disk: d, name: filepath.Base(name)}
}

func (d *tape) Delete(name string, syncFolder bool) error {
	d.add(op{file: filepath.Base(name), kind: "delete"})
	return d.VFS.Delete(name, syncFolder)
}

type tapeFile struct {
	vfs.File
	disk *tape
	name string
}

func (f *tapeFile) WriteAt(b []byte, at int64) (int, error) {
	f.disk.add(op{file: f.name, kind: "write", at: at, data: slices.Clone(b)})
	return f.File.WriteAt(b, at)
}

func (f *tapeFile) Truncate(size int64) error {
	f.disk.add(op{file: f.name, kind: "truncate", at: size})
	return f.File.Truncate(size)
}

func (f *tapeFile) Sync(flags vfs.SyncFlag) error {
	if f.disk.loses(f.name) {
		return sqlite3.IOERR_FSYNC
	}
	err := f.File.Sync(flags)
	f.disk.add(op{file: f.name, kind: "sync"})
	return err
}

// loses reports whether this sync is the one that fails. As on Linux, what it was for
// is lost, and later syncs say nothing of it.
func (d *tape) loses(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !strings.HasSuffix(name, "-wal") || d.fail == 0 {
		return false
	}
	if d.fail--; d.fail > 0 {
		return false
	}
	for i := len(d.ops) - 1; i >= 0; i-- {
		if o := &d.ops[i]; o.file == name && o.kind == "write" {
			o.lost = true
		} else if o.file == name && o.kind == "sync" {
			break
		}
	}
	return true
}

func (f *tapeFile) SharedMemory() vfs.SharedMemory {
	if shm, ok := f.File.(vfs.FileSharedMemory); ok {
		return shm.SharedMemory()
	}
	return nil
}

func (f *tapeFile) LockState() vfs.LockLevel { return vfsutil.WrapLockState(f.File) }

// image is what the files may hold if the power went after the first n
// operations: what was synced, and of the rest any part.
func (d *tape) image(n int, rng *rand.Rand) map[string][]byte {
	lastSync := map[string]int{}
	for i, o := range d.ops[:n] {
		if o.kind == "sync" {
			lastSync[o.file] = i
		}
	}
	files := map[string][]byte{}
	for i, o := range d.ops[:n] {
		synced := i < lastSync[o.file]
		switch o.kind {
		case "delete":
			delete(files, o.file)
		case "truncate":
			if synced || rng.IntN(2) == 0 {
				files[o.file] = resize(files[o.file], o.at)
			}
		case "write":
			data := o.data
			if o.lost {
				continue
			}
			if !synced {
				data = data[:torn(len(data), rng)]
			}
			if len(data) > 0 {
				files[o.file] = resize(files[o.file], max(int64(len(files[o.file])), o.at+int64(len(data))))
				copy(files[o.file][o.at:], data)
			}
		}
	}
	return files
}

// torn is how much of a write arrived: all, nothing, or some sectors.
func torn(n int, rng *rand.Rand) int {
	switch rng.IntN(3) {
	case 0:
		return n
	case 1:
		return 0
	}
	return min(n, 512*rng.IntN(n/512+1))
}

func resize(b []byte, n int64) []byte {
	if n <= int64(len(b)) {
		return b[:n]
	}
	return append(b, make([]byte, n-int64(len(b)))...)
}

// ack is something that was told, and when.
type ack struct {
	id    string
	state ledger.State
	after int // operations
}

func TestStore_what_was_acknowledged_survives_a_loss_of_power(t *testing.T) {
	d := &tape{VFS: vfs.Find("")}
	vfs.Register("tape", d)
	t.Cleanup(func() { vfs.Unregister("tape") })
	acks := recordOn(t, d)

	cuts := 25
	if os.Getenv("HOLDFAST_CRASH") == "full" {
		cuts = 1000
	}
	rng := rand.New(rand.NewPCG(1, 2))
	first := acks[0].after
	for range cuts {
		n := first + rng.IntN(len(d.ops)-first+1)
		wantAcks(t, n, d.image(n, rng), acks)
	}
	t.Logf("%d operations, %d acknowledgements, %d cuts", len(d.ops), len(acks), cuts)
}

// recordOn makes calls on a store that is closed and opened in between, so that
// the log is brought into the database, and notes what was acknowledged.
func recordOn(t *testing.T, d *tape) (acks []ack) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "l.db")
	for opened := range 3 {
		s, err := sqlite.OpenWith(t.Context(), path, nil, "tape")
		if err != nil {
			t.Fatalf("Open() = %v, want no error", err)
		}
		l, err := ledger.New(t.Context(), s, nil)
		if err != nil {
			t.Fatalf("New() = %v, want no error", err)
		}
		for i := range 12 {
			c := storyClaim(fmt.Sprint("key ", opened, i))
			c.Entry.Arguments = []byte(`"` + strings.Repeat("x", 300*i) + `"`)
			e, _, err := l.Start(t.Context(), c)
			if err != nil {
				t.Fatalf("Start() = %v, want no error", err)
			}
			acks = append(acks, ack{e.ID, ledger.StateUncertain, d.length()})
			if i%4 == 3 {
				continue
			}
			if _, err := l.Settle(t.Context(), e.ID, e.Fence, holdfast.Outcome{Status: holdfast.OK}, "record", ""); err != nil {
				t.Fatalf("Settle() = %v, want no error", err)
			}
			acks = append(acks, ack{e.ID, ledger.StateOK, d.length()})
		}
		acks = append(acks, recordAtOnce(t, d, l, opened)...)
		if err := s.Close(); err != nil { // and not the ledger: its process is to have died
			t.Fatalf("Close() = %v, want no error", err)
		}
	}
	return acks
}

// recordAtOnce makes calls that share their commits.
func recordAtOnce(t *testing.T, d *tape, l *ledger.Ledger, opened int) (acks []ack) {
	t.Helper()
	var mu sync.Mutex
	told := func(id string, state ledger.State) {
		mu.Lock()
		defer mu.Unlock()
		acks = append(acks, ack{id, state, d.length()})
	}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			e, _, err := l.Start(t.Context(), storyClaim(fmt.Sprint("together ", opened, i)))
			if err != nil {
				t.Errorf("Start() = %v, want no error", err)
				return
			}
			told(e.ID, ledger.StateUncertain)
			if _, err := l.Settle(t.Context(), e.ID, e.Fence, holdfast.Outcome{Status: holdfast.OK}, "record", ""); err != nil {
				t.Errorf("Settle() = %v, want no error", err)
			}
			told(e.ID, ledger.StateOK)
		})
	}
	wg.Wait()
	return acks
}

func wantAcks(t *testing.T, n int, files map[string][]byte, acks []ack) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "l.db")
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		t.Errorf("power lost after operation %d: Open() = %v, want no error", n, err)
		return
	}
	defer s.Close()
	l, err := ledger.New(t.Context(), s, nil)
	if err != nil {
		t.Errorf("power lost after operation %d: New() = %v, want no error", n, err)
		return
	}
	want := map[string]ledger.State{}
	for _, a := range acks {
		if a.after <= n {
			want[a.id] = a.state
		}
	}
	for id, state := range want {
		e, err := l.Entry(t.Context(), id)
		settled := state == ledger.StateUncertain && e.State == ledger.StateOK // written, and not yet told
		if err != nil || e.State != state && !settled {
			t.Errorf("power lost after operation %d: entry %s = %q, %v, want %q, as was told", n, id, e.State, err, state)
		}
	}
	if _, _, faults, err := l.Verify(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("power lost after operation %d: Verify() faults = %q, %v, want none", n, faults, err)
	}
}
