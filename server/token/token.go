package token

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast"
)

// Scope is what a token may be used for. None implies another.
type Scope string

// The scopes.
const (
	Propose Scope = "propose" // begin conversations and turns
	Approve Scope = "approve" // decide what waits for a person, and settle what is uncertain
	Read    Scope = "read"    // look
	// Admin lets the other scopes reach the whole tenant instead of the
	// principal's own, and reads the metrics. Alone it shows no call.
	Admin Scope = "admin"
)

// Scopes lists every scope.
func Scopes() []Scope { return []Scope{Propose, Approve, Read, Admin} }

// Token is what is known of a secret. The secret itself is kept nowhere.
type Token struct {
	ID        string
	Principal holdfast.Principal
	Scopes    []Scope
	Note      string    // what it is for, in words
	Created   time.Time //
	CreatedBy string
	Expires   time.Time // zero: never
	Revoked   time.Time // zero: it is not
	RevokedBy string
}

// May reports whether t may be used for s.
func (t Token) May(s Scope) bool { return slices.Contains(t.Scopes, s) }

// Errors of Check and Revoke, for errors.Is.
var (
	ErrUnknown = errors.New("no such token")
	ErrExpired = errors.New("the token expired")
	ErrRevoked = errors.New("the token was revoked")
)

// prefix begins every secret, so that scanners for leaked secrets find it.
const prefix = "hf_"

// newSecret makes a token's id and its secret, which begins with the id.
func newSecret() (id, secret string) {
	id = strings.ToLower(rand.Text()[:12])
	return id, prefix + id + "_" + strings.ToLower(rand.Text()+rand.Text())
}

// idOf is the id that a secret, or a browser's proof, begins with.
func idOf(s string) (string, bool) {
	rest, ok := strings.CutPrefix(s, prefix)
	id, _, found := strings.Cut(rest, "_")
	return id, ok && found
}

// Proof is what a browser that is signed in shows in the secret's stead: it is
// made of the secret and does not give it away.
func Proof(secret string) string {
	sum := sha256.Sum256([]byte("holdfast: a browser that is signed in\x00" + secret))
	id, ok := idOf(secret)
	if !ok {
		id = given
	}
	return prefix + id + "_" + hex.EncodeToString(sum[:])
}

// given is the id of secrets that were given and not made here.
const given = "given"

// digest is what is kept: it is made of the proof, so that it gives neither
// away.
func digest(proof string) string {
	sum := sha256.Sum256([]byte(proof))
	return hex.EncodeToString(sum[:])
}

// same compares in a time that tells nothing of where two digests differ.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// check says what is wrong with a token that is to be made.
func (t *Token) check(now time.Time) error {
	switch {
	case t.Principal.ID == "" || t.Principal.Tenant == "":
		return errors.New("a token needs a tenant and a principal")
	case len(t.Scopes) == 0:
		return errors.New("a token needs a scope")
	case !t.Expires.IsZero() && !t.Expires.After(now):
		return errors.New("the token would have expired already")
	}
	for _, s := range t.Scopes {
		if !slices.Contains(Scopes(), s) {
			return fmt.Errorf("there is no scope %q; there are %v", s, Scopes())
		}
	}
	return nil
}
