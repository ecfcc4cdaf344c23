package gate

import "github.com/holdfast-go/holdfast"

// lookup asks whether the name is in the turn's catalog. The table of sent
// names decides first, then the exact names themselves.
func (g *Gate) lookup(c *call) *holdfast.Outcome {
	t, ok := g.find(c)
	if !ok {
		return c.unknownTool(g.nearest(c))
	}
	c.tool, c.info = t, g.tools[t]
	return nil
}

func (g *Gate) find(c *call) (*holdfast.Tool, bool) {
	name := c.sent.Name
	// A foreign namespace is part of the name: dropping it would run another
	// tool than the one that was meant.
	if ns := c.sent.Namespace; ns != "" && ns != g.catalog.Namespace() {
		name = ns + "." + name
	}
	if qualified, ok := c.round.Names[name]; ok {
		return g.catalog.Lookup(qualified)
	}
	return g.catalog.Lookup(name)
}

// nearest lists the names that the model may have meant, as it knows them.
func (g *Gate) nearest(c *call) []string {
	near := g.catalog.Nearest(c.sent.Name)
	if len(c.round.Names) == 0 {
		return near
	}
	for i, name := range near {
		t, _ := g.catalog.Lookup(name)
		for sent, qualified := range c.round.Names {
			if t != nil && qualified == g.catalog.Qualify(t) {
				near[i] = sent
			}
		}
	}
	return near
}
