// Package ledgertest holds what every ledger.Store must keep ([Store]) and what
// package ledger promises over any of them ([Ledger]). A fault found in one
// store becomes a case here, for all.
//
//	func TestStore(t *testing.T) {
//		ledgertest.Store(t, func(t *testing.T) ledger.Store { return memory.New(nil) })
//	}
package ledgertest
