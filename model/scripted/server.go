package scripted

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Options of New; nil means defaults.
type Options struct {
	// Seen is told each request that comes in, right or wrong, before it is
	// answered. It may be called from several goroutines.
	Seen func(api string, body []byte)
}

// Server plays a scenario to whoever asks in one of the five formats. It is an
// [http.Handler], and an [http.RoundTripper] that answers within the process.
// Safe for concurrent use.
type Server struct {
	scenario *Scenario
	options  Options

	mu     sync.Mutex
	played map[*rule]int // of rules with `times`
}

// New makes a server; it starts nothing.
func New(s *Scenario, o *Options) *Server {
	v := &Server{scenario: s, played: map[*rule]int{}}
	if o != nil {
		v.options = *o
	}
	return v
}

// Listen serves on addr ("127.0.0.1:0" for any free port) until stop is called,
// which waits for the serving to end. base is the server's address.
func (v *Server) Listen(addr string) (base string, stop func(), err error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "", nil, fmt.Errorf("scripted provider: %w", err)
	}
	s := &http.Server{Handler: v, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l)
	}()
	return "http://" + l.Addr().String(), func() { _ = s.Close(); <-done }, nil
}

// format is one of the five: how a request is read and a reply is written.
type format interface {
	// read checks the request as strictly as the provider does.
	read(body []byte, r *http.Request) (*request, *fault)
	// stream and whole encode a reply.
	stream(q *request, p *played) []frame
	whole(q *request, p *played) []byte
	// failed is an error's body, and inStream an error's frame after HTTP 200.
	failed(f *fault) []byte
	inStream(f *fault) frame
}

// frame is a piece of a stream, framing included.
type frame struct {
	part part
	text string
}

// part says what a frame is of, so that a stream can be cut there.
type part int

const (
	opening part = iota
	inText
	inCall
	closing // of a call, block or item
	ending  // the end sign, and what comes with it
)

// fault is an error that the provider tells.
type fault struct {
	status     int
	code       string // in neutral words; each format has its own for it
	message    string
	retryAfter string
}

func invalid(form string, args ...any) *fault {
	return &fault{status: http.StatusBadRequest, code: "invalid_request_error", message: fmt.Sprintf(form, args...)}
}

// route finds the format that an address belongs to.
func route(path string) (api string, f format) {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return "openai-chat", chat{}
	case strings.HasSuffix(path, "/responses"):
		return "openai-responses", responses{}
	case strings.HasSuffix(path, "/messages"):
		return "anthropic", anthropic{}
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		return "gemini", gemini{}
	case strings.HasSuffix(path, "/interactions"):
		return "interactions", interactions{}
	}
	return "", nil
}

// maxRequest bounds a request body.
const maxRequest = 32 << 20

// ServeHTTP answers one request.
func (v *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Server", "holdfast-scripted")
	w.Header().Set("Holdfast-Scripted", v.scenario.name)
	api, f := route(r.URL.Path)
	if f == nil || r.Method != http.MethodPost {
		http.Error(w, "This is a scripted provider. It answers POST to /v1/chat/completions, /v1/responses, /v1/messages, "+
			"/v1beta/models/MODEL:generateContent, /v1beta/models/MODEL:streamGenerateContent and /v1beta/interactions.", http.StatusNotFound)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		refuse(w, f, &fault{status: http.StatusRequestEntityTooLarge, code: "request_too_large", message: "the request is too large or broke off"})
		return
	}
	if v.options.Seen != nil {
		v.options.Seen(api, body)
	}
	q, bad := read(f, body, r)
	if bad != nil {
		refuse(w, f, bad)
		return
	}
	q.api, q.bytes = api, len(body)
	p, err := v.play(q)
	if err != nil {
		refuse(w, f, &fault{status: http.StatusInternalServerError, code: "api_error", message: "scenario " + v.scenario.name + ": " + err.Error()})
		return
	}
	if p.failure != nil && p.failure.status != http.StatusOK {
		refuse(w, f, p.failure)
		return
	}
	v.answer(r.Context(), w, f, q, p)
}

func read(f format, body []byte, r *http.Request) (*request, *fault) {
	if bad := checkText(body); bad != nil {
		return nil, bad
	}
	q, bad := f.read(body, r)
	if bad != nil {
		return nil, bad
	}
	if bad := checkTools(q.tools); bad != nil {
		return nil, bad
	}
	return q, nil
}

func refuse(w http.ResponseWriter, f format, bad *fault) {
	w.Header().Set("Content-Type", "application/json")
	if bad.retryAfter != "" {
		w.Header().Set("Retry-After", bad.retryAfter)
	}
	w.WriteHeader(bad.status)
	_, _ = w.Write(f.failed(bad))
}

