// Package token says who brings a token: for whom a request acts, and what it
// may do.
//
//	ring, err := token.Open("tokens.jsonl", nil)
//	secret, t, err := ring.Create(token.Token{Principal: ana, Scopes: []token.Scope{token.Propose, token.Read}}, "root")
//	t, err = ring.Check(secret) // Unknown, Expired and Revoked are errors
//
// A secret is 256 random bits and is shown once. The file keeps a digest of it
// and is only ever appended to: a line for each token that is made and each that
// is revoked, with who did it and when. Other processes see a change with their
// next Check. A file that cannot be read lets nobody in.
//
// It refuses to hold passwords: a digest without salt and work is right for
// random bits and for nothing that a person chose.
package token
