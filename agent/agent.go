package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/wire"
)

// Model is whom the loop asks.
type Model interface {
	// Codec is the format that the model speaks.
	Codec() wire.Codec
	// Reply asks once and tells show what may be shown meanwhile, from the
	// calling goroutine. An error, with a reply or without, means that nothing
	// of the reply may be used. The request is only valid until it returns.
	Reply(ctx context.Context, r *wire.Request, show func(wire.Event)) (*wire.Reply, error)
}

// History is the record that a run is built from. A *ledger.Ledger is one.
type History interface {
	// CreateRun makes a run, of an agent that is a tool; the same again changes
	// nothing.
	CreateRun(ctx context.Context, r gate.Run) (gate.Run, error)
	LookupRun(ctx context.Context, id string) (gate.Run, error)
	// BeginTurn opens the run's next turn; while one is open it is an error.
	BeginTurn(ctx context.Context, run, message string) (gate.Turn, error)
	EndTurn(ctx context.Context, t gate.Turn) error
	Turns(ctx context.Context, run string) ([]gate.Turn, error)
	// SaveRound returns once the round is durable; another in its place is an
	// error.
	SaveRound(ctx context.Context, r gate.Round) error
	Rounds(ctx context.Context, run string, turn int) ([]gate.Round, error)
}

// Options of New; nil means defaults, and so does each zero field.
type Options struct {
	// System gives the system prompt of a request; nil: none. It is asked for
	// each request, so that it can hold today's date.
	System func() string
	// MaxRounds a turn; 0 means 16.
	MaxRounds int
	// Name of the agent, by which a conversation is handed over to it.
	Name string
	// Team are the agents that a conversation which begins with this one may be
	// handed over to, by the tools that [Handoff] makes; nil: none.
	Team []*Agent
	// MaxHandoffs a turn; 0 means 8.
	MaxHandoffs int
	// MaxDepth is how deep agents may call agents where this one is a tool of
	// another; 0 means 4.
	MaxDepth int
	// MaxTokens of one reply; 0: the codec's default where the provider needs one.
	MaxTokens int
	// Whole asks for whole replies instead of streams.
	Whole bool
	// Tools are the codec's options for the catalog.
	Tools wire.ToolOptions
	// Output is what the final answer must satisfy; nil: any text. The
	// provider's own mode for it is asked for where it has one; the answer is
	// checked in any case, and one that does not fit goes back with its problems,
	// within the round limit.
	Output *gate.Schema
	// Choice says whether the model must call.
	Choice wire.ToolChoice
	// Arguments watches the arguments of calls while they stream: a reply is
	// stopped at the first byte from which no valid arguments can follow, and the
	// model is told why. nil, or Whole: every reply comes to its end before it is
	// judged.
	Arguments ArgumentWatch
	// Watch is told what happens, from one goroutine at a time.
	Watch func(Event)
	// Observe is told when a turn begins or goes on, for traces. What it gives is
	// the turn's context from there on, and what to tell at its end; nil: nobody is
	// told.
	Observe func(ctx context.Context, run string, turn int) (context.Context, func(Result, error))
	// RecordTimeout bounds a write to the record after the caller's context
	// ended; 0 means 10 s.
	RecordTimeout time.Duration
}

// Agent drives the turns of runs. It is safe for concurrent use, for as many
// runs as there are; a run has one turn at a time.
type Agent struct {
	model   Model
	gate    *gate.Gate
	history History
	options Options
	tools   wire.ToolSet

	handoffs map[string]string // tools that hand over, by qualified name, and to whom
	team     map[string]*Agent // by name, itself among them; nil: nobody hands over
}

// New makes an agent that offers the gate's catalog to the model. It starts
// nothing. A catalog that the model's provider cannot take is an error.
func New(m Model, g *gate.Gate, h History, o *Options) (*Agent, error) {
	if m == nil || g == nil || h == nil {
		return nil, errors.New("agent needs a model, a gate and a history")
	}
	a := &Agent{model: m, gate: g, history: h}
	if o != nil {
		a.options = *o
	}
	if a.options.MaxRounds < 0 {
		return nil, fmt.Errorf("agent: %d rounds a turn are none", a.options.MaxRounds)
	}
	if a.options.MaxRounds == 0 {
		a.options.MaxRounds = 16
	}
	if a.options.MaxHandoffs <= 0 {
		a.options.MaxHandoffs = 8
	}
	if a.options.MaxDepth <= 0 {
		a.options.MaxDepth = 4
	}
	if a.options.RecordTimeout <= 0 {
		a.options.RecordTimeout = 10 * time.Second
	}
	if a.options.Watch == nil {
		a.options.Watch = func(Event) {}
	}
	tools, err := m.Codec().Tools(g.Catalog(), &a.options.Tools)
	if err != nil {
		return nil, fmt.Errorf("agent: offering the catalog: %w", err)
	}
	a.tools = tools
	return a, a.join()
}

