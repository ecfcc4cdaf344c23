package gate

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestLimitedContextKeepsTheContractOfContext(t *testing.T) {
	for _, armed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			type key struct{}
			parent, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "v"))
			defer cancel()
			made := func() *limited {
				l := limit(parent, time.Second)
				if armed {
					l.Done()
				}
				return l
			}
			l := made()
			if l.Err() != nil || l.Value(key{}) != "v" {
				t.Errorf("fresh: Err() = %v, Value() = %v", l.Err(), l.Value(key{}))
			}
			child, stop := context.WithTimeout(l, time.Minute)
			defer stop()
			time.Sleep(time.Second)
			synctest.Wait()
			if !errors.Is(l.Err(), context.DeadlineExceeded) || child.Err() == nil {
				t.Errorf("past its limit: Err() = %v, its child's %v", l.Err(), child.Err())
			}
			<-l.Done()

			l = made()
			l.end()
			l.end()
			if !errors.Is(l.Err(), context.Canceled) {
				t.Errorf("ended: Err() = %v", l.Err())
			}
			<-l.Done()

			l = made()
			child, stop = context.WithCancel(l)
			defer stop()
			l.end()
			synctest.Wait()
			if child.Err() == nil {
				t.Error("a child outlives the end")
			}

			l = made()
			cancel()
			synctest.Wait()
			if !errors.Is(l.Err(), context.Canceled) {
				t.Errorf("with its parent cancelled: Err() = %v", l.Err())
			}
			<-l.Done()
		})
	}
	sooner, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	theirs, _ := sooner.Deadline()
	if got, ok := limit(sooner, time.Hour).Deadline(); !ok || !got.Equal(theirs) {
		t.Errorf("Deadline() = %v, want the caller's %v", got, theirs)
	}
}
