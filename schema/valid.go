package schema

import "time"

// stepBudget bounds one validation. A step is one rule looking at one value.
const stepBudget = 1_000_000

// memoAfter is the number of steps from which results are remembered: cheap
// calls never pay for it, and hostile recursion becomes linear.
const memoAfter = 4096

// machine decides whether a value satisfies a rule. It explains nothing, stops
// at the first fault and allocates nothing on the way of an ordinary call.
type machine struct {
	d       *document
	s       *Schema
	steps   int
	depth   int
	over    bool     // the budget is used up; every result since is void
	slow    *pattern // the pattern that ran out of time
	spent   time.Duration
	odd     bool // an undeclared name came by
	scope   []*resource
	memo    map[uint64]bool
	content int // how deep in strings that hold JSON
}

// maxInPlace bounds the nesting of rules that no budget of steps would stop
// before the stack is large.
const maxInPlace = 5000

func (m *machine) valid(r *rule, i uint32) bool {
	if r.always != 0 {
		return r.always == alwaysTrue
	}
	n := &m.d.nodes[i]
	if r.types != 0 && r.types&kindTypes[n.kind] == 0 {
		if n.kind != uint8(Number) || r.types&typeInteger == 0 || !m.d.isInteger(i) {
			return false
		}
	}
	if r.plain {
		return true
	}
	m.steps++
	if m.steps > stepBudget || m.depth > maxInPlace {
		m.over = true
		return false
	}
	if r.place == nil && !m.s.dynamic {
		return m.own(r, i, n)
	}
	return m.placed(r, i, n)
}

// own holds the value to what the rule itself says of it and its content.
func (m *machine) own(r *rule, i uint32, n *node) bool {
	if r.enum != nil && !r.enum.has(m.d, i) {
		return false
	}
	if r.konst != nil && !r.konst.has(m.d, i) {
		return false
	}
	switch Kind(n.kind) {
	case Number:
		return r.num == nil || r.num.valid(m.d.src[n.off:n.end])
	case String:
		return r.str == nil || m.string(r.str, i, n)
	case Array:
		return r.arr == nil || m.array(r, i, n)
	case Object:
		return r.obj == nil || m.object(r, i, n)
	}
	return true
}

// placed is own with the applicators that look at the same value, and with the
// bookkeeping that they need.
func (m *machine) placed(r *rule, i uint32, n *node) bool {
	var key uint64
	remember := m.steps > memoAfter && !m.s.dynamic && m.content == 0
	if remember {
		key = uint64(r.id)<<32 | uint64(i)
		if ok, known := m.memo[key]; known {
			return ok
		}
	}
	m.depth++
	pushed := m.enter(r)
	ok := (r.place == nil || m.inPlace(r.place, i)) && m.own(r, i, n)
	m.leave(pushed)
	m.depth--
	if remember && !m.over {
		if m.memo == nil {
			m.memo = map[uint64]bool{}
		}
		m.memo[key] = ok
	}
	return ok
}

// enter notes the resource that evaluation comes into; only dynamic references
// ask for it.
func (m *machine) enter(r *rule) bool {
	if !m.s.dynamic || (len(m.scope) > 0 && m.scope[len(m.scope)-1] == r.res) {
		return false
	}
	m.scope = append(m.scope, r.res)
	return true
}

func (m *machine) leave(pushed bool) {
	if pushed {
		m.scope = m.scope[:len(m.scope)-1]
	}
}

// target of a dynamic reference: the outermost resource that has the anchor.
func (m *machine) target(d *dynamicRef) *rule {
	for _, res := range m.scope {
		if r := d.targets[res]; r != nil {
			return r
		}
	}
	return d.initial
}

func (m *machine) inPlace(p *placeRule, i uint32) bool {
	if p.ref != nil && !m.valid(p.ref, i) {
		return false
	}
	if p.dynamic != nil && !m.valid(m.target(p.dynamic), i) {
		return false
	}
	for _, r := range p.allOf {
		if !m.valid(r, i) {
			return false
		}
	}
	if p.anyOf != nil && !m.any(p.anyOf, i) {
		return false
	}
	if p.oneOf != nil && m.matches(p.oneOf, i, 2) != 1 {
		return false
	}
	if p.not != nil && m.valid(p.not, i) {
		return false
	}
	if p.cond != nil {
		branch := p.els
		if m.valid(p.cond, i) {
			branch = p.then
		}
		if branch != nil && !m.valid(branch, i) {
			return false
		}
	}
	return !m.over
}

func (m *machine) any(list []*rule, i uint32) bool {
	for _, r := range list {
		if m.valid(r, i) {
			return true
		}
		if m.over {
			return false
		}
	}
	return false
}

// matches counts the rules that hold, up to a number that is enough.
func (m *machine) matches(list []*rule, i uint32, enough int) int {
	n := 0
	for _, r := range list {
		if m.valid(r, i) {
			if n++; n == enough {
				break
			}
		}
	}
	return n
}

func (r *numberRule) valid(literal string) bool {
	d := parseDecimal(literal)
	return (r.min == nil || d.cmp(*r.min) >= 0) &&
		(r.max == nil || d.cmp(*r.max) <= 0) &&
		(r.above == nil || d.cmp(*r.above) > 0) &&
		(r.below == nil || d.cmp(*r.below) < 0) &&
		(r.step == nil || d.multipleOf(*r.step))
}

