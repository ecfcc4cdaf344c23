package gate

import (
	"container/list"
	"time"

	"github.com/holdfast-go/holdfast"
)

// cache keeps the results of reads within a number of bytes; over it, what was not
// asked for the longest goes first. It is guarded by who holds it.
type cache struct {
	most, size int
	byKey      map[cacheKey]*list.Element // of *keptRead
	recent     list.List                  // the last used first
}

type cacheKey struct {
	reader
	canonical string // arguments
}

type keptRead struct {
	key     cacheKey
	outcome holdfast.Outcome
	until   time.Time
	size    int
}

// keptOverhead is about what a kept read costs beside its bytes.
const keptOverhead = 512

// newCache makes a cache of most bytes, or none.
func newCache(most int) *cache {
	if most < 0 {
		return nil
	}
	return &cache{most: most, byKey: make(map[cacheKey]*list.Element)}
}

func (k *cache) get(key cacheKey, now time.Time) (holdfast.Outcome, bool) {
	at, ok := k.byKey[key]
	if !ok {
		return holdfast.Outcome{}, false
	}
	held := at.Value.(*keptRead)
	if !now.Before(held.until) {
		k.drop(at)
		return holdfast.Outcome{}, false
	}
	k.recent.MoveToFront(at)
	return held.outcome, true
}

// put keeps an outcome, unless it alone would push out most of the others.
func (k *cache) put(key cacheKey, o holdfast.Outcome, until time.Time) {
	if k == nil {
		return
	}
	if at, ok := k.byKey[key]; ok {
		k.drop(at)
	}
	size := keptOverhead + len(key.canonical) + o.Result.Size()
	if size > k.most/2 {
		return
	}
	k.byKey[key] = k.recent.PushFront(&keptRead{key, o, until, size})
	for k.size += size; k.size > k.most; {
		k.drop(k.recent.Back())
	}
}

func (k *cache) drop(at *list.Element) {
	held := k.recent.Remove(at).(*keptRead)
	delete(k.byKey, held.key)
	k.size -= held.size
}
