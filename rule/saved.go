package rule

import (
	"slices"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
)

// Saved is a person's answer to calls to come, given with the approval of one. It
// covers a call that has only the named arguments and fulfils every condition, as
// long as the tool's definition is the same.
type Saved struct {
	ID         string
	Tool       string
	ToolDigest string
	// Arguments are the names that a call may have. One that has others is not
	// covered.
	Arguments []string
	When      []Condition
	Principal holdfast.Principal // with no ID: everybody of the tenant
	Despite   []holdfast.Label   // of the run, that the call is allowed in spite of
	Approval  string             // with whose answer it was saved
	SavedBy   string
	Saved     time.Time
	Lasts     time.Duration // 0: 30 days
	Expires   time.Time
	RevokedBy string
	Revoked   time.Time
}

// Holds reports whether the rule is neither revoked nor expired at a time of the
// clock of the store that keeps it.
func (s *Saved) Holds(now time.Time) bool { return s.Revoked.IsZero() && now.Before(s.Expires) }

// Covers reports whether the rule speaks of a call: of its tool by that definition,
// for its principal, with these arguments and no others.
func (s *Saved) Covers(tool, digest string, p holdfast.Principal, args schema.Value) bool {
	if s.Tool != tool || s.ToolDigest != digest || s.Principal.Tenant != p.Tenant || s.Principal.ID != "" && s.Principal.ID != p.ID {
		return false
	}
	for name := range args.Members() {
		if !slices.Contains(s.Arguments, name) {
			return false
		}
	}
	for _, c := range s.When {
		if !c.Holds(args) {
			return false
		}
	}
	return true
}
