package policy

import (
	"errors"
	"math/big"
	"strings"

	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/rule"
	"github.com/holdfast-go/holdfast/schema"
)

// Budget bounds how often the tools that it names are started together, or the
// sum of one of their arguments.
type Budget struct {
	Name string
	// Tools by their qualified names; at least one.
	Tools []string
	// Tenants and Principals; none: all.
	Tenants, Principals []string
	// Shared counts a tenant's principals together by the day, not each for itself.
	Shared bool
	// Sum is the JSON Pointer of the argument that is summed up; "": starts are
	// counted. A call without a number above zero there has no room.
	Sum string
	// PerRun and PerDay are the most that may be used up within a run, with the
	// runs of its agent calls, and within a day of the ledger's clock, in UTC. nil:
	// no bound; one of them at least is set.
	PerRun, PerDay *big.Rat
}

func (b *Budget) check() error {
	switch {
	case len(b.Tools) == 0:
		return errors.New("it names no tools; * stands for all")
	case b.PerRun == nil && b.PerDay == nil:
		return errors.New("it bounds nothing: it has neither per_run nor per_day")
	case b.PerRun != nil && b.PerRun.Sign() < 0, b.PerDay != nil && b.PerDay.Sign() < 0:
		return errors.New("a bound is below zero")
	case b.Sum != "" && !strings.HasPrefix(b.Sum, "/"):
		return errors.New("sum is no JSON Pointer; it begins with /")
	}
	return nil
}

// budgetsOf are the budgets that a call counts in.
func (p *Policy) budgetsOf(call *gate.Proposal) []rule.Budget {
	var list []rule.Budget
	for i := range p.budgets {
		b := &p.budgets[i]
		if !named(b.Tools, call.Name) || !anyOf(b.Tenants, call.Principal.Tenant) || !anyOf(b.Principals, call.Principal.ID) {
			continue
		}
		scope := call.Principal.Tenant + "\x00"
		if !b.Shared {
			scope += call.Principal.ID
		}
		list = append(list, rule.Budget{
			Name: b.Name, Scope: scope, Amount: b.amount(call.Arguments), PerRun: b.PerRun, PerDay: b.PerDay,
		})
	}
	return list
}

// amount is what a call counts; 0, which fits no budget, where it does not say.
func (b *Budget) amount(args schema.Value) *big.Rat {
	if b.Sum == "" {
		return nil
	}
	v, there := args.At(b.Sum)
	if !there || v.Kind() != schema.Number {
		return new(big.Rat)
	}
	amount, ok := new(big.Rat).SetString(v.Text())
	if !ok {
		return new(big.Rat)
	}
	return amount
}
