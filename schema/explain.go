package schema

import (
	"fmt"
	"slices"
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
		return append(list, e.find(i, "false", func(*explainer) said {
			return said{expected: "no value", message: "nothing may stand here; leave it out"}
		}))
	}
	if r.types != 0 && !e.admits(r.types, i) {
		return append(list, e.typeFinding(r.types, i))
	}
	if r.plain || (Kind(e.d.nodes[i].kind) < Array && e.passes(r, i)) {
		return list
	}
	key := uint64(r.id)<<32 | uint64(i)
	remember := r.place != nil && !e.s.dynamic // what is reached more than once is reached through these
	if remember {
		if known, ok := e.found[key]; ok {
			return append(list, known...)
		}
	}
	start := len(list)
	list = e.explainRule(list, r, i)
	if remember {
		if e.found == nil {
			e.found = map[uint64][]finding{}
		}
		e.found[key] = slices.Clone(list[start:])
	}
	return list
}

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
func (e *explainer) find(i uint32, keyword string, say func(*explainer) said) finding {
	return finding{keyword: keyword, node: i, rank: rankOther, say: say}
}

func (e *explainer) got(i uint32) (got, spoken string) {
	return gotOf(e.d, i, e.secret(i))
}

func (e *explainer) explainOwn(list []finding, r *rule, i uint32) []finding {
	if r.enum != nil && !r.enum.has(e.d, i) {
		list = append(list, e.notListed(i, "enum", r.enum.values))
	}
	if r.konst != nil && !r.konst.has(e.d, i) {
		list = append(list, e.notListed(i, "const", r.konst.values))
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
	add := func(keyword, expected, words string, bound *decimal) {
		list = append(list, e.find(i, keyword, func(e *explainer) said {
			b := string(bound.canonical(nil))
			got, spoken := e.got(i)
			return said{expected: expected + b, got: got, message: "must be " + words + " " + b + ", not " + spoken}
		}))
	}
	if r.min != nil && d.cmp(*r.min) < 0 {
		add("minimum", ">= ", "at least", r.min)
	}
	if r.max != nil && d.cmp(*r.max) > 0 {
		add("maximum", "<= ", "at most", r.max)
	}
	if r.above != nil && d.cmp(*r.above) <= 0 {
		add("exclusiveMinimum", "> ", "greater than", r.above)
	}
	if r.below != nil && d.cmp(*r.below) >= 0 {
		add("exclusiveMaximum", "< ", "less than", r.below)
	}
	if r.step != nil && !d.multipleOf(*r.step) {
		add("multipleOf", "multiple of ", "a multiple of", r.step)
	}
	return list
}

func (e *explainer) explainString(list []finding, r *stringRule, i uint32) []finding {
	n := &e.d.nodes[i]
	text := e.d.text(i)
	if size := e.d.runes(i); size < r.minLen {
		list = append(list, e.lengthFinding(i, "minLength", ">=", "at least", r.minLen, size, "character"))
	} else if r.maxLen >= 0 && size > r.maxLen {
		list = append(list, e.lengthFinding(i, "maxLength", "<=", "at most", r.maxLen, size, "character"))
	}
	if r.pattern != nil && !e.match(r.pattern, text, n.flags&flagNonASCII == 0) {
		list = append(list, e.patternFinding(r.pattern, i))
	}
	if r.format != nil && !r.format.valid(text) {
		list = append(list, e.find(i, "format", func(e *explainer) said {
			got, spoken := e.got(i)
			return said{expected: r.format.name, got: got, message: "must be " + r.format.words + " such as " + r.format.example + ", not " + spoken}
		}))
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
		return e.find(i, "limit", func(*explainer) said { return said{expected: slowExpected, message: p.tooSlow()} })
	}
	return e.find(i, "pattern", func(e *explainer) said {
		got, spoken := e.got(i)
		src := shorten(p.src)
		return said{expected: src, got: got, message: "must match the pattern " + src + p.hint() + ", unlike " + spoken}
	})
}

func (e *explainer) lengthFinding(i uint32, keyword, sign, words string, want, have int, what string) finding {
	return e.find(i, keyword, func(*explainer) said {
		return said{
			expected: sign + " " + strconv.Itoa(want), got: plural(have, what),
			message: "must have " + words + " " + plural(want, what) + ", but has " + strconv.Itoa(have),
		}
	})
}

func (e *explainer) explainArray(list []finding, a *arrayRule, i uint32) []finding {
	count := int(e.d.nodes[i].aux)
	if count < a.minLen {
		list = append(list, e.lengthFinding(i, "minItems", ">=", "at least", a.minLen, count, "element"))
	} else if a.maxLen >= 0 && count > a.maxLen {
		list = append(list, e.lengthFinding(i, "maxItems", "<=", "at most", a.maxLen, count, "element"))
	}
	if a.unique && count > 1 {
		if x, y := e.d.repeated(i); x >= 0 {
			list = append(list, e.find(i, "uniqueItems", func(*explainer) said {
				twice := fmt.Sprintf("elements %d and %d are equal", x, y)
				return said{expected: "no two equal elements", got: twice, message: "must hold no value twice, but " + twice}
			}))
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
				list = append(list, e.lengthFinding(i, a.restWord, "<=", "at most", j, count, "element"))
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
		return append(list, e.lengthFinding(i, keyword, ">=", "at least", a.minContains, matched, what))
	case a.maxContains >= 0 && matched > a.maxContains:
		return append(list, e.lengthFinding(i, "maxContains", "<=", "at most", a.maxContains, matched, what))
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
				list = append(list, e.find(k, "unevaluatedItems", func(*explainer) said {
					return said{expected: "no further elements", message: "nothing allows an element here; leave it out"}
				}))
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
	inner.machine.steps, inner.content = e.steps, e.content+1
	inner.prefix, inner.allHidden = e.path(i), e.secret(i)
	if e.s.secrets {
		inner.hidden = map[uint32]bool{}
		inner.hide(c.schema, v.i, map[uint64]bool{})
	}
	found := inner.clean(inner.explain(c.schema, v.i))
	e.steps, e.over = inner.steps, e.over || inner.over
	for n, f := range found {
		p := inner.problem(f)
		p.Message += " (inside the JSON text of this string)"
		list = append(list, finding{
			keyword: f.keyword, node: i, rank: rankOther, member: uint32(n), warning: f.warning, inner: true,
			say: func(*explainer) said { return said{p.Expected, p.Got, p.Message, p.Path} },
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
	return e.find(i, keyword, func(*explainer) said { return said{expected: want, message: "must hold " + want + ": " + why} })
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
		list = e.explainAny(list, p.anyOf, i, "anyOf")
	}
	if p.oneOf != nil {
		list = e.explainOne(list, p.oneOf, i)
	}
	if p.not != nil && e.valid(p.not, i) {
		list = append(list, e.find(i, "not", func(e *explainer) said {
			got, spoken := e.got(i)
			what := shapeOf(p.not)
			if what == "" {
				what = "what the schema excludes"
			}
			return said{expected: "not " + what, got: got, message: "must not be " + what + ", but is " + spoken}
		}))
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

func (e *explainer) explainOne(list []finding, rules []*rule, i uint32) []finding {
	var which []string
	for n, s := range rules {
		if e.valid(s, i) {
			which = append(which, fmt.Sprint(n))
		}
	}
	switch len(which) {
	case 0:
		return e.explainAny(list, rules, i, "oneOf")
	case 1:
		return e.warnings(list, rules, i)
	}
	which = which[:min(len(which), 10)]
	last := len(which) - 1
	return append(list, e.find(i, "oneOf", func(*explainer) said {
		return said{
			expected: "exactly one of the allowed forms",
			message:  "must match exactly one of the allowed forms, but matches forms " + strings.Join(which[:last], ", ") + " and " + which[last],
		}
	}))
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
