package gate

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/schema"
)

// All that the gate tells a model stands in this file, in the order of the
// stages, so that it can be read together. A message is one short sentence that
// says what was expected and what came; next says what the model can do now.
// None holds a secret, and none more than a little of what came from outside.

const (
	maxNameShown  = 80
	maxErrorShown = 500
	maxEvidence   = 4 << 10
)

// what the model calls the tool.
func (c *call) called() string {
	if c.sent.Name == "" {
		return "the call"
	}
	return shorten(c.sent.Name, maxNameShown)
}

func (c *call) reject(code holdfast.Code, why, next string) *holdfast.Outcome {
	o := holdfast.Reject(code, c.called()+" did not run: "+why, next)
	return &o
}

// complete

func (c *call) cutReply(ending string) *holdfast.Outcome {
	switch ending {
	case "cut":
		return c.reject(holdfast.IncompleteResponse, "the reply was cut, by its length limit or by the provider, so none of its calls ran.",
			"Call again, with shorter arguments or fewer calls in one reply.")
	case "filtered":
		return c.reject(holdfast.IncompleteResponse, "the reply was filtered or refused, so none of its calls ran.",
			"Do not send the same reply again.")
	case "stopped":
		return c.reject(holdfast.IncompleteResponse, "another call of the reply was stopped, because its arguments could not become valid, so none of its calls ran.",
			"Correct that call and send all of them again.")
	}
	return c.reject(holdfast.IncompleteResponse, "the reply did not come to its proper end, so none of its calls ran.",
		"Send the calls again in a complete reply.")
}

func (c *call) stoppedAt(problems []schema.Problem) *holdfast.Outcome {
	o := c.reject(holdfast.InvalidArguments, "it was stopped while you wrote it, where no valid arguments could follow.",
		"Correct what is named and call the tool again.")
	o.Problems = problems
	return o
}

func (c *call) cutCall() *holdfast.Outcome {
	return c.reject(holdfast.IncompleteResponse, "the call was cut before its end.", "Send the call again, complete.")
}

func (c *call) duplicateID() *holdfast.Outcome {
	return c.reject(holdfast.DuplicateCallID, "another call of this reply has the same id; the first one stands.",
		"Give each call of a reply an id of its own.")
}

func (c *call) codecProblem(code holdfast.Code) *holdfast.Outcome {
	switch code {
	case holdfast.UnsupportedCall:
		return c.notAFunction()
	case holdfast.IncompleteResponse:
		return c.cutCall()
	case holdfast.DuplicateCallID:
		return c.duplicateID()
	}
	return c.reject(code, "the call could not be read from the reply.", "Send the call again as one function call with a JSON object.")
}

func (c *call) notAFunction() *holdfast.Outcome {
	kind := "not a function call"
	if k := string(c.sent.Kind); k != "" && k != string(holdfast.FunctionCall) {
		kind = "a " + shorten(k, maxNameShown) + " call"
	}
	return c.reject(holdfast.UnsupportedCall, "it is "+kind+", and only function calls with a JSON object can run.",
		"Call one of the listed tools with a JSON object.")
}

func (c *call) tooMany(limit int) *holdfast.Outcome {
	return c.reject(holdfast.TooManyCalls, fmt.Sprintf("a reply may hold at most %d calls.", limit),
		"Call again in a later reply, with fewer calls.")
}

// lookup

func (c *call) unknownTool(near []string) *holdfast.Outcome {
	next := "Call one of the listed tools."
	if len(near) > 0 {
		next = "Did you mean " + strings.Join(near, " or ") + "? Call a tool by exactly its listed name."
	}
	o := holdfast.Reject(holdfast.UnknownTool, fmt.Sprintf("There is no tool %q; nothing ran.", shorten(c.sent.Name, maxNameShown)), next)
	return &o
}

// parse and validate

func (c *call) unreadable(p schema.Problem) *holdfast.Outcome {
	o := c.reject(holdfast.UnreadableArguments, "its arguments are not one readable JSON object.",
		"Send the arguments as one JSON object and call the tool again.")
	o.Problems = []schema.Problem{p}
	return o
}

