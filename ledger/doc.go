// Package ledger is the durable record: runs, rounds, calls, keys, approvals and
// outcomes. Its one promise: for one key it starts a write at most once, unless
// the confirm function or a person says that it did not happen; if it holds a
// result it returns it; if it does not know, it says so.
//
// The meaning of every state is written once, in [Ledger]. A [Store] is only a
// transactional table of rows; package ledgertest holds what each must keep.
package ledger
