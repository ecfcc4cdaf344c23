package schema

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

func (e *explainer) explainObject(list []finding, o *objectRule, i uint32) []finding {
	count := int(e.d.nodes[i].aux)
	if count < o.minLen {
		list = append(list, e.sizeFinding(i, "minProperties", countMembers|countLeast, o.minLen, count))
	} else if o.maxLen >= 0 && count > o.maxLen {
		list = append(list, e.sizeFinding(i, "maxProperties", countMembers, o.maxLen, count))
	}
	if o.required > 0 {
		list = e.missing(list, o, i)
	}
	k := i + 1
	for range count {
		list = e.explainMember(list, o, i, k)
		k = e.d.after(k + 1)
	}
	for n := range o.depends {
		d := &o.depends[n]
		if _, ok := e.d.member(i, d.name); ok {
			list = e.explainDependency(list, o, d, i)
		}
	}
	return list
}

func (e *explainer) missing(list []finding, o *objectRule, i uint32) []finding {
	need := o.required
	k := i + 1
	for left := e.d.nodes[i].aux; left > 0; left-- {
		if at := o.lookup(e.d, k); at >= 0 && o.props[at].required {
			need--
		}
		k = e.d.after(k + 1)
	}
	if need == 0 {
		return list
	}
	for n := range o.props {
		p := &o.props[n]
		if !p.required {
			continue
		}
		if _, ok := e.d.hashed(i, p.name, p.hash); ok {
			continue
		}
		list = append(list, finding{keyword: "required", node: i, member: uint32(n), rank: rankMissing, say: p})
	}
	return list
}

// tell of a property that is missing.
func (p *property) tell(e *explainer, _ *finding) said {
	about := ""
	if p.rule != nil {
		about = p.rule.brief()
	}
	return e.missingSaid(p.name, about)
}

func (e *explainer) missingSaid(name, about string) said {
	return said{expected: name, got: "nothing", message: e.text.join("`", shorten(name), "` is missing", about)}
}

func (e *explainer) missingFinding(i uint32, keyword, name string, order uint32, more func() string) finding {
	return finding{keyword: keyword, node: i, member: order, rank: rankMissing, say: tellFunc(func(e *explainer) said {
		return e.missingSaid(name, more())
	})}
}

func (e *explainer) explainDependency(list []finding, o *objectRule, d *dependency, i uint32) []finding {
	if d.rule != nil {
		return e.explainTo(list, d.rule, i)
	}
	for n, name := range d.needs {
		if _, ok := e.d.member(i, name); !ok {
			list = append(list, e.missingFinding(i, d.keyword, name, uint32(len(o.props)+n), func() string {
				return "; it must be given together with `" + shorten(d.name) + "`"
			}))
		}
	}
	return list
}

// explainMember goes into one member of object i, whose name is node k.
func (e *explainer) explainMember(list []finding, o *objectRule, i, k uint32) []finding {
	known := false
	at := o.lookup(e.d, k)
	if at >= 0 {
		p := &o.props[at]
		if p.required && Kind(e.d.nodes[k+1].kind) == Null {
			e.notes[k+1] |= noteNeeded
		}
		e.notes[k] |= noteKnown
		if p.rule != nil {
			known = true
			list = e.explainTo(list, p.rule, k+1)
		}
	}
	for n := range o.patterns {
		if e.match(o.patterns[n].pattern, e.d.text(k), e.d.nodes[k].flags&flagNonASCII == 0) {
			known = true
			e.notes[k] |= noteKnown
			list = e.explainTo(list, o.patterns[n].rule, k+1)
		}
	}
	if o.names != nil {
		list = e.explainName(list, o.names, i, k)
	}
	switch {
	case known:
	case o.rest == nil || o.rest.always == alwaysTrue:
		list = e.undeclared(list, o, i, k, at)
	case o.rest.always == alwaysFalse:
		list = append(list, e.unknown(o, i, k, "additionalProperties"))
	default:
		e.notes[k] |= noteKnown
		list = e.explainTo(list, o.rest, k+1)
	}
	return list
}

// explainName reports a name that propertyNames refuses at its object.
func (e *explainer) explainName(list []finding, r *rule, i, k uint32) []finding {
	if e.valid(r, k) {
		return list
	}
	return append(list, finding{keyword: "propertyNames", node: i, member: k, rank: rankUnknown, say: (*refusedName)(r)})
}

// refusedName tells of a name that the rule of propertyNames refuses.
type refusedName rule

func (r *refusedName) tell(e *explainer, f *finding) said {
	why := "is not allowed"
	found := e.explain((*rule)(r), f.member)
	for n := range found {
		if x := &found[n]; !x.warning && !e.secret(f.node) {
			why = x.say.tell(e, x).message
			break
		}
	}
	name := e.shownName(f.node, f.member)
	return said{expected: "an allowed name", got: name, message: e.text.join("the name `", name, "` ", why)}
}

// unknown is a name that the object does not allow.
func (e *explainer) unknown(o *objectRule, i, k uint32, keyword string) finding {
	return finding{keyword: keyword, node: i, member: k, rank: rankUnknown, say: o}
}

