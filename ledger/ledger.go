package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdfast-go/holdfast"
)

// Options of New; nil means defaults.
type Options struct {
	NewID func() string // ids of entries and approvals; default random
	Owner string        // default random
	Lease time.Duration // default 30 s, renewed every third of it
}

// Ledger is the meaning of the record over a Store. Safe for concurrent use.
type Ledger struct{ store Store }

// New makes a ledger over store, registers its owner and settles what owners
// that are gone left behind. The caller closes the store after the ledger.
func New(ctx context.Context, store Store, o *Options) (*Ledger, error) {
	return &Ledger{store: store}, nil
}

// Run renews the owner's lease until ctx ends.
func (l *Ledger) Run(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }

// Close gives up the owner. Entries that it still runs become uncertain.
func (l *Ledger) Close() error { return nil }

// Claim asks for a key.
type Claim struct {
	Entry      Entry  // its Key, Tool, Principal, ArgumentsDigest, Run say what is claimed
	ApprovalID string // consumed with the start
	Digest     string // that the approval must be bound to
	TellsApart bool   // lift the rule about other unresolved writes of the tool
	// KeepClaimed stops at claimed instead of started.
	KeepClaimed bool
}

// Standing is how a key stands for a claim.
type Standing struct {
	// Code is "" when the key is free or settled ok, else in_progress,
	// key_conflict, key_pruned, unresolved_write or approval_pending; from Start
	// also why the approval could not be consumed: approval_denied,
	// approval_expired, approval_void (bound to another digest, or replaced).
	Code holdfast.Code
	// Held is the entry that stands in the way: settled ok (Code ""), running,
	// uncertain or pending, under this key or, for in_progress and
	// unresolved_write, with the same arguments under another. It is nil for a
	// conflict: nothing of the first call is shown.
	Held *Entry
	// Unresolved is the newest other write of the tool in this run that is
	// started or uncertain with other arguments: a person must agree first, by
	// an approval that names it (Approval.Unresolved). Start does not start then.
	Unresolved *Entry
}

// Free reports whether the write may start without asking anybody.
func (s Standing) Free() bool { return s.Code == "" && s.Held == nil && s.Unresolved == nil }

// Look tells how a key stands and claims nothing.
func (l *Ledger) Look(ctx context.Context, c Claim) (Standing, error) {
	return Standing{}, errors.ErrUnsupported
}

// Start claims the key and writes the entry as started, in one durable write;
// the approval, if any, is consumed in it. The entry is the caller's only if
// the standing is free. An Entry.ID in the claim names its pending (or claimed)
// entry; without one the entry is new.
func (l *Ledger) Start(ctx context.Context, c Claim) (Entry, Standing, error) {
	return Entry{}, Standing{}, errors.ErrUnsupported
}

// Settle commits the outcome of a started entry by compare-and-set on state and
// fence. A result that comes too late is kept as evidence, and the error is
// ErrLost with the entry as it stands. Committing the same outcome again changes
// nothing, so a commit whose fate is not known may be tried again.
func (l *Ledger) Settle(ctx context.Context, id string, fence int64, o holdfast.Outcome, stage, evidence string) (Entry, error) {
	return Entry{}, errors.ErrUnsupported
}

// Resolve moves an uncertain entry to ok or failed: the confirm function's or a
// person's word (who), by compare-and-set on the fence, evidence required.
func (l *Ledger) Resolve(ctx context.Context, id string, fence int64, o holdfast.Outcome, who, evidence string) (Entry, error) {
	return Entry{}, errors.ErrUnsupported
}

// ErrLost says that an entry moved on without its caller.
var ErrLost = errors.New("entry is no longer this owner's")

// Record writes an entry that is settled as it comes: a rejection, or a read
// with its outcome. It gets an id if it has none; the id of an entry that is
// still pending ends that one (denied, expired, cancelled). The ledger keeps
// the slices of e; nobody changes them afterwards.
func (l *Ledger) Record(ctx context.Context, e Entry) (Entry, error) {
	return e, errors.ErrUnsupported
}

// Entry is the call of that ledger id. Only here, and only while it is pending,
// Sealed is filled in.
func (l *Ledger) Entry(ctx context.Context, id string) (Entry, error) {
	return Entry{}, errors.ErrUnsupported
}

