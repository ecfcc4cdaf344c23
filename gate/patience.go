package gate

import (
	"context"
	"sync"
	"time"
)

// patience is a context for what must be written whatever became of the caller:
// the caller's values, a deadline of its own, and no cancellation. Most stores
// only ask Err, so the timer is not made before somebody waits.
type patience struct {
	context.Context // without its cancellation
	deadline        time.Time

	mu     sync.Mutex
	armed  context.Context
	cancel context.CancelFunc
}

func newPatience(ctx context.Context, d time.Duration) *patience {
	return &patience{Context: context.WithoutCancel(ctx), deadline: time.Now().Add(d)}
}

func (p *patience) Deadline() (time.Time, bool) { return p.deadline, true }

func (p *patience) Done() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.armed == nil {
		p.armed, p.cancel = context.WithDeadline(p.Context, p.deadline)
	}
	return p.armed.Done()
}

func (p *patience) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.armed != nil:
		return p.armed.Err()
	case !time.Now().Before(p.deadline):
		return context.DeadlineExceeded
	}
	return nil
}

// end frees the timer.
func (p *patience) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cancel != nil {
		p.cancel()
	}
}
