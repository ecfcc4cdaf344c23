package ledger

import (
	"fmt"
	"sync"
	"testing"
)

// The newest event is remembered, and each is sealed by whoever comes first.
func TestLink_a_sealed_one_keeps_nothing_of_what_came_before_it(t *testing.T) {
	links := make([]*link, 200)
	for i := range links {
		links[i] = &link{event: storedEvent{Number: int64(i + 1), Entry: fmt.Sprint(i)}}
		if i > 0 {
			links[i].prev.Store(links[i-1])
		}
	}
	var wg sync.WaitGroup
	for from := range 4 {
		wg.Go(func() {
			for i := from; i < len(links); i += 3 {
				links[i].Prepare()
			}
		})
	}
	wg.Wait()
	before := ""
	for i, k := range links {
		e, err := k.seal()
		if err != nil || k.prev.Load() != nil || e.Prev != before || e.Hash != e.hash() {
			t.Fatalf("event %d: %+v, %v, it keeps the one before: %v; want it to follow %q", i, e, err, k.prev.Load() != nil, before)
		}
		before = e.Hash
	}
}
