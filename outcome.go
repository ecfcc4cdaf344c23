package holdfast

import "github.com/holdfast-go/holdfast/schema"

// Status is what became of a call.
type Status string

// The five outcomes of the contract.
const (
	OK        Status = "ok"
	Rejected  Status = "rejected"
	Pending   Status = "pending"
	Failed    Status = "failed"
	Uncertain Status = "uncertain"
)

// Code says why an outcome is not a plain ok; stable, machine-readable.
type Code string

// The codes, by the stage of the gate that gives them.
const (
	IncompleteResponse  Code = "incomplete_response" // complete
	UnsupportedCall     Code = "unsupported_call"
	DuplicateCallID     Code = "duplicate_call_id"
	TooManyCalls        Code = "too_many_calls"
	UnknownTool         Code = "unknown_tool"         // lookup
	UnreadableArguments Code = "unreadable_arguments" // parse
	InvalidArguments    Code = "invalid_arguments"    // validate
	NotPermitted        Code = "not_permitted"        // authorise
	ApprovalPending     Code = "approval_pending"     // approve
	ApprovalDenied      Code = "approval_denied"
	ApprovalExpired     Code = "approval_expired"
	ApprovalVoid        Code = "approval_void"
	PreconditionFailed  Code = "precondition_failed"
	CircuitOpen         Code = "circuit_open" // admit
	RateLimited         Code = "rate_limited"
	BudgetExceeded      Code = "budget_exceeded"
	Cancelled           Code = "cancelled" // also of execute
	LedgerUnavailable   Code = "ledger_unavailable"
	InProgress          Code = "in_progress" // claim
	KeyConflict         Code = "key_conflict"
	KeyPruned           Code = "key_pruned"
	UnresolvedWrite     Code = "unresolved_write"
	ToolError           Code = "tool_error" // execute
	Timeout             Code = "timeout"
	LimitExceeded       Code = "limit_exceeded"
	Panicked            Code = "panic"
	OutputInvalid       Code = "output_invalid"
	NoEffect            Code = "no_effect" // confirm
	Unconfirmed         Code = "unconfirmed"
	Unrecorded          Code = "unrecorded" // record
)

// Outcome is what became of one call: the record's form, whole. [Observe] makes
// of it what the model reads.
type Outcome struct {
	Status Status
	// Code is "" for a plain ok; with ok it notes what is odd about the result.
	Code    Code
	Message string // one short sentence for the model
	// Problems holds every failing field; only the observation is cut.
	Problems []schema.Problem
	Next     string // what the model can do now
	Result   *Result
	// Replayed says that the call ran before and was not run again.
	Replayed bool
	// Parked marks a pending agent call whose inner call waits for a person.
	Parked bool
	// ApprovalID names the approval that a pending call waits for.
	ApprovalID string
	// Inner are the outcomes of an agent call's own calls.
	Inner []Inner
	// Also are rejections of later calls of the round that used the same id.
	Also []Outcome
}

// Inner is one call that an agent call made, told with its outcome.
type Inner struct {
	Tool     string `json:"tool"`
	Status   Status `json:"outcome"`
	Code     Code   `json:"code,omitempty"`
	LedgerID string `json:"ledger_id,omitempty"`
}

// Executed says whether the handler was entered: nil means that this is not
// known (uncertain).
func (o Outcome) Executed() *bool {
	yes := false
	switch o.Status {
	case Uncertain:
		return nil
	case OK, Failed:
		yes = true
	case Pending:
		yes = o.Parked
	}
	return &yes
}

// Reject is the outcome of a call that did not run.
func Reject(code Code, message, next string) Outcome {
	return Outcome{Status: Rejected, Code: code, Message: message, Next: next}
}
