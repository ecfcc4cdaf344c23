package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// scanned is how many rows are read at once where all are.
const scanned = 1000

// scan shows visit every row of a table, in order.
func (t *txn) scan(table string, visit func(Row) error) error {
	q := Query{Table: table, Limit: scanned}
	for {
		rows, err := t.Find(q)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := visit(row); err != nil {
				return err
			}
		}
		if len(rows) < scanned {
			return nil
		}
		q.After = rows[len(rows)-1].Seq
	}
}

// Verify walks the chain of events and compares every entry, approval and saved
// rule with what it says of them. It returns how many events it read and every fault in
// words: a line that was changed, taken out or put in, a row that no event made
// as it is. A chain that was cut off at its end, rows and all, cannot be told
// from one that never was longer: keep the last hash elsewhere (last) to tell, and
// give it back as known. The chain must hold every hash that is known.
func (l *Ledger) Verify(ctx context.Context, known ...string) (n int64, last string, faults []string, err error) {
	err = l.view(ctx, func(t *txn) error {
		v := verifier{entries: map[string]string{}, approvals: map[string]string{}, rules: map[string]string{}, missing: map[string]bool{}}
		for _, hash := range known {
			v.missing[hash] = true
		}
		if err := t.scan(events, v.event); err != nil {
			return err
		}
		if err := t.scan(entries, v.row("entry", v.entries)); err != nil {
			return err
		}
		if err := t.scan(approvals, v.row("approval", v.approvals)); err != nil {
			return err
		}
		if err := t.scan(rules, v.row("rule", v.rules)); err != nil {
			return err
		}
		for id, content := range v.entries {
			if content != "" {
				v.fault("entry %s is missing", id)
			}
		}
		for id := range v.approvals {
			v.fault("approval %s is missing", id)
		}
		for id := range v.rules {
			v.fault("rule %s is missing", id)
		}
		for hash := range v.missing {
			v.fault("the chain does not hold the known hash %.80q: it was cut off, or is another one", hash)
		}
		n, last, faults = v.number, v.hash, v.faults
		return nil
	})
	return n, last, faults, err
}

// verifier is the state of one walk.
type verifier struct {
	number    int64
	hash      string
	entries   map[string]string // the digest that a row must have; "": it was removed
	approvals map[string]string
	rules     map[string]string
	missing   map[string]bool // known hashes that did not come yet
	faults    []string
}

func (v *verifier) fault(format string, args ...any) {
	const enough = 1000
	if len(v.faults) < enough {
		v.faults = append(v.faults, fmt.Sprintf(format, args...))
	}
}

func (v *verifier) event(row Row) error {
	text, err := row.Bytes()
	if err != nil {
		return err
	}
	var e storedEvent
	if err := json.Unmarshal(text, &e); err != nil {
		v.fault("event %d cannot be read", v.number+1)
		return nil
	}
	switch {
	case e.Number != v.number+1:
		v.fault("event %d stands where %d belongs", e.Number, v.number+1)
	case e.Prev != v.hash:
		v.fault("event %d does not follow the one before it", e.Number)
	case e.Hash != e.hash():
		v.fault("event %d was changed", e.Number)
	case row.Words[0] != e.Entry && (row.Words[0] != "" || e.Before == 0 || e.What == eventRemoved):
		v.fault("event %d is filed under another entry", e.Number)
	}
	v.number, v.hash = e.Number, e.Hash
	delete(v.missing, e.Hash)
	if e.Content != "" {
		v.entries[e.Entry] = e.Content
	}
	if e.What == eventRemoved {
		v.entries[e.Entry] = ""
	}
	if strings.HasPrefix(e.What, "rule_") {
		var said storedRuleEvent
		if json.Unmarshal(e.Details, &said) == nil {
			v.rules[said.Rule] = said.Row
		}
		return nil
	}
	var said storedApprovalEvent
	if e.Details != nil && json.Unmarshal(e.Details, &said) == nil && said.Approval != "" {
		if v.approvals[said.Approval] = said.Row; said.Row == "" {
			delete(v.approvals, said.Approval)
		}
	}
	return nil
}

// row compares a row with the newest event that made it, and crosses it off.
func (v *verifier) row(kind string, want map[string]string) func(Row) error {
	return func(row Row) error {
		text, err := row.Bytes()
		if err != nil {
			return err
		}
		switch content, known := want[row.ID]; {
		case !known || content == "":
			v.fault("%s %s stands in no event", kind, row.ID)
		case content != digest(text):
			v.fault("%s %s is not as its last event left it", kind, row.ID)
		}
		delete(want, row.ID)
		return nil
	}
}
