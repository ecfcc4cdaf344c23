package gate

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/digest"
	"github.com/holdfast-go/holdfast/ledger"
)

// maxKeyBytes is what the APIs behind take of a key.
const maxKeyBytes = 255

// makeKey finds a write's key: the caller's, else what the tool computes, else
// the contract's digest. In the digest the round counts only for a tool that
// repeats; elsewhere the same write proposed again in a later round of the turn
// is the same write.
func (c *call) makeKey() error {
	r := &c.round.Round
	if key := r.Keys[c.position]; key != "" {
		c.key, c.keyGiven = key, true
		return checkKey(key)
	}
	if compute := c.info.options.Key; compute != nil {
		c.keyGiven = true
		err := guarded(func() (err error) {
			c.key, err = compute(c.args)
			return err
		})
		if err == nil {
			err = checkKey(c.key)
		}
		if err != nil {
			c.key = ""
		}
		return err
	}
	repeat := ""
	if c.info.options.Repeats {
		repeat = strconv.Itoa(r.Number)
	}
	c.key = digest.Of([]byte("key"), []byte(r.Run), []byte(strconv.Itoa(r.Turn)), []byte(repeat),
		[]byte(c.info.name), c.canonical, []byte(strconv.Itoa(c.occurrence)))
	return nil
}

// makePlaceKey gives a call that is not a write the key that its start is
// recorded under: its place, so that only the same call of the same round ever
// finds it.
func (c *call) makePlaceKey() {
	if c.key != "" {
		return
	}
	c.canon()
	r := &c.round.Round
	c.key = digest.Of([]byte("place"), []byte(r.Run), []byte(strconv.Itoa(r.Turn)), []byte(strconv.Itoa(r.Number)),
		[]byte(strconv.Itoa(c.position)))
}

// writeKey is the key as others see it: only a write has one.
func (c *call) writeKey() string {
	if c.effect() != holdfast.Write {
		return ""
	}
	return c.key
}

// checkKey admits what fits a header of every API: visible ASCII.
func checkKey(key string) error {
	if key == "" {
		return errors.New("key is empty")
	}
	if len(key) > maxKeyBytes {
		return fmt.Errorf("key is longer than %d bytes", maxKeyBytes)
	}
	for i := range len(key) {
		if key[i] < 0x20 || key[i] > 0x7e {
			return errors.New("key has characters other than visible ASCII")
		}
	}
	return nil
}

// countTwins finds which of the round's writes are identical. Their positions
// among each other are part of their keys: two side by side are two writes.
func countTwins(calls []*call) {
	if len(calls) == 1 {
		calls[0].siblings = 1
		return
	}
	type same struct{ tool, canonical string }
	count := make(map[same]int)
	of := func(c *call) same { return same{c.info.name, string(c.canonical)} }
	for _, c := range calls {
		if c.canonical != nil {
			c.occurrence = count[of(c)]
			count[of(c)]++
		}
	}
	for _, c := range calls {
		if c.canonical != nil {
			c.siblings = count[of(c)]
		}
	}
}

// lookKey computes a write's key and looks at it, claiming nothing. A key that
// is taken answers here, and neither a person nor the circuit is asked.
func (g *Gate) lookKey(ctx context.Context, c *call) *holdfast.Outcome {
	if err := c.makeKey(); err != nil {
		return c.keyFailed(err)
	}
	lookCtx := limit(ctx, g.options.RecordTimeout)
	defer lookCtx.end()
	standing, err := g.ledger.Look(lookCtx, c.claim())
	if err != nil {
		if ctx.Err() != nil {
			return c.cancelledBefore()
		}
		g.logLedger("looking up key", c, err)
		c.stage = Admit
		return c.ledgerUnavailable()
	}
	return g.told(ctx, c, g.standing(c, standing))
}

// ownStanding is the outcome where the key is held by this call's own entry: it
// only waits, unless another process went on with the round meanwhile.
func (c *call) ownStanding(held *ledger.Entry) *holdfast.Outcome {
	switch held.State {
	case ledger.StatePending, ledger.StateClaimed:
		return nil
	case ledger.StateStarted:
		return c.runsElsewhere()
	}
	c.recallOutcome(*held)
	return &c.outcome
}

// claim is what the ledger is asked for.
func (c *call) claim() ledger.Claim {
	claim := ledger.Claim{Entry: c.newEntry(), TellsApart: c.info.options.TellsApart, Budgets: c.ruling.Budgets}
	if c.relied && c.approval == nil {
		claim.Rule = c.ruling.Agreed.ID
	}
	if c.approval != nil && c.approval.State == ledger.Approved {
		claim.ApprovalID, claim.Digest = c.approval.ID, c.digest
	}
	return claim
}

// standing is the outcome for a key that is not free, or nil.
func (g *Gate) standing(c *call, s ledger.Standing) *holdfast.Outcome {
	c.unresolved = s.Unresolved
	held := s.Held
	if held != nil && c.own != nil && held.ID == c.own.ID {
		return c.ownStanding(held)
	}
	if s.Code == "" && held == nil {
		return nil
	}
	if s.Code == holdfast.BudgetExceeded {
		return c.overBudget(s.Budget)
	}
	c.stage = Claim
	switch {
	case s.Code == "":
		c.heldID = held.ID
		return c.replay(held)
	case s.Code == holdfast.ApprovalPending && held != nil:
		c.heldID = held.ID
		return c.pending(held.ApprovalID, "")
	}
	return c.taken(s.Code, held)
}
