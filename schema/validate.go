package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Validate finds every problem of v, in document order. The same value always
// gives the same report.
func (s *Schema) Validate(v Value) Report {
	if v.d == nil {
		return Report{Problems: []Problem{{Keyword: "json", Expected: "a JSON value", Got: "nothing", Message: "no value was given"}}}
	}
	if s.mode == ModeTool && v.Kind() != Object {
		return Report{Problems: []Problem{s.rootProblem(v)}}
	}
	m := machine{d: v.d, s: s}
	if v.i != 0 || m.valid(s.root, v.i) {
		if v.i == 0 && !m.over && (!m.odd || s.mode == ModeSpec) {
			return Report{}
		}
	}
	if v.i != 0 { // part of a document: paths start at it
		w, err := Read(v.Raw(), schemaLimits)
		if err != nil {
			return Report{Problems: []Problem{{Keyword: "json", Message: err.Error()}}}
		}
		return s.Validate(w)
	}
	if m.over && m.slow == nil {
		return Report{Problems: []Problem{m.limitProblem()}}
	}
	r := s.explain(v)
	if m.over && r.Valid() {
		r.Problems = append(r.Problems, m.limitProblem())
	}
	return r
}

func (s *Schema) rootProblem(v Value) Problem {
	var w prose
	got, spoken := w.got(v.d, v.i, s.secrets)
	return Problem{Keyword: "type", Expected: "object", Got: got, Message: "the arguments must be an object, not " + spoken}
}

func (m *machine) limitProblem() Problem {
	if m.slow != nil {
		return Problem{Keyword: "limit", Expected: slowExpected, Got: "none within the limit", Message: m.slow.tooSlow()}
	}
	return Problem{
		Keyword: "limit", Expected: fmt.Sprintf("at most %d validation steps", stepBudget), Got: "more",
		Message: "the value is too intricate to check within the limit",
	}
}

const slowExpected = "a text that the pattern can decide in time"

func (p *pattern) tooSlow() string {
	return "checking the pattern " + shorten(p.src) + " takes too long on this value"
}

// finding is a problem before it is put into words: what is needed to order and
// to weigh it. Most branches of a union are weighed and never told.
type finding struct {
	keyword    string
	say        teller
	want, have int    // of a size
	node       uint32 // where it is reported
	member     uint32 // for a name: its node or its place, for the order
	rank       uint8
	warning    bool
	inner      bool // from within a string that holds JSON; in order already
}

// said is what a problem tells beyond its place and keyword. An empty got means
// the value at the place.
type said struct {
	expected, got, message string
	path                   string // only from within a string that holds JSON
}

// problem puts a finding into words.
func (e *explainer) problem(f *finding) Problem {
	x := f.say.tell(e, f)
	p := Problem{Path: x.path, Keyword: f.keyword, Expected: x.expected, Got: x.got, Message: x.message}
	if !f.inner {
		p.Path = e.path(f.node)
	}
	if p.Got == "" {
		p.Got, _ = e.got(f.node)
	}
	return p
}

// Ranks order what is reported at one value.
const (
	rankType = iota
	rankMissing
	rankUnknown
	rankOther
)

// explainer collects every finding. What a rule finds at a value does not
// depend on the way there, so it is remembered: branches of branches stay linear.
type explainer struct {
	machine
	at     spots
	found  remembered
	list   []finding       // room for what is found
	notes  []note          // by node
	hidden map[uint32]bool // values that are writeOnly
	prefix string          // path of the document, inside a string that holds JSON
	text   prose
	meter  *meter
	out    []bool // room for the names that are no candidates

	allHidden bool // the document stands in a string that is writeOnly
}

// note is what was learnt of one node.
type note uint8

const (
	noteKnown    note = 1 << iota // a name that some rule declares
	noteNeeded                    // a null whose name is required
	noteMistyped                  // a value of the wrong type
)

// newExplainer takes one that was released, or makes one.
func (s *Schema) newExplainer(d *document) *explainer {
	e, ok := s.explainers.Get().(*explainer)
	if !ok {
		e = &explainer{}
	}
	e.machine = machine{d: d, s: s}
	e.at = d.spots(e.at.up)
	e.notes = slices.Grow(e.notes[:0], len(d.nodes))[:len(d.nodes)]
	clear(e.notes)
	return e
}

// keptNodes bounds what a released explainer holds on to.
const keptNodes = 4096

// release gives the explainer to whoever explains next. Nothing that it found
// may be told afterwards; the texts stay.
func (e *explainer) release() {
	if len(e.notes) > keptNodes {
		return
	}
	e.list = emptied(e.list)
	e.found.reset()
	s := e.s
	e.machine, e.hidden, e.prefix, e.text, e.allHidden = machine{}, nil, "", prose{}, false
	s.explainers.Put(e)
}