// answer writes the reply; a reply that is cut breaks the connection.
func (v *Server) answer(ctx context.Context, w http.ResponseWriter, f format, q *request, p *played) {
	if !q.stream {
		body := f.whole(q, p)
		if p.failure != nil {
			body = f.failed(p.failure)
		}
		w.Header().Set("Content-Type", "application/json")
		if p.cut != "" {
			_, _ = w.Write(body[:len(body)/4])
			flush(w)
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write(body)
		return
	}
	frames := endAsPlayed(f, f.stream(q, p), p)
	frames, broken := cutFrames(frames, p.cut)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	if q.array {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(http.StatusOK)
	flush(w)
	for i, fr := range frames {
		if i > 0 && !wait(ctx, v.scenario.pace) {
			return
		}
		if !writeFrame(w, fr.text, i) {
			return
		}
	}
	if broken {
		panic(http.ErrAbortHandler)
	}
}

// endAsPlayed leaves out the end sign, or puts an error in its place.
func endAsPlayed(f format, frames []frame, p *played) []frame {
	if p.stop != "none" && p.failure == nil {
		return frames
	}
	var kept []frame
	for _, fr := range frames {
		if fr.part != ending {
			kept = append(kept, fr)
		}
	}
	if p.failure != nil {
		kept = append(kept, f.inStream(p.failure))
	}
	return kept
}

// cutFrames ends the frames where the connection is to break.
func cutFrames(frames []frame, cut string) (kept []frame, broken bool) {
	if cut == "" {
		return frames, false
	}
	at := len(frames)
	switch cut {
	case "start":
		return nil, true
	case "end":
		for i, fr := range frames {
			if fr.part == ending {
				at = i
				break
			}
		}
		return frames[:at], true
	case "text", "call":
		want := map[string]part{"text": inText, "call": inCall}[cut]
		for i, fr := range frames {
			if fr.part == want {
				at = i
			}
		}
	}
	if at == len(frames) {
		return frames[:len(frames)-1], true
	}
	piece := frame{frames[at].part, frames[at].text[:len(frames[at].text)/3]}
	return append(frames[:at:at], piece), true
}

// writeFrame sends a frame, most in two pieces that are not cut at an event or
// a letter, as networks do.
func writeFrame(w http.ResponseWriter, text string, i int) bool {
	at := 0
	if len(text) > 40 && i%3 != 2 {
		at = 7 + (i*13+len(text))%(len(text)-8)
	}
	for _, piece := range []string{text[:at], text[at:]} {
		if piece == "" {
			continue
		}
		if _, err := io.WriteString(w, piece); err != nil {
			return false
		}
		flush(w)
	}
	return true
}

func flush(w http.ResponseWriter) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// wait reports whether the pace passed before ctx ended.
func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// RoundTrip answers a request within the process, streamed like over a network.
func (v *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	pr, pw := io.Pipe()
	w := &pipeWriter{header: http.Header{}, body: pw, ready: make(chan struct{})}
	stop := context.AfterFunc(r.Context(), func() { _ = pw.CloseWithError(context.Cause(r.Context())) })
	go func() {
		defer stop()
		defer func() {
			err := context.Cause(r.Context())
			if p := recover(); p != nil {
				err = io.ErrUnexpectedEOF
				if e, ok := p.(error); !ok || !errors.Is(e, http.ErrAbortHandler) {
					err = fmt.Errorf("scripted provider: %v", p)
				}
			}
			_ = r.Body.Close()
			w.WriteHeader(http.StatusOK)
			_ = pw.CloseWithError(err)
		}()
		v.ServeHTTP(w, r)
	}()
	select {
	case <-w.ready:
	case <-r.Context().Done():
		return nil, context.Cause(r.Context())
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)), StatusCode: w.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: pr, ContentLength: -1, Request: r,
	}, nil
}

// pipeWriter is the handler's end of a pipe. It is used by one goroutine; the
// status and header are read by another only after ready is closed.
type pipeWriter struct {
	header, sent http.Header
	status       int
	body         *io.PipeWriter
	ready        chan struct{}
}

// Header to be sent.
func (w *pipeWriter) Header() http.Header { return w.header }

// WriteHeader sends the status and the header as they stand, once.
func (w *pipeWriter) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	w.status, w.sent = status, w.header.Clone()
	close(w.ready)
}

// Write sends bytes of the body.
func (w *pipeWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// Flush has nothing to do: a pipe holds nothing back.
func (w *pipeWriter) Flush() {}
