package ledger

import (
	"errors"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/rule"
)

// keyWord scopes a key to its tenant and tool. An entry keeps its key's word
// until another entry takes the key; pruned, it keeps nothing else.
func keyWord(tenant, tool, key string) string {
	return digest(appendJoined(make([]byte, 0, 128), tenant, tool, key))[:40] // 160 bits: it is an index, and every byte is paid for
}

// standing is a Standing on its way, with what Start needs to go on.
type standing struct {
	Standing
	holder *storedEntry // has the key, if anybody has
	fence  int64        // that the key's last entry reached
	own    *storedEntry // the claim's own entry, where it is there already
}

// The questions that starting and settling come down to.
func newestEvent() Query { return Query{Table: events, Newest: true, Limit: 1} }

func unresolvedBy(w entryWords) Query { return Query{Table: entries, Words: w.list(), Newest: true} }

func (e *storedEntry) byKey() Query {
	return Query{Table: entries, Words: entryWords{key: e.keyWord()}.list(), Newest: true, Limit: 1}
}

// readsOf is what changing the entry of that id asks for.
func readsOf(id string) func() []Query {
	return func() []Query { return []Query{newestEvent(), {Table: entries, ID: id}} }
}

// reads is what starting a claim asks for, if nothing stands in its way.
func (c *claim) reads() []Query {
	e := &c.body.storedEntry
	list := append(make([]Query, 0, 6), newestEvent())
	if e.ID != "" {
		list = append(list, Query{Table: entries, ID: e.ID})
	}
	if c.approval != "" {
		list = append(list, Query{Table: approvals, ID: c.approval})
	}
	if e.Key != "" {
		list = append(list, e.byKey())
	}
	if e.Effect == string(holdfast.Write) {
		list = append(list, unresolvedBy(entryWords{same: e.sameWord()}))
		if e.Run != "" && !c.tellsApart {
			list = append(list, unresolvedBy(entryWords{other: e.otherWord()}))
		}
	}
	return list
}

// stand tells how a key stands for a claim: first the key itself, then writes
// that are unresolved under other keys.
// Last come its budgets: nothing that was started before counts again.
func (t *txn) stand(c *claim) (standing, error) {
	e := &c.body.storedEntry
	st, err := t.standOfKey(e)
	if err != nil || st.Code != "" || st.Held != nil {
		return st, err
	}
	if e.Effect == string(holdfast.Write) {
		if err := t.standOfSame(e, &st); err != nil || st.Code != "" {
			return st, err
		}
		if !c.tellsApart {
			err = t.standOfOthers(e, &st)
		}
	}
	if err != nil || len(c.budgets) == 0 {
		return st, err
	}
	return st, t.standOfBudgets(c, &st)
}

// standOfKey tells how its key stands for an entry as it is asked for.
func (t *txn) standOfKey(e *storedEntry) (standing, error) {
	var st standing
	if e.ID != "" {
		own, err := t.getEntry(e.ID)
		if err != nil {
			return st, err
		}
		if own != nil {
			st.own, st.fence = own, own.Fence
		}
	}
	if e.Key == "" {
		return st, nil
	}
	rows, err := t.Find(e.byKey())
	if err != nil || len(rows) == 0 {
		return st, err
	}
	held, err := t.loadEntry(rows[0])
	if err != nil {
		return st, err
	}
	if held.Pruned != "" {
		st.Code = holdfast.KeyPruned
		return st, nil
	}
	if held.Principal != e.Principal { // whoever used it first
		st.Code = holdfast.KeyConflict
		return st, nil
	}
	if held.ID != e.ID || held.State != string(StateClaimed) { // our own claim is ours to take up again
		if held, err = t.lapse(held); err != nil {
			return st, err
		}
	}
	st.holder, st.fence = held, max(st.fence, held.Fence)
	return st, t.standOfHeld(e, held, &st)
}

