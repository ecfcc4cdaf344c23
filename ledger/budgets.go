package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/rule"
)

// storedBudget is what is used up of a budget, in one run or on one day.
type storedBudget struct {
	Name string    `json:"name"`
	Used string    `json:"used"`          // exact, as a fraction
	Day  string    `json:"day,omitempty"` // "": in a run
	At   time.Time `json:"at"`            // of the last start
}

// Spend counts a start that is not recorded as such, a read's, or tells the
// budget in which there is no room for it; then nothing is counted. It is durable
// when Spend returns.
func (l *Ledger) Spend(ctx context.Context, run string, budgets []rule.Budget) (over string, err error) {
	err = l.update(ctx, func(t *txn) error {
		over, err = t.spend(run, budgets)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("counting a start of run %s: %w", run, err)
	}
	return over, nil
}

// spend counts a start in every budget, or in none.
func (t *txn) spend(run string, list []rule.Budget) (over string, err error) {
	if over, err = t.overBudget(run, list); err != nil || over != "" {
		return over, err
	}
	return "", t.eachBudget(run, list, func(b *rule.Budget, at budgetRow) error {
		sum := new(big.Rat).Add(at.used, amountOf(b))
		return t.put(budgets, at.id, [7]string{}, storedBudget{b.Name, sum.RatString(), at.day, t.now})
	})
}

// overBudget is the first budget without room for the start, or "".
func (t *txn) overBudget(run string, list []rule.Budget) (over string, err error) {
	err = t.eachBudget(run, list, func(b *rule.Budget, at budgetRow) error {
		fits := amountOf(b).Sign() > 0 && new(big.Rat).Add(at.used, amountOf(b)).Cmp(at.most) <= 0
		if !fits && over == "" {
			over = b.Name
		}
		return nil
	})
	return over, err
}

// amountOf is what a start counts.
func amountOf(b *rule.Budget) *big.Rat {
	if b.Amount == nil {
		return big.NewRat(1, 1)
	}
	return b.Amount
}

// budgetRow is one bound of a budget, and what is used up of it.
type budgetRow struct {
	id, day    string
	used, most *big.Rat
}

// eachBudget shows do every bound.
func (t *txn) eachBudget(run string, list []rule.Budget, do func(b *rule.Budget, at budgetRow) error) error {
	if len(list) == 0 {
		return nil
	}
	root, err := t.rootOf(run)
	if err != nil {
		return err
	}
	today := t.now.Format(time.DateOnly)
	for i := range list {
		b := &list[i]
		for _, at := range []budgetRow{
			{id: budgetID(b, "run", root), most: b.PerRun},
			{id: budgetID(b, "day", today), most: b.PerDay, day: today},
		} {
			if at.most == nil {
				continue
			}
			if at.used, err = t.used(at.id); err != nil {
				return err
			}
			if err := do(b, at); err != nil {
				return err
			}
		}
	}
	return nil
}

func budgetID(b *rule.Budget, kind, one string) string {
	return digest([]byte(joined(b.Name, b.Scope, kind, one)))
}

func (t *txn) used(id string) (*big.Rat, error) {
	s, err := get[storedBudget](t, budgets, id)
	if err != nil || s == nil {
		return new(big.Rat), err
	}
	used, ok := new(big.Rat).SetString(s.Used)
	if !ok {
		return nil, fmt.Errorf("budget %s: what is used up is not a number", s.Name)
	}
	return used, nil
}

// pruneBudgets forgets days that are over. What a run used up stays, as the run
// does.
func (l *Ledger) pruneBudgets(ctx context.Context, keep time.Duration) error {
	keep = max(keep, 48*time.Hour)
	return l.inBatches(ctx, budgets, func(t *txn, row Row) (bool, error) {
		s, err := load[storedBudget](row)
		if err != nil || s.Day == "" || t.now.Sub(s.At) <= keep {
			return false, err
		}
		return true, t.Delete(budgets, row.ID)
	}, new(int))
}

// standOfBudgets tells whether a claim finds room in its budgets. What was
// started before and is gone on with has been counted.
func (t *txn) standOfBudgets(c *claim, st *standing) error {
	if st.counted() {
		return nil
	}
	over, err := t.overBudget(c.body.Run, c.budgets)
	if over != "" {
		st.Code, st.Budget = holdfast.BudgetExceeded, over
	}
	return err
}

// spendFor counts a claim's start.
func (t *txn) spendFor(c *claim, st *standing) error {
	if len(c.budgets) == 0 || st.counted() {
		return nil
	}
	over, err := t.spend(c.body.Run, c.budgets)
	if err == nil && over != "" {
		err = errors.New("a budget that had room has none within one transaction")
	}
	return err
}

// counted reports whether the claim's own entry was started before.
func (st *standing) counted() bool { return st.own != nil && !st.own.Started.IsZero() }