func (c *call) invalid(problems []schema.Problem) *holdfast.Outcome {
	why := "1 argument is wrong."
	if len(problems) != 1 {
		why = strconv.Itoa(len(problems)) + " arguments are wrong."
	}
	o := c.reject(holdfast.InvalidArguments, why, "Correct the named fields and call the tool again.")
	o.Problems = problems
	return o
}

// authorise

func (c *call) notPermitted(why string) *holdfast.Outcome {
	return c.reject(holdfast.NotPermitted, sentence(orElse(shorten(c.scrub(why), maxErrorShown), "it is not permitted with these arguments, here and now")),
		"Do not try to reach the same in another way; tell the user that it is not permitted.")
}

// approve

const (
	askedByPrecondition = "the tool's check asks for it"
	askedByPolicy       = "the policy asks for it"
)

func approvalRuleText(rule string) string {
	if rule == "" {
		return "this tool always needs it"
	}
	return "this tool needs it when " + rule
}

func unresolvedText(e *ledger.Entry) string {
	return "call " + e.ID + " of the same tool is unresolved: it is not known whether it took effect"
}

func (c *call) pending(approval, why string) *holdfast.Outcome {
	message := c.called() + " has not run: it waits for a person to agree"
	if why != "" {
		message += " (" + shorten(why, maxErrorShown) + ")"
	}
	return &holdfast.Outcome{
		Status: holdfast.Pending, Code: holdfast.ApprovalPending, Message: message + ".", ApprovalID: approval,
		Next: "Do not call it again; it runs by itself once a person agrees.",
	}
}

func (c *call) approvalEnded(code holdfast.Code, reason string) *holdfast.Outcome {
	switch code {
	case holdfast.ApprovalDenied:
		why := "a person said no."
		if reason != "" {
			why = sentence("a person said no: " + shorten(c.scrub(reason), maxErrorShown))
		}
		return c.reject(code, why, "Do not call it again unless the user asks for something else.")
	case holdfast.ApprovalExpired:
		return c.reject(code, "nobody agreed in time.", "Call it again only if the user still wants it.")
	}
	return c.reject(holdfast.ApprovalVoid, "the approval no longer holds for this call.", "Call it again if it is still wanted; a person will be asked anew.")
}

func (c *call) approvalVoid(changed []string) *holdfast.Outcome {
	return c.reject(holdfast.ApprovalVoid, "a person agreed to something else: "+strings.Join(changed, " and ")+" changed, and a new approval could not be opened.",
		"Call it again later if it is still wanted; a person will be asked anew.")
}

func (c *call) preconditionFailed(err error) *holdfast.Outcome {
	return c.reject(holdfast.PreconditionFailed, "what it would meet could not be checked"+because(c.errText(err)),
		"Try again later, or tell the user that it could not be checked.")
}

func (c *call) keyFailed(err error) *holdfast.Outcome {
	return c.reject(holdfast.PreconditionFailed, "its idempotency key could not be made"+because(c.errText(err)),
		"Tell the user that this call cannot be made.")
}

// admit

func (c *call) notAdmitted(a Admission) *holdfast.Outcome {
	why, next := a.Why, "Tell the user that it cannot be run now."
	if why == "" {
		switch a.Code {
		case holdfast.CircuitOpen:
			why = "it failed several times in a row and is paused"
		case holdfast.RateLimited:
			why = "it was called too often"
		case holdfast.BudgetExceeded:
			why = "the budget for its calls is used up"
		default:
			why = "it cannot be run now"
		}
	}
	if a.Wait > 0 {
		next = "Call it again in " + seconds(a.Wait) + " at the earliest."
	}
	if c.behindTwin() {
		next += " " + c.bothAgain()
	}
	return c.reject(a.Code, sentence(c.scrub(why)), next)
}

func (c *call) cancelledBefore() *holdfast.Outcome {
	return c.reject(holdfast.Cancelled, "it was cancelled before it started.", "Call it again only if the user asks for it.")
}

func (c *call) ledgerUnavailable() *holdfast.Outcome {
	return c.reject(holdfast.LedgerUnavailable, "the record of calls cannot be reached, and nothing runs unrecorded.", "Try again later.")
}

// claim

const replayMessage = "This call already ran; it was not run again."

