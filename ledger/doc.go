// Package ledger is the durable record: runs, rounds, calls, keys, approvals and
// outcomes. Its one promise: for one key it starts a write at most once, unless
// the confirm function or a person says that it did not happen; if it holds a
// result it returns it; if it does not know, it says so.
//
//	entry, standing, err := l.Start(ctx, claim) // durable before the effect
//	if err != nil || !standing.Free() { … }     // then the handler is not entered
//	…
//	entry, err = l.Settle(ctx, entry.ID, entry.Fence, outcome, "record", "")
//
// The meaning of every state is written once, in [Ledger]; docs/ledger-states.md
// shows them, and what a crash between any two lines leaves. A [Store] is only a
// transactional table of rows; package ledgertest holds what each must keep.
//
// The ledger runs nothing, asks nobody and retries nothing by itself: no timer
// and no restart starts a write or settles one that is uncertain.
package ledger
