package rule

import "math/big"

// Budget bounds what may be started within a run, with those that share its root,
// and within a day of the store's clock, in UTC.
type Budget struct {
	Name  string // for the record
	Scope string // whose it is: starts under the same name and scope count together
	// Amount of the start; nil: 1. One that is not above zero fits no budget.
	Amount *big.Rat
	// PerRun and PerDay are the most that may be used up; nil: no bound.
	PerRun, PerDay *big.Rat
}
