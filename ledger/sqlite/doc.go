// Package sqlite keeps a ledger in one SQLite file: durable before it answers
// (WAL, synchronous=FULL), mode 0600, shared by several processes of one
// machine. Writers of a process share their commits, and where no other store has
// the file open, a commit is written and synced while the next updates run.
//
//	store, err := sqlite.Open(ctx, "holdfast.db", nil)
//	l, err := ledger.New(ctx, store, nil)
//	…
//	l.Close()
//	store.Close()
//
// Who lives is proven by a lock of the operating system, which ends with its
// process however that ends: a byte of the database file itself, far beyond
// where SQLite writes or locks. The file must be on a local disk, as SQLite
// demands anyway.
package sqlite
