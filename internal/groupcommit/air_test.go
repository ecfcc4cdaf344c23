package groupcommit_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/internal/groupcommit"
)

// slow is a table whose commits become durable when the test lets them.
type slow struct {
	*table
	syncs   chan chan error // one for each sync that is under way
	atFirst func()          // called in the first commit
}

func (s *slow) Commit() (*groupcommit.Rest, error) {
	_, err := s.table.Commit()
	if fn := s.atFirst; fn != nil {
		s.atFirst = nil
		fn()
	}
	return &groupcommit.Rest{Sync: func() error {
		end := make(chan error)
		s.syncs <- end
		return <-end
	}}, err
}

func ask(w *groupcommit.Writer[*tx], fn func(*tx) error) <-chan error {
	told := make(chan error, 1)
	go func() { told <- w.Update(context.Background(), fn) }()
	return told
}

func put(row string) func(*tx) error {
	return func(x *tx) error { x.put(row); return nil }
}

// inTheAir has a first update synced while a second has run.
func inTheAir(t *testing.T, fn func(*tx) error, then func(s *slow, w *groupcommit.Writer[*tx], first, second <-chan error, end chan<- error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &slow{table: &table{}, syncs: make(chan chan error)}
		w := groupcommit.New(groupcommit.Conn[*tx](s), func() (groupcommit.Conn[*tx], error) { return s, s.do("open") },
			func(err error) error { return errors.Join(errUnavailable, err) }, nil)
		defer w.Close()
		var second <-chan error
		s.atFirst = func() {
			second = ask(w, fn)
			synctest.Wait() // it is in the queue
		}
		first := ask(w, put("first"))
		end := <-s.syncs
		synctest.Wait()
		then(s, w, first, second, end)
	})
}

func wantUntold(t *testing.T, updates ...<-chan error) {
	t.Helper()
	for i, u := range updates {
		select {
		case err := <-u:
			t.Fatalf("Update %d = %v while what it read or wrote was not durable", i+1, err)
		default:
		}
	}
}

func TestUpdate_nothing_is_told_before_what_it_read_is_durable(t *testing.T) {
	for name, c := range map[string]struct {
		fn    func(*tx) error
		want  error
		syncs bool
	}{
		"a change":              {put("second"), nil, true},
		"a refusal":             {func(*tx) error { return errMine }, errMine, false},
		"a refusal of a change": {func(x *tx) error { x.put("second"); return errMine }, errMine, false},
	} {
		t.Run(name, func(t *testing.T) {
			inTheAir(t, c.fn, func(s *slow, _ *groupcommit.Writer[*tx], first, second <-chan error, end chan<- error) {
				wantUntold(t, first, second)
				end <- nil
				if err := <-first; err != nil {
					t.Errorf("Update() = %v, want no error", err)
				}
				if c.syncs {
					end = <-s.syncs
					synctest.Wait()
					wantUntold(t, second)
					end <- nil
				}
				if err := <-second; !errors.Is(err, c.want) {
					t.Errorf("Update() = %v, want %v", err, c.want)
				}
			})
		})
	}
}

func TestUpdate_what_was_built_upon_a_lost_commit_goes_with_it(t *testing.T) {
	for name, fn := range map[string]func(*tx) error{"a change": put("second"), "a refusal": func(*tx) error { return errMine }} {
		t.Run(name, func(t *testing.T) {
			inTheAir(t, fn, func(s *slow, w *groupcommit.Writer[*tx], first, second <-chan error, end chan<- error) {
				fire := errors.New("disk on fire")
				end <- fire
				if err := <-first; !errors.Is(err, fire) || errors.Is(err, errUnavailable) {
					t.Errorf("Update() = %v, want the sync's own error", err)
				}
				if err := <-second; !errors.Is(err, errUnavailable) {
					t.Errorf("Update() that read what was lost = %v, want it unavailable", err)
				}
				third := ask(w, put("third"))
				(<-s.syncs) <- nil
				if err := <-third; err != nil {
					t.Errorf("Update() afterwards = %v, want no error", err)
				}
				if !slices.Contains(s.log, "close") || !slices.Contains(s.log, "open") {
					t.Errorf("it did %v, want the connection given up and opened anew", s.log)
				}
			})
		})
	}
}

func TestClose_waits_for_the_sync(t *testing.T) {
	inTheAir(t, put("second"), func(s *slow, w *groupcommit.Writer[*tx], first, second <-chan error, end chan<- error) {
		closed := make(chan struct{})
		go func() { w.Close(); close(closed) }()
		synctest.Wait()
		select {
		case <-closed:
			t.Fatal("Close() returned while a sync was under way")
		default:
		}
		end <- nil
		(<-s.syncs) <- nil
		<-closed
		if err := errors.Join(<-first, <-second); err != nil {
			t.Errorf("Update() = %v, want no error", err)
		}
	})
}

