package postgres_test

import (
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/postgres"
)

// wire stands between a store and its database, and can be cut.
type wire struct {
	server string

	mu       sync.Mutex
	fault    func(sent []byte) fault // of what is sent, either way; nil: none
	patience time.Duration           // how long a store waits for what is lost
	deaf     bool                    // what the database answers is lost, and the wire with it
	cut      bool
	conns    []net.Conn
}

// newWire returns a wire, and the address to reach the database by it.
func newWire(t *testing.T) (*wire, string) {
	t.Helper()
	u, err := url.Parse(address(t))
	q := u.Query()
	if err != nil || q.Get("host") == "" || runtime.GOOS == "windows" {
		t.Skip("skipped: HOLDFAST_POSTGRES names no database at a socket in a folder")
	}
	dir, err := os.MkdirTemp("", "wire") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	w := &wire{server: filepath.Join(q.Get("host"), ".s.PGSQL.5432")}
	l, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return // it was closed
			}
			running.Go(func() { w.carry(c) })
		}
	})
	t.Cleanup(func() { _ = l.Close(); w.set(true, false); running.Wait() })
	q.Set("host", dir)
	u.RawQuery = q.Encode()
	return w, u.String()
}

// set cuts the wire, or makes it deaf, or mends it.
func (w *wire) set(cut, deaf bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut, w.deaf = cut, deaf
	if cut {
		for _, c := range w.conns {
			_ = c.Close()
		}
		w.conns = nil
	}
}

// fail says what happens to what is sent from now on, by stores that wait so long.
func (w *wire) fail(patience time.Duration, fn func(sent []byte) fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.patience, w.fault = patience, fn
}

func (w *wire) state() (cut, deaf bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cut, w.deaf
}

func (w *wire) carry(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", w.server)
	if err != nil {
		return
	}
	defer server.Close()
	w.mu.Lock()
	cut := w.cut
	w.conns = append(w.conns, client, server)
	w.mu.Unlock()
	if cut {
		return
	}
	var up sync.WaitGroup
	up.Go(func() { w.pass(server, client); _ = server.Close() })
	w.pass(client, struct{ io.Reader }{hearing{server, w}})
	_ = client.Close()
	up.Wait()
}

// hearing is what the database says, unless the wire is deaf.
type hearing struct {
	net.Conn
	w *wire
}

func (h hearing) Read(b []byte) (int, error) {
	n, err := h.Conn.Read(b)
	if _, deaf := h.w.state(); deaf {
		return 0, io.ErrClosedPipe
	}
	return n, err
}

// fault is what happens to what is sent.
type fault int

const (
	arrives fault = iota
	isLost        // and what is sent after it; the wire is cut only when nobody waits any more
	isCut         // in its midst, and the wire with it
)

// pass carries what is sent until the wire is cut.
func (w *wire) pass(to io.Writer, from io.Reader) {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		f := arrives
		w.mu.Lock()
		patience := w.patience
		if w.fault != nil {
			f = w.fault(buf[:n])
		}
		w.mu.Unlock()
		switch f {
		case isCut:
			_, _ = to.Write(buf[:n/2])
			return
		case isLost:
			time.Sleep(patience)
			return
		case arrives:
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

func TestLedger_a_database_that_goes_away(t *testing.T) {
	w, a := newWire(t)
	s, err := postgres.Open(t.Context(), a, &postgres.Options{Schema: newSchema()})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	l, err := ledger.New(t.Context(), s, nil)
	if err != nil {
		t.Fatalf("New() = %v, want no error", err)
	}
	claim := func(key string) ledger.Claim {
		return ledger.Claim{TellsApart: true, Entry: ledger.Entry{Tool: "pay", Effect: holdfast.Write, Key: key, ArgumentsDigest: key}}
	}
	start := func(key string) ledger.Entry {
		t.Helper()
		e, standing, err := l.Start(t.Context(), claim(key))
		if err != nil || !standing.Free() {
			t.Fatalf("Start(%s) = %+v, %v, want it free", key, standing, err)
		}
		return e
	}
	done := holdfast.Outcome{Status: holdfast.OK}

	w.set(true, false) // before
	if _, _, err := l.Start(t.Context(), claim("before")); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("Start() without a database = %v, want ErrUnavailable", err)
	}
	w.set(false, false)
	start("before")

	steps := 0 // during: the commit arrives, and its answer does not
	s.At(func() {
		if steps++; steps == 4 { // not begun, begun, written, to be committed
			w.set(false, true)
		}
	})
	if _, _, err := l.Start(t.Context(), claim("during")); err == nil || errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("Start() whose commit was not answered = %v, want an error that promises nothing", err)
	}
	w.set(false, false)
	start("during") // taken back, where it was durable, and free again

	e := start("after") // after: the effect is there, and the record is not
	w.set(true, false)
	if _, err := l.Settle(t.Context(), e.ID, e.Fence, done, "record", ""); err == nil {
		t.Error("Settle() without a database = no error, want one")
	}
	w.set(false, false)
	got, err := l.Entry(t.Context(), e.ID)
	for range 4 { // readers, each of which finds out by its first question that it was cut off
		if errors.Is(err, ledger.ErrUnavailable) {
			got, err = l.Entry(t.Context(), e.ID)
		}
	}
	if err != nil || got.State != ledger.StateUncertain {
		t.Errorf("Entry() = %s, %v, want uncertain until it is committed", got.State, err)
	}
	if got, err := l.Settle(t.Context(), e.ID, e.Fence, done, "record", ""); err != nil || got.State != ledger.StateOK {
		t.Errorf("Settle() again = %s, %v, want ok", got.State, err)
	}
	if _, _, faults, err := l.Verify(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("Verify() = %q, %v, want no faults", faults, err)
	}
}
