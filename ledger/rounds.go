package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/holdfast-go/holdfast"
)

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
	Agent     string            `json:"agent,omitempty"`
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
		Tenant: r.Principal.Tenant, Principal: r.Principal.ID, Agent: r.Agent,
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
		Principal: holdfast.Principal{Tenant: s.Tenant, ID: s.Principal}, Agent: s.Agent,
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
