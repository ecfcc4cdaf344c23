package scripted

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"text/template"
	"time"

	"go.yaml.in/yaml/v3"
)

// Scenario is what a scripted provider plays. It is immutable.
type Scenario struct {
	name     string
	hints    []string
	pace     time.Duration
	fallback *template.Template // nil: the built-in words
	rules    []*rule
}

// Name of the scenario.
func (s *Scenario) Name() string { return s.name }

// Hints are messages that the scenario understands.
func (s *Scenario) Hints() []string { return slices.Clone(s.hints) }

// Load reads a scenario file.
func Load(path string) (*Scenario, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading scenario: %w", err)
	}
	s, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", path, err)
	}
	return s, nil
}

// maxScenario is more than any scenario needs.
const maxScenario = 4 << 20

// Parse reads a scenario: YAML or JSON, in the form that the package comment
// gives. Every pattern and template in it is compiled here.
func Parse(text []byte) (*Scenario, error) {
	if len(text) > maxScenario {
		return nil, fmt.Errorf("scenario is larger than %d bytes", maxScenario)
	}
	var doc scenarioDoc
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("reading scenario: %w", err)
	}
	return doc.compile()
}

// The file's form. Private, so that it can grow without the package's surface;
// fields are only ever added.
type (
	scenarioDoc struct {
		Scenario string    `yaml:"scenario"`
		Hints    []string  `yaml:"hints"`
		Pace     string    `yaml:"pace"`
		Fallback string    `yaml:"fallback"`
		Rules    []ruleDoc `yaml:"rules"`
	}
	ruleDoc struct {
		Name    string     `yaml:"name"`
		When    whenDoc    `yaml:"when"`
		Replies []replyDoc `yaml:"replies"`
		Reply   replyDoc   `yaml:",inline"`
	}
	whenDoc struct {
		Message string `yaml:"message"`
		After   words  `yaml:"after"`
		Outcome string `yaml:"outcome"`
		Code    string `yaml:"code"`
		Result  string `yaml:"result"`
		Step    *int   `yaml:"step"`
		Always  bool   `yaml:"always"`
		Turn    int    `yaml:"turn"`
		System  string `yaml:"system"`
		Times   int    `yaml:"times"`
	}
	replyDoc struct {
		Say       string    `yaml:"say"`
		Reasoning string    `yaml:"reasoning"`
		Calls     []callDoc `yaml:"calls"`
		Stop      string    `yaml:"stop"`
		Cut       string    `yaml:"cut"`
		Error     *failure  `yaml:"error"`
		Usage     *usage    `yaml:"usage"`
	}
	callDoc struct {
		Name      string      `yaml:"name"`
		Arguments rawArgument `yaml:"arguments"`
		ID        *string     `yaml:"id"`
		Kind      string      `yaml:"kind"`
	}
	failure struct {
		Status     int    `yaml:"status"`
		Code       string `yaml:"code"`
		Message    string `yaml:"message"`
		RetryAfter string `yaml:"retry_after"`
	}
	usage struct {
		Input     int `yaml:"input"`
		Output    int `yaml:"output"`
		Cached    int `yaml:"cached"`
		Reasoning int `yaml:"reasoning"`
	}
)

// words is one text or a list of them.
type words []string

// UnmarshalYAML reads one text or a list.
func (w *words) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*w = words{n.Value}
		return nil
	}
	return n.Decode((*[]string)(w))
}

// rawArgument is a mapping, kept as JSON with its order and digits, or a text.
type rawArgument struct {
	given  bool
	isText bool
	text   string
}

// UnmarshalYAML reads a mapping or a text.
func (r *rawArgument) UnmarshalYAML(n *yaml.Node) error {
	r.given = true
	switch n.Kind {
	case yaml.ScalarNode:
		r.isText, r.text = true, n.Value
		return nil
	case yaml.MappingNode:
		text, err := appendJSON(nil, n)
		r.text = string(text)
		return err
	}
	return fmt.Errorf("line %d: arguments must be a mapping or a text", n.Line)
}

