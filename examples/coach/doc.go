// Package coach is a gym coach: eight tools over one SQLite file, with foods,
// meals, measurements and routines. It is the example that the command runs as
// "coach", and shows what a careful set of tools looks like.
//
//	c, err := coach.Open(ctx, "coach.db", nil)
//	defer c.Close()
//	g, err := gate.New(c.Catalog(), ledger, nil)
//
// What a tool here does that yours may want to do too: it stores the call's
// idempotency key with what it writes, so a confirm function can read the effect
// back by it; it says [holdfast.WithoutEffect] for every error before the commit,
// and nothing of the kind for one after; it tells "nothing found" (a result)
// from "could not look" (an error); and it keeps numbers as the decimals they
// came as.
//
// What people record belongs to the call's principal: nobody reads another's.
package coach
