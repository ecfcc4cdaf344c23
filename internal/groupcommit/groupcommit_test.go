package groupcommit_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/internal/groupcommit"
)

// table is a connection that writes into a list.
type table struct {
	rows, saved, durable []string
	log                  []string

	mu   sync.Mutex
	fail map[string]error
}

func (t *table) failure(what string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.fail[what]
}

func (t *table) mend() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fail = nil
}

type tx struct {
	t     *table
	wrote bool
}

func (x *tx) put(row string) {
	x.wrote = true
	x.t.rows = append(x.t.rows, row)
}

func (t *table) do(what string) error {
	t.log = append(t.log, what)
	return t.failure(what)
}

func (t *table) Check() error { return nil }

func (t *table) Ahead([]any) error { return t.do("ahead") }

func (t *table) Begin([]any) error {
	t.rows = slices.Clone(t.durable)
	return t.do("begin")
}

func (t *table) Lend(any) *tx { return &tx{t: t} }

func (t *table) Return(x *tx) (bool, error) { return x.wrote, t.failure("return") }

// Settle finds fault with a row that is named so.
func (t *table) Settle() (bool, error) {
	if slices.Contains(t.rows, "unwritable") {
		return true, errMine
	}
	return false, t.do("settle")
}

func (t *table) Save() error {
	t.saved = slices.Clone(t.rows)
	return t.do("save")
}

func (t *table) Undo() error {
	t.rows = t.saved
	return t.do("undo")
}

func (t *table) Keep() error { return t.do("keep") }

func (t *table) Rollback() error { return t.do("rollback") }

func (t *table) Commit() (*groupcommit.Rest, error) {
	err := t.do("commit")
	if err == nil {
		t.durable = t.rows
	}
	return nil, err
}

func (t *table) Close() error { return t.do("close") }

var (
	errUnavailable = errors.New("unavailable")
	errMine        = errors.New("mine")
)

func newWriter(t *testing.T, at *table) *groupcommit.Writer[*tx] {
	open := func() (groupcommit.Conn[*tx], error) { return at, at.do("open") }
	w := groupcommit.New(nil, open, func(err error) error { return errors.Join(errUnavailable, err) }, nil)
	t.Cleanup(w.Close)
	return w
}

// together runs updates in one batch: the first holds the transaction until the
// others wait for it.
func together(t *testing.T, w *groupcommit.Writer[*tx], updates ...func(*tx) error) []error {
	t.Helper()
	errs := make([]error, len(updates))
	begun, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	var wg sync.WaitGroup
	wg.Go(func() {
		errs[0] = w.Update(context.Background(), func(x *tx) error {
			once.Do(func() {
				close(begun)
				<-release
			})
			return updates[0](x)
		})
	})
	<-begun
	for i, fn := range updates[1:] {
		wg.Go(func() { errs[i+1] = w.Update(context.Background(), fn) })
	}
	close(release)
	wg.Wait()
	return errs
}

func TestUpdate_a_failure_after_writing_leaves_the_others_alone(t *testing.T) {
	at := &table{}
	w := newWriter(t, at)
	var batch []func(*tx) error
	for i := range 9 {
		batch = append(batch, func(x *tx) error {
			x.put(string(rune('a' + i)))
			if i%4 == 3 {
				return errMine
			}
			return nil
		})
	}
	for i, err := range together(t, w, batch...) {
		if want := i%4 == 3; errors.Is(err, errMine) != want || err != nil && !want {
			t.Errorf("Update %d = %v, fails by itself: %v", i, err, want)
		}
	}
	w.Close()
	got := slices.Clone(at.durable)
	slices.Sort(got)
	if diff := cmp.Diff([]string{"a", "b", "c", "e", "f", "g", "i"}, got); diff != "" {
		t.Errorf("durable rows differ (-want +got):\n%s\n%v", diff, at.log)
	}
}

func TestUpdate_what_cannot_be_written_leaves_the_others_alone(t *testing.T) {
	at := &table{}
	w := newWriter(t, at)
	var batch []func(*tx) error
	for _, name := range []string{"a", "unwritable", "b"} {
		batch = append(batch, func(x *tx) error { x.put(name); return nil })
	}
	for i, err := range together(t, w, batch...) {
		if want := i == 1; errors.Is(err, errMine) != want || err != nil && !want {
			t.Errorf("Update %d = %v, fails by itself: %v", i, err, want)
		}
	}
	w.Close()
	got := slices.Clone(at.durable)
	slices.Sort(got)
	if diff := cmp.Diff([]string{"a", "b"}, got); diff != "" {
		t.Errorf("durable rows differ (-want +got):\n%s\n%v", diff, at.log)
	}
}

func TestUpdate_a_failure_before_writing_costs_nothing(t *testing.T) {
	at := &table{}
	w := newWriter(t, at)
	if err := w.Update(t.Context(), func(*tx) error { return errMine }); !errors.Is(err, errMine) {
		t.Errorf("Update() = %v, want fn's error", err)
	}
	w.Close()
	if diff := cmp.Diff([]string{"open", "begin", "settle", "rollback", "close"}, at.log); diff != "" {
		t.Errorf("what it did differs (-want +got):\n%s", diff)
	}
}

func TestUpdate_a_broken_connection_is_given_up_and_opened_anew(t *testing.T) {
	for _, what := range []string{"open", "begin", "return"} {
		t.Run(what, func(t *testing.T) {
			at := &table{fail: map[string]error{what: errMine}}
			w := newWriter(t, at)
			put := func(x *tx) error { x.put("a"); return nil }
			if err := w.Update(t.Context(), put); !errors.Is(err, errUnavailable) || !errors.Is(err, errMine) {
				t.Errorf("Update() = %v, want it unavailable and why", err)
			}
			at.mend()
			err := w.Update(t.Context(), put)
			if w.Close(); err != nil || len(at.durable) != 1 {
				t.Errorf("Update() again = %v, rows %v, want one", err, at.durable)
			}
		})
	}
}

func TestUpdate_what_a_commit_says_is_told_as_it_is(t *testing.T) {
	at := &table{fail: map[string]error{"commit": errMine}}
	w := newWriter(t, at)
	err := w.Update(t.Context(), func(x *tx) error { x.put("a"); return nil })
	if !errors.Is(err, errMine) || errors.Is(err, errUnavailable) {
		t.Errorf("Update() = %v, want the commit's own error", err)
	}
	w.Close()
	if got := at.log[len(at.log)-1]; got != "close" {
		t.Errorf("last it did %q, want it to give the connection up", got)
	}
}

func TestUpdate_after_Close_is_refused(t *testing.T) {
	w := newWriter(t, &table{})
	w.Close()
	w.Close()
	if err := w.Update(t.Context(), func(*tx) error { return nil }); !errors.Is(err, groupcommit.ErrClosed) || !w.Closed() {
		t.Errorf("Update() = %v, want ErrClosed", err)
	}
}

func TestUpdate_that_waits_can_be_called_off(t *testing.T) {
	at := &table{}
	w := newWriter(t, at)
	ctx, cancel := context.WithCancel(t.Context())
	errs := together(t, w, func(*tx) error { cancel(); return nil })
	if errs[0] != nil {
		t.Fatalf("Update() = %v, want no error", errs[0])
	}
	if err := w.Update(ctx, func(*tx) error { t.Error("fn ran"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("Update() = %v, want it cancelled", err)
	}
}
