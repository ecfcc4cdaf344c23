package server

import (
	"sync"
	"time"

	"github.com/holdfast-go/holdfast"
)

// rates is a bucket of requests for each principal, that fills again with time.
type rates struct {
	perSecond, most float64

	mu      sync.Mutex
	buckets map[holdfast.Principal]bucket
}

type bucket struct {
	left float64
	at   time.Time
}

// maxBuckets is from how many on those are dropped that are full again.
const maxBuckets = 1024

// burst is how many seconds' worth of requests may come at once.
const burst = 4

func newRates(perSecond int) *rates {
	return &rates{perSecond: float64(perSecond), most: burst * float64(perSecond), buckets: map[holdfast.Principal]bucket{}}
}

// take takes one request out of p's bucket, or says how long until there is one.
func (r *rates) take(p holdfast.Principal) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	b, ok := r.buckets[p]
	if !ok {
		if len(r.buckets) >= maxBuckets {
			r.dropFull(now)
		}
		b = bucket{r.most, now}
	}
	b.left, b.at = r.filled(b, now), now
	wait := time.Duration(0)
	if b.left < 1 {
		wait = time.Duration((1 - b.left) / r.perSecond * float64(time.Second))
	} else {
		b.left--
	}
	r.buckets[p] = b
	return wait
}

func (r *rates) filled(b bucket, now time.Time) float64 {
	return min(r.most, b.left+now.Sub(b.at).Seconds()*r.perSecond)
}

func (r *rates) dropFull(now time.Time) {
	for p, b := range r.buckets {
		if r.filled(b, now) == r.most {
			delete(r.buckets, p)
		}
	}
}
