package sqlite

import (
	"sync"
	"sync/atomic"

	"github.com/ncruces/go-sqlite3"
)

// logPages is how far the log may grow before a helper beside the writer brings it
// into the database. Only the writer can have the log begin anew, and must bring in
// what came meanwhile, with syncs of its own: so it does that when the log is twice
// as long, or, where the helper has not come through, four times.
const logPages = 4000

// Before the log begins anew the helper goes through it until it has left few pages,
// but no oftener than so many times.
const (
	fewPages = 100
	passes   = 4
)

// checkpoints is what the writer and its helper tell each other.
type checkpoints struct {
	pages   atomic.Int64 // logPages, but in tests
	asked   atomic.Int64 // how long the log was when the helper was asked
	due     chan struct{}
	begun   atomic.Bool // the helper is at it
	most    atomic.Bool // it has brought in most of the log
	running sync.WaitGroup
}

// watchLog has the connection tell how long the log is, instead of bringing it
// into the database in the middle of a commit.
func (c *conn) watchLog() {
	c.db.WALHook(func(_ *sqlite3.Conn, _ string, pages int) error {
		c.logged = pages
		return nil
	})
}

// afterCommit sees to the log. That it could not be brought in harms nothing: it
// is tried again.
func (p *checkpoints) afterCommit(c *conn) {
	pages, logged := p.pages.Load(), int64(c.logged)
	if logged < p.asked.Load() {
		p.asked.Store(0) // it has begun anew
	}
	switch {
	case logged >= 4*pages, logged >= 2*pages && p.most.Swap(false):
		_, _, _ = c.db.WALCheckpoint("main", sqlite3.CHECKPOINT_PASSIVE)
	case logged >= p.asked.Load()+pages && p.begun.CompareAndSwap(false, true):
		p.asked.Store(logged)
		p.due <- struct{}{}
	}
}

// bringIn is the helper, on a connection of its own.
func (s *Store) bringIn() {
	var c *conn
	defer func() {
		if c != nil {
			_ = c.close()
		}
	}()
	for {
		select {
		case <-s.closing:
			return
		case <-s.log.due:
		}
		enough := s.log.asked.Load() >= 2*s.log.pages.Load()
		err := s.present()
		if err == nil && c == nil {
			c, err = s.connect()
		}
		for range passes {
			if err != nil {
				break
			}
			var all, done int
			if all, done, err = c.db.WALCheckpoint("main", sqlite3.CHECKPOINT_PASSIVE); !enough || all-done < fewPages {
				break
			}
		}
		if err != nil && c != nil {
			_ = c.close()
			c = nil
		}
		s.log.most.Store(enough)
		s.log.begun.Store(false)
	}
}
