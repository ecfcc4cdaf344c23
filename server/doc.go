// Package server is the HTTP door of the gate: conversations, calls, approvals
// and the ledger under /v1, and events as they happen.
//
//	s, err := server.New(g, ledger, client, &server.Options{Catalog: "coach", Page: console.New()})
//	err = s.Serve(ctx, listener) // until ctx ends; then in order
//
// It translates and decides nothing about a call: that is the gate's. A turn goes
// on when whoever asked for it leaves; its events can be taken up again from the
// last that was seen, and what is no longer held is told from the record.
//
// Errors are problem documents (RFC 9457). Without tokens it answers only this
// machine, and only under a name of this machine, so that no foreign page can
// reach it through a name of its own; whoever sits there acts for one principal
// and sees the whole record. With tokens, whoever brings one acts for its
// principal and sees what is theirs, or with the scope admin, their tenant's.
//
// It refuses to keep accounts and passwords: who people are, whoever makes their
// tokens knows.
package server