// End is how a turn ended, or that it waits.
type End string

// The ends. Only a pending turn is still open.
const (
	Answer     End = "answer"
	RoundLimit End = "round_limit" // the last calls ran and are recorded; the model was not asked again
	Pending    End = "pending"     // a call waits for a person, or runs in another process
	Incomplete End = "incomplete"  // the reply was cut without calls, filtered, refused or empty
	Failed     End = "error"       // the model could not be asked, or its reply broke off
	Cancelled  End = "cancelled"
)

// Result is what became of a turn.
type Result struct {
	Run    string
	Turn   int
	Rounds int // of the turn so far
	// Agent is the name of who has the conversation now, where it has one.
	Agent string
	End   End
	// Answer is the model's text: its answer, or what there was of one.
	Answer string
	// JSON is the answer as a value that satisfies Options.Output.
	JSON json.RawMessage
	// Message says in words why the turn ended, or waits, where it is no answer.
	Message string
	// ApprovalID is what a pending turn waits for; "" where a call of it runs in
	// another process.
	ApprovalID string
	// Err is why the model could not be asked.
	Err error
	// Usage of the turn, and of the whole run.
	Usage, RunUsage wire.Usage
}

// ErrNoOpenTurn says that a run has nothing to resume or cancel.
var ErrNoOpenTurn = errors.New("run has no open turn")

// Turn takes a person's message to the model's final answer, or to one of the
// other ends. The run is one that the history holds, such as one of the ledger's
// CreateRun: it says for whom the turn acts. While a turn of the run is open it is
// refused with the history's error, which names the approval that it waits for.
//
// When ctx ends, the turn ends as cancelled, with an outcome for every call. An
// error means that the record could not be read or written: the turn stays open,
// and Resume goes on with it.
func (a *Agent) Turn(ctx context.Context, run, message string) (Result, error) {
	if message == "" {
		return Result{}, errors.New("a turn needs a message")
	}
	r, err := a.history.LookupRun(ctx, run)
	if err != nil {
		return Result{}, fmt.Errorf("beginning a turn: %w", err)
	}
	record, err := a.history.BeginTurn(ctx, run, message)
	if err != nil {
		return Result{}, err
	}
	return a.drive(ctx, r, record)
}

// Resume goes on with the run's open turn: one that waited for a person's
// decision, or that a crash interrupted. It needs nothing but the record.
func (a *Agent) Resume(ctx context.Context, run string) (Result, error) {
	r, record, err := a.open(ctx, run)
	if err != nil {
		return Result{}, err
	}
	return a.drive(ctx, r, record)
}

func (a *Agent) open(ctx context.Context, run string) (gate.Run, gate.Turn, error) {
	r, err := a.history.LookupRun(ctx, run)
	if err != nil {
		return r, gate.Turn{}, fmt.Errorf("resuming run %s: %w", run, err)
	}
	turns, err := a.history.Turns(ctx, run)
	if err != nil {
		return r, gate.Turn{}, fmt.Errorf("resuming run %s: %w", run, err)
	}
	if len(turns) == 0 || turns[len(turns)-1].End != "" {
		return r, gate.Turn{}, fmt.Errorf("run %s: %w", run, ErrNoOpenTurn)
	}
	return r, turns[len(turns)-1], nil
}

// Cancel ends the run's open turn: what has an outcome keeps it, a pending call
// and those that wait with it are rejected as cancelled, and the approval is
// withdrawn. A call that another process runs just now is left to it.
func (a *Agent) Cancel(ctx context.Context, run string) (Result, error) {
	r, record, err := a.open(ctx, run)
	if err != nil {
		return Result{}, err
	}
	t, err := a.load(ctx, r, record)
	if err != nil {
		return Result{}, err
	}
	if t.last != nil {
		if _, err := a.gate.Cancel(ctx, t.last.round); err != nil {
			return Result{}, fmt.Errorf("cancelling turn %d of run %s: %w", record.Number, run, err)
		}
	}
	return t.end(ctx, Result{End: Cancelled, Message: "The turn was cancelled."})
}

// drive takes an open turn to its end from wherever the record says it is.
func (a *Agent) drive(ctx context.Context, r gate.Run, record gate.Turn) (Result, error) {
	done := func(Result, error) {}
	if a.options.Observe != nil {
		ctx, done = a.options.Observe(ctx, r.ID, record.Number)
	}
	var result Result
	t, err := a.load(ctx, r, record)
	if err == nil {
		result, err = t.drive(ctx)
	}
	done(result, err)
	return result, err
}
