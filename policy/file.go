package policy

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"os"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/linefile"
	"github.com/holdfast-go/holdfast/rule"
	"github.com/holdfast-go/holdfast/schema"
)

// maxFileBytes is the most that a policy file may hold.
const maxFileBytes = 1 << 20

//go:embed policy.schema.json
var schemaText []byte

// Schema is the JSON Schema of a policy file.
func Schema() json.RawMessage { return slices.Clone(schemaText) }

// Fault is one thing wrong with a policy file, or odd about it.
type Fault struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1; 0 where it is not known
	Column  int    `json:"column"` // likewise
	Rule    string `json:"rule"`   // or budget; "" where it is the file's
	Path    string `json:"path"`   // JSON Pointer into the file
	Message string `json:"message"`
}

// String is the fault on one line, its place first.
func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", f.Line, f.Column)
	}
	b.WriteString(": ")
	if f.Rule != "" {
		fmt.Fprintf(&b, "%s: ", f.Rule)
	}
	b.WriteString(f.Message)
	return b.String()
}

// Error lists everything that is wrong with a policy file, in its order.
type Error struct{ Faults []Fault }

func (e *Error) Error() string {
	lines := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// Load reads the policy file at path. What is wrong with it is an [Error].
func Load(path string) (*Policy, error) {
	f, err := os.Open(path)
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return nil, &fs.PathError{Op: "reading policy file", Path: path, Err: at.Err}
	}
	if err != nil {
		return nil, fmt.Errorf("reading policy file: %w", err)
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading policy file: %w", err)
	}
	return Parse(path, src)
}

// Parse reads a policy file's text. The name is for messages, and says by its
// ending that the text is JSON. What is wrong with the text is an [Error].
func Parse(name string, src []byte) (*Policy, error) {
	b := &builder{file: name, taken: map[string]bool{}, places: map[string]linefile.Place{}}
	p := b.build(src)
	if len(b.faults) > 0 {
		slices.SortStableFunc(b.faults, func(x, y Fault) int {
			if x.Line != y.Line {
				return x.Line - y.Line
			}
			return x.Column - y.Column
		})
		return nil, &Error{b.faults}
	}
	return p, nil
}

// builder makes a policy of one file and collects what is wrong with it.
type builder struct {
	file   string
	root   *linefile.Node
	taken  map[string]bool
	places map[string]linefile.Place
	faults []Fault
}

func (b *builder) add(at linefile.Place, rule, path, message string) {
	b.faults = append(b.faults, Fault{b.file, at.Line, at.Column, rule, path, message})
}

func (b *builder) build(src []byte) *Policy {
	if len(src) > maxFileBytes {
		b.add(linefile.Place{}, "", "", fmt.Sprintf("is larger than %d bytes", maxFileBytes))
		return nil
	}
	root, found := linefile.Read(b.file, src)
	for _, f := range found {
		b.add(f.Place, "", "", f.Message)
	}
	if b.root = root; root == nil || !b.checkForm() {
		return nil
	}
	p := &Policy{file: b.file, places: b.places}
	for i, n := range root.Get("rules").Items {
		p.rules = append(p.rules, b.rule(n, fmt.Sprintf("/rules/%d", i)))
	}
	if budgets := root.Get("budgets"); budgets != nil {
		for i, n := range budgets.Items {
			p.budgets = append(p.budgets, b.budget(n, fmt.Sprintf("/budgets/%d", i)))
		}
	}
	return p
}

// checkForm checks the file against its schema and reports whether it keeps that.
func (b *builder) checkForm() bool {
	form, err := schema.Compile(schemaText, nil)
	if err != nil {
		panic("policy: the schema of policy files does not compile: " + err.Error())
	}
	v, err := schema.Read(b.root.JSON(), &schema.Limits{Bytes: 8 * maxFileBytes, String: maxFileBytes})
	if err != nil {
		at, path := b.root.Place, ""
		var bad *schema.ReadError
		if errors.As(err, &bad) {
			at, path = b.root.At(bad.Path).Place, bad.Path
		}
		b.add(at, b.nameAt(path), path, err.Error())
		return false
	}
	report := form.Validate(v)
	for _, p := range report.Problems {
		b.add(b.placeOf(p), b.nameAt(p.Path), p.Path, p.Message)
	}
	return report.Valid()
}

