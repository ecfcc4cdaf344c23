package gate

import (
	"encoding/json"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/digest"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

// call is one call on its way through the gate, used by one goroutine at a time.
type call struct {
	round    *passage
	position int
	sent     *holdfast.Call
	id       string // the provider's, or ours
	twinOf   int    // position of the first call with the same id, or -1

	// From lookup, parse and validate on.
	tool       *holdfast.Tool
	info       *toolInfo
	args       schema.Value
	text       []byte // of args, unless they were coerced
	masked     json.RawMessage
	coerced    []schema.Coercion
	warnings   []schema.Problem
	hidden     []string // secret values, to be kept out of what is told
	canonical  []byte   // of writes and whatever needs an approval
	occurrence int      // among identical calls of the round, from 0
	siblings   int      // how many identical calls the round has

	// From authorise to claim.
	labels     []holdfast.Label
	marked     bool // the run, with what this call brings
	ruling     Ruling
	relied     bool // on the saved rule: without it a person would be asked
	key        string
	keyGiven   bool // by the caller or by the tool, not by us
	finding    holdfast.Finding
	unresolved *ledger.Entry
	own        *ledger.Entry // what an earlier passage of this place left
	approval   *ledger.Approval
	digest     string // what the approval is bound to
	admitted   bool
	started    bool
	fence      int64         // of the start
	ran        time.Duration // before, of an agent call that was parked
	inner      *collector
	flight     *flight // of a read that others may wait for

	// From execute on.
	attempts int         // how often the handler was entered
	left     *leftBehind // a handler that was abandoned
	inFlight bool        // what was sent may still take effect: a confirm function's no does not count
	evidence string      // what the confirm function saw

	clock    *clock
	stage    Stage
	outcome  holdfast.Outcome
	decided  bool
	recorded bool   // the outcome came from the ledger
	ledgerID string // of this call's own entry
	heldID   string // of the entry that answered for it
	waiting  bool
	skipped  bool
}

// canon is the canonical form of the arguments.
func (c *call) canon() []byte {
	if c.canonical == nil {
		c.canonical = c.args.Canonical()
	}
	return c.canonical
}

// enter notes the stage and tells the watcher.
func (c *call) enter(s Stage) {
	c.stage = s
	c.clock.turn(s)
	c.round.tell(c, s)
}

func (c *call) effect() holdfast.Effect {
	if c.tool == nil {
		return ""
	}
	return c.tool.Effect()
}

// name is the tool as people, policy and the ledger know it; where it was not
// looked up, by the round's table.
func (c *call) name() string {
	if c.info != nil {
		return c.info.name
	}
	if name, ok := c.round.Names[c.sent.Name]; ok {
		return name
	}
	return shorten(c.sent.Name, maxNameShown)
}

// proposal is the call as the seams see it.
func (c *call) proposal() Proposal {
	r := &c.round.Round
	return Proposal{
		Tool: c.tool, Name: c.info.name, Arguments: c.args, Principal: r.Principal,
		Run: r.Run, Turn: r.Turn, Round: r.Number, Position: c.position, Labels: c.labels,
	}
}

// newEntry is the call's record as far as it is known now.
func (c *call) newEntry() ledger.Entry {
	r := &c.round.Round
	e := ledger.Entry{
		ID: c.ledgerID, Run: r.Run, Turn: r.Turn, Round: r.Number, Position: c.position, CallID: c.id,
		Tool: c.name(), Effect: c.effect(), Principal: r.Principal, Stage: string(c.stage), Key: c.key,
		Labels: c.labels, Rule: c.decidedBy(),
	}
	if c.tool != nil {
		e.ToolDigest = c.tool.Digest()
	}
	if c.args.Kind() == schema.Object {
		e.Arguments, e.Coerced, e.Warnings = c.masked, c.coerced, c.warnings
		if c.canonical != nil {
			e.ArgumentsDigest = digest.Of(c.canonical)
		}
	} else {
		e.Text = c.textOfRecord()
	}
	return e
}

// maxTextRecorded bounds the text that is kept of arguments that nobody could read.
const maxTextRecorded = 4 << 10

// textOfRecord is the argument text as it came. It is left out where it may
// hold a secret: what cannot be read cannot be masked.
func (c *call) textOfRecord() string {
	hide := c.round.gate.secrets
	if c.info != nil {
		hide = c.info.secrets
	}
	if hide && c.sent.Arguments != "" {
		return "[not kept: it may hold a secret]"
	}
	return shorten(c.sent.Arguments, maxTextRecorded)
}

// decidedBy names the rule that decided about the call, for the record.
func (c *call) decidedBy() string {
	if c.relied {
		return "saved:" + c.ruling.Agreed.ID
	}
	return c.ruling.Rule
}

// verdict is what became of c.
func (c *call) verdict() Verdict {
	v := Verdict{
		Position: c.position, CallID: c.id, Tool: c.name(), LedgerID: c.ledgerID, Key: c.writeKey(),
		Stage: c.stage, Outcome: c.outcome, Warnings: c.warnings, Waiting: c.waiting, Skipped: c.skipped,
		ApprovalID: c.outcome.ApprovalID, Rule: c.decidedBy(), Labels: c.labels, Attempts: c.attempts,
	}
	if c.heldID != "" {
		v.LedgerID = c.heldID
	}
	if c.waiting || c.skipped {
		return v
	}
	v.Observation = c.observe()
	v.Answer = c.twinOf < 0 && (c.outcome.Status != holdfast.Pending || c.round.options.NoWait)
	return v
}

const defaultResultBytes = 64 << 10

// observe is c's outcome as the model reads it.
func (c *call) observe() holdfast.Observation {
	limit := defaultResultBytes
	if c.info != nil {
		limit = c.info.options.ResultBytes
	}
	obs := holdfast.Observe(c.outcome, limit)
	obs.CallID, obs.Name, obs.Position = c.id, c.sent.Name, c.position
	return obs
}
