package gate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
	"github.com/holdfast-go/holdfast/schema"
)

// envDiskChild names the trouble that a child process makes for itself.
const envDiskChild = "HOLDFAST_GATE_DISK_CHILD"

// diskTrouble is something that befalls the disk that a ledger is on.
type diskTrouble struct {
	name    string
	mounts  bool                                 // needs a disk of its own, in a mount namespace of its own
	prepare func(t *testing.T, dir string) error // makes the disk
	strike  func(dir string) error               // while a handler runs
	mend    func(dir string) error               // lets the same store go on
	// renew is done in the place of mend, with the store closed, where the
	// operating system lets no open file go on.
	renew func(dir string) error
	slow  bool // it strikes some writes later
	alone bool // nothing else may go on as it strikes
}

var diskTroubles = []diskTrouble{
	{name: "no file may grow", strike: limitFiles(0), mend: func(string) error { return setFileLimit(noLimit) }},
	{name: "no file may grow much", strike: limitFiles(64 << 10), mend: func(string) error { return setFileLimit(noLimit) }, slow: true},
	{
		name: "the folder is away", strike: func(dir string) error { return os.Rename(dir, dir+".away") },
		mend: func(dir string) error { return os.Rename(dir+".away", dir) },
	},
	{name: "full", mounts: true, prepare: mountMemory, strike: fillDisk(0), mend: freeDisk},
	{name: "nearly full", mounts: true, prepare: mountMemory, strike: fillDisk(64 << 10), mend: freeDisk, slow: true},
	// Where ext4 is told to abort while a sync is under way, that sync may succeed
	// and what it was for be lost: no ledger can know of it.
	{name: "gone read-only", mounts: true, prepare: mountImage, strike: abortDisk, renew: renewImage, alone: true},
}

// TestDisk breaks the disk under a ledger while writes go through the gate, by
// what the operating system really does: a limit on files, a file system that is
// full, one that goes read-only, a folder that is moved away. Every write is
// rejected before its effect, or its effect is told as it is, or as uncertain;
// none has two, and when the disk is well again everything can be told.
//
// Mounting needs rights that a container seldom has; with HOLDFAST_REQUIRE_MOUNT=1
// it is a failure to have none.
func TestDisk(t *testing.T) {
	for _, d := range diskTroubles {
		if os.Getenv(envDiskChild) == d.name {
			d.child(t)
			return
		}
	}
	for _, d := range diskTroubles {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			d.process(t)
		})
	}
}

