package schema

// marks says which members or elements, by their place, were evaluated.
type marks []bool

// unevaluatedProperties holds what nothing beside and beneath the rule has
// evaluated to the rule's unevaluatedProperties.
func (m *machine) unevaluatedProperties(r *rule, i uint32) bool {
	set := make(marks, m.d.nodes[i].aux)
	m.markMembers(r, i, set, true, false)
	k := i + 1
	for n := range set {
		if !set[n] && !m.valid(r.obj.uneval, k+1) {
			return false
		}
		k = m.d.after(k + 1)
	}
	return true
}

func (m *machine) unevaluatedItems(r *rule, i uint32) bool {
	set := make(marks, m.d.nodes[i].aux)
	m.markElements(r, i, set, true, false)
	k := i + 1
	for n := range set {
		if !set[n] && !m.valid(r.arr.uneval, k) {
			return false
		}
		k = m.d.after(k)
	}
	return true
}

// branches calls f for the rules whose evaluation of the same value counts.
// With all, those that failed count too: whoever explains has already listed
// why, and need not call every name of a failed branch unknown as well.
func (m *machine) branches(r *rule, i uint32, all bool, f func(*rule)) {
	m.steps++
	if m.steps > stepBudget {
		m.over = true
		return
	}
	if r.obj != nil && m.d.nodes[i].kind == uint8(Object) {
		for n := range r.obj.depends {
			d := &r.obj.depends[n]
			if d.rule == nil {
				continue
			}
			if _, ok := m.d.member(i, d.name); ok {
				f(d.rule)
			}
		}
	}
	p := r.place
	if p == nil {
		return
	}
	if p.ref != nil {
		f(p.ref)
	}
	if p.dynamic != nil {
		f(m.target(p.dynamic))
	}
	for _, s := range p.allOf {
		f(s)
	}
	for _, list := range [][]*rule{p.anyOf, p.oneOf} {
		m.chosen(list, i, all, f)
	}
	if p.cond == nil {
		return
	}
	branch := p.els
	if m.valid(p.cond, i) {
		f(p.cond)
		branch = p.then
	}
	if branch != nil {
		f(branch)
	}
}

func (m *machine) chosen(list []*rule, i uint32, all bool, f func(*rule)) {
	none := true
	for _, s := range list {
		if m.valid(s, i) {
			none = false
			f(s)
		}
	}
	if none && all {
		for _, s := range list {
			f(s)
		}
	}
}

func (m *machine) markMembers(r *rule, i uint32, set marks, top, all bool) {
	if r.always != 0 || m.over {
		return
	}
	defer m.leave(m.enter(r))
	if o := r.obj; o != nil {
		k := i + 1
		for n := range set {
			if !set[n] {
				at := o.lookup(m.d, k)
				set[n] = (at >= 0 && o.props[at].rule != nil) || o.rest != nil || m.matchesPattern(o, k) ||
					(!top && o.uneval != nil)
			}
			k = m.d.after(k + 1)
		}
	}
	m.branches(r, i, all, func(s *rule) { m.markMembers(s, i, set, false, all) })
}

func (m *machine) matchesPattern(o *objectRule, k uint32) bool {
	for p := range o.patterns {
		if m.match(o.patterns[p].pattern, m.d.text(k), m.d.nodes[k].flags&flagNonASCII == 0) {
			return true
		}
	}
	return false
}

func (m *machine) markElements(r *rule, i uint32, set marks, top, all bool) {
	if r.always != 0 || m.over {
		return
	}
	defer m.leave(m.enter(r))
	if a := r.arr; a != nil {
		k := i + 1
		for n := range set {
			set[n] = set[n] || n < len(a.prefix) || a.rest != nil || (!top && a.uneval != nil) ||
				(a.containsMark && m.valid(a.contains, k))
			k = m.d.after(k)
		}
	}
	m.branches(r, i, all, func(s *rule) { m.markElements(s, i, set, false, all) })
}
