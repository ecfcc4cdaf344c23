package schema

import (
	"slices"
	"strings"
	"sync"
)

// union is what is known of the branches of an anyOf or oneOf: what each admits,
// and how they are told apart.
type union struct {
	once  sync.Once
	types []typeSet
	kinds
}

// kinds tell branches apart by the values of one property; without a name
// nothing does.
type kinds struct {
	name string
	sets []*members
	all  *members
}

func (u *union) prepare(rules []*rule) {
	u.once.Do(func() {
		u.types = make([]typeSet, len(rules))
		for n, s := range rules {
			u.types[n] = typesOf(s, 0)
		}
		u.kinds = kindsOf(rules)
	})
}

// explainAny explains why no branch of an anyOf or oneOf holds: by one branch,
// the one that was most likely meant.
func (e *explainer) explainAny(list []finding, rules []*rule, u *union, i uint32, keyword string) []finding {
	for _, s := range rules {
		if e.valid(s, i) {
			return e.warnings(list, rules, i)
		}
	}
	if e.over || len(rules) == 0 {
		return list
	}
	u.prepare(rules)
	if f, ok := e.unionType(rules, u, i); ok {
		return append(list, f)
	}
	k := &u.kinds
	if some := e.admitting(rules, u, i); len(some) < len(rules) {
		rules, k = some, nil
	}
	if Kind(e.d.nodes[i].kind) == Object {
		if k == nil {
			other := kindsOf(rules)
			k = &other
		}
		found, chosen, ok := e.discriminated(list, rules, k, i)
		if ok {
			return found
		} else if chosen != nil {
			rules = chosen
		}
	}
	return e.lightest(list, rules, i, keyword)
}

// typesOf are the types that a rule admits, through references and
// conjunctions; 0 means that it does not say.
func typesOf(r *rule, depth int) typeSet {
	if r.always != 0 || depth > 16 {
		return 0
	}
	types := r.types
	meet := func(t typeSet) {
		switch {
		case t == 0:
		case types == 0:
			types = t
		case types&t != 0:
			types &= t
		}
	}
	for _, m := range []*members{r.enum, r.konst} {
		if m != nil && types == 0 {
			for _, v := range m.values {
				if v.Kind() == Number && v.d.isInteger(v.i) {
					types |= typeInteger
				} else {
					types |= kindTypes[v.Kind()]
				}
			}
		}
	}
	if r.place == nil {
		return types
	}
	if r.place.ref != nil {
		meet(typesOf(r.place.ref, depth+1))
	}
	for _, s := range r.place.allOf {
		meet(typesOf(s, depth+1))
	}
	for _, list := range [][]*rule{r.place.anyOf, r.place.oneOf} {
		var union typeSet
		for _, s := range list {
			t := typesOf(s, depth+1)
			if t == 0 {
				union = 0
				break
			}
			union |= t
		}
		meet(union)
	}
	return types
}

// admits reports whether a set of types allows the kind of the value at i.
func (m *machine) admits(types typeSet, i uint32) bool {
	kind := Kind(m.d.nodes[i].kind)
	return types == 0 || types&kindTypes[kind] != 0 || (kind == Number && types&typeInteger != 0 && m.d.isInteger(i))
}

// unionType is the one finding where no branch admits the value's type.
func (e *explainer) unionType(rules []*rule, u *union, i uint32) (finding, bool) {
	var all typeSet
	for n, s := range rules {
		t := u.types[n]
		if s.always == alwaysFalse {
			continue
		}
		if t == 0 || e.admits(t, i) {
			return finding{}, false
		}
		all |= t
	}
	if all == 0 {
		return finding{}, false
	}
	return e.typeFinding(all, i), true
}

// admitting are the branches whose type allows the value, or all.
func (e *explainer) admitting(rules []*rule, u *union, i uint32) []*rule {
	count := 0
	for n, s := range rules {
		if s.always != alwaysFalse && e.admits(u.types[n], i) {
			count++
		}
	}
	if count == 0 || count == len(rules) {
		return rules
	}
	out := make([]*rule, 0, count)
	for n, s := range rules {
		if s.always != alwaysFalse && e.admits(u.types[n], i) {
			out = append(out, s)
		}
	}
	return out
}

// literal finds the values that a branch allows for one of its properties,
// through references and conjunctions.
func literal(r *rule, name string, depth int) *members {
	if r.always != 0 || depth > 16 {
		return nil
	}
	if r.obj != nil {
		if at := r.obj.find(name); at >= 0 && r.obj.props[at].rule != nil {
			return allowed(r.obj.props[at].rule, 0)
		}
	}
	if r.place == nil {
		return nil
	}
	if r.place.ref != nil {
		if m := literal(r.place.ref, name, depth+1); m != nil {
			return m
		}
	}
	for _, s := range r.place.allOf {
		if m := literal(s, name, depth+1); m != nil {
			return m
		}
	}
	return nil
}

// allowed are the values of a rule's const or enum.
func allowed(r *rule, depth int) *members {
	switch {
	case r.konst != nil:
		return r.konst
	case r.enum != nil:
		return r.enum
	case r.place != nil && r.place.ref != nil && depth < 16:
		return allowed(r.place.ref, depth+1)
	}
	return nil
}

