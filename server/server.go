package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/server/token"
)

// Options of New; nil means defaults, and so does each zero field.
type Options struct {
	// Agent is how the loop asks the model. Its Watch is told too, after the
	// server.
	Agent agent.Options
	// Catalog is its name for people and the record.
	Catalog string
	// Model is the model's name for people and the record.
	Model string
	// Scripted says that no real model is asked: people are told.
	Scripted bool
	// Hints are messages to try.
	Hints []string
	// Principal on whose behalf conversations act, and who decides, where nobody
	// is asked for a token.
	Principal holdfast.Principal
	// Tokens of which every request must bring one, and acts for its principal;
	// nil, or none in it: nobody is asked, and then only this machine is answered.
	Tokens *token.Ring
	// Rate is how many requests of one principal are answered a second, four
	// times as many at once; 0 means 100.
	Rate int
	// Metrics answers /metrics; nil: nothing is there.
	Metrics http.Handler
	// Answered is told of each request once it was answered, an event stream at
	// its end; nil: nobody is. It does not block.
	Answered func(Answered)
	// Trace gives the context of a request, by its headers: what the request causes
	// goes on with its values, beyond the request's end. Nil: there are none.
	Trace func(ctx context.Context, header http.Header) context.Context
	// Page serves what is not under /v1; nil: nothing does.
	Page http.Handler
	// MaxBody bounds a request's body; 0 means 1 MiB.
	MaxBody int64
	// Grace is how long turns that run may go on once the server is to end,
	// before they are interrupted and left for the next start; 0 means 10 s.
	Grace time.Duration
	Log   *slog.Logger // silent
}

// Server answers over HTTP. Safe for concurrent use.
type Server struct {
	gate    *gate.Gate
	ledger  *ledger.Ledger
	agent   *agent.Agent
	options Options
	handler http.Handler
	rates   *rates
	effects map[string]*string // of the catalog's tools, by qualified name

	root    context.Context // of turns; its end interrupts them
	stop    context.CancelCauseFunc
	working sync.WaitGroup // turns, and whatever else goes on without a request
	ended   chan struct{}  // closed when event streams are to end

	mu       sync.Mutex
	closing  bool
	sessions map[string]*session
}

// New makes a server; it starts nothing.
func New(g *gate.Gate, l *ledger.Ledger, m agent.Model, o *Options) (*Server, error) {
	if g == nil || l == nil || m == nil {
		return nil, errors.New("server needs a gate, a ledger and a model")
	}
	s := &Server{gate: g, ledger: l, ended: make(chan struct{}), sessions: map[string]*session{}}
	if o != nil {
		s.options = *o
	}
	s.options.MaxBody = cmp.Or(s.options.MaxBody, 1<<20)
	s.options.Grace = cmp.Or(s.options.Grace, 10*time.Second)
	if s.options.Log == nil {
		s.options.Log = slog.New(slog.DiscardHandler)
	}
	if s.options.Principal.ID == "" {
		return nil, errors.New("server needs a principal: somebody decides")
	}
	s.root, s.stop = context.WithCancelCause(context.Background())
	if s.options.Tokens == nil {
		s.options.Tokens, _ = token.Open("", nil) // it reads nothing, so nothing fails
	}
	s.rates, s.effects = newRates(cmp.Or(s.options.Rate, 100)), map[string]*string{}
	for _, t := range g.Catalog().Tools() {
		s.effects[g.Catalog().Qualify(t)] = known(string(t.Effect()))
	}
	asking := s.options.Agent
	told := asking.Watch
	asking.Watch = func(e agent.Event) {
		s.watch(e)
		if told != nil {
			told(e)
		}
	}
	var err error
	if s.agent, err = agent.New(m, g, &history{l, s}, &asking); err != nil {
		return nil, err
	}
	s.handler = s.observed(s.guarded(s.routes()))
	return s, nil
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// errInterrupted is why a turn stops when the server does. The turn stays open,
// and goes on when somebody says so.
var errInterrupted = errors.New("the server ended")

// Serve answers on l until ctx ends, then ends in order: no new turn begins,
// those that run have the grace to come to their end, and what is left then is
// interrupted and stays open in the record. l is closed. An address beyond this
// machine needs a token.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	if s.options.Tokens.Empty() && !loopback(l.Addr().String()) {
		return errors.Join(fmt.Errorf("serving %s: an address that others reach needs a token", l.Addr()), l.Close())
	}
	web := &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(s.options.Log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(l) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	s.Close()
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if down := web.Shutdown(closing); down != nil {
		_ = web.Close()
	}
	if err == nil {
		err = <-failed
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// Close ends what goes on behind the requests, as Serve says, and returns when
// it has ended. Requests are still answered, but begin no turn.
func (s *Server) Close() {
	s.mu.Lock()
	already := s.closing
	s.closing = true
	s.mu.Unlock()
	if already {
		s.working.Wait()
		return
	}
	grace := time.AfterFunc(s.options.Grace, func() { s.stop(errInterrupted) })
	s.working.Wait()
	grace.Stop()
	s.stop(errInterrupted)
	close(s.ended)
}

// beyond is ctx with its values, and an end of its own: that of the server, or
// cancel, which must be called.
func (s *Server) beyond(ctx context.Context) (going context.Context, cancel context.CancelCauseFunc) {
	going, end := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(s.root, func() { end(context.Cause(s.root)) })
	return going, func(cause error) {
		stop()
		end(cause)
	}
}

// work runs f beside the requests, unless the server is ending.
func (s *Server) work(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return false
	}
	s.working.Go(f)
	return true
}

// history is the record, with an ear for turns that begin.
type history struct {
	*ledger.Ledger
	server *Server
}

func (h *history) BeginTurn(ctx context.Context, run, message string) (ledger.Turn, error) {
	t, err := h.Ledger.BeginTurn(ctx, run, message)
	if err == nil {
		h.server.session(run).begun(t)
	}
	return t, err
}

// EndTurn leaves a turn open that the end of this process interrupts.
func (h *history) EndTurn(ctx context.Context, t ledger.Turn) error {
	if t.End == string(agent.Cancelled) && context.Cause(h.server.root) != nil {
		return errInterrupted
	}
	return h.Ledger.EndTurn(ctx, t)
}