func (s *Schema) explain(v Value) Report {
	e := s.newExplainer(v.d)
	defer e.release()
	if s.secrets {
		e.hidden = map[uint32]bool{}
		e.hide(s.root, v.i, map[uint64]bool{})
	}
	e.list = e.explainTo(e.list[:0], s.root, v.i)
	list := e.clean(e.list)
	e.text.room = min(96+88*len(list), 4096)
	var r Report
	if len(list) > 0 {
		r.Problems = make([]Problem, 0, len(list))
	}
	for n := 0; n < len(list); {
		problems, warnings := len(r.Problems), len(r.Warnings)
		for node := list[n].node; n < len(list) && list[n].node == node; n++ {
			if f := &list[n]; f.warning {
				r.Warnings = append(r.Warnings, e.problem(f))
			} else {
				r.Problems = append(r.Problems, e.problem(f))
			}
		}
		r.Problems = r.Problems[:problems+len(distinctProblems(r.Problems[problems:]))]
		r.Warnings = r.Warnings[:warnings+len(distinctProblems(r.Warnings[warnings:]))]
	}
	if len(r.Problems) == 0 {
		r.Problems = nil
	}
	if e.over && len(r.Problems) == 0 {
		r.Problems = append(r.Problems, e.limitProblem())
	}
	return r
}

// distinctProblems drops, in place, repetitions at one value: two rules may find
// the same.
func distinctProblems(list []Problem) []Problem {
	if len(list) < 2 {
		return list
	}
	if len(list) <= 16 {
		n := 1
		for _, p := range list[1:] {
			if !slices.Contains(list[:n], p) {
				list[n] = p
				n++
			}
		}
		return list[:n]
	}
	seen := make(map[Problem]struct{}, len(list))
	return slices.DeleteFunc(list, func(p Problem) bool {
		_, twice := seen[p]
		seen[p] = struct{}{}
		return twice
	})
}

// clean orders findings in place, and drops what lies beneath a mistyped value, and
// warnings about names that another rule declares.
func (e *explainer) clean(list []finding) []finding {
	mistyped := false
	for n := range list {
		if f := &list[n]; f.rank == rankType && !f.inner {
			mistyped = true
			e.notes[f.node] |= noteMistyped
		}
	}
	kept := 0
	for n := range list {
		f := &list[n]
		if f.warning && !f.inner && e.notes[f.member]&noteKnown != 0 || (mistyped && e.beneath(f)) {
			continue
		}
		if kept != n {
			list[kept] = *f
		}
		kept++
	}
	list = list[:kept]
	for n := 1; n < len(list); n++ {
		if byPlace(&list[n], &list[n-1]) < 0 {
			slices.SortStableFunc(list, func(a, b finding) int { return byPlace(&a, &b) })
			break
		}
	}
	return list
}

func byPlace(a, b *finding) int {
	switch {
	case a.node != b.node:
		return cmp.Compare(a.node, b.node)
	case a.rank != b.rank:
		return cmp.Compare(a.rank, b.rank)
	}
	return cmp.Compare(a.member, b.member)
}

func (e *explainer) beneath(f *finding) bool {
	if e.notes[f.node]&noteMistyped != 0 && f.rank != rankType {
		return true
	}
	for n := f.node; n != 0; {
		n = e.at.up[n]
		if e.notes[n]&noteMistyped != 0 {
			return true
		}
	}
	return false
}

// path is the JSON Pointer of a node.
func (e *explainer) path(i uint32) string { return e.d.pointer(&e.text, e.at, i, e.prefix) }

// hide marks the values that some rule calls writeOnly. Rules of branches not
// taken count too: better to hide too much.
func (e *explainer) hide(r *rule, i uint32, done map[uint64]bool) {
	key := uint64(r.id)<<32 | uint64(i)
	if done[key] || r.always != 0 {
		return
	}
	done[key] = true
	if w, ok := r.src.Get("writeOnly"); ok && w.Bool() {
		e.hidden[i] = true
	}
	if r.str != nil && r.str.content != nil && Kind(e.d.nodes[i].kind) == String && e.hidesContent(r.str.content, i) {
		e.hidden[i] = true
	}
	e.eachChild(r, i, func(s *rule, k uint32) { e.hide(s, k, done) })
	if r.obj != nil && Kind(e.d.nodes[i].kind) == Object {
		e.hideMiswritten(r.obj, i, done)
	}
}

