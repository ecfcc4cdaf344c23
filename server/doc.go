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
// Errors are problem documents (RFC 9457). Without a token it answers only this
// machine, and only under a name of this machine, so that no foreign page can
// reach it through a name of its own.
//
// It refuses to be a multi-user service: whoever may speak to it acts for one
// principal and sees the whole record.
package server
