package policy

import (
	"context"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/rule"
)

// Saved is where the rules are that people saved with an answer. A
// *ledger.Ledger is one.
type Saved interface {
	// RulesFor are the rules that hold now for a tool and a principal.
	RulesFor(ctx context.Context, p holdfast.Principal, tool string) ([]rule.Saved, error)
}

// Book is an Authorizer that decides as another does, and knows which calls a
// person agreed to beforehand. It never permits what the other denies.
type Book struct {
	saved Saved
	next  gate.Authorizer
}

// NewBook makes a book. Where next is nil every call is permitted.
func NewBook(saved Saved, next gate.Authorizer) *Book {
	if next == nil {
		next = gate.AllowAll{}
	}
	return &Book{saved, next}
}

// Authorize decides as the other does. Rules that cannot be read agree to
// nothing: then a person is asked as if there were none.
func (b *Book) Authorize(ctx context.Context, call gate.Proposal) (gate.Ruling, error) {
	ruling, err := b.next.Authorize(ctx, call)
	if err != nil || !ruling.Allow {
		return ruling, err
	}
	rules, err := b.saved.RulesFor(ctx, call.Principal, call.Name)
	if err != nil {
		return ruling, nil
	}
	for i := range rules {
		r := &rules[i]
		if !r.Covers(call.Name, call.Tool.Digest(), call.Principal, call.Arguments) {
			continue
		}
		if ruling.Agreed == nil || len(r.Despite) > len(ruling.Agreed.Despite) {
			ruling.Agreed = r
		}
	}
	return ruling, nil
}
