package schema

import (
	"encoding/json"
	"slices"
	"strings"
)

// Coercion records one change that Coerce made. A dropped member has no To.
// The values of writeOnly fields are not shown.
type Coercion struct {
	Path string          `json:"path"`
	Rule string          `json:"rule"`
	From json.RawMessage `json:"from"`
	To   json.RawMessage `json:"to"`
}

// Coerce reads v as the schema would have it, where that can be done in one way
// only, and records what it changed. A value that validates comes back as it is,
// and so does every part that does. What Coerce leaves wrong is for Validate to
// tell.
//
// A string becomes the number, the boolean, the null or, parsed as strict JSON,
// the array or object that it spells, an integer becomes a string of its digits,
// a lone value becomes an array of one, and null is dropped from an optional
// field: each only where the schema does not allow the value as it came, exactly
// one reading satisfies the schema at that place, and nothing is trimmed,
// re-cased or repaired.
func (s *Schema) Coerce(v Value) (Value, []Coercion) {
	if v.d == nil || v.i != 0 {
		return v, nil
	}
	m := machine{d: v.d, s: s}
	if m.valid(s.root, 0) && (s.mode == ModeSpec || v.Kind() == Object) || m.over {
		return v, nil
	}
	c := &coercer{machine: machine{d: v.d, s: s, steps: memoAfter + 1}, done: map[uint64]edits{}}
	var list edits
	if s.mode == ModeTool && v.Kind() != Object {
		list, _ = c.retype(typeObject, 0, []*rule{s.root})
	} else {
		list = c.fix(s.root, 0)
	}
	if len(list) == 0 || c.over {
		return v, nil
	}
	out, err := Read([]byte(c.apply(0, list)), schemaLimits)
	if err != nil {
		return v, nil
	}
	return out, c.record(list)
}

// edit is one change: another text for a value, or no value.
type edit struct {
	node uint32
	rule string
	text string
	drop bool
}

type edits []edit

// coercer looks for changes that make a value valid, by rule and value.
type coercer struct {
	machine
	done map[uint64]edits
}

// fix lists changes at and below i that serve rule r; none where r holds
// already, and none of those that do not help at their own place.
func (c *coercer) fix(r *rule, i uint32) edits {
	if r.always != 0 || c.over || c.valid(r, i) {
		return nil
	}
	key := uint64(r.id)<<32 | uint64(i)
	if list, ok := c.done[key]; ok {
		return list
	}
	c.done[key] = nil
	list := c.search(r, i)
	c.done[key] = slices.Clip(list)
	return c.done[key]
}

func (c *coercer) search(r *rule, i uint32) edits {
	types := r.types
	if types == 0 && (r.enum != nil || r.konst != nil) {
		types = typesOf(r, 0)
	}
	if types != 0 && !c.admits(types, i) {
		list, _ := c.retype(types, i, []*rule{r})
		return list
	}
	var list edits
	switch Kind(c.d.nodes[i].kind) {
	case Object:
		if r.obj != nil {
			list = c.fixMembers(r.obj, i)
		}
	case Array:
		if r.arr != nil {
			c.eachElement(&arrayRule{prefix: r.arr.prefix, rest: r.arr.rest}, i, func(s *rule, k uint32) {
				list = merge(list, c.fix(s, k))
			})
		}
	}
	if r.place != nil {
		list = merge(list, c.fixPlace(r.place, i))
	}
	return list
}

