package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/holdfast-go/holdfast"
)

type storedRun struct {
	ID        string    `json:"id"`
	Catalog   string    `json:"catalog,omitempty"`
	Model     string    `json:"model,omitempty"`
	Tenant    string    `json:"tenant,omitempty"`
	Principal string    `json:"principal,omitempty"`
	Created   time.Time `json:"created"`
}

func storeRun(r Run) storedRun {
	return storedRun{
		ID: r.ID, Catalog: r.Catalog, Model: r.Model,
		Tenant: r.Principal.Tenant, Principal: r.Principal.ID, Created: r.Created,
	}
}

func (s *storedRun) run() Run {
	return Run{
		ID: s.ID, Catalog: s.Catalog, Model: s.Model,
		Principal: holdfast.Principal{Tenant: s.Tenant, ID: s.Principal}, Created: s.Created,
	}
}

// CreateRun writes a run, and gives it an id if it has none. The same run again
// changes nothing, so a program may begin with it; one with that id that differs
// is an error.
func (l *Ledger) CreateRun(ctx context.Context, r Run) (Run, error) {
	if r.ID == "" {
		r.ID = l.newID()
	}
	s := storeRun(r)
	var out storedRun
	err := l.update(ctx, func(t *txn) error {
		old, err := get[storedRun](t, runs, r.ID)
		if err != nil {
			return err
		}
		out = s
		if old != nil {
			out.Created = old.Created
			if out != *old {
				return fmt.Errorf("there is another run of that id, for catalog %q", old.Catalog)
			}
			return nil
		}
		out.Created = firstTime(out.Created, t.now)
		return t.put(runs, r.ID, [7]string{}, out)
	})
	if err != nil {
		return r, fmt.Errorf("creating run %s: %w", r.ID, err)
	}
	return out.run(), nil
}

// LookupRun is the run of that id, or [ErrNotFound]: CreateRun makes it.
func (l *Ledger) LookupRun(ctx context.Context, id string) (Run, error) {
	var out Run
	err := l.view(ctx, func(t *txn) error {
		s, err := must[storedRun](t, runs, id)
		if err == nil {
			out = s.run()
		}
		return err
	})
	if errors.Is(err, ErrNotFound) {
		return out, fmt.Errorf("run %q: %w; CreateRun makes one", id, ErrNotFound)
	}
	return out, err
}

// Runs lists runs.
func (l *Ledger) Runs(ctx context.Context, f Filter) ([]Run, error) {
	var list []Run
	err := l.view(ctx, func(t *txn) error {
		list = nil
		return t.page(Query{Table: runs}, f, func(row Row) (bool, error) {
			s, err := load[storedRun](row)
			if err == nil {
				list = append(list, s.run())
			}
			return true, err
		})
	})
	return list, err
}

type storedTurn struct {
	Run     string    `json:"run"`
	Number  int       `json:"number"`
	Message string    `json:"message,omitempty"`
	End     string    `json:"end,omitempty"`
	Answer  string    `json:"answer,omitempty"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended,omitzero"`
}

func (t *txn) putTurn(s storedTurn) error {
	return t.put(turns, turnID(s.Run, s.Number), [7]string{s.Run}, s)
}

func turnID(run string, number int) string { return joined(run, strconv.Itoa(number)) }

// roundsWord is what the rounds of one turn are found by.
func roundsWord(run string, turn int) string { return joined(run, strconv.Itoa(turn)) }

func (t *txn) lastTurn(run string) (*storedTurn, error) {
	rows, err := t.Find(Query{Table: turns, Words: [7]string{run}, Newest: true, Limit: 1})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return load[storedTurn](rows[0])
}

// BeginTurn opens the run's next turn. While one is open it is an *OpenTurnError.
func (l *Ledger) BeginTurn(ctx context.Context, run, message string) (Turn, error) {
	var (
		begun storedTurn
		open  *OpenTurnError
	)
	err := l.update(ctx, func(t *txn) error {
		open = nil
		if _, err := t.Get(runs, run); err != nil {
			return err
		}
		last, err := t.lastTurn(run)
		if err != nil {
			return err
		}
		begun = storedTurn{Run: run, Number: 1, Message: message, Started: t.now}
		if last != nil {
			if last.End == "" {
				open = &OpenTurnError{Turn: Turn(*last)}
				open.Approval, err = t.waitingIn(last)
				return err
			}
			begun.Number = last.Number + 1
		}
		return t.putTurn(begun)
	})
	switch {
	case err != nil:
		return Turn{}, fmt.Errorf("beginning turn of run %s: %w", run, err)
	case open != nil:
		return Turn{}, open
	}
	return Turn(begun), nil
}

// waitingIn is the approval that the turn waits for, or "".
func (t *txn) waitingIn(turn *storedTurn) (string, error) {
	words := entryWords{run: turn.Run, state: string(StatePending)}
	rows, err := t.Find(Query{Table: entries, Words: words.list()})
	if err != nil {
		return "", err
	}
	for _, row := range rows {
		e, err := t.loadEntry(row)
		if err != nil {
			return "", err
		}
		if e.Turn == turn.Number {
			return e.Approval, nil
		}
	}
	return "", nil
}

// OpenTurnError says that a run has an open turn, and which approval it waits
// for, if any.
type OpenTurnError struct {
	Turn     Turn
	Approval string
}

func (e *OpenTurnError) Error() string {
	if e.Approval != "" {
		return fmt.Sprintf("run %s waits for approval %s", e.Turn.Run, e.Approval)
	}
	return fmt.Sprintf("run %s has an open turn", e.Turn.Run)
}

