package grammar

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/holdfast-go/holdfast/schema"
)

// CallFormat is how a model writes calls into its text. Every part may be absent,
// but for what tells a name from its arguments.
type CallFormat struct {
	// Trigger begins calls behind free text. Without one the reply is a call from
	// its first byte.
	Trigger string
	// Begin stands before the first call, Open before each, Close behind each,
	// Between before each but the first, End behind the last.
	Begin, Open, Close, Between, End string
	// NameMember and ArgumentsMember name the members of the JSON object that a
	// call is. Without them a call is NamePrefix, the name, NameEnd and the
	// arguments.
	NameMember, ArgumentsMember string
	NamePrefix, NameEnd         string
	// Control names the control tokens of the model that these texts are written
	// with. Such a token may come wherever its text stands around calls, free text
	// included, and never within arguments.
	Control []string
}

// CallTool is a tool that may be called: its name as the model knows it, and what
// its arguments must be.
type CallTool struct {
	Name      string
	Arguments *schema.Schema
}

// CallOptions of CompileCalls; nil means defaults, and so does each zero field.
type CallOptions struct {
	Options
	// Required wants at least one call. False: the reply may be text alone.
	Required bool
	// Single admits at most one call. False: as many as the model likes.
	Single bool
	// Answer is what a reply without calls must be, from its first byte; then there
	// is no free text. nil: any text.
	Answer *schema.Schema
}

// CompileCalls compiles the replies that may call tools: free text until the
// format's trigger, then a name as a choice, then that tool's arguments. The error
// is a *RefusedError where a schema cannot be held; its path begins with the tool's
// name.
func CompileCalls(tools []CallTool, f CallFormat, o *CallOptions) (*Grammar, error) {
	if o == nil {
		o = &CallOptions{}
	}
	if len(tools) == 0 {
		return nil, fmt.Errorf("grammar: calls need at least one tool")
	}
	if (f.NameMember == "" || f.ArgumentsMember == "") && f.NameEnd == "" {
		return nil, fmt.Errorf("grammar: the call format does not say where a name ends")
	}
	b := newBuilder()
	c := calls{format: f, options: o}
	var roots []*goal
	for _, t := range tools {
		root := b.root(t.Arguments)
		if err := b.build(root); err != nil {
			return nil, within(t.Name, err)
		}
		roots = append(roots, root)
	}
	var answer *goal
	if o.Answer != nil {
		answer = b.root(o.Answer)
		if err := b.build(answer); err != nil {
			return nil, within("answer", err)
		}
	}
	g := newScript(b, c.script(tools, roots, answer), &o.Options)
	g.machine.controls = slices.Clone(f.Control)
	return g, nil
}

func within(name string, err error) error {
	if r, ok := err.(*RefusedError); ok {
		return &RefusedError{Path: "/" + name + r.Path, Keyword: r.Keyword, Message: r.Message}
	}
	return err
}

// calls lays a format out as a script.
type calls struct {
	format  CallFormat
	options *CallOptions
	nodes   script
}

func (c *calls) add(n scriptNode) int {
	c.nodes = append(c.nodes, n)
	return len(c.nodes) - 1
}

// lead makes a node come before others.
func (c *calls) lead(text string, next ...int) int { return c.add(scriptNode{text: text, next: next}) }

func (c *calls) script(tools []CallTool, roots []*goal, answer *goal) script {
	f := &c.format
	start := c.add(scriptNode{})
	end := c.lead(f.End)
	again := c.lead(f.Between) // its calls are set below
	closing := c.lead(c.closing(), end)
	if !c.options.Single {
		c.nodes[closing].next = append(c.nodes[closing].next, again)
	}
	var each []int
	for i, t := range tools {
		arguments := c.add(scriptNode{goal: roots[i], next: []int{closing}})
		each = append(each, c.lead(f.opening(t.Name), arguments))
	}
	c.nodes[again].next = each
	begin := c.lead(f.Begin, each...)
	c.nodes[start] = c.start(begin, answer)
	return c.nodes
}

// start is what a reply begins with.
func (c *calls) start(begin int, answer *goal) scriptNode {
	switch {
	case answer != nil && !c.options.Required:
		return scriptNode{next: []int{c.lead(c.format.Trigger, begin), c.add(scriptNode{goal: answer})}}
	case answer != nil, c.format.Trigger == "":
		return scriptNode{text: c.format.Trigger, next: []int{begin}}
	}
	return scriptNode{free: true, text: c.format.Trigger, ends: !c.options.Required, next: []int{begin}}
}

// opening is the text before a call's arguments.
func (f *CallFormat) opening(name string) string {
	if f.NameMember == "" {
		return f.Open + f.NamePrefix + name + f.NameEnd
	}
	return f.Open + "{" + quoted(f.NameMember) + ": " + quoted(f.NamePrefix+name) + ", " + quoted(f.ArgumentsMember) + ": "
}

// closing is the text behind them.
func (c *calls) closing() string {
	if c.format.NameMember == "" {
		return c.format.Close
	}
	return "}" + c.format.Close
}

func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil { // a string always can be
		panic(err)
	}
	return string(b)
}