// Filter of Entries, Approvals and Runs; the zero Filter lists all, newest first.
type Filter struct {
	Run      string
	Turn     int
	Round    int
	Tool     string
	State    string
	Before   int64 // page: entries older than this Seq
	Limit    int   // 0: 100
	InOrder  bool  // oldest first
	Approval string
}

// Entries lists calls.
func (l *Ledger) Entries(ctx context.Context, f Filter) ([]Entry, error) {
	return nil, errors.ErrUnsupported
}

// Events is an entry's whole story, in order.
func (l *Ledger) Events(ctx context.Context, entry string) ([]Event, error) {
	return nil, errors.ErrUnsupported
}

// OpenApproval writes a pending entry and its approval in one durable write.
// Where the entry's key is already pending, that approval is returned instead.
// An approval with Replaces set makes that one void in the same write, and its
// entry waits for the new one. Expires is the ledger's to compute, from Wait and
// the store's clock.
func (l *Ledger) OpenApproval(ctx context.Context, e Entry, a Approval) (Entry, Approval, error) {
	return e, a, errors.ErrUnsupported
}

// Approval of that id; one past its time is told, and kept, as expired.
func (l *Ledger) Approval(ctx context.Context, id string) (Approval, error) {
	return Approval{}, errors.ErrUnsupported
}

// Approvals lists approvals.
func (l *Ledger) Approvals(ctx context.Context, f Filter) ([]Approval, error) {
	return nil, errors.ErrUnsupported
}

// Approve says yes for a person, once. Only deciding: whoever resumes the run
// starts the call. The same decision again changes nothing; another one, or one
// on an approval that ended, is a *DecidedError.
func (l *Ledger) Approve(ctx context.Context, id, by, reason string) (Approval, error) {
	return Approval{}, errors.ErrUnsupported
}

// Deny says no for a person, with a reason that the model sees. The entry stays
// pending until the gate records its rejection.
func (l *Ledger) Deny(ctx context.Context, id, by, reason string) (Approval, error) {
	return Approval{}, errors.ErrUnsupported
}

// DecidedError says that an approval was decided, or ended, before.
type DecidedError struct{ Approval Approval }

func (e *DecidedError) Error() string {
	return fmt.Sprintf("approval %s is already %s", e.Approval.ID, e.Approval.State)
}

// Close of an approval that nobody waits for any more: it ends withdrawn and
// its entry rejected with the outcome o.
func (l *Ledger) Withdraw(ctx context.Context, id string, o holdfast.Outcome) error {
	return errors.ErrUnsupported
}

// CreateRun writes a run; one with that id that differs is an error.
func (l *Ledger) CreateRun(ctx context.Context, r Run) (Run, error) {
	return r, errors.ErrUnsupported
}

// LookupRun is the run of that id.
func (l *Ledger) LookupRun(ctx context.Context, id string) (Run, error) {
	return Run{}, errors.ErrUnsupported
}

// Runs lists runs.
func (l *Ledger) Runs(ctx context.Context, f Filter) ([]Run, error) {
	return nil, errors.ErrUnsupported
}

// BeginTurn opens the run's next turn. While one is open it is an *OpenTurnError.
func (l *Ledger) BeginTurn(ctx context.Context, run, message string) (Turn, error) {
	return Turn{}, errors.ErrUnsupported
}

// OpenTurnError says that a run has an open turn, and which approval it waits
// for, if any.
type OpenTurnError struct {
	Turn     Turn
	Approval string
}

func (e *OpenTurnError) Error() string {
	if e.Approval != "" {
		return fmt.Sprintf("run %s waits for approval %s", e.Turn.Run, e.Approval)
	}
	return fmt.Sprintf("run %s has an open turn", e.Turn.Run)
}

// EndTurn closes a turn. Ending an ended turn changes nothing.
func (l *Ledger) EndTurn(ctx context.Context, t Turn) error { return errors.ErrUnsupported }

// Turns of a run, in order.
func (l *Ledger) Turns(ctx context.Context, run string) ([]Turn, error) {
	return nil, errors.ErrUnsupported
}

// SaveRound writes a round once; it is durable before any of its calls runs.
func (l *Ledger) SaveRound(ctx context.Context, r Round) error { return errors.ErrUnsupported }

// Rounds of a turn, in order; turn 0 means all of the run.
func (l *Ledger) Rounds(ctx context.Context, run string, turn int) ([]Round, error) {
	return nil, errors.ErrUnsupported
}
