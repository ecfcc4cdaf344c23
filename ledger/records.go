package ledger

import (
	"encoding/json"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
)

// Run is one conversation.
type Run struct {
	ID        string
	Catalog   string
	Model     string
	Principal holdfast.Principal
	// Parent is the ledger id of the agent call that this run is the inside of;
	// "" for a person's conversation.
	Parent  string
	Created time.Time
	// Root is the run whose labels and budgets this one shares; "": with Parent,
	// those of the run in which that call stands, else its own.
	Root string
	// Labels of the run and of those that share them, as they are now. They are
	// told, and grow by Ledger.Mark only.
	Labels []holdfast.Label
}

// Turn is one message of a person and what came of it. A run has one open turn
// at a time.
type Turn struct {
	Run     string
	Number  int // from 1
	Message string
	// End is "" while the turn is open, else how it ended: answer, round_limit,
	// incomplete, error, cancelled.
	End     string
	Answer  string
	Started time.Time
	Ended   time.Time
}

// Round is one model reply and the calls it proposed, durable before any of
// them runs. What became of each call is in the entries of the same place.
type Round struct {
	Run, API     string
	Turn, Number int
	// Reply is the provider's reply as its codec needs it again; the ledger
	// does not look into it.
	Reply     json.RawMessage
	Calls     []holdfast.Call
	Complete  bool              // the reply may run
	Ending    string            // how the reply ended, in one word
	Names     map[string]string // sent name to qualified
	Keys      map[int]string    // caller's own keys, by position
	Principal holdfast.Principal
	Agent     string // whose reply it is, where the conversation may be handed over
}

// State of an entry.
type State string

// The states. Rejected and the settled ones are final, but that uncertain moves
// on with evidence and failed frees its key.
const (
	StatePending   State = "pending" // waits for a person
	StateParked    State = "parked"  // an agent call in which a call of its own waits for a person
	StateClaimed   State = "claimed" // may be run by its owner; nothing has happened
	StateStarted   State = "started" // the handler may have been entered
	StateOK        State = "ok"
	StateFailed    State = "failed"
	StateUncertain State = "uncertain"
	StateRejected  State = "rejected"
)

// Entry is the record of one call.
type Entry struct {
	ID                    string
	Run                   string
	Turn, Round, Position int
	CallID                string // the provider's, or ours
	Tool                  string // qualified; as sent where no tool is known
	ToolDigest            string
	Effect                holdfast.Effect
	Principal             holdfast.Principal
	Arguments             json.RawMessage // as validated, secrets masked
	Text                  string          // the argument text as it came, where it was not validated (bounded)
	Sealed                json.RawMessage // of pending entries: the very bytes that will run, secrets included; never shown, erased when the call starts or ends
	ArgumentsDigest       string          // of the canonical form, secrets included
	Key                   string          // of writes
	Coerced               []schema.Coercion
	Warnings              []schema.Problem // what is odd about valid arguments
	Labels                []holdfast.Label // of the run when the call was judged
	Rule                  string           // of the policy, that decided about the call
	State                 State
	Stage                 string // the gate's stage that gave the outcome
	Fence                 int64
	Owner                 string
	Outcome               *holdfast.Outcome // once there is one
	ApprovalID            string
	Ran                   time.Duration // how long an agent call ran before it was parked, all told
	// Asked is how often a confirm function was asked about an uncertain write, and
	// AskAfter when it may be again.
	Asked                  int
	AskAfter               time.Time
	Proposed, Started, End time.Time
}

// Event is one line of an entry's story.
type Event struct {
	Seq     int64
	Entry   string
	At      time.Time
	What    string // proposed, approval_opened, approved, denied, started, ok, failed, uncertain, rejected, evidence, asked, …
	Who     string // owner or person
	Fence   int64
	Details json.RawMessage
	Hash    string // of the chain up to here: it covers every event before it
}

// ApprovalState is where an approval stands.
type ApprovalState string

// The states of an approval. All but Waiting and Approved mean: do not run.
const (
	Waiting   ApprovalState = "waiting"
	Approved  ApprovalState = "approved"
	Denied    ApprovalState = "denied"
	Expired   ApprovalState = "expired"
	Void      ApprovalState = "void"     // what it was bound to changed
	Consumed  ApprovalState = "consumed" // the call was started with it
	Withdrawn ApprovalState = "withdrawn"
)

// Approval waits for a person's decision on exactly one call.
type Approval struct {
	ID         string
	EntryID    string
	Digest     string // over tool definition, arguments, precondition answer and principal
	Run        string
	Turn       int
	Tool       string
	ToolDigest string
	Arguments  json.RawMessage // exactly what runs, secrets masked
	Finding    holdfast.Finding
	Why        string
	Unresolved string           // ledger id of an unresolved write that made it necessary
	Labels     []holdfast.Label // of the run, that made it necessary
	Rule       string           // of the policy, that made it necessary
	Principal  holdfast.Principal
	State      ApprovalState
	Wait       time.Duration // how long it may wait; 0: 24 h
	Requested  time.Time
	Expires    time.Time
	DecidedBy  string
	Decided    time.Time
	Reason     string
	Saved      string // id of the rule that the answer saved
	// Within is the ledger id of the outermost agent call that the call is made in,
	// WithinRun that call's run, and WithinTool its tool; "" where it is in none. The
	// ledger fills them in when it tells an approval.
	Within, WithinRun, WithinTool string
	Replaces                      string   // the approval that became void
	Changed                       []string // what changed since
}
