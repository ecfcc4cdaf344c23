package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// explain lists what is wrong with the value at i by rule r. An empty list, but
// for warnings, means that the value is valid.
func (e *explainer) explain(r *rule, i uint32) []finding { return e.explainTo(nil, r, i) }

// explainTo adds to a list; so do all of the functions that follow.
func (e *explainer) explainTo(list []finding, r *rule, i uint32) []finding {
	if r.always == alwaysTrue {
		return list
	}
	e.steps++
	if e.steps > 4*stepBudget || e.depth > maxInPlace {
		e.over = true
		return list
	}
	if r.always == alwaysFalse {
		return append(list, e.find(i, "false", tellFunc(func(*explainer) said {
			return said{expected: "no value", message: "nothing may stand here; leave it out"}
		})))
	}
	if r.types != 0 && !e.admits(r.types, i) {
		return append(list, e.typeFinding(r.types, i))
	}
	if r.plain || (Kind(e.d.nodes[i].kind) < Array && e.passes(r, i)) {
		return list
	}
	key := uint64(r.id)<<32 | uint64(i)
	// What is reached more than once is reached through these.
	remember := r.place != nil && !e.s.dynamic && e.steps > rememberAfter
	if remember {
		if known, ok := e.found.of(key); ok {
			return append(list, known...)
		}
	}
	start := len(list)
	list = e.explainRule(list, r, i)
	if remember {
		e.found.add(key, list[start:])
	}
	return list
}

// rememberAfter is the number of steps from which findings are remembered.
const rememberAfter = 256

// explainRule goes through all that a rule says of the value at i.
func (e *explainer) explainRule(list []finding, r *rule, i uint32) []finding {
	e.depth++
	pushed := e.enter(r)
	list = e.explainOwn(list, r, i)
	if r.place != nil {
		list = e.explainPlace(list, r, i)
	}
	if r.obj != nil && r.obj.uneval != nil && Kind(e.d.nodes[i].kind) == Object {
		list = e.explainUnevaluatedMembers(list, r, i)
	}
	if r.arr != nil && r.arr.uneval != nil && Kind(e.d.nodes[i].kind) == Array {
		list = e.explainUnevaluatedElements(list, r, i)
	}
	e.leave(pushed)
	e.depth--
	return list
}

// passes is valid, but for a pattern that runs out of time: that is a finding of
// its own and ends nothing else.
func (e *explainer) passes(r *rule, i uint32) bool {
	ok := e.valid(r, i)
	if e.slow != nil {
		e.over, e.slow = false, nil
		return false
	}
	return ok
}

// find is a finding about the value at i.
func (e *explainer) find(i uint32, keyword string, say teller) finding {
	return finding{keyword: keyword, node: i, rank: rankOther, say: say}
}

func (e *explainer) got(i uint32) (got, spoken string) {
	return e.text.got(e.d, i, e.secret(i))
}

func (e *explainer) explainOwn(list []finding, r *rule, i uint32) []finding {
	if r.enum != nil && !r.enum.has(e.d, i) {
		list = append(list, e.find(i, "enum", r.enum))
	}
	if r.konst != nil && !r.konst.has(e.d, i) {
		list = append(list, e.find(i, "const", r.konst))
	}
	switch Kind(e.d.nodes[i].kind) {
	case Number:
		if r.num != nil {
			list = e.explainNumber(list, r.num, i)
		}
	case String:
		if r.str != nil {
			list = e.explainString(list, r.str, i)
		}
	case Array:
		if r.arr != nil {
			list = e.explainArray(list, r.arr, i)
		}
	case Object:
		if r.obj != nil {
			list = e.explainObject(list, r.obj, i)
		}
	}
	return list
}

func (e *explainer) explainNumber(list []finding, r *numberRule, i uint32) []finding {
	d := parseDecimal(e.d.text(i))
	if r.min != nil && d.cmp(*r.min) < 0 {
		list = append(list, e.find(i, "minimum", r.min))
	}
	if r.max != nil && d.cmp(*r.max) > 0 {
		list = append(list, e.find(i, "maximum", r.max))
	}
	if r.above != nil && d.cmp(*r.above) <= 0 {
		list = append(list, e.find(i, "exclusiveMinimum", r.above))
	}
	if r.below != nil && d.cmp(*r.below) >= 0 {
		list = append(list, e.find(i, "exclusiveMaximum", r.below))
	}
	if r.step != nil && !d.multipleOf(*r.step) {
		list = append(list, e.find(i, "multipleOf", r.step))
	}
	return list
}

// tell of a number that is beyond a bound or between steps.
func (d *decimal) tell(e *explainer, f *finding) said {
	var expected, words string
	switch f.keyword {
	case "minimum":
		expected, words = ">= ", "at least "
	case "maximum":
		expected, words = "<= ", "at most "
	case "exclusiveMinimum":
		expected, words = "> ", "greater than "
	case "exclusiveMaximum":
		expected, words = "< ", "less than "
	default:
		expected, words = "multiple of ", "a multiple of "
	}
	var room [32]byte
	bound := string(d.canonical(room[:0]))
	x := e.about(f.node, "", "must be ", words, bound, ", not ")
	x.expected = e.text.join(expected, bound)
	return x
}

