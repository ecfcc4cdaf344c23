package ledgertest

import (
	"math/big"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/rule"
)

// perDay is a budget of n starts a day.
func perDay(n int64) []rule.Budget {
	return []rule.Budget{{Name: "daily", Scope: "ana", PerDay: big.NewRat(n, 1)}}
}

// within is pay under budgets.
func within(key, to string, list []rule.Budget) ledger.Claim {
	c := pay(key, to)
	c.Budgets = list
	return c
}

func (b *bench) wantOver(c ledger.Claim, budget string) {
	b.Helper()
	for name, ask := range map[string]func() (ledger.Standing, error){
		"Look": func() (ledger.Standing, error) { return b.Look(b.Context(), c) },
		"Start": func() (ledger.Standing, error) {
			_, st, err := b.Start(b.Context(), c)
			return st, err
		},
	} {
		st, err := ask()
		if err != nil || st.Code != holdfast.BudgetExceeded || st.Budget != budget {
			b.Errorf("%s() = %q of budget %q, %v, want budget_exceeded of %q", name, st.Code, st.Budget, err, budget)
		}
	}
}

var budgetCases = []ledgerCase{
	{"a day's budget counts starts, in any process, until the day is over", func(b *bench) {
		for _, to := range []string{"bob", "cyd"} {
			b.settle(b.Ledger, b.start(b.Ledger, within(to, to, perDay(2))), ok(""))
		}
		b.Ledger = b.another()
		b.wantOver(within("dan", "dan", perDay(2)), "daily")
		other := perDay(2)
		other[0].Scope = "ben"
		b.settle(b.Ledger, b.start(b.Ledger, within("eve", "eve", other)), ok(""))
		if _, err := b.Prune(b.Context(), 0); err != nil {
			b.Fatal(err)
		}
		b.wantOver(within("dan", "dan", perDay(2)), "daily")
		b.clock.pass(24 * time.Hour)
		b.start(b.Ledger, within("dan", "dan", perDay(2)))
	}},
	{"a replay and a refusal use nothing up", func(b *bench) {
		b.settle(b.Ledger, b.start(b.Ledger, within("k", "bob", perDay(1))), ok(""))
		st, err := b.Look(b.Context(), within("k", "bob", perDay(1)))
		if err != nil || st.Code != "" || st.Held == nil {
			b.Errorf("Look() = %+v, %v, want the first call's outcome: a replay needs no budget", st, err)
		}
		for range 3 {
			b.wantOver(within("j", "cyd", perDay(1)), "daily")
		}
		b.clock.pass(24 * time.Hour)
		b.start(b.Ledger, within("j", "cyd", perDay(1)))
	}},
	{"a run's budget is that of its root, in exact amounts", func(b *bench) {
		b.run("r")
		if _, err := b.CreateRun(b.Context(), ledger.Run{ID: "inner", Principal: ana, Root: "r"}); err != nil {
			b.Fatal(err)
		}
		list := func(amount int64) []rule.Budget {
			return []rule.Budget{{Name: "sum", Amount: big.NewRat(amount, 10), PerRun: big.NewRat(3, 10)}}
		}
		for i, run := range []string{"r", "inner", "r"} {
			over, err := b.Spend(b.Context(), run, list(1))
			if over != "" || err != nil {
				b.Errorf("Spend() %d of 0.1 out of 0.3 = %q, %v, want room", i, over, err)
			}
		}
		for run, want := range map[string]string{"r": "sum", "inner": "sum", "other": ""} {
			if over, err := b.Spend(b.Context(), run, list(1)); over != want || err != nil {
				b.Errorf("Spend() in %s = %q, %v, want %q", run, over, err, want)
			}
		}
		for _, amount := range []int64{0, -1} {
			if over, err := b.Spend(b.Context(), "fresh", list(amount)); over != "sum" || err != nil {
				b.Errorf("Spend() of %d = %q, %v, want no room: it would give back", amount, over, err)
			}
		}
	}},
	{"of several budgets all count or none", func(b *bench) {
		both := []rule.Budget{{Name: "wide", PerDay: big.NewRat(5, 1)}, {Name: "narrow", PerRun: big.NewRat(1, 1)}}
		for i, want := range []string{"", "narrow", "narrow", "narrow", "narrow", "narrow"} {
			if over, err := b.Spend(b.Context(), "r", both); over != want || err != nil {
				b.Errorf("Spend() %d = %q, %v, want %q", i, over, err, want)
			}
		}
		for range 4 {
			if over, err := b.Spend(b.Context(), "", both[:1]); over != "" || err != nil {
				b.Errorf("Spend() = %q, %v, want room: what found none was not counted", over, err)
			}
		}
	}},
	{"of many at once no more start than there is room for", func(b *bench) {
		var all sync.WaitGroup
		var fit atomic.Int32
		for range 16 {
			all.Go(func() {
				over, err := b.Spend(b.Context(), "r", perDay(5))
				if err != nil {
					b.Errorf("Spend() = %v, want no error", err)
				}
				if over == "" {
					fit.Add(1)
				}
			})
		}
		all.Wait()
		if fit.Load() != 5 {
			b.Errorf("%d of 16 found room, want 5", fit.Load())
		}
	}},
}
