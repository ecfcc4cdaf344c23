// Package memory keeps a ledger for as long as the process lives: for tests, for
// trying a catalog out, and for reads whose record nobody needs later. It keeps
// every promise of a ledger.Store but the one about crashes.
//
//	store := memory.New(nil)
//	l, err := ledger.New(ctx, store, nil)
package memory