func (e *explainer) explainString(list []finding, r *stringRule, i uint32) []finding {
	n := &e.d.nodes[i]
	text := e.d.text(i)
	if size := e.d.runes(i); size < r.minLen {
		list = append(list, e.sizeFinding(i, "minLength", countCharacters|countLeast, r.minLen, size))
	} else if r.maxLen >= 0 && size > r.maxLen {
		list = append(list, e.sizeFinding(i, "maxLength", countCharacters, r.maxLen, size))
	}
	if r.pattern != nil && !e.match(r.pattern, text, n.flags&flagNonASCII == 0) {
		list = append(list, e.patternFinding(r.pattern, i))
	}
	if r.format != nil && !r.format.valid(text) {
		list = append(list, e.find(i, "format", r.format))
	}
	if r.content != nil {
		list = e.explainContent(list, r.content, i, text)
	}
	return list
}

// patternFinding tells a text that does not match from one that could not be
// decided in time.
func (e *explainer) patternFinding(p *pattern, i uint32) finding {
	if e.slow != nil {
		e.over, e.slow = false, nil
		return e.find(i, "limit", p)
	}
	return e.find(i, "pattern", p)
}

func (p *pattern) tell(e *explainer, f *finding) said {
	if f.keyword == "limit" {
		return said{expected: slowExpected, message: p.tooSlow()}
	}
	src := shorten(p.src)
	x := e.about(f.node, "", "must match the pattern ", src, p.hint(), ", unlike ")
	x.expected = src
	return x
}

func (r *format) tell(e *explainer, f *finding) said {
	x := e.about(f.node, "", "must be ", r.words, " such as ", r.example, ", not ")
	x.expected = r.name
	return x
}

func (e *explainer) sizeFinding(i uint32, keyword string, what extent, want, have int) finding {
	return finding{keyword: keyword, node: i, rank: rankOther, say: what, want: want, have: have}
}

// size tells how many there must be and are of what is named.
func (e *explainer) size(f *finding, least bool, what string) said {
	sign, words := "<= ", "must have at most "
	if least {
		sign, words = ">= ", "must have at least "
	}
	want, have := strconv.Itoa(f.want), strconv.Itoa(f.have)
	x := said{expected: e.text.join(sign, want), got: e.text.counted(have, what)}
	if f.want == 1 {
		x.message = e.text.join(words, "1 ", what, ", but has ", have)
	} else {
		x.message = e.text.join(words, e.text.counted(want, what), ", but has ", have)
	}
	return x
}

func (e *explainer) explainArray(list []finding, a *arrayRule, i uint32) []finding {
	count := int(e.d.nodes[i].aux)
	if count < a.minLen {
		list = append(list, e.sizeFinding(i, "minItems", countElements|countLeast, a.minLen, count))
	} else if a.maxLen >= 0 && count > a.maxLen {
		list = append(list, e.sizeFinding(i, "maxItems", countElements, a.maxLen, count))
	}
	if a.unique && count > 1 {
		if x, y := e.d.repeated(i); x >= 0 {
			list = append(list, finding{keyword: "uniqueItems", node: i, rank: rankOther, say: a, want: x, have: y})
		}
	}
	matched := 0
	k := i + 1
	for j := range count {
		switch {
		case j < len(a.prefix):
			list = e.explainTo(list, a.prefix[j], k)
		case a.rest != nil && a.rest.always == alwaysFalse:
			if j == len(a.prefix) {
				list = append(list, e.sizeFinding(i, a.restWord, countElements, j, count))
			}
		case a.rest != nil:
			list = e.explainTo(list, a.rest, k)
		}
		if a.contains != nil && e.valid(a.contains, k) {
			matched++
		}
		k = e.d.after(k)
	}
	return e.explainContains(list, a, i, matched)
}

// tell of two elements that are equal.
func (a *arrayRule) tell(e *explainer, f *finding) said {
	const before = "must hold no value twice, but "
	message := e.text.join(before, "elements ", strconv.Itoa(f.want), " and ", strconv.Itoa(f.have), " are equal")
	return said{expected: "no two equal elements", got: message[len(before):], message: message}
}

func (e *explainer) explainContains(list []finding, a *arrayRule, i uint32, matched int) []finding {
	if a.contains == nil {
		return list
	}
	what := "element"
	if matched < a.minContains || (a.maxContains >= 0 && matched > a.maxContains) {
		if s := shapeOf(a.contains); s != "" {
			what = "element that is " + s
		}
	}
	switch {
	case matched < a.minContains:
		keyword := "contains"
		if a.minContains != 1 {
			keyword = "minContains"
		}
		f := e.find(i, keyword, tellFunc(func(e *explainer) said { return e.size(&finding{want: a.minContains, have: matched}, true, what) }))
		return append(list, f)
	case a.maxContains >= 0 && matched > a.maxContains:
		f := e.find(i, "maxContains", tellFunc(func(e *explainer) said { return e.size(&finding{want: a.maxContains, have: matched}, false, what) }))
		return append(list, f)
	}
	return list
}

