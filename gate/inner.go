package gate

import (
	"context"
	"slices"
	"sync"

	"github.com/holdfast-go/holdfast"
)

// collector gathers the outcomes of an agent call's own calls.
type collector struct {
	mu    sync.Mutex
	inner []holdfast.Inner
}

type collectorKey struct{}

// ReportInner tells the outcome of a call that an agent tool's handler made. ctx
// is the handler's; elsewhere it does nothing. The observation of the agent call
// lists what was reported, and an inner uncertain makes the call uncertain.
func ReportInner(ctx context.Context, in holdfast.Inner) {
	if c, ok := ctx.Value(collectorKey{}).(*collector); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.inner = append(c.inner, in)
	}
}

// withInner adds what was reported to an agent call's outcome.
func (c *call) withInner() {
	if c.inner == nil {
		return
	}
	c.inner.mu.Lock()
	inner := slices.Clone(c.inner.inner)
	c.inner.mu.Unlock()
	c.outcome.Inner = inner
	unknown := slices.ContainsFunc(inner, func(in holdfast.Inner) bool { return in.Status == holdfast.Uncertain })
	if unknown && c.outcome.Status != holdfast.Uncertain {
		c.innerUncertain()
	}
}
