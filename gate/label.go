package gate

import (
	"context"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast"
)

// consequential calls are those that what a stranger wrote must not bring about
// by itself: they change something, or send data out.
func (c *call) consequential() bool {
	return c.effect() == holdfast.Write || c.info.options.Sends
}

// lookLabels reads what the run is marked with, where that matters to c. Of the calls
// before c in its round, those that may bring a stranger's text count too, though
// the model has not seen it yet: so it does not matter what became of them when
// the round is put through again.
func (g *Gate) lookLabels(ctx context.Context, c *call) error {
	p := c.round
	if !p.labelsKnown {
		if _, all := g.options.Authorizer.(AllowAll); all && !c.consequential() {
			return nil
		}
		labels, err := g.ledger.Labels(ctx, p.Run)
		if err != nil && ctx.Err() == nil && !c.consequential() {
			// A read goes on without the record, judged as if it came after anything.
			g.logLedger("reading labels", c, err)
			c.labels = []holdfast.Label{holdfast.Untrusted}
			return nil
		}
		if err != nil {
			return err
		}
		p.labelsKnown = true
		for _, l := range labels {
			p.addLabel(l)
		}
	}
	c.labels = slices.Clip(p.labels)
	return nil
}

func (p *passage) addLabel(l holdfast.Label) {
	if !slices.Contains(p.labels, l) {
		p.labels = append(p.labels, l)
	}
}

// brings notes what c may bring into the run, for the calls behind it.
func (p *passage) brings(c *call) {
	switch {
	case c.tool == nil:
	case c.info.options.Untrusted:
		p.addLabel(holdfast.Untrusted.Of(c.info.name))
	case c.effect() == holdfast.Agent:
		p.labelsKnown = false // its own calls mark the run too
	}
}

// mark marks the run with what c may bring into it, durably, before anything of
// the tool is run or its result is told. An error of the tool is a stranger's
// text too, so it does not matter how the call ends.
func (g *Gate) mark(ctx context.Context, c *call) *holdfast.Outcome {
	if c.marked || !c.info.options.Untrusted {
		return nil
	}
	marking := limit(ctx, g.options.RecordTimeout)
	defer marking.end()
	if err := g.ledger.Mark(marking, c.round.Run, holdfast.Untrusted.Of(c.info.name)); err != nil {
		if ctx.Err() != nil {
			return c.cancelledBefore()
		}
		g.logLedger("marking run", c, err)
		c.stage = Admit
		return c.ledgerUnavailable()
	}
	c.marked = true
	return nil
}

// told is a word about c that may hold what its tool once said: a replay is
// marked as the call itself would be.
func (g *Gate) told(ctx context.Context, c *call, o *holdfast.Outcome) *holdfast.Outcome {
	if o == nil || !o.Replayed {
		return o
	}
	if no := g.mark(ctx, c); no != nil {
		return no
	}
	return o
}

// doubted are the labels that the call needs a person for: those that neither the
// ruling nor what a person agreed to beforehand allows it in spite of.
func (c *call) doubted(agreed []holdfast.Label) []holdfast.Label {
	if !c.consequential() {
		return nil
	}
	var list []holdfast.Label
	for _, l := range c.labels {
		if !slices.Contains(c.ruling.Despite, l) && !slices.Contains(agreed, l) {
			list = append(list, l)
		}
	}
	return list
}

// labelsNamed reports whether the person who agreed knew of what is in the run.
func (c *call) labelsNamed() bool {
	for _, l := range c.doubted(nil) {
		if !slices.Contains(c.approval.Labels, l) {
			return false
		}
	}
	return true
}

// labelsText says what is in a run, and where it came from.
func labelsText(labels []holdfast.Label) string {
	var names, from []string
	for _, l := range labels {
		if name := string(l.Name()); !slices.Contains(names, name) {
			names = append(names, name)
		}
		if tool := l.From(); tool != "" {
			from = append(from, tool)
		}
	}
	text := "this run holds " + strings.Join(names, " and ") + " text"
	if len(from) > 0 {
		text += " from " + strings.Join(from, ", ")
	}
	return text
}
