package server

import (
	"context"
	"crypto/rand"
	"strconv"
	"strings"
	"sync"

	"github.com/holdfast-go/holdfast/ledger"
)

// The bounds of what is held of a run's events. Whoever missed more is told the
// whole from the record.
const (
	maxEvents     = 4096
	maxEventBytes = 1 << 20
	maxSessions   = 256 // runs of which events are held though nobody listens
)

// session is what this process knows of a run beyond the record: whether a turn
// is under way, and the events that were told last.
type session struct {
	run string
	tag string // of the event ids: those of another session mean nothing here

	mu        sync.Mutex
	busy      bool
	cancel    context.CancelCauseFunc
	waiting   chan<- ledger.Turn // who asked for the turn and waits for its number
	events    []event            // the last ones, ascending
	bytes     int
	last      int64
	listeners map[chan struct{}]struct{}
	live      live
}

// event is one that listeners are told.
type event struct {
	seq  int64
	name string
	data []byte
}

func (s *Server) session(run string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.sessions[run]
	if n == nil {
		if len(s.sessions) >= maxSessions {
			s.forgetOne()
		}
		n = &session{run: run, tag: rand.Text(), listeners: map[chan struct{}]struct{}{}}
		s.sessions[run] = n
	}
	return n
}

// forgetOne drops a session that nobody uses.
func (s *Server) forgetOne() {
	for run, n := range s.sessions {
		n.mu.Lock()
		idle := !n.busy && len(n.listeners) == 0
		n.mu.Unlock()
		if idle {
			delete(s.sessions, run)
			return
		}
	}
}

// take makes the caller the one who drives the run's turn.
func (n *session) take(cancel context.CancelCauseFunc, waiting chan<- ledger.Turn) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.busy {
		return false
	}
	n.busy, n.cancel, n.waiting = true, cancel, waiting
	return true
}

func (n *session) free() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.busy, n.cancel, n.waiting = false, nil, nil
	n.live = live{}
}

// interrupt ends the turn that is under way and reports whether there is one.
func (n *session) interrupt(cause error) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.busy && n.cancel != nil {
		n.cancel(cause)
	}
	return n.busy
}

func (n *session) running() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.busy
}

// begun tells that a turn began.
func (n *session) begun(t ledger.Turn) {
	n.mu.Lock()
	waiting := n.waiting
	n.waiting = nil
	n.mu.Unlock()
	n.tell("turn", map[string]any{"turn": t.Number, "message": t.Message, "shown": shown(t.Message), "started": t.Started})
	if waiting != nil {
		waiting <- t
	}
}

// tell adds an event and wakes who listens.
func (n *session) tell(name string, data any) {
	text, err := encode(data)
	if err != nil {
		return // our own structs do marshal
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.push(name, text)
}

func (n *session) push(name string, data []byte) {
	n.last++
	n.events = append(n.events, event{n.last, name, data})
	n.bytes += len(data)
	for len(n.events) > maxEvents || n.bytes > maxEventBytes && len(n.events) > 1 {
		n.bytes -= len(n.events[0].data)
		n.events[0].data = nil
		n.events = n.events[1:]
	}
	for wake := range n.listeners {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

// listen makes a channel that is woken when there are new events.
func (n *session) listen() (wake chan struct{}, leave func()) {
	wake = make(chan struct{}, 1)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.listeners[wake] = struct{}{}
	return wake, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.listeners, wake)
	}
}

// after lists the events behind seq; whole is false where some are gone.
func (n *session) after(seq int64) (events []event, whole bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if seq > n.last || len(n.events) > 0 && seq < n.events[0].seq-1 || len(n.events) == 0 && seq < n.last {
		return nil, false
	}
	if len(n.events) == 0 {
		return nil, true
	}
	from := max(0, int(seq-n.events[0].seq+1))
	return append([]event(nil), n.events[from:]...), true
}

// now is where the events stand, and what is under way.
func (n *session) now() (seq int64, busy bool, under live) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.last, n.busy, n.live.copy()
}

// id is an event's name for clients.
func (n *session) id(seq int64) string { return n.tag + "." + strconv.FormatInt(seq, 10) }

// seen reads an id back; ok is false where it is none of this session.
func (n *session) seen(id string) (seq int64, ok bool) {
	tag, number, _ := strings.Cut(id, ".")
	seq, err := strconv.ParseInt(number, 10, 64)
	return seq, err == nil && tag == n.tag
}
