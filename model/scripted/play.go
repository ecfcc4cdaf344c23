package scripted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// played is a reply as a rule and a request make it, for a format to encode.
type played struct {
	id        string // hex, unique for the request
	text      string
	reasoning string
	calls     []playedCall
	stop      string // never ""
	cut       string
	failure   *fault
	usage     usage
}

type playedCall struct {
	mark      string // hex, unique for the call
	thought   string // what tells the reasoning before it; "" for none
	id        string
	ownID     bool // id is the scenario's, "" for none
	name      string
	arguments string
	kind      string
}

// play finds the rule for a request and expands it.
func (v *Server) play(q *request) (*played, error) {
	sc := newScene(q, v.scenario.hints)
	for _, r := range v.scenario.rules {
		if !v.matches(r, q, sc) {
			continue
		}
		i := 0
		if r.byStep {
			i = sc.Step
		}
		p, err := r.replies[i].expand(q, sc)
		if err != nil {
			return nil, fmt.Errorf("rule %q: %w", r.name, err)
		}
		return p, nil
	}
	text := fallbackText(v.scenario)
	if v.scenario.fallback != nil {
		var err error
		if text, err = expand(v.scenario.fallback, sc); err != nil {
			return nil, fmt.Errorf("fallback: %w", err)
		}
	}
	p := &played{text: text, stop: "stop"}
	p.finish(q)
	return p, nil
}

// fallbackText is what a message that no rule matches is told.
func fallbackText(s *Scenario) string {
	var b strings.Builder
	fmt.Fprintf(&b, "I am a scripted model, not a real one: I play the scenario %q and understand only what stands in it.", s.name)
	if len(s.hints) > 0 {
		b.WriteString(" Try:")
	}
	for _, h := range s.hints {
		b.WriteString("\n- " + h)
	}
	return b.String()
}

func newScene(q *request, hints []string) *scene {
	sc := &scene{System: q.system, Hints: hints, Group: map[string]string{}}
	var last item // the last reply with calls
	for _, it := range q.items {
		sc.Results = nil
		switch it.kind {
		case person:
			sc.Message, sc.Step = it.text, 0
			sc.Turn++
		case model:
			sc.Step++
			last = it
		case results:
			for i, r := range it.results {
				if i < len(last.calls) {
					r.name = last.calls[i].name
				}
				sc.Results = append(sc.Results, readResult(r))
			}
		}
	}
	for _, text := range []string{q.system, sc.Message} {
		if sc.Today == "" {
			sc.Today = isoDate.FindString(text)
		}
	}
	return sc
}

var isoDate = regexp.MustCompile(`\d{4}-\d{2}-\d{2}`)

func readResult(r seenResult) result {
	out := result{Tool: r.name, ID: r.id, Outcome: "ok", Text: r.text, Error: r.failed}
	dec := json.NewDecoder(bytes.NewReader([]byte(r.text)))
	dec.UseNumber()
	if err := dec.Decode(&out.JSON); err != nil || dec.More() {
		out.JSON = nil
		return out
	}
	if m, ok := out.JSON.(map[string]any); ok {
		outcome, _ := m["outcome"].(string)
		switch outcome {
		case "ok", "rejected", "pending", "failed", "uncertain":
			out.Outcome = outcome
			out.Code, _ = m["code"].(string)
		}
	}
	return out
}

// matches reports whether every condition of r holds; it fills in the scene
// what the conditions found.
func (v *Server) matches(r *rule, q *request, sc *scene) bool {
	c := &r.when
	if c.turn != 0 && c.turn != sc.Turn || c.system != nil && !c.system.MatchString(q.system) {
		return false
	}
	if !c.atStep(r, sc) || !c.afterResults(q, sc) {
		return false
	}
	if c.message != nil {
		m := c.message.FindStringSubmatch(sc.Message)
		if m == nil {
			return false
		}
		sc.Groups, sc.Group = m, map[string]string{}
		for i, name := range c.message.SubexpNames() {
			if name != "" && m[i] != "" {
				sc.Group[name] = m[i]
			}
		}
	}
	return c.times == 0 || v.count(r)
}

// count takes one of a rule's times.
func (v *Server) count(r *rule) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.played[r]++
	return v.played[r] <= r.when.times
}

func (c *condition) atStep(r *rule, sc *scene) bool {
	switch {
	case r.byStep:
		return sc.Step < len(r.replies)
	case c.step != nil:
		return sc.Step == *c.step
	case c.always:
		return true
	}
	return len(c.after) > 0 || sc.Step == 0
}

