// Package postgres keeps a ledger in PostgreSQL, for several processes and
// several machines. Leases and expiry go by the database's clock, and who lives
// is proven by a session lock, which the database lets go of when the session
// ends.
//
//	store, err := postgres.Open(ctx, "postgres://user@host/db", nil)
//	l, err := ledger.New(ctx, store, nil)
//	…
//	l.Close()
//	store.Close()
//
// The tables stand in a schema of their own. Each process writes through one
// session, and its goroutines share their commits; processes take turns by an
// advisory lock. A pooler that hands one session to several clients, or several
// to one, breaks both locks: connect directly. The words that a row is found by, such
// as its run, are refused where they are longer than 1300 bytes.
package postgres