// beside is a table whose first batch is written beside the next, and is to be run
// again.
type beside struct {
	*slow
	writing chan chan struct{} // the first; nil: it was
}

func (b *beside) Commit() (*groupcommit.Rest, error) {
	before := slices.Clone(b.durable)
	rest, err := b.slow.Commit()
	if writing := b.writing; writing != nil {
		b.writing = nil
		rest.Write = func() error {
			end := make(chan struct{})
			writing <- end
			<-end
			b.durable = before
			return groupcommit.ErrAgain
		}
	}
	return rest, err
}

func TestUpdate_those_in_the_air_are_run_again_one_by_one(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &beside{slow: &slow{table: &table{}, syncs: make(chan chan error)}, writing: make(chan chan struct{})}
		writing := b.writing
		w := groupcommit.New(groupcommit.Conn[*tx](b), nil, func(err error) error { return errors.Join(errUnavailable, err) }, nil)
		defer w.Close()
		runs := 0
		var second, refused <-chan error
		b.atFirst = func() {
			second = ask(w, put("second"))
			refused = ask(w, func(x *tx) error {
				if runs++; runs > 1 {
					x.put("no")
					return errMine
				}
				return nil
			})
			synctest.Wait() // they are in the queue
		}
		first := ask(w, put("first"))
		end := <-writing
		synctest.Wait()
		wantUntold(t, first, second, refused)
		close(end)
		sync := <-b.syncs
		synctest.Wait()
		wantUntold(t, first, second, refused)
		sync <- nil
		if err := errors.Join(<-first, <-second); err != nil {
			t.Errorf("Update() = %v, want no error", err)
		}
		if err := <-refused; !errors.Is(err, errMine) || runs != 2 {
			t.Errorf("Update() = %v after %d runs, want what the second said", err, runs)
		}
		if got := b.durable; !slices.Equal(got, []string{"first", "second"}) {
			t.Errorf("rows are %q, want those that were not refused, in their order; it did %v", got, b.log)
		}
	})
}

// Where two halves share the turns, a batch may be of refusals alone, which has
// nothing to sync. It is built upon what is in the air all the same.
func TestUpdate_a_batch_of_refusals_is_told_when_what_it_read_is_durable(t *testing.T) {
	fire := errors.New("disk on fire")
	for name, c := range map[string]struct{ sync, refused error }{
		"the sync is made": {nil, errMine}, "the sync fails": {fire, errUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &slow{table: &table{}, syncs: make(chan chan error, 64)}
				w := groupcommit.New(groupcommit.Conn[*tx](s), func() (groupcommit.Conn[*tx], error) { return s, s.do("open") },
					func(err error) error { return errors.Join(errUnavailable, err) }, nil)
				defer w.Close()
				inHalves(t, w, s)
				var second <-chan error
				var refused [2]<-chan error
				first := ask(w, func(x *tx) error {
					if second == nil { // these are in the queue behind it, in this order
						second = ask(w, put("second"))
						synctest.Wait()
						for i := range refused {
							refused[i] = ask(w, func(*tx) error { time.Sleep(time.Second); return errMine })
							synctest.Wait()
						}
					}
					time.Sleep(time.Second)
					return put("first")(x)
				})
				end := <-s.syncs // of the batch of the first and the second
				time.Sleep(10 * time.Second)
				synctest.Wait()
				wantUntold(t, first, second, refused[0], refused[1])
				end <- c.sync
				synctest.Wait()
				select {
				case end = <-s.syncs: // of the batch of refusals: after one that failed, so do those behind it
					end <- c.sync
				default:
				}
				for _, u := range []<-chan error{first, second} {
					if err := <-u; !errors.Is(err, c.sync) || errors.Is(err, errUnavailable) {
						t.Errorf("Update() = %v, want what the sync said: %v", err, c.sync)
					}
				}
				for _, u := range refused {
					if err := <-u; !errors.Is(err, c.refused) {
						t.Errorf("Update() that was refused = %v, want %v", err, c.refused)
					}
				}
			})
		})
	}
}

// inHalves makes updates that take long, and syncs that do not.
func inHalves(t *testing.T, w *groupcommit.Writer[*tx], s *slow) {
	t.Helper()
	for range 8 {
		told := ask(w, func(x *tx) error { time.Sleep(time.Second); return put("slow")(x) })
		end := <-s.syncs
		time.Sleep(time.Millisecond)
		end <- nil
		if err := <-told; err != nil {
			t.Fatal(err)
		}
	}
}
