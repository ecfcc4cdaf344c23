package sandbox

import (
	"context"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
)

// Runner runs the calls of one tool. Its Run is a [holdfast.Handler]. Safe for
// concurrent use; it keeps nothing of a call once that has ended.
//
// Its errors say what is known of the effect: [holdfast.NoEffectError] where
// nothing can have happened, such as before anything was sent or started;
// [holdfast.TransientError] where a read may be tried again. Everything else
// means "perhaps".
type Runner interface {
	// Run runs one call. The idempotency key is in [holdfast.CallInfoFrom]; a write
	// hands it on. It returns soon after ctx ends, and what it started has ended
	// by then. A result that is larger than the tool may hand back is cut short, and
	// still larger than that.
	Run(ctx context.Context, args schema.Value) (holdfast.Result, error)
	// Limits are those that hold every run, defaults filled in.
	Limits() Limits
}

// Limits are what a tool that runs outside of this process may reach. The zero
// Limits allow nothing but what the kind of runner says.
type Limits struct {
	// Read and Write are the files and folders that it may read and change.
	Read, Write []string
	// Hosts are what it may connect to, as host:port. Private and loopback
	// addresses are reached only where they are named as addresses, or as localhost.
	Hosts []string
	// Memory is how many bytes it may use; 0 is the runner's own limit.
	Memory int64
}

// SpecError lists what is wrong with the declaration of a runner.
type SpecError struct{ Faults []Fault }

// Fault is one thing wrong with a declaration.
type Fault struct {
	Path    string // JSON Pointer into the declaration
	Message string
}

func (e *SpecError) Error() string {
	said := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		said[i] = strings.TrimPrefix(f.Path, "/") + ": " + f.Message
	}
	return strings.Join(said, "; ")
}