func (c *condition) afterResults(q *request, sc *scene) bool {
	if len(c.after) == 0 {
		sc.Result = firstResult(sc.Results)
		return true
	}
	for i, name := range c.after {
		found := false
		for _, r := range sc.Results {
			if name != "*" && !isTool(r.Tool, name) || c.outcome != "" && r.Outcome != c.outcome ||
				c.code != "" && r.Code != c.code || c.result != nil && !c.result.MatchString(r.Text) {
				continue
			}
			if i == 0 {
				sc.Result = value(r)
			}
			found = true
			break
		}
		if !found {
			return false
		}
	}
	return true
}

func firstResult(rs []result) any {
	if len(rs) == 0 {
		return nil
	}
	return value(rs[0])
}

func value(r result) any {
	if r.JSON == nil {
		return r.Text
	}
	return r.JSON
}

// isTool reports whether sent is what a provider was sent for name.
func isTool(sent, name string) bool {
	rest, ok := strings.CutSuffix(sent, name)
	return ok && (rest == "" || !isAlphanumeric(rest[len(rest)-1]))
}

func isAlphanumeric(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

// offered is the name under which a tool was offered, or name itself.
func offered(q *request, name string) string {
	found := ""
	for _, t := range q.tools {
		if t.name == name {
			return name
		}
		if isTool(t.name, name) {
			if found != "" {
				return name
			}
			found = t.name
		}
	}
	if found == "" {
		return name
	}
	return found
}

func (r *reply) expand(q *request, sc *scene) (*played, error) {
	p := &played{stop: r.stop, cut: r.cut}
	if f := r.failure; f != nil {
		p.failure = &fault{status: f.Status, code: f.Code, message: f.Message, retryAfter: f.RetryAfter}
	}
	var err error
	if p.text, err = expand(r.say, sc); err != nil {
		return nil, err
	}
	if p.reasoning, err = expand(r.reasoning, sc); err != nil {
		return nil, err
	}
	for _, c := range r.calls {
		arguments, err := c.arguments.expand(sc)
		if err != nil {
			return nil, err
		}
		pc := playedCall{name: offered(q, c.name), arguments: arguments, kind: c.kind}
		if pc.kind == "" {
			pc.kind = "function"
		}
		if c.id != nil {
			pc.id, pc.ownID = *c.id, true
		}
		p.calls = append(p.calls, pc)
	}
	if p.stop == "" {
		p.stop = "stop"
		if len(p.calls) > 0 {
			p.stop = "tool_calls"
		}
	}
	if r.usage != nil {
		p.usage = *r.usage
	}
	p.finish(q)
	return p, nil
}

// finish makes the ids and counts what was not given.
func (p *played) finish(q *request) {
	p.id = digest(q.api, strconv.Itoa(len(q.items)), p.text, p.reasoning, strconv.Itoa(q.bytes))
	size := len(p.text) + len(p.reasoning)
	for i := range p.calls {
		c := &p.calls[i]
		c.mark, c.thought = digest(p.id, strconv.Itoa(i), c.name, c.arguments), thoughtMark(p.reasoning)
		size += len(c.name) + len(c.arguments)
	}
	if p.usage == (usage{}) {
		p.usage = usage{Input: q.bytes/4 + 1, Output: size/4 + 1, Reasoning: len(p.reasoning) / 4}
	}
	if p.failure != nil && p.failure.status == 0 {
		p.failure.status = http.StatusInternalServerError
	}
}

// thoughtMark tells a reasoning from others, and none from any.
func thoughtMark(reasoning string) string {
	if reasoning == "" {
		return ""
	}
	return digest(reasoning)[:7]
}

// idWith is the call's id in a format that opens its ids with prefix. Where the
// format takes reasoning back, the id of a call after one says so, by letter, so
// that a server without memory knows what must stand before it; letter "" says
// nothing. Each format has its own letter: no reasoning crosses to another.
func (c *playedCall) idWith(prefix, letter string) string {
	switch {
	case c.ownID:
		return c.id
	case letter == "" || c.thought == "":
		return prefix + "n" + c.mark[:24]
	}
	return prefix + letter + c.thought + c.mark[:24]
}

// marked reports which reasoning the call of that id came after. A scenario's
// own ids tell nothing.
func marked(id, prefix, letter string) (thought string, ok bool) {
	rest, found := strings.CutPrefix(id, prefix+letter)
	if !found || len(rest) != 7+24 {
		return "", false
	}
	for _, b := range rest {
		if !strings.ContainsRune("0123456789abcdef", b) {
			return "", false
		}
	}
	return rest[:7], true
}

// object is the argument text where the format holds a value: an empty text is
// {}, and what is no JSON a string.
func (c *playedCall) object() json.RawMessage {
	if strings.TrimSpace(c.arguments) == "" {
		return json.RawMessage("{}")
	}
	if json.Valid([]byte(c.arguments)) {
		return json.RawMessage(c.arguments)
	}
	text, err := encode(c.arguments)
	if err != nil {
		return json.RawMessage("{}")
	}
	return text
}