// appendJSON writes a YAML value as JSON, with names in the file's order, numbers
// as they were written, and a blank behind , and : as models put it.
func appendJSON(b []byte, n *yaml.Node) ([]byte, error) {
	var err error
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Style == 0 && n.Tag != "!!str" && json.Valid([]byte(n.Value)) {
			return append(b, n.Value...), nil
		}
		if n.Tag == "!!null" {
			return append(b, "null"...), nil
		}
		text, err := json.Marshal(n.Value)
		return append(b, text...), err
	case yaml.SequenceNode:
		b = append(b, '[')
		for i, item := range n.Content {
			if i > 0 {
				b = append(b, ", "...)
			}
			if b, err = appendJSON(b, item); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case yaml.MappingNode:
		b = append(b, '{')
		for i, member := range n.Content {
			if i > 0 {
				b = append(b, ",:"[i%2], ' ')
			}
			if i%2 == 0 && member.Kind != yaml.ScalarNode {
				return nil, fmt.Errorf("line %d: a name must be a text", member.Line)
			}
			if i%2 == 0 {
				name, err := json.Marshal(member.Value)
				if err != nil {
					return nil, err
				}
				b = append(b, name...)
				continue
			}
			if b, err = appendJSON(b, member); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	}
	return nil, fmt.Errorf("line %d: anchors and aliases are not read; write the value out", n.Line)
}

// rule is a ruleDoc, compiled.
type rule struct {
	name    string
	when    condition
	replies []*reply
	byStep  bool
}

type condition struct {
	message, result, system *regexp.Regexp
	after                   []string
	outcome, code           string
	step                    *int
	always                  bool
	turn, times             int
}

// reply is a replyDoc, compiled.
type reply struct {
	say       *template.Template
	reasoning *template.Template
	calls     []call
	stop, cut string
	failure   *failure
	usage     *usage
}

type call struct {
	name      string
	arguments argumentText
	id        *string // nil: one is made; "": none is sent
	kind      string
}

func (d *scenarioDoc) compile() (*Scenario, error) {
	s := &Scenario{name: d.Scenario, hints: d.Hints}
	if s.name == "" {
		return nil, errors.New("scenario has no name: its first line says `scenario: NAME`")
	}
	if d.Pace != "" {
		pace, err := time.ParseDuration(d.Pace)
		if err != nil || pace < 0 {
			return nil, fmt.Errorf("pace %q is not a duration such as 15ms", d.Pace)
		}
		s.pace = pace
	}
	if d.Fallback != "" {
		t, err := parseTemplate(d.Fallback)
		if err != nil {
			return nil, fmt.Errorf("fallback: %w", err)
		}
		s.fallback = t
	}
	for i := range d.Rules {
		r, err := d.Rules[i].compile()
		if err != nil {
			return nil, fmt.Errorf("rule %d %q: %w", i+1, d.Rules[i].Name, err)
		}
		s.rules = append(s.rules, r)
	}
	return s, nil
}

func (d *ruleDoc) compile() (*rule, error) {
	r := &rule{name: d.Name, byStep: len(d.Replies) > 0}
	var err error
	if r.when, err = d.When.compile(); err != nil {
		return nil, fmt.Errorf("when: %w", err)
	}
	docs := d.Replies
	if r.byStep {
		if one := d.Reply; one.Say != "" || one.Reasoning != "" || one.Calls != nil || one.Error != nil || one.Stop != "" || one.Cut != "" {
			return nil, errors.New("a rule has either replies or one reply beside `when`, not both")
		}
		if d.When.Step != nil || d.When.Always || d.When.After != nil {
			return nil, errors.New("a rule with replies is played by step; it takes no after, step or always")
		}
	} else {
		docs = []replyDoc{d.Reply}
	}
	for i := range docs {
		p, err := docs[i].compile()
		if err != nil {
			return nil, fmt.Errorf("reply %d: %w", i+1, err)
		}
		r.replies = append(r.replies, p)
	}
	return r, nil
}

func (d *whenDoc) compile() (condition, error) {
	c := condition{
		after: d.After, outcome: d.Outcome, code: d.Code, step: d.Step,
		always: d.Always, turn: d.Turn, times: d.Times,
	}
	for _, p := range []struct {
		what, pattern string
		to            **regexp.Regexp
	}{{"message", d.Message, &c.message}, {"result", d.Result, &c.result}, {"system", d.System, &c.system}} {
		if p.pattern == "" {
			continue
		}
		re, err := regexp.Compile(p.pattern)
		if err != nil {
			return c, fmt.Errorf("%s: %w", p.what, err)
		}
		*p.to = re
	}
	if len(c.after) == 0 && (c.outcome != "" || c.code != "" || c.result != nil) {
		return c, errors.New("outcome, code and result belong to after")
	}
	switch c.outcome {
	case "", "ok", "rejected", "pending", "failed", "uncertain":
	default:
		return c, fmt.Errorf("outcome %q is none of ok, rejected, pending, failed, uncertain", c.outcome)
	}
	return c, nil
}

var (
	stops = []string{"", "stop", "tool_calls", "length", "content_filter", "refusal", "pause", "malformed", "none"}
	cuts  = []string{"", "start", "text", "call", "end"}
	kinds = []string{"", "function", "custom", "provider", "unfinished"}
)

func (d *replyDoc) compile() (*reply, error) {
	if !slices.Contains(stops, d.Stop) {
		return nil, fmt.Errorf("stop %q is none of %v", d.Stop, stops[1:])
	}
	if !slices.Contains(cuts, d.Cut) {
		return nil, fmt.Errorf("cut %q is none of %v", d.Cut, cuts[1:])
	}
	if d.Error != nil && d.Error.Status != 200 && (d.Error.Status < 400 || d.Error.Status > 599) {
		return nil, fmt.Errorf("error: status %d is neither 200 nor 400 to 599", d.Error.Status)
	}
	p := &reply{stop: d.Stop, cut: d.Cut, failure: d.Error, usage: d.Usage}
	var err error
	if p.say, err = parseTemplate(d.Say); err != nil {
		return nil, fmt.Errorf("say: %w", err)
	}
	if p.reasoning, err = parseTemplate(d.Reasoning); err != nil {
		return nil, fmt.Errorf("reasoning: %w", err)
	}
	for i := range d.Calls {
		c := &d.Calls[i]
		if c.Name == "" {
			return nil, fmt.Errorf("call %d has no name", i+1)
		}
		if !slices.Contains(kinds, c.Kind) {
			return nil, fmt.Errorf("call %d: kind %q is none of %v", i+1, c.Kind, kinds[1:])
		}
		text, err := c.Arguments.compile()
		if err != nil {
			return nil, fmt.Errorf("call %d %q: arguments: %w", i+1, c.Name, err)
		}
		p.calls = append(p.calls, call{name: c.Name, arguments: text, id: c.ID, kind: c.Kind})
	}
	return p, nil
}
