package server

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/holdfast-go/holdfast/ledger"
)

const (
	// feedEvery is how often the record is asked what is new in it. It is the
	// truth: other processes write there too.
	feedEvery = 500 * time.Millisecond
	// maxFeed bounds what is told at once.
	maxFeed = 200
)

// newsView is a call of which the record says something new.
type newsView struct {
	Number int64     `json:"number"` // in the chain of all events
	At     time.Time `json:"at"`
	What   string    `json:"what"`
	Call   callView  `json:"call"`
}

// feed tells what is new in the record, of all that whoever asks may see, as it
// comes. Behind Last-Event-ID it goes on; without it, it begins with what comes
// next.
func (s *Server) feed(w http.ResponseWriter, r *http.Request) error {
	at, err := s.feedFrom(r)
	if err != nil {
		return err
	}
	out := openStream(w)
	poll, beat := time.NewTicker(feedEvery), time.NewTicker(heartbeat)
	defer poll.Stop()
	defer beat.Stop()
	// The place goes out at once, so that a client that is cut off before the
	// first event comes back to here.
	if out.event(strconv.FormatInt(at, 10), "ready", []byte("{}")) != nil || out.flush() != nil {
		return nil
	}
	for {
		select {
		case <-poll.C:
			if at, err = s.tellNews(r.Context(), out, at); err != nil {
				return nil // the client comes again
			}
		case <-beat.C:
			if _, err := s.identify(r); err != nil || out.comment() != nil {
				return nil
			}
		case <-r.Context().Done():
			return nil
		case <-s.ended:
			return nil
		}
	}
}

// feedFrom is the place in the chain behind which a client wants to be told.
func (s *Server) feedFrom(r *http.Request) (int64, error) {
	last := r.Header.Get("Last-Event-ID")
	if last == "" {
		_, end, err := s.ledger.Tail(r.Context(), -1, 1)
		return end, err
	}
	at, err := strconv.ParseInt(last, 10, 64)
	if err != nil || at < 0 {
		return 0, badRequest("Last-Event-ID is not one that was given.")
	}
	return at, nil
}

// tellNews writes what was recorded behind at and gives where that ends. Of
// several events of one call the last is told.
func (s *Server) tellNews(ctx context.Context, out *eventWriter, at int64) (int64, error) {
	events, next, err := s.ledger.Tail(ctx, at, maxFeed)
	if err != nil || len(events) == 0 {
		return at, err
	}
	last := map[string]int64{}
	for _, e := range events {
		last[e.Entry] = e.Seq
	}
	for _, e := range events {
		if last[e.Entry] != e.Seq {
			continue
		}
		entry, err := s.entry(ctx, e.Entry)
		if errors.Is(err, ledger.ErrNotFound) {
			continue // pruned, or another's
		}
		if err != nil {
			return at, err
		}
		data, err := encode(newsView{e.Seq, e.At, e.What, viewEntry(entry, maxRow)})
		if err != nil {
			return at, err
		}
		if err := out.event(strconv.FormatInt(next, 10), "call", data); err != nil {
			return at, err
		}
	}
	return next, out.flush()
}