// process lets it befall a process of its own, which with mounts sees its own mounts
// alone: they end with it.
func (d diskTrouble) process(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDisk$")
	cmd.Env = append(os.Environ(), envDiskChild+"="+d.name, noSleepAtExit)
	cmd.Dir = t.TempDir()
	if d.mounts {
		cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	}
	out, err := cmd.CombinedOutput()
	if d.mounts && (errors.Is(err, syscall.EPERM) || bytes.Contains(out, []byte(mountRefused))) {
		if os.Getenv("HOLDFAST_REQUIRE_MOUNT") != "" {
			t.Fatalf("mounting is not permitted: %v\n%s", err, out)
		}
		t.Skip("mounting is not permitted here; HOLDFAST_REQUIRE_MOUNT=1 makes that a failure")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", bytes.TrimSpace(out))
}

// mountRefused is what a child says that may not mount.
const mountRefused = "this process may not mount"

// child makes writes, and the trouble in the middle of them.
func (d diskTrouble) child(t *testing.T) {
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(wd, "disk")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if d.prepare != nil {
		if err := d.prepare(t, dir); err != nil {
			t.Fatalf("%s: %v", mountRefused, err)
		}
	}
	s := &till{t: t, dir: dir, charged: map[int]int{}, told: map[int]holdfast.Outcome{}}
	s.open()
	s.inHandler = func(n int) {
		if n == 20 {
			if err := d.strike(dir); err != nil {
				t.Errorf("strike() = %v", err)
			}
		}
	}
	if d.alone {
		s.sell(1)
	} else {
		s.sell(4)
	}
	s.check(!d.slow, d.alone)
	if d.renew != nil {
		s.close()
		if store, err := sqlite.Open(t.Context(), s.file(), nil); err == nil {
			t.Error("a ledger on a disk that takes no writes was opened")
			_ = store.Close()
		}
		if err := d.renew(dir); err != nil {
			t.Fatalf("renew() = %v", err)
		}
		s.open()
	} else if err := d.mend(dir); err != nil {
		t.Fatalf("mend() = %v", err)
	}
	s.goOn(d.renew == nil)
	s.verify()
	s.close()
	s.open()
	s.verify()
	s.close()
}

// till makes writes through a gate over a ledger in dir. Its downstream counts.
type till struct {
	t         *testing.T
	dir       string
	store     *sqlite.Store
	ledger    *ledger.Ledger
	gate      *gate.Gate
	inHandler func(n int)

	mu      sync.Mutex
	next    int
	charged map[int]int              // how often each write took effect
	told    map[int]holdfast.Outcome // what was told of each
}

func (s *till) file() string { return filepath.Join(s.dir, "ledger.db") }

func (s *till) open() {
	s.t.Helper()
	var err error
	if s.store, err = sqlite.Open(s.t.Context(), s.file(), nil); err != nil {
		s.t.Fatalf("Open() = %v", err)
	}
	if s.ledger, err = ledger.New(s.t.Context(), s.store, nil); err != nil {
		s.t.Fatalf("ledger.New() = %v", err)
	}
	charge := tool(s.t, "charge", holdfast.Write, "", s.charge, &holdfast.ToolOptions{Key: func(args schema.Value) (string, error) {
		return "charge " + string(args.Canonical()), nil
	}})
	catalog, err := holdfast.NewCatalog("", charge)
	if err != nil {
		s.t.Fatal(err)
	}
	if s.gate, err = gate.New(catalog, s.ledger, nil); err != nil {
		s.t.Fatal(err)
	}
}

// close ends the house as a process that is told to: what is still owed to a
// ledger that takes nothing is given up.
func (s *till) close() {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_ = s.gate.Close(ended)
	_ = s.ledger.Close()
	_ = s.store.Close()
}

func (s *till) charge(_ context.Context, args schema.Value) (holdfast.Result, error) {
	v, _ := args.Get("n")
	n := 0
	if _, err := fmt.Sscan(string(v.Raw()), &n); err != nil {
		return holdfast.Result{}, err
	}
	s.mu.Lock()
	s.charged[n]++
	s.mu.Unlock()
	s.inHandler(n)
	return holdfast.Result{Text: "charged"}, nil
}

// write proposes the n-th write, in a run of its own.
func (s *till) write(n int, run string) holdfast.Outcome {
	vs, err := s.gate.Round(s.t.Context(), gate.Round{
		Run: fmt.Sprint(run, " ", n), Turn: 1, Number: 1, Complete: true, Ending: "ended", Principal: me,
		Calls: []holdfast.Call{call("charge", fmt.Sprintf(`{"n":%d}`, n))},
	}, nil)
	if err != nil {
		s.t.Errorf("Round() of write %d = %v", n, err)
		return holdfast.Outcome{}
	}
	return vs[0].Outcome
}

// sell makes writes, so many at a time, until they were refused often.
func (s *till) sell(atOnce int) {
	const most, refusals = 5000, 20
	var wg sync.WaitGroup
	for range atOnce {
		wg.Go(func() {
			for refused := 0; refused < refusals/atOnce; {
				s.mu.Lock()
				s.next++
				n := s.next
				s.mu.Unlock()
				if n > most {
					s.t.Errorf("%d writes, and the disk never refused", most)
					return
				}
				o := s.write(n, "first")
				if o.Status == holdfast.Rejected {
					refused++
				}
				s.mu.Lock()
				s.told[n] = o
				s.mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// check holds what was told of each write against what the downstream has of it.
// The write in whose handler the disk broke cannot be settled; but where others
// wrote at that moment, the room in the log that one of them was given and could not
// use may be enough for it.
func (s *till) check(struck, alone bool) {
	count := map[holdfast.Status]int{}
	for n, o := range s.told {
		count[o.Status]++
		want := 1
		switch {
		case o.Status == holdfast.OK && !o.Replayed, o.Status == holdfast.Uncertain && o.Code == holdfast.Unrecorded:
		case o.Status == holdfast.Rejected && o.Code == holdfast.LedgerUnavailable:
			want = 0
		default:
			s.t.Errorf("write %d was told as %s %s, which a broken disk does not explain", n, o.Status, o.Code)
		}
		if s.charged[n] != want {
			s.t.Errorf("write %d was told as %s and took effect %d times, want %d", n, o.Status, s.charged[n], want)
		}
	}
	if count[holdfast.OK] < 10 || count[holdfast.Rejected] < 20 {
		s.t.Errorf("told were %v, want many before the trouble and in it", count)
	}
	if o := s.told[20]; struck && o.Status != holdfast.Uncertain && (alone || o.Status != holdfast.OK) {
		s.t.Errorf("the write in whose handler the disk broke was told as %s %s, want uncertain", o.Status, o.Code)
	}
	s.t.Logf("told: %v", count)
}

// goOn proposes everything once more when the disk is well again. A process that
// lived through it holds every result, and settles what it owed. The next process
// cannot know of what was not written, and then says so.
func (s *till) goOn(lived bool) {
	s.inHandler = func(int) {}
	for n, o := range s.told {
		again := s.write(n, "again")
		for began := time.Now(); lived && again.Code == holdfast.UnresolvedWrite && time.Since(began) < 30*time.Second; {
			time.Sleep(10 * time.Millisecond) // until the gate tries again to record it
			again = s.write(n, "again")
		}
		switch {
		case again.Status == holdfast.OK && again.Replayed == (o.Status != holdfast.Rejected) && s.charged[n] == 1:
		case !lived && o.Status != holdfast.OK && again.Code == holdfast.UnresolvedWrite && s.charged[n] <= 1:
		default:
			s.t.Errorf("write %d, told as %s, is told again as %s %s, replayed %v, and took effect %d times",
				n, o.Status, again.Status, again.Code, again.Replayed, s.charged[n])
		}
	}
}

func (s *till) verify() {
	n, _, faults, err := s.ledger.Verify(s.t.Context())
	if err != nil || len(faults) != 0 || int(n) < len(s.told) {
		s.t.Errorf("Verify() of %d events = %q, %v, want no faults and an event of each of %d writes", n, faults, err, len(s.told))
	}
}

// noLimit is no limit on the length of files.
const noLimit = ^uint64(0)

func setFileLimit(n uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: noLimit})
}

// limitFiles lets no file grow beyond room more than the longest has now.
func limitFiles(room int64) func(dir string) error {
	return func(dir string) error {
		signal.Ignore(syscall.SIGXFSZ)
		files, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		longest := int64(0)
		for _, f := range files {
			if info, err := f.Info(); err == nil {
				longest = max(longest, info.Size())
			}
		}
		return setFileLimit(uint64(longest + room))
	}
}

// mountMemory makes dir a file system of 64 MB that has room for some writes.
func mountMemory(_ *testing.T, dir string) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64m"); err != nil {
		return err
	}
	return fillDisk(2 << 20)(dir)
}

// fillDisk leaves room of a file system's space.
func fillDisk(room uint64) func(dir string) error {
	return func(dir string) error {
		f, err := os.OpenFile(filepath.Join(dir, "ballast"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		const piece = 4096
		for err == nil {
			var disk syscall.Statfs_t
			if err = syscall.Statfs(dir, &disk); disk.Bfree*uint64(disk.Bsize) <= room && room > 0 {
				break
			}
			_, err = f.Write(make([]byte, piece))
		}
		if errors.Is(err, syscall.ENOSPC) {
			err = nil
		}
		return errors.Join(err, f.Close())
	}
}

func freeDisk(dir string) error { return os.Remove(filepath.Join(dir, "ballast")) }

// mountImage makes dir a file system in a file, as on a disk.
func mountImage(_ *testing.T, dir string) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := os.WriteFile(dir+".img", make([]byte, 16<<20), 0o600); err != nil {
		return err
	}
	if err := run("mkfs.ext4", "-q", dir+".img"); err != nil {
		return err
	}
	return run("mount", "-o", "loop", dir+".img", dir)
}

// abortDisk makes a file system read-only at once, as a disk's error does: a
// remount is refused while files are open.
func abortDisk(dir string) error { return run("mount", "-o", "remount,abort", dir) }

func renewImage(dir string) error {
	return errors.Join(run("umount", dir), run("mount", "-o", "loop", dir+".img", dir))
}

func run(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %q: %w: %s", name, args, err, out)
	}
	return nil
}