// EndTurn closes a turn with its End and Answer. Ending an ended turn changes
// nothing.
func (l *Ledger) EndTurn(ctx context.Context, turn Turn) error {
	id := turnID(turn.Run, turn.Number)
	err := l.update(ctx, func(t *txn) error {
		s, err := must[storedTurn](t, turns, id)
		if err != nil || s.End != "" {
			return err
		}
		if turn.End == "" {
			return fmt.Errorf("it has no end")
		}
		ended := *s
		ended.End, ended.Answer, ended.Ended = turn.End, turn.Answer, t.now
		return t.putTurn(ended)
	})
	if err != nil {
		return fmt.Errorf("ending turn %d of run %s: %w", turn.Number, turn.Run, err)
	}
	return nil
}

// Turns of a run, in order.
func (l *Ledger) Turns(ctx context.Context, run string) ([]Turn, error) {
	var list []Turn
	err := l.view(ctx, func(t *txn) error {
		list = nil
		rows, err := t.Find(Query{Table: turns, Words: [7]string{run}})
		if err != nil || run == "" {
			return err
		}
		for _, row := range rows {
			s, err := load[storedTurn](row)
			if err != nil {
				return err
			}
			list = append(list, Turn(*s))
		}
		return nil
	})
	return list, err
}

type storedRound struct {
	Run       string            `json:"run"`
	Turn      int               `json:"turn"`
	Number    int               `json:"number"`
	API       string            `json:"api,omitempty"`
	Reply     []byte            `json:"reply,omitempty"` // verbatim: re-encoding JSON would change it
	Calls     []storedCall      `json:"calls,omitempty"`
	Complete  bool              `json:"complete,omitempty"`
	Ending    string            `json:"ending,omitempty"`
	Names     map[string]string `json:"names,omitempty"`
	Keys      map[int]string    `json:"keys,omitempty"`
	Tenant    string            `json:"tenant,omitempty"`
	Principal string            `json:"principal,omitempty"`
}

type storedCall struct {
	ID               string `json:"id,omitempty"`
	Name             string `json:"name,omitempty"`
	Namespace        string `json:"namespace,omitempty"`
	Kind             string `json:"kind,omitempty"`
	Arguments        []byte `json:"arguments,omitempty"` // exact bytes, UTF-8 or not
	Complete         bool   `json:"complete,omitempty"`
	ProviderExecuted bool   `json:"provider_executed,omitempty"`
	Problem          string `json:"problem,omitempty"`
}

func storeRound(r Round) storedRound {
	return storedRound{
		Run: r.Run, Turn: r.Turn, Number: r.Number, API: r.API, Reply: r.Reply,
		Calls: convert(r.Calls, func(c holdfast.Call) storedCall {
			return storedCall{
				ID: c.ID, Name: c.Name, Namespace: c.Namespace, Kind: string(c.Kind), Arguments: []byte(c.Arguments),
				Complete: c.Complete, ProviderExecuted: c.ProviderExecuted, Problem: string(c.Problem),
			}
		}),
		Complete: r.Complete, Ending: r.Ending, Names: r.Names, Keys: r.Keys,
		Tenant: r.Principal.Tenant, Principal: r.Principal.ID,
	}
}

func (s *storedRound) round() Round {
	return Round{
		Run: s.Run, Turn: s.Turn, Number: s.Number, API: s.API, Reply: json.RawMessage(s.Reply),
		Calls: convert(s.Calls, func(c storedCall) holdfast.Call {
			return holdfast.Call{
				ID: c.ID, Name: c.Name, Namespace: c.Namespace, Kind: holdfast.CallKind(c.Kind), Arguments: string(c.Arguments),
				Complete: c.Complete, ProviderExecuted: c.ProviderExecuted, Problem: holdfast.Code(c.Problem),
			}
		}),
		Complete: s.Complete, Ending: s.Ending, Names: s.Names, Keys: s.Keys,
		Principal: holdfast.Principal{Tenant: s.Tenant, ID: s.Principal},
	}
}

// SaveRound writes a round once; it is durable before any of its calls runs.
// The same round again changes nothing; another in its place is an error.
func (l *Ledger) SaveRound(ctx context.Context, r Round) error {
	s := storeRound(r)
	text, err := appendJSON(nil, s)
	if err != nil {
		return err
	}
	id := joined(r.Run, strconv.Itoa(r.Turn), strconv.Itoa(r.Number))
	err = l.update(ctx, func(t *txn) error {
		old, err := get[storedRound](t, rounds, id)
		if err != nil {
			return err
		}
		if old == nil {
			words := [7]string{r.Run, roundsWord(r.Run, r.Turn)}
			return t.Put(Row{Table: rounds, ID: id, Words: words, Body: text})
		}
		before, err := appendJSON(nil, old)
		if err != nil {
			return err
		}
		if !bytes.Equal(before, text) {
			return fmt.Errorf("another reply is already saved in its place")
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("saving round %d of turn %d of run %s: %w", r.Number, r.Turn, r.Run, err)
	}
	return nil
}

// Rounds of a turn, in order; turn 0 means all of the run.
func (l *Ledger) Rounds(ctx context.Context, run string, turn int) ([]Round, error) {
	q := Query{Table: rounds, Words: [7]string{run}}
	if turn > 0 {
		q.Words[1] = roundsWord(run, turn)
	}
	var list []Round
	err := l.view(ctx, func(t *txn) error {
		list = nil
		rows, err := t.Find(q)
		if err != nil || run == "" {
			return err
		}
		for _, row := range rows {
			s, err := load[storedRound](row)
			if err != nil {
				return err
			}
			list = append(list, s.round())
		}
		return nil
	})
	return list, err
}
