package server

import (
	"bufio"
	"fmt"
	"net/http"
	"time"
)

const (
	heartbeat    = 15 * time.Second
	writeTimeout = 30 * time.Second
)

// stream tells a run's events as they happen. It begins with those behind
// Last-Event-ID, or, where they are no longer held, with the run as it stands:
// an event "snapshot".
func (s *Server) stream(w http.ResponseWriter, r *http.Request) error {
	run := r.PathValue("run")
	if _, err := s.run(r.Context(), run); err != nil {
		return err
	}
	n := s.session(run)
	wake, leave := n.listen()
	defer leave()
	out := openStream(w)
	last := r.Header.Get("Last-Event-ID")
	if last == "" {
		last = r.URL.Query().Get("last_event_id")
	}
	seq, known := n.seen(last)
	if !known {
		seq = -1
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		var err error
		if seq, err = s.catchUp(r, out, n, seq); err != nil {
			return nil // the client is gone, or is to come again
		}
		select {
		case <-wake:
		case <-beat.C:
			if _, err := s.identify(r); err != nil || out.comment() != nil {
				return nil // a token that was revoked meanwhile ends its streams
			}
		case <-r.Context().Done():
			return nil
		case <-s.ended:
			return nil
		}
	}
}

// catchUp writes what happened since seq and gives where that ends.
func (s *Server) catchUp(r *http.Request, out *eventWriter, n *session, seq int64) (int64, error) {
	events, whole := n.after(seq)
	if !whole {
		view, now, err := s.runView(r.Context(), n.run)
		if err != nil {
			return seq, err
		}
		data, err := encode(view)
		if err != nil {
			return seq, err
		}
		return now, out.write(n, event{now, "snapshot", data})
	}
	if len(events) == 0 {
		return seq, nil
	}
	return events[len(events)-1].seq, out.write(n, events...)
}

// eventWriter writes events to one client.
type eventWriter struct {
	to      *bufio.Writer
	control *http.ResponseController
}

// openStream begins a stream of events.
func openStream(w http.ResponseWriter) *eventWriter {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{})
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	return &eventWriter{bufio.NewWriterSize(w, 2048), control}
}

func (e *eventWriter) write(n *session, events ...event) error {
	for _, v := range events {
		if err := e.event(n.id(v.seq), v.name, v.data); err != nil {
			return err
		}
	}
	return e.flush()
}

// event writes one; it goes out with the next flush, or before.
func (e *eventWriter) event(id, name string, data []byte) error {
	_ = e.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	_, err := fmt.Fprintf(e.to, "id: %s\nevent: %s\ndata: %s\n\n", id, name, data)
	return err
}

func (e *eventWriter) flush() error {
	_ = e.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	if err := e.to.Flush(); err != nil {
		return err
	}
	return e.control.Flush()
}

// comment keeps the connection, and finds out whether anybody is there.
func (e *eventWriter) comment() error {
	if _, err := e.to.WriteString(": still here\n\n"); err != nil {
		return err
	}
	return e.flush()
}
