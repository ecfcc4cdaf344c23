package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/digest"
	"github.com/holdfast-go/holdfast/ledger"
)

// approve asks whether a person must agree first. A call that comes back with
// an approval passes only if that is bound to exactly what would run now.
func (g *Gate) approve(ctx context.Context, c *call) *holdfast.Outcome {
	if c.effect() == holdfast.Write {
		if no := g.lookKey(ctx, c); no != nil {
			return no
		}
	}
	if no := g.examine(ctx, c); no != nil {
		return no
	}
	return g.mayStart(ctx, c)
}

// mayStart compares what is known now with what a person agreed to, if that is
// needed; it is asked again directly before the start.
func (g *Gate) mayStart(ctx context.Context, c *call) *holdfast.Outcome {
	why, err := c.whyAsk()
	if err != nil {
		return c.preconditionFailed(err)
	}
	if c.approval == nil && why == "" {
		return nil
	}
	c.digest = c.bound()
	if c.approval != nil && c.approval.Digest == c.digest && c.unresolvedNamed() && c.labelsNamed() {
		return nil
	}
	return g.openApproval(ctx, c, why)
}

// examine runs the tool's precondition, if it has one, under its timeout.
func (g *Gate) examine(ctx context.Context, c *call) *holdfast.Outcome {
	look := c.info.options.Precondition
	if look == nil {
		return nil
	}
	if no := g.mark(ctx, c); no != nil {
		return no
	}
	answer, end := contain(holdfast.WithCallInfo(ctx, c.callInfo()), g, c.tool.Timeout(), g.options.Grace, func(ctx context.Context) (holdfast.Finding, error) {
		return look(ctx, c.args)
	})
	g.leave(c, "precondition", end, nil)
	if ctx.Err() != nil {
		return c.cancelledBefore()
	}
	if err := end.asError(c.tool.Timeout()); err != nil {
		return c.preconditionFailed(err)
	}
	finding := answer.value
	if finding.Shown != nil && !json.Valid(finding.Shown) {
		return c.preconditionFailed(errors.New("its answer is not JSON"))
	}
	finding.Shown, finding.Why = c.scrubJSON(finding.Shown), c.scrub(finding.Why)
	c.finding = finding
	return nil
}

// whyAsk says why a person must agree, or "". A saved rule by which one agreed
// beforehand answers what could be known then.
func (c *call) whyAsk() (string, error) {
	why, err := c.foreseen()
	if err != nil {
		return "", err
	}
	doubted, relied := c.doubted(nil), false
	if agreed := c.ruling.Agreed; agreed != nil && c.approval == nil {
		open := c.doubted(agreed.Despite)
		relied = len(why) > 0 || len(open) < len(doubted)
		why, doubted = nil, open
	}
	if len(doubted) > 0 {
		why = append(why, labelsText(doubted))
	}
	if c.finding.NeedsApproval {
		why = append(why, orElse(c.finding.Why, askedByPrecondition))
	}
	if c.unresolved != nil {
		why = append(why, unresolvedText(c.unresolved))
	}
	c.relied = relied && len(why) == 0
	return strings.Join(why, "; "), nil
}

// foreseen says why the tool's own rule and the policy want a person.
func (c *call) foreseen() (why []string, err error) {
	if rule := c.info.options.Approval; rule != nil {
		needs := true
		if rule.Needs != nil {
			err := guarded(func() error {
				needs = rule.Needs(c.args)
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
		if needs {
			why = append(why, approvalRuleText(rule.Rule))
		}
	}
	if c.ruling.Ask {
		why = append(why, orElse(c.ruling.Why, askedByPolicy))
	}
	return why, nil
}

// unresolvedNamed reports whether the person who agreed knew of the other write
// whose outcome is not known, if there is one.
func (c *call) unresolvedNamed() bool {
	return c.unresolved == nil || c.unresolved.ID == c.approval.Unresolved
}

// bound is the digest over everything that an approval is bound to.
func (c *call) bound() string {
	p := c.round.Principal
	return digest.Of([]byte("approval"), []byte(c.tool.Digest()), c.args.Raw(), findingBytes(c.finding),
		[]byte(p.Tenant), []byte(p.ID))
}

func findingBytes(f holdfast.Finding) []byte {
	text, err := json.Marshal(f)
	if err != nil {
		panic("gate: a finding that was checked does not marshal: " + err.Error())
	}
	return text
}

// openApproval parks the call: the pending entry with the very bytes that will
// run, and the approval, are durable in one write. One that replaces another
// says what changed.
func (g *Gate) openApproval(ctx context.Context, c *call, why string) *holdfast.Outcome {
	c.makePlaceKey()
	e := c.newEntry()
	e.State, e.Sealed = ledger.StatePending, c.args.Raw()
	a := ledger.Approval{
		Digest: c.digest, Run: c.round.Run, Turn: c.round.Turn, Tool: c.info.name, ToolDigest: c.tool.Digest(),
		Arguments: c.masked, Finding: c.finding, Why: why, Principal: c.round.Principal,
		Labels: c.doubted(nil), Rule: c.ruling.Rule,
	}
	if rule := c.info.options.Approval; rule != nil {
		a.Wait = rule.Expires
	}
	if c.unresolved != nil {
		a.Unresolved = c.unresolved.ID
	}
	if c.approval != nil {
		a.Replaces, a.Changed = c.approval.ID, c.changes()
	}
	pending := c.pending("", why)
	e.Outcome = pending
	recording := g.recording(ctx)
	defer recording.end()
	entry, approval, err := g.ledger.OpenApproval(recording, e, a)
	if err != nil {
		g.logLedger("opening approval", c, err)
		if c.approval != nil && c.own.State == ledger.StatePending {
			return c.approvalVoid(a.Changed)
		}
		c.stage = Admit
		return c.ledgerUnavailable()
	}
	c.ledgerID, pending.ApprovalID = entry.ID, approval.ID
	return pending
}

// sameJSON compares without regard to white space, which a store need not keep.
func sameJSON(a, b json.RawMessage) bool {
	var compactA, compactB bytes.Buffer
	if json.Compact(&compactA, a) != nil || json.Compact(&compactB, b) != nil {
		return bytes.Equal(a, b)
	}
	return bytes.Equal(compactA.Bytes(), compactB.Bytes())
}

// changes names what is not as it was when the person agreed.
func (c *call) changes() []string {
	was := c.approval
	var changed []string
	if was.ToolDigest != c.tool.Digest() {
		changed = append(changed, "the tool's definition")
	}
	if !sameJSON(was.Arguments, c.masked) {
		changed = append(changed, "the arguments")
	}
	if !bytes.Equal(findingBytes(was.Finding), findingBytes(c.finding)) {
		changed = append(changed, "what the precondition found")
	}
	if was.Principal != c.round.Principal {
		changed = append(changed, "the principal")
	}
	if !c.unresolvedNamed() {
		changed = append(changed, "another write of the tool is unresolved")
	}
	if !c.labelsNamed() {
		changed = append(changed, "what the run holds")
	}
	if len(changed) == 0 {
		// Only what is masked can differ without being seen.
		changed = append(changed, "a secret argument")
	}
	return changed
}
