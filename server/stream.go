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
	out := &eventWriter{to: w, control: http.NewResponseController(w), session: n}
	_ = out.control.SetReadDeadline(time.Time{})
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
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
		if seq, err = s.catchUp(r, out, seq); err != nil {
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
func (s *Server) catchUp(r *http.Request, out *eventWriter, seq int64) (int64, error) {
	events, whole := out.session.after(seq)
	if !whole {
		view, now, err := s.runView(r.Context(), out.session.run)
		if err != nil {
			return seq, err
		}
		data, err := encode(view)
		if err != nil {
			return seq, err
		}
		return now, out.write(event{now, "snapshot", data})
	}
	if len(events) == 0 {
		return seq, nil
	}
	return events[len(events)-1].seq, out.write(events...)
}

// eventWriter writes events to one client.
type eventWriter struct {
	to      http.ResponseWriter
	control *http.ResponseController
	session *session
}

func (e *eventWriter) write(events ...event) error {
	_ = e.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	b := bufio.NewWriterSize(e.to, 2048)
	for _, v := range events {
		fmt.Fprintf(b, "id: %s\nevent: %s\ndata: ", e.session.id(v.seq), v.name)
		_, _ = b.Write(v.data)
		_, _ = b.WriteString("\n\n")
	}
	if err := b.Flush(); err != nil {
		return err
	}
	return e.control.Flush()
}

// comment keeps the connection, and finds out whether anybody is there.
func (e *eventWriter) comment() error {
	_ = e.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	if _, err := e.to.Write([]byte(": still here\n\n")); err != nil {
		return err
	}
	return e.control.Flush()
}