// tell of a name that the object does not allow.
func (o *objectRule) tell(e *explainer, f *finding) said {
	shown := e.shownName(f.node, f.member)
	x := said{expected: "no further names", got: shown}
	const told = "` is not an allowed name"
	c := o.candidates()
	if near := e.nearName(o, f.node, f.member); near != "" {
		x.expected = near
		x.message = e.text.join("`", shown, told, "; did you mean `", shorten(near), "`?")
		return x
	}
	x.message = e.text.join("`", shown, told, c.none)
	return x
}

// nearName is the declared name that was probably meant by k, of those that
// object i does not have.
func (e *explainer) nearName(o *objectRule, i, k uint32) string {
	c := o.candidates()
	if len(c.roster) == 0 {
		return ""
	}
	e.out = slices.Grow(e.out[:0], len(o.props))[:len(o.props)]
	clear(e.out)
	m := i + 1
	for left := e.d.nodes[i].aux; left > 0; left-- {
		if at := o.lookup(e.d, m); at >= 0 {
			e.out[at] = true
		}
		m = e.d.after(m + 1)
	}
	near := e.measure().closest(e.d.text(k), c.roster, 1, likely, e.out)
	if len(near) == 0 {
		return ""
	}
	return o.props[near[0].place].name
}

func (e *explainer) measure() *meter {
	if e.meter == nil {
		e.meter = &meter{}
	}
	return e.meter
}

// shownName is the name k of object i as it may be told: in a secret value, names
// are secrets too.
func (e *explainer) shownName(i, k uint32) string {
	if e.secret(i) {
		return "[hidden]"
	}
	return shorten(e.d.text(k))
}

// declared are the names that the schema declares, in its order, and their places.
func (o *objectRule) declared() (names []string, places []int) {
	for n := range o.props {
		if p := &o.props[n]; p.rule != nil && p.rule.always != alwaysFalse {
			names, places = append(names, p.name), append(places, n)
		}
	}
	return names, places
}

// candidates are the names that the schema declares, made ready to be suggested.
type candidates struct {
	once   sync.Once
	roster roster
	none   string // what is said where none of them is meant
}

func (o *objectRule) candidates() *candidates {
	c := o.suggested
	c.once.Do(func() {
		declared, places := o.declared()
		c.roster = newRoster(declared)
		for n := range c.roster {
			c.roster[n].place = places[c.roster[n].place]
		}
		switch {
		case len(declared) == 0:
			c.none = "; no names are allowed here"
		case len(declared) <= 10:
			c.none = "; allowed: `" + strings.Join(declared, "`, `") + "`"
		default:
			c.none = fmt.Sprintf("; %d names are allowed, none like it", len(declared))
		}
	})
	return c
}

// undeclared warns of a name that the schema lets pass but does not declare: of
// every one where the schema is silent about further names, else only of those
// that differ from a declared name by case.
func (e *explainer) undeclared(list []finding, o *objectRule, i, k uint32, at int) []finding {
	if e.s.mode == ModeSpec || at >= 0 || len(o.props) == 0 {
		return list
	}
	otherCase := -1
	name := e.d.text(k)
	for n := range o.props {
		if strings.EqualFold(o.props[n].name, name) {
			otherCase = n
		}
	}
	if otherCase < 0 && (o.rest != nil || len(o.patterns) > 0) {
		return list
	}
	return append(list, finding{
		keyword: "properties", node: i, member: k, rank: rankUnknown, warning: true, say: (*undeclaredName)(o), want: otherCase,
	})
}

// undeclaredName tells of a name that an object does not declare; what the finding
// wants is the one that differs by case, if there is one.
type undeclaredName objectRule

func (u *undeclaredName) tell(e *explainer, f *finding) said {
	if e.secret(f.node) {
		return said{expected: "a declared name", got: "[hidden]", message: "a name here is not declared; it is passed on as it is"}
	}
	o := (*objectRule)(u)
	name := shorten(e.d.text(f.member))
	x := said{expected: "a declared name", got: name}
	const told = "` is not declared; it is passed on as it is"
	if f.want >= 0 {
		x.message = e.text.join("`", name, "` is not declared and differs from `", shorten(o.props[f.want].name), "` by case; it is passed on as it is")
	} else if near := e.nearName(o, f.node, f.member); near != "" {
		x.message = e.text.join("`", name, told, " (did you mean `", shorten(near), "`?)")
	} else {
		x.message = e.text.join("`", name, told)
	}
	return x
}

func (e *explainer) explainUnevaluatedMembers(list []finding, r *rule, i uint32) []finding {
	set := make(marks, e.d.nodes[i].aux)
	e.markMembers(r, i, set, true, true)
	k := i + 1
	for n := range set {
		if !set[n] {
			if r.obj.uneval.always == alwaysFalse {
				list = append(list, e.unknown(allDeclared(r), i, k, "unevaluatedProperties"))
			} else {
				list = e.explainTo(list, r.obj.uneval, k+1)
			}
		}
		k = e.d.after(k + 1)
	}
	return list
}

// allDeclared gathers the names that r and the rules in its place declare.
func allDeclared(r *rule) *objectRule {
	all := &objectRule{}
	seen := map[*rule]bool{}
	var visit func(*rule)
	visit = func(s *rule) {
		if seen[s] {
			return
		}
		seen[s] = true
		if s.obj != nil {
			for _, p := range s.obj.props {
				if p.rule != nil {
					all.property(p.name).rule = p.rule
				}
			}
		}
		if s.place != nil {
			s.place.each(visit)
		}
	}
	visit(r)
	all.index()
	return all
}
