package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// Export writes the whole record as JSON lines, one row each:
// {"table":…,"seq":…,"id":…,"body":…}, the events last. What is sealed is left out. The
// bodies are those of the store, so that a reader can check the chain's hashes.
func (l *Ledger) Export(ctx context.Context, w io.Writer) error {
	return l.view(ctx, func(t *txn) error {
		for _, table := range []string{runs, turns, rounds, entries, approvals, labels, budgets, rules, events} {
			err := t.scan(table, func(row Row) error {
				line, err := exported(row)
				if err != nil {
					return err
				}
				_, err = w.Write(append(line, '\n'))
				return err
			})
			if err != nil {
				return fmt.Errorf("exporting %s: %w", table, err)
			}
		}
		return nil
	})
}

func exported(row Row) ([]byte, error) {
	body, err := row.Bytes()
	if err != nil {
		return nil, err
	}
	if row.Table == entries {
		e, err := load[storedEntry](Row{Table: row.Table, ID: row.ID, Body: body})
		if err != nil {
			return nil, err
		}
		if e.Sealed != nil {
			open := *e
			open.Sealed = nil
			if body, err = open.appendTo(nil); err != nil {
				return nil, err
			}
		}
	}
	return appendJSON(nil, struct {
		Table string          `json:"table"`
		Seq   int64           `json:"seq"`
		ID    string          `json:"id,omitempty"`
		Body  json.RawMessage `json:"body"`
	}{row.Table, row.Seq, row.ID, body})
}