// hideMiswritten hides the values of names that differ from a secret's by case:
// the model meant it.
func (e *explainer) hideMiswritten(o *objectRule, i uint32, done map[uint64]bool) {
	k := i + 1
	for left := e.d.nodes[i].aux; left > 0; left-- {
		if o.lookup(e.d, k) < 0 {
			for n := range o.props {
				if p := &o.props[n]; p.rule != nil && strings.EqualFold(p.name, e.d.text(k)) {
					e.hide(p.rule, k+1, done)
				}
			}
		}
		k = e.d.after(k + 1)
	}
}

// hidesContent reports whether the document in string i holds a secret, or may
// hold one.
func (e *explainer) hidesContent(c *contentRule, i uint32) bool {
	if c.schema == nil {
		return false
	}
	v, isJSON, err := c.read(e.d.text(i))
	if err != nil || e.content >= maxContent {
		return true
	}
	if !isJSON {
		return false
	}
	inner := e.s.newExplainer(v.d)
	inner.content, inner.hidden = e.content+1, map[uint32]bool{}
	inner.hide(c.schema, v.i, map[uint64]bool{})
	return len(inner.hidden) > 0
}

// eachChild visits the rules that r applies, with the values they look at.
func (m *machine) eachChild(r *rule, i uint32, f func(*rule, uint32)) {
	if r.place != nil {
		r.place.each(func(s *rule) { f(s, i) })
	}
	switch Kind(m.d.nodes[i].kind) {
	case Array:
		if r.arr != nil {
			m.eachElement(r.arr, i, f)
		}
	case Object:
		if r.obj != nil {
			m.eachMember(r.obj, i, f)
		}
	}
}

func (m *machine) eachElement(a *arrayRule, i uint32, f func(*rule, uint32)) {
	k := i + 1
	for j := range int(m.d.nodes[i].aux) {
		if j < len(a.prefix) {
			f(a.prefix[j], k)
		} else if a.rest != nil {
			f(a.rest, k)
		}
		for _, s := range []*rule{a.contains, a.uneval} {
			if s != nil {
				f(s, k)
			}
		}
		k = m.d.after(k)
	}
}

func (m *machine) eachMember(o *objectRule, i uint32, f func(*rule, uint32)) {
	k := i + 1
	for left := m.d.nodes[i].aux; left > 0; left-- {
		known := false
		if at := o.lookup(m.d, k); at >= 0 && o.props[at].rule != nil {
			known = true
			f(o.props[at].rule, k+1)
		}
		for p := range o.patterns {
			if m.match(o.patterns[p].pattern, m.d.text(k), false) {
				known = true
				f(o.patterns[p].rule, k+1)
			}
		}
		if !known && o.rest != nil {
			f(o.rest, k+1)
		}
		if o.uneval != nil {
			f(o.uneval, k+1)
		}
		k = m.d.after(k + 1)
	}
	for _, d := range o.depends {
		if d.rule != nil {
			f(d.rule, i)
		}
	}
}

// secret reports whether a value is writeOnly or stands inside of one that is.
func (e *explainer) secret(i uint32) bool {
	if e.hidden == nil || e.allHidden {
		return e.allHidden
	}
	for {
		if e.hidden[i] {
			return true
		}
		if i == 0 {
			return false
		}
		i = e.at.up[i]
	}
}

// Mask is v's JSON with every value that the schema marks writeOnly replaced.
func (s *Schema) Mask(v Value) json.RawMessage {
	if v.d == nil {
		return nil
	}
	if !s.secrets {
		return v.Raw()
	}
	if v.i != 0 {
		w, err := Read(v.Raw(), schemaLimits)
		if err != nil {
			return []byte(`"[hidden]"`)
		}
		v = w
	}
	e := s.newExplainer(v.d)
	e.hidden = map[uint32]bool{}
	e.hide(s.root, v.i, map[uint64]bool{})
	return e.mask(nil, 0)
}

// mask writes the text of node i with hidden values replaced.
func (e *explainer) mask(dst []byte, i uint32) []byte {
	if e.hidden[i] {
		return append(dst, `"[hidden]"`...)
	}
	n := &e.d.nodes[i]
	at := n.off
	k := i + 1
	for range n.aux {
		if Kind(n.kind) < Array {
			break
		}
		if Kind(n.kind) == Object {
			k++
		}
		child := &e.d.nodes[k]
		from, to := child.off, child.end
		if Kind(child.kind) == String {
			from, to = from-1, to+1
		}
		dst = append(dst, e.d.src[at:from]...)
		dst = e.mask(dst, k)
		at = to
		k = e.d.after(k)
	}
	if Kind(n.kind) == String {
		return append(dst, e.d.raw(i)...)
	}
	return append(dst, e.d.src[at:n.end]...)
}