// placeOf is where a problem stands. An unknown name is reported at its object:
// the name itself is the better place.
func (b *builder) placeOf(p schema.Problem) linefile.Place {
	n := b.root.At(p.Path)
	if p.Keyword == "additionalProperties" {
		for _, m := range n.Members {
			if m.Name == p.Got {
				return m.At
			}
		}
	}
	return n.Place
}

// nameAt is what to call the rule or budget that a path lies in.
func (b *builder) nameAt(path string) string {
	steps := strings.SplitN(path, "/", 4)
	if len(steps) < 3 {
		return ""
	}
	kind := strings.TrimSuffix(steps[1], "s")
	if name := b.root.At("/" + steps[1] + "/" + steps[2]).Get("name"); name != nil && name.Kind == linefile.String && name.Text != "" {
		return kind + " " + name.Text
	}
	return kind + " number " + steps[2]
}

func (b *builder) rule(n *linefile.Node, path string) Rule {
	r := Rule{
		Name: n.Get("name").Text, Decision: Decision(n.Get("decision").Text),
		Tools: texts(n.Get("tools")), Tenants: texts(n.Get("tenants")), Principals: texts(n.Get("principals")),
		Labels: texts(n.Get("labels")), Despite: texts(n.Get("despite")),
	}
	for _, e := range texts(n.Get("effects")) {
		r.Effects = append(r.Effects, holdfast.Effect(e))
	}
	if sends := n.Get("sends"); sends != nil {
		yes := sends.Text == "true"
		r.Sends = &yes
	}
	if why := n.Get("why"); why != nil {
		r.Why = why.Text
	}
	sound := true
	if when := n.Get("when"); when != nil {
		for i, c := range when.Items {
			made := condition(c)
			if err := made.Check(); err != nil {
				sound = false
				at := fmt.Sprintf("%s/when/%d", path, i)
				b.add(c.Place, b.nameAt(at), at, err.Error())
			}
			r.When = append(r.When, made)
		}
	}
	if sound {
		b.check(n, path, r.Name, r.check())
	}
	return r
}

func (b *builder) check(n *linefile.Node, path, name string, err error) {
	if err == nil {
		err = checkName(name, b.taken)
		b.places[name] = n.Get("name").Place
	}
	if err != nil {
		b.add(n.Get("name").Place, b.nameAt(path), path, err.Error())
	}
}

func condition(n *linefile.Node) rule.Condition {
	c := rule.Condition{Path: n.Get("path").Text, Op: n.Get("op").Text}
	if v := n.Get("value"); v != nil {
		c.Value = v.JSON()
	}
	return c
}

func (b *builder) budget(n *linefile.Node, path string) Budget {
	made := Budget{
		Name: n.Get("name").Text, Tools: texts(n.Get("tools")), Tenants: texts(n.Get("tenants")), Principals: texts(n.Get("principals")),
		PerRun: number(n.Get("per_run")), PerDay: number(n.Get("per_day")),
	}
	if shared := n.Get("shared"); shared != nil {
		made.Shared = shared.Text == "true"
	}
	if sum := n.Get("sum"); sum != nil {
		made.Sum = sum.Text
	}
	b.check(n, path, made.Name, made.check())
	return made
}

// number is an exact number of the file, whose form is right.
func number(n *linefile.Node) *big.Rat {
	if n == nil {
		return nil
	}
	r, _ := new(big.Rat).SetString(n.Text)
	return r
}

// texts are a text or a list of texts.
func texts(n *linefile.Node) []string {
	switch {
	case n == nil:
		return nil
	case n.Kind == linefile.String:
		return []string{n.Text}
	}
	var list []string
	for _, item := range n.Items {
		list = append(list, item.Text)
	}
	return list
}
