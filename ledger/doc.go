// Package ledger is the durable record: runs, rounds, calls, keys, approvals and
// outcomes. Its one promise: for one key it starts a write at most once, unless
// the confirm function or a person says that it did not happen; if it holds a
// result it returns it; if it does not know, it says so.
//
//	store, err := sqlite.Open(ctx, "holdfast.db", nil) // or memory.New(nil)
//	book, err := ledger.New(ctx, store, nil)
//	run, err := book.CreateRun(ctx, ledger.Run{Principal: ana}) // a conversation
//	…                                                            // gate and agent write the rest
//	waiting, err := book.Approvals(ctx, ledger.Filter{State: string(ledger.Waiting)})
//	_, err = book.Approve(ctx, waiting[0].ID, "ana", "")
//	err = errors.Join(book.Close(), store.Close())
//
// A server keeps [Ledger.Run] going beside the rest: it renews the lease by which
// others know that this process lives, and settles what dead ones left behind.
//
// The meaning of every state is written once, in [Ledger]. A [Store] is only a
// transactional table of rows; package ledgertest holds what each must keep.
package ledger