func kindsOf(rules []*rule) kinds {
	name, sets := discriminator(rules)
	if name == "" {
		return kinds{}
	}
	var all []Value
	for _, s := range sets {
		all = append(all, s.values...)
	}
	return kinds{name, sets, newMembers(all)}
}

// discriminator is a property whose values tell every branch from the others.
func discriminator(rules []*rule) (string, []*members) {
	if len(rules) < 2 {
		return "", nil
	}
	for _, name := range literalNames(rules[0], 0) {
		sets := make([]*members, len(rules))
		ok := true
		for n, s := range rules {
			if sets[n] = literal(s, name, 0); sets[n] == nil {
				ok = false
				break
			}
		}
		if ok && !overlapping(sets) {
			return name, sets
		}
	}
	return "", nil
}

// overlapping reports whether all branches allow the same value, which tells nothing.
func overlapping(sets []*members) bool {
	for _, v := range sets[0].values {
		all := true
		for _, s := range sets[1:] {
			all = all && s.has(v.d, v.i)
		}
		if all {
			return true
		}
	}
	return false
}

func literalNames(r *rule, depth int) []string {
	if r.always != 0 || depth > 16 {
		return nil
	}
	var names []string
	if r.obj != nil {
		for n := range r.obj.props {
			if p := &r.obj.props[n]; p.rule != nil && allowed(p.rule, 0) != nil {
				names = append(names, p.name)
			}
		}
	}
	if r.place != nil {
		if r.place.ref != nil {
			names = append(names, literalNames(r.place.ref, depth+1)...)
		}
		for _, s := range r.place.allOf {
			names = append(names, literalNames(s, depth+1)...)
		}
	}
	return names
}

// discriminated decides by a property that names the branch. It gives either
// the whole answer or the branches that remain.
func (e *explainer) discriminated(list []finding, rules []*rule, kinds *kinds, i uint32) (found []finding, rest []*rule, ok bool) {
	if kinds.name == "" {
		return list, nil, false
	}
	value, given := e.d.member(i, kinds.name)
	if !given {
		all := kinds.all
		f := e.missingFinding(i, "required", kinds.name, 0, func() string { return "; it must be " + all.words() })
		return append(list, f), nil, true
	}
	count, last := 0, 0
	for n := range rules {
		if kinds.sets[n].has(e.d, value) {
			count, last = count+1, n
		}
	}
	switch count {
	case 0:
		return append(list, e.find(value, "enum", kinds.all)), nil, true
	case 1:
		return e.explainTo(list, rules[last], i), nil, true
	}
	for n, s := range rules {
		if kinds.sets[n].has(e.d, value) {
			rest = append(rest, s)
		}
	}
	return list, rest, false
}

// lightest explains by the branch with the least wrong; if several are as near
// and differ, it names the forms instead. Behind the list, the best so far
// stands first.
func (e *explainer) lightest(list []finding, rules []*rule, i uint32, keyword string) []finding {
	start, bestWeight := len(list), -1
	tie := false
	for _, s := range rules {
		if s.always == alwaysFalse {
			continue
		}
		end := len(list)
		list = e.explainTo(list, s, i)
		weight := e.weight(list[end:], i)
		switch {
		case weight == 0: // cut short by the budget
		case bestWeight < 0 || weight < bestWeight:
			bestWeight, tie = weight, false
			end = start + copy(list[start:], list[end:])
		case weight == bestWeight && !e.sameProblems(list[start:end], list[end:]):
			tie = true
		}
		list = list[:end]
	}
	if bestWeight >= 0 && !tie {
		return list
	}
	return append(list[:start], e.forms(rules, i, keyword))
}

func (e *explainer) sameProblems(a, b []finding) bool {
	if len(a) != len(b) {
		return false
	}
	for n := range a {
		if a[n].keyword != b[n].keyword || a[n].node != b[n].node || e.problem(&a[n]) != e.problem(&b[n]) {
			return false
		}
	}
	return true
}

// weight is greater the more and the nearer to the value the faults are.
func (e *explainer) weight(list []finding, i uint32) int {
	total := 0
	for x := range list {
		f := &list[x]
		if f.warning {
			continue
		}
		depth := 0
		for n := f.node; n != i && n != 0 && depth < 8; n = e.at.up[n] {
			depth++
		}
		w := 256 >> depth
		switch {
		case f.keyword == "type":
			w *= 4
		case f.keyword == "const" || f.keyword == "enum":
			w *= 3
		case f.rank == rankUnknown || f.rank == rankMissing:
			w *= 2
		}
		total += max(w, 1)
	}
	return total
}

// forms names what the branches allow, where none is nearer than the others.
func (e *explainer) forms(rules []*rule, i uint32, keyword string) finding {
	return e.find(i, keyword, tellFunc(func(e *explainer) said {
		var names []string
		for _, s := range rules {
			name := shapeOf(s)
			if name == "" {
				name = "another form"
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		more := ""
		if len(names) > 6 {
			names, more = names[:6], ", or another form"
		}
		expected := "one of: " + strings.Join(names, "; ") + more
		got, spoken := e.got(i)
		return said{expected: expected, got: got, message: "must be " + expected + "; it is " + spoken}
	}))
}