func (m *machine) string(r *stringRule, i uint32, n *node) bool {
	size := int(n.end - n.off)
	if r.minLen > 0 && (size < r.minLen || (n.flags != 0 && m.d.runes(i) < r.minLen)) {
		return false
	}
	if r.maxLen >= 0 && size > r.maxLen && (n.flags == 0 || m.d.runes(i) > r.maxLen) {
		return false
	}
	if r.pattern == nil && r.format == nil && r.content == nil {
		return true
	}
	text := m.d.text(i)
	if r.pattern != nil && !m.match(r.pattern, text, n.flags&flagNonASCII == 0) {
		return false
	}
	if r.format != nil && !r.format.valid(text) {
		return false
	}
	return r.content == nil || m.contentValid(r.content, text)
}

func (m *machine) match(p *pattern, text string, ascii bool) bool {
	if p.slow == nil {
		m.steps += len(text) >> 8 // a long text is more than one step's work
		ok, _ := p.match(text, ascii)
		return ok
	}
	late := m.spent > slowTotal
	ok := false
	if !late {
		start := time.Now()
		ok, late = p.match(text, ascii)
		m.spent += time.Since(start)
	}
	if late {
		m.over, m.slow = true, p
	}
	return ok
}

func (m *machine) array(r *rule, i uint32, n *node) bool {
	a := r.arr
	count := int(n.aux)
	if count < a.minLen || (a.maxLen >= 0 && count > a.maxLen) {
		return false
	}
	matched := 0
	k := i + 1
	for j := range count {
		if j < len(a.prefix) {
			if !m.valid(a.prefix[j], k) {
				return false
			}
		} else if a.rest != nil && !m.valid(a.rest, k) {
			return false
		}
		if a.contains != nil && m.valid(a.contains, k) {
			matched++
		}
		k = m.d.after(k)
	}
	if a.contains != nil && (matched < a.minContains || (a.maxContains >= 0 && matched > a.maxContains)) {
		return false
	}
	if a.unique && count > 1 {
		if x, _ := m.d.repeated(i); x >= 0 {
			return false
		}
	}
	return a.uneval == nil || m.unevaluatedItems(r, i)
}

func (m *machine) object(r *rule, i uint32, n *node) bool {
	o := r.obj
	if count := int(n.aux); count < o.minLen || (o.maxLen >= 0 && count > o.maxLen) {
		return false
	}
	need := o.required
	k := i + 1
	for left := n.aux; left > 0; left-- {
		known := false
		if at := o.lookup(m.d, k); at >= 0 {
			p := &o.props[at]
			if p.required {
				need--
			}
			if p.rule != nil {
				known = true
				if !m.valid(p.rule, k+1) {
					return false
				}
			}
		}
		if o.patterns != nil || !known {
			if !m.otherMember(o, k, known) {
				return false
			}
		}
		if o.names != nil && !m.valid(o.names, k) {
			return false
		}
		k = m.d.after(k + 1)
	}
	if need > 0 {
		return false
	}
	if o.depends != nil && !m.depends(o, i) {
		return false
	}
	return o.uneval == nil || m.unevaluatedProperties(r, i)
}

// otherMember holds a member to patternProperties and, if nothing declares its
// name, to additionalProperties.
func (m *machine) otherMember(o *objectRule, k uint32, known bool) bool {
	for p := range o.patterns {
		pp := &o.patterns[p]
		if m.match(pp.pattern, m.d.text(k), m.d.nodes[k].flags&flagNonASCII == 0) {
			known = true
			if !m.valid(pp.rule, k+1) {
				return false
			}
		}
	}
	if known {
		return true
	}
	if o.rest == nil || o.rest.always == alwaysTrue {
		m.odd = m.odd || len(o.props) > 0
		return true
	}
	return m.valid(o.rest, k+1)
}

func (m *machine) depends(o *objectRule, i uint32) bool {
	for n := range o.depends {
		d := &o.depends[n]
		if _, ok := m.d.member(i, d.name); !ok {
			continue
		}
		for _, name := range d.needs {
			if _, ok := m.d.member(i, name); !ok {
				return false
			}
		}
		if d.rule != nil && !m.valid(d.rule, i) {
			return false
		}
	}
	return true
}

// repeated finds two equal elements of array i, or -1.
func (d *document) repeated(i uint32) (int, int) {
	count := int(d.nodes[i].aux)
	if count > 16 {
		return d.repeatedWide(i)
	}
	k := i + 1
	for n := range count {
		l := i + 1
		for j := range n {
			if equal(d, l, d, k) {
				return j, n
			}
			l = d.after(l)
		}
		k = d.after(k)
	}
	return -1, -1
}

func (d *document) repeatedWide(i uint32) (int, int) {
	seen := make(map[string]int, d.nodes[i].aux)
	var buf []byte
	k := i + 1
	for n := range int(d.nodes[i].aux) {
		buf = d.canonical(buf[:0], k)
		if first, twice := seen[string(buf)]; twice {
			return first, n
		}
		seen[string(buf)] = n
		k = d.after(k)
	}
	return -1, -1
}
