package ledger

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

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

// waitingIn is the approval that the turn waits for, or "". Of a parked agent call
// it is one of its inner calls.
func (t *txn) waitingIn(turn *storedTurn) (string, error) {
	for _, state := range []State{StatePending, StateParked} {
		words := entryWords{run: turn.Run, state: string(state)}
		rows, err := t.Find(Query{Table: entries, Words: words.list()})
		if err != nil {
			return "", err
		}
		for _, row := range rows {
			e, err := t.loadEntry(row)
			if err != nil {
				return "", err
			}
			switch {
			case e.Turn != turn.Number:
			case state == StateParked && e.Outcome != nil:
				return e.Outcome.Approval, nil
			default:
				return e.Approval, nil
			}
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