func (e *explainer) explainUnevaluatedElements(list []finding, r *rule, i uint32) []finding {
	set := make(marks, e.d.nodes[i].aux)
	e.markElements(r, i, set, true, true)
	k := i + 1
	for n := range set {
		if !set[n] {
			if r.arr.uneval.always == alwaysFalse {
				list = append(list, e.find(k, "unevaluatedItems", tellFunc(func(*explainer) said {
					return said{expected: "no further elements", message: "nothing allows an element here; leave it out"}
				})))
			} else {
				list = e.explainTo(list, r.arr.uneval, k)
			}
		}
		k = e.d.after(k)
	}
	return list
}

// explainContent goes into a string that holds another document.
func (e *explainer) explainContent(list []finding, c *contentRule, i uint32, text string) []finding {
	v, isJSON, err := c.read(text)
	if err != nil {
		return append(list, e.contentFinding(c, i, err))
	}
	if !isJSON || c.schema == nil || e.content >= maxContent {
		return list
	}
	inner := e.s.newExplainer(v.d)
	defer inner.release()
	inner.machine.steps, inner.content = e.steps, e.content+1
	inner.prefix, inner.allHidden = e.path(i), e.secret(i)
	if e.s.secrets {
		inner.hidden = map[uint32]bool{}
		inner.hide(c.schema, v.i, map[uint64]bool{})
	}
	found := inner.clean(inner.explain(c.schema, v.i))
	e.steps, e.over = inner.steps, e.over || inner.over
	for n := range found {
		f := &found[n]
		p := inner.problem(f)
		p.Message += " (inside the JSON text of this string)"
		list = append(list, finding{
			keyword: f.keyword, node: i, rank: rankOther, member: uint32(n), warning: f.warning, inner: true,
			say: tellFunc(func(*explainer) said { return said{p.Expected, p.Got, p.Message, p.Path} }),
		})
	}
	return list
}

func (e *explainer) contentFinding(c *contentRule, i uint32, err error) finding {
	want, keyword := "base64", "contentEncoding"
	if c.json {
		want, keyword = "JSON text", "contentMediaType"
	}
	why := err.Error()
	if re, ok := err.(*ReadError); ok {
		why = fmt.Sprintf("%s at byte %d", re.Message, re.Offset)
	}
	if e.secret(i) {
		why = "it cannot be read"
	}
	return e.find(i, keyword, tellFunc(func(*explainer) said { return said{expected: want, message: "must hold " + want + ": " + why} }))
}

// explainPlace goes through the applicators of the same value.
func (e *explainer) explainPlace(list []finding, r *rule, i uint32) []finding {
	p := r.place
	if p.ref != nil {
		list = e.explainTo(list, p.ref, i)
	}
	if p.dynamic != nil {
		list = e.explainTo(list, e.target(p.dynamic), i)
	}
	for _, s := range p.allOf {
		list = e.explainTo(list, s, i)
	}
	if p.anyOf != nil {
		list = e.explainAny(list, p.anyOf, &p.any, i, "anyOf")
	}
	if p.oneOf != nil {
		list = e.explainOne(list, p.oneOf, &p.one, i)
	}
	if p.not != nil && e.valid(p.not, i) {
		list = append(list, e.find(i, "not", tellFunc(func(e *explainer) said {
			got, spoken := e.got(i)
			what := shapeOf(p.not)
			if what == "" {
				what = "what the schema excludes"
			}
			return said{expected: "not " + what, got: got, message: "must not be " + what + ", but is " + spoken}
		})))
	}
	if p.cond == nil {
		return list
	}
	branch := p.els
	if e.valid(p.cond, i) {
		branch = p.then
	}
	if branch != nil {
		list = e.explainTo(list, branch, i)
	}
	return list
}

func (e *explainer) explainOne(list []finding, rules []*rule, u *union, i uint32) []finding {
	var which []string
	for n, s := range rules {
		if e.valid(s, i) {
			which = append(which, strconv.Itoa(n))
		}
	}
	switch len(which) {
	case 0:
		return e.explainAny(list, rules, u, i, "oneOf")
	case 1:
		return e.warnings(list, rules, i)
	}
	which = which[:min(len(which), 10)]
	last := len(which) - 1
	return append(list, e.find(i, "oneOf", tellFunc(func(*explainer) said {
		return said{
			expected: "exactly one of the allowed forms",
			message:  "must match exactly one of the allowed forms, but matches forms " + strings.Join(which[:last], ", ") + " and " + which[last],
		}
	})))
}

// warnings adds those of the first rule that holds.
func (e *explainer) warnings(list []finding, rules []*rule, i uint32) []finding {
	for _, s := range rules {
		if e.valid(s, i) {
			return e.explainTo(list, s, i) // of what is valid there are only warnings
		}
	}
	return list
}