// standOfHeld tells what the entry that has the key means for a claim of e by the
// same principal.
func (t *txn) standOfHeld(e, held *storedEntry, st *standing) error {
	own := held.ID == e.ID
	code := holdfast.Code("")
	switch State(held.State) {
	case StateFailed, StateRejected:
		return nil // free, for any arguments
	case StatePending:
		waits, err := t.waits(held)
		if err != nil || !waits || own {
			return err
		}
		code = holdfast.ApprovalPending
	case StateClaimed:
		living, err := t.living(held.Owner)
		if err != nil || own && (!living || held.Owner == t.l.owner) {
			return err
		}
		code = holdfast.InProgress
	case StateParked: // to be resumed, by whoever comes first
		if held.ArgumentsDigest == e.ArgumentsDigest {
			st.own = held
			return nil
		}
		code = holdfast.InProgress
	case StateStarted:
		living, err := t.living(held.Owner)
		if err != nil {
			return err
		}
		if !living && held.ArgumentsDigest == e.ArgumentsDigest { // an agent call, to be resumed: a write has lapsed
			st.own = held
			return nil
		}
		code = holdfast.InProgress
	case StateUncertain:
		code = holdfast.UnresolvedWrite
	case StateOK:
	}
	if held.ArgumentsDigest != e.ArgumentsDigest {
		st.Code = holdfast.KeyConflict
		return nil
	}
	st.Code, st.Held = code, new(Entry)
	*st.Held = held.entry()
	return nil
}

// standOfSame looks for the same write under another key, in any run.
func (t *txn) standOfSame(e *storedEntry, st *standing) error {
	found, err := t.unresolvedWrites(entryWords{same: e.sameWord()}, e.ID)
	if err != nil || len(found) == 0 {
		return err
	}
	held := found[0].entry()
	st.Held, st.Code = &held, holdfast.UnresolvedWrite
	if held.State == StateStarted {
		st.Code = holdfast.InProgress
	}
	return nil
}

// standOfOthers looks for another write of the tool in this run.
func (t *txn) standOfOthers(e *storedEntry, st *standing) error {
	if e.Run == "" {
		return nil
	}
	found, err := t.unresolvedWrites(entryWords{other: e.otherWord()}, e.ID)
	if err != nil || len(found) == 0 {
		return err
	}
	other := found[0].entry()
	st.Unresolved = &other
	return nil
}

// unresolvedWrites are the newest first, but for the entry except.
func (t *txn) unresolvedWrites(w entryWords, except string) ([]*storedEntry, error) {
	rows, err := t.Find(unresolvedBy(w))
	if err != nil {
		return nil, err
	}
	var list []*storedEntry
	for _, row := range rows {
		if row.ID == except {
			continue
		}
		e, err := t.loadEntry(row)
		if err != nil {
			return nil, err
		}
		if e, err = t.lapse(e); err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// take gives its key to an entry, and from whoever had it and is done.
func (t *txn) take(st *standing, e *storedEntry) error {
	if e.Key == "" {
		return nil
	}
	e.HasKey = true
	if st.holder == nil || st.holder.ID == e.ID {
		return nil
	}
	freed := *st.holder
	freed.HasKey = false
	return t.putEntry(&freed, "key_passed_on", t.l.owner, nil)
}

// check refuses a claim that could not be kept apart from others. Only a write
// must have a key; a read or an agent call may be started with its approval alone.
func (c *Claim) check() error {
	e := &c.Entry
	switch {
	case e.Tool == "":
		return errors.New("the claim names no tool")
	case e.Effect == holdfast.Write && e.Key == "":
		return errors.New("a write has no key")
	case e.ArgumentsDigest == "" && e.Key != "":
		return errors.New("a claim of a key has no digest of its arguments")
	}
	return nil
}

// claim is a Claim on its way through a transaction, which may be run again.
type claim struct {
	body                    *entryBody // of its entry, with its words
	put                     bool       // body is a row of the run before
	id                      string     // of its entry as it was asked for
	proposed                time.Time
	approval, digest, rule  string
	budgets                 []rule.Budget
	tellsApart, keepClaimed bool
}

func (c *Claim) claim() *claim {
	b := &entryBody{storedEntry: storeEntry(&c.Entry)}
	b.makeWords() // not first within a transaction
	return &claim{
		body: b, id: b.ID, proposed: b.Proposed,
		approval: c.ApprovalID, digest: c.Digest, rule: c.Rule, budgets: c.Budgets,
		tellsApart: c.TellsApart, keepClaimed: c.KeepClaimed,
	}
}

// begin gives a run an entry of its own: rows do not change. All else that a run
// writes into it, the next one does too.
func (c *claim) begin() {
	if !c.put {
		return
	}
	c.put, c.body = false, &entryBody{storedEntry: c.body.storedEntry}
	c.body.ID, c.body.Proposed, c.body.Event = c.id, c.proposed, 0
}

func firstTime(a, b time.Time) time.Time {
	if a.IsZero() {
		return b
	}
	return a
}
