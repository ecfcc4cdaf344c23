package groupcommit

import (
	"sync/atomic"
	"time"
)

// pace decides whether all who ask share one commit, or one half of them runs while
// the sync of the other is under way. All together need fewer syncs; two halves are
// faster where it takes longer to run all than to sync.
type pace struct {
	began time.Time
	idle  time.Duration // of the time since then
	each  time.Duration // that an update takes, and its part of the commit
	sync  atomic.Int64  // that a sync takes; 0: none is made beside the writer
}

func (p *pace) begin() { p.began, p.idle = time.Now(), 0 }

func (p *pace) waited(d time.Duration) { p.idle += d }

func (p *pace) ran(updates int) {
	took := time.Since(p.began) - p.idle
	p.each += (took/time.Duration(updates) - p.each) / 8
}

func (p *pace) synced(took time.Duration) {
	old := p.sync.Load()
	p.sync.Store(old + (int64(took)-old)/8)
}

func (p *pace) halves(callers int) bool {
	took := time.Duration(p.sync.Load())
	return took > 0 && took < p.each*time.Duration(callers)
}