// merge joins two lists, each in document order; where they disagree about a
// value, neither holds.
func merge(a, b edits) edits {
	if len(a) == 0 {
		return slices.Clip(b)
	}
	if len(b) == 0 || a[len(a)-1].node < b[0].node {
		return append(a, b...)
	}
	out := make(edits, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].node < b[0].node:
			out, a = append(out, a[0]), a[1:]
		case a[0].node > b[0].node:
			out, b = append(out, b[0]), b[1:]
		default:
			if a[0] == b[0] {
				out = append(out, a[0])
			}
			a, b = a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

func (c *coercer) fixMembers(o *objectRule, i uint32) edits {
	var list edits
	k := i + 1
	for left := c.d.nodes[i].aux; left > 0; left-- {
		if at := o.lookup(c.d, k); at >= 0 {
			p := &o.props[at]
			if Kind(c.d.nodes[k+1].kind) == Null && !p.required && p.rule != nil && !c.valid(p.rule, k+1) {
				list = merge(list, edits{{node: k + 1, rule: "null->absent", drop: true}})
			}
		}
		k = c.d.after(k + 1)
	}
	dropped := make(map[uint32]bool, len(list))
	for _, e := range list {
		dropped[e.node] = true
	}
	plain := *o
	plain.uneval, plain.depends = nil, nil
	var inner edits
	c.eachMember(&plain, i, func(s *rule, k uint32) {
		if !dropped[k] {
			inner = merge(inner, c.fix(s, k))
		}
	})
	for n := range o.depends {
		d := &o.depends[n]
		if _, ok := c.d.member(i, d.name); ok && d.rule != nil {
			inner = merge(inner, c.fix(d.rule, i))
		}
	}
	return merge(list, inner)
}

func (c *coercer) fixPlace(p *placeRule, i uint32) edits {
	var list edits
	if p.ref != nil {
		list = merge(list, c.fix(p.ref, i))
	}
	if p.dynamic != nil {
		list = merge(list, c.fix(c.target(p.dynamic), i))
	}
	for _, s := range p.allOf {
		list = merge(list, c.fix(s, i))
	}
	for _, branches := range [][]*rule{p.anyOf, p.oneOf} {
		if len(branches) > 0 && c.matches(branches, i, 1) == 0 {
			list = merge(list, c.fixUnion(branches, i))
		}
	}
	if p.cond != nil {
		branch := p.els
		if c.valid(p.cond, i) {
			branch = p.then
		}
		if branch != nil {
			list = merge(list, c.fix(branch, i))
		}
	}
	return list
}

// fixUnion takes the one result that makes some branch hold; two different ones
// are two ways to read the value.
func (c *coercer) fixUnion(branches []*rule, i uint32) edits {
	var union typeSet
	admitted := false
	for _, s := range branches {
		t := typesOf(s, 0)
		union |= t
		admitted = admitted || t == 0 || c.admits(t, i)
	}
	if !admitted {
		list, _ := c.retype(union, i, branches)
		return list
	}
	var best edits
	result := ""
	for _, s := range branches {
		list := c.fix(s, i)
		if len(list) == 0 {
			continue
		}
		text := c.apply(i, list)
		if !c.satisfies(text, []*rule{s}) {
			continue
		}
		if result != "" && result != text {
			return nil
		}
		best, result = list, text
	}
	return best
}

// satisfies reports whether a JSON text is valid by one of the rules.
func (c *coercer) satisfies(text string, rules []*rule) bool {
	v, err := Read([]byte(text), schemaLimits)
	if err != nil {
		return false
	}
	m := machine{d: v.d, s: c.s, steps: c.steps, spent: c.spent}
	ok := m.any(rules, 0)
	c.steps, c.spent, c.over = m.steps, m.spent, c.over || m.over
	return ok && !m.over
}

// retype finds the one reading of the value at i as one of the types that
// satisfies one of the rules.
func (c *coercer) retype(types typeSet, i uint32, rules []*rule) (edits, bool) {
	var found edits
	for _, e := range c.readings(types, i) {
		e.node = i
		if c.satisfies(e.text, rules) {
			found = append(found, e)
		}
	}
	if len(found) != 1 {
		return nil, false
	}
	return found, true
}

// readings lists what the value at i could stand for among the types.
func (c *coercer) readings(types typeSet, i uint32) edits {
	n := &c.d.nodes[i]
	c.steps += int(n.end-n.off) / 16 // reading costs more than a step
	var list edits
	switch Kind(n.kind) {
	case String:
		list = stringReadings(types, c.d.text(i))
	case Number:
		if types&typeString != 0 && n.flags&flagPlainInt != 0 {
			list = append(list, edit{rule: "integer->string", text: `"` + c.d.raw(i) + `"`})
		}
	case Null, Array, Invalid:
		return nil
	}
	if types&typeArray != 0 && !c.spellsList(i) {
		list = append(list, edit{rule: "value->array", text: "[" + c.d.raw(i) + "]"})
	}
	return list
}

// spellsList reports whether a string may already be meant as a list: JSON, or
// parts between commas. Taken whole as the only element it would be misread.
func (c *coercer) spellsList(i uint32) bool {
	if Kind(c.d.nodes[i].kind) != String {
		return false
	}
	text := strings.TrimSpace(c.d.text(i))
	return text == "" || text[0] == '[' || text[0] == '{' || strings.ContainsAny(text, ",;\n\t|")
}

func stringReadings(types typeSet, text string) edits {
	if types&typeString != 0 || text == "" {
		return nil
	}
	v, err := Read([]byte(text), nil)
	if err != nil || len(v.d.raw(0)) != len(text) {
		return nil // not JSON, or with space around it
	}
	one := func(rule string) edits { return edits{{rule: rule, text: text}} }
	switch v.Kind() {
	case Number:
		exponent := strings.ContainsAny(text, "eE")
		if types&typeInteger != 0 && !exponent && v.d.isInteger(0) {
			return one("string->integer")
		}
		if types&typeNumber != 0 {
			return one("string->number")
		}
	case Bool:
		if types&typeBool != 0 {
			return one("string->boolean")
		}
	case Null:
		if types&typeNull != 0 {
			return one("string->null")
		}
	case Array:
		if types&typeArray != 0 {
			return one("json-string->array")
		}
	case Object:
		if types&typeObject != 0 {
			return one("json-string->object")
		}
	}
	return nil
}

// apply writes the text of node i with the changes made.
func (c *coercer) apply(i uint32, list edits) string {
	byNode := make(map[uint32]edit, len(list))
	for _, e := range list {
		byNode[e.node] = e
	}
	return string(c.write(nil, i, byNode))
}

func (c *coercer) write(dst []byte, i uint32, byNode map[uint32]edit) []byte {
	if e, ok := byNode[i]; ok {
		return append(dst, e.text...)
	}
	n := &c.d.nodes[i]
	kind := Kind(n.kind)
	if kind < Array {
		return append(dst, c.d.raw(i)...)
	}
	open, end := byte('['), byte(']')
	if kind == Object {
		open, end = '{', '}'
	}
	dst = append(dst, open)
	first := true
	k := i + 1
	for left := n.aux; left > 0; left-- {
		value := k
		if kind == Object {
			value++
		}
		if e := byNode[value]; !e.drop {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			if kind == Object {
				dst = append(append(dst, c.d.raw(k)...), ':')
			}
			dst = c.write(dst, value, byNode)
		}
		k = c.d.after(value)
	}
	return append(dst, end)
}

// record lists the changes in document order.
func (c *coercer) record(list edits) []Coercion {
	e := c.s.newExplainer(c.d)
	if c.s.secrets {
		e.hidden = map[uint32]bool{}
		e.hide(c.s.root, 0, map[uint64]bool{})
	}
	var out []Coercion
	for _, x := range list {
		r := Coercion{Path: e.path(x.node), Rule: x.rule, From: json.RawMessage(c.d.raw(x.node)), To: json.RawMessage(x.text)}
		if x.drop {
			r.To = nil
		}
		if e.secret(x.node) || e.holdsSecret(x.node) {
			r.From, r.To = json.RawMessage(`"[hidden]"`), json.RawMessage(`"[hidden]"`)
		}
		out = append(out, r)
	}
	return out
}

// holdsSecret reports whether something inside of node i is writeOnly, or could
// be: a string that is read as an object has not been looked into yet.
func (e *explainer) holdsSecret(i uint32) bool {
	if e.hidden == nil {
		return false
	}
	end := e.d.after(i)
	for k := range e.hidden {
		if i <= k && k < end {
			return true
		}
	}
	return Kind(e.d.nodes[i].kind) == String && strings.HasPrefix(e.d.text(i), "{")
}