func (c *call) replay(held *ledger.Entry) *holdfast.Outcome {
	if held.Outcome == nil {
		return c.taken(holdfast.UnresolvedWrite, held)
	}
	o := *held.Outcome
	o.Replayed, o.Message, o.Next, o.Also = true, replayMessage, "", nil
	return &o
}

func (c *call) taken(code holdfast.Code, held *ledger.Entry) *holdfast.Outcome {
	switch code {
	case holdfast.InProgress:
		return c.reject(code, "the same call is running just now.", "Do not call it again; its outcome comes with the first call.")
	case holdfast.KeyConflict:
		return c.reject(code, "its idempotency key was used before for another call.", "Use another key, or the arguments that belong to this one.")
	case holdfast.KeyPruned:
		return c.reject(code, "its idempotency key is from a call so old that its record was removed.", "Use a new key if this is a new call.")
	}
	o := c.reject(holdfast.UnresolvedWrite, "the same call was started before, and it is not known whether it took effect.",
		"Do not call it again; "+c.whoFindsOut()+" has to find out first. Tell the user so.")
	if held != nil {
		o.Message += " It is call " + held.ID + " in the record."
	}
	return o
}

// behindTwin reports whether an identical call stands before c in its round,
// so that c proposed alone would be taken for that one.
func (c *call) behindTwin() bool {
	return c.effect() == holdfast.Write && c.occurrence > 0 && !c.keyGiven
}

// bothAgain is what to do after one of several identical calls side by side:
// their keys differ by their position among each other, so fewer of them would
// be taken for the first ones.
func (c *call) bothAgain() string {
	all := "both calls"
	if c.siblings > 2 {
		all = fmt.Sprintf("all %d identical calls", c.siblings)
	}
	return "To try again, propose " + all + " again in one reply; what already ran is replayed, not run again."
}

// execute

func (c *call) howItEnded(code holdfast.Code) string {
	switch code {
	case holdfast.Panicked:
		return "its handler broke down"
	case holdfast.Timeout:
		return "it did not finish within " + c.tool.Timeout().String()
	case holdfast.Cancelled:
		return "it was cancelled while it ran"
	case holdfast.LimitExceeded:
		return "its result is larger than a handler may hand back"
	case holdfast.OutputInvalid:
		return "its result is not what its output schema promises"
	case holdfast.Unrecorded:
		return "its process ended before its outcome was recorded"
	case holdfast.Unconfirmed:
		return "a first check could not tell"
	}
	return "its handler reported an error"
}

func (c *call) failed(code holdfast.Code, err error) holdfast.Outcome {
	message := c.called() + " failed: " + c.howItEnded(code) + because(c.toolError(code, err))
	next := "Try again later or with other arguments, or tell the user that it failed."
	if c.effect() == holdfast.Write {
		message += " Nothing was changed."
		if c.behindTwin() {
			next = c.bothAgain()
		}
	}
	if transient, ok := asTransient(err); ok && transient.After > 0 {
		next = "Call it again in " + seconds(transient.After) + " at the earliest."
	}
	if code == holdfast.Cancelled {
		next = "Call it again only if the user asks for it."
	}
	return holdfast.Outcome{Status: holdfast.Failed, Code: code, Message: message, Next: next}
}

// askFirst is what the model is to do while it is not known whether c took effect.
func (c *call) askFirst() string {
	return "Do not call it again, and do not reach the same in another way: " + c.whoFindsOut() + " has to find out first. Tell the user that it is not known."
}

func (c *call) whoFindsOut() string {
	if c.info.options.Confirm != nil {
		return "a check, or a person,"
	}
	return "a person"
}

func (c *call) uncertain(code holdfast.Code, err error) holdfast.Outcome {
	return holdfast.Outcome{
		Status: holdfast.Uncertain, Code: code, Next: c.askFirst(),
		Message: "It is not known whether " + c.called() + " took effect: " + c.howItEnded(code) + because(c.toolError(code, err)),
	}
}

// toolError is the error's own words where they say more than the code.
func (c *call) toolError(code holdfast.Code, err error) string {
	if code == holdfast.ToolError {
		return c.errText(err)
	}
	return ""
}

// badResult is a read or an agent call whose result cannot be told.
func (c *call) badResult(code holdfast.Code, problems []schema.Problem) holdfast.Outcome {
	o := c.failed(code, nil)
	o.Problems = problems
	return o
}

// oddResult is a write that finished with such a result: it happened.
func (c *call) oddResult(code holdfast.Code, r *holdfast.Result, problems []schema.Problem) holdfast.Outcome {
	o := holdfast.Outcome{Status: holdfast.OK, Code: code, Result: r, Problems: problems}
	o.Message = c.called() + " took effect, but " + c.howItEnded(code) + "."
	if r == nil {
		o.Message = c.called() + " took effect; " + c.howItEnded(code) + ", so it was dropped."
	}
	o.Next = "Do not call it again for the sake of its result."
	return o
}

// parked is an agent call that stands still in its middle.
func (c *call) parked(no *NoAnswer) holdfast.Outcome {
	return holdfast.Outcome{
		Status: holdfast.Pending, Code: no.Code, Parked: true, ApprovalID: no.ApprovalID,
		Message: c.called() + " has begun and waits" + because(shorten(c.scrub(no.Message), maxErrorShown)),
		Next:    "Do not call it again; it goes on by itself.",
	}
}

func (c *call) unanswered(no *NoAnswer) holdfast.Outcome {
	return holdfast.Outcome{
		Status: holdfast.Failed, Code: no.Code, Message: c.called() + " gave no answer" + because(shorten(c.scrub(no.Message), maxErrorShown)),
		Next: "Try again with another task, or tell the user that it failed. What its calls did stands.",
	}
}

// calledOff is an agent call that had begun and may not go on.
func (c *call) calledOff(why holdfast.Outcome) holdfast.Outcome {
	message := strings.TrimPrefix(why.Message, c.called()+" did not run: ")
	if why.Code == holdfast.Cancelled {
		message = "it was cancelled."
	}
	return holdfast.Outcome{
		Status: holdfast.Failed, Code: why.Code, Next: why.Next,
		Message: c.called() + " had begun and was ended: " + message,
	}
}

func (c *call) innerUncertain() {
	if c.outcome.Status == holdfast.OK {
		c.outcome.Code = holdfast.Unconfirmed
	}
	c.outcome.Status = holdfast.Uncertain
	c.outcome.Message = c.called() + " ended, but it is not known whether one of the calls that it made took effect."
	c.outcome.Next = c.askFirst()
}

// confirm

func (c *call) unconfirmed(why string) holdfast.Outcome {
	message := "It is not known whether " + c.called() + " took effect: "
	if c.outcome.Status == holdfast.OK {
		message += "it reported success, but a check could not confirm it"
	} else {
		message += c.howItEnded(c.outcome.Code) + ", and a check could not tell"
	}
	return holdfast.Outcome{Status: holdfast.Uncertain, Code: holdfast.Unconfirmed, Message: message + because(why), Next: c.askFirst()}
}

func (c *call) noEffect() holdfast.Outcome {
	next := "Call it again if it is still wanted."
	if c.behindTwin() {
		next = c.bothAgain()
	}
	why := c.howItEnded(c.outcome.Code)
	if c.outcome.Status == holdfast.OK {
		why = "it reported success"
	}
	return holdfast.Outcome{
		Status: holdfast.Failed, Code: holdfast.NoEffect, Next: next,
		Message: c.called() + " had no effect: " + why + ", and a check found nothing changed.",
	}
}

func happenedResult() *holdfast.Result {
	return &holdfast.Result{JSON: json.RawMessage(`{"confirmed":true,"message":"It took effect: its handler did not finish properly, and a check found the effect."}`)}
}

// record

func (c *call) unrecorded() holdfast.Outcome {
	return holdfast.Outcome{
		Status: holdfast.Uncertain, Code: holdfast.Unrecorded, Next: c.askFirst(),
		Message: c.called() + " ran, but its outcome could not be recorded yet.",
	}
}

// Small things.

func because(why string) string {
	if why == "" {
		return "."
	}
	return ": " + sentence(why)
}

// sentence ends s like one.
func sentence(s string) string {
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// seconds is d for a model: whole seconds, rounded up.
func seconds(d time.Duration) string {
	s := int((d + time.Second - 1) / time.Second)
	if s == 1 {
		return "1 second"
	}
	return strconv.Itoa(s) + " seconds"
}

// shorten is s as valid UTF-8 of at most limit bytes, with a mark where it was cut.
func shorten(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}
