package schema

import (
	"fmt"
	"strings"
)

func (e *explainer) explainObject(list []finding, o *objectRule, i uint32) []finding {
	count := int(e.d.nodes[i].aux)
	if count < o.minLen {
		list = append(list, e.lengthFinding(i, "minProperties", ">=", "at least", o.minLen, count, "member"))
	} else if o.maxLen >= 0 && count > o.maxLen {
		list = append(list, e.lengthFinding(i, "maxProperties", "<=", "at most", o.maxLen, count, "member"))
	}
	list = e.missing(list, o, i)
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
	for n := range o.props {
		p := &o.props[n]
		if !p.required {
			continue
		}
		if _, ok := e.d.member(i, p.name); ok {
			continue
		}
		list = append(list, e.missingFinding(i, "required", p.name, uint32(n), func() string {
			if p.rule == nil {
				return ""
			}
			return briefly(p.rule)
		}))
	}
	return list
}

func (e *explainer) missingFinding(i uint32, keyword, name string, order uint32, more func() string) finding {
	return finding{keyword: keyword, node: i, member: order, rank: rankMissing, say: func(*explainer) said {
		return said{expected: name, got: "nothing", message: "`" + shorten(name) + "` is missing" + more()}
	}}
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
			if e.needed == nil {
				e.needed = map[uint32]bool{}
			}
			e.needed[k+1] = true
		}
		e.known[k] = true
		if p.rule != nil {
			known = true
			list = e.explainTo(list, p.rule, k+1)
		}
	}
	for n := range o.patterns {
		if e.match(o.patterns[n].pattern, e.d.text(k), e.d.nodes[k].flags&flagNonASCII == 0) {
			known, e.known[k] = true, true
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
		e.known[k] = true
		list = e.explainTo(list, o.rest, k+1)
	}
	return list
}

// explainName reports a name that propertyNames refuses at its object.
func (e *explainer) explainName(list []finding, r *rule, i, k uint32) []finding {
	if e.valid(r, k) {
		return list
	}
	return append(list, finding{keyword: "propertyNames", node: i, member: k, rank: rankUnknown, say: func(e *explainer) said {
		why := "is not allowed"
		for _, f := range e.explain(r, k) {
			if !f.warning && !e.secret(i) {
				why = f.say(e).message
				break
			}
		}
		name := e.shownName(i, k)
		return said{expected: "an allowed name", got: name, message: "the name `" + name + "` " + why}
	}})
}

// unknown is a name that the object does not allow.
func (e *explainer) unknown(o *objectRule, i, k uint32, keyword string) finding {
	return finding{keyword: keyword, node: i, member: k, rank: rankUnknown, say: func(e *explainer) said {
		name := e.d.text(k)
		names := o.declared()
		shown := e.shownName(i, k)
		x := said{expected: "no further names", got: shown, message: "`" + shown + "` is not an allowed name"}
		switch near := nearest(name, e.absent(i, names), 1); {
		case len(near) == 1:
			x.message += "; did you mean `" + shorten(near[0]) + "`?"
			x.expected = near[0]
		case len(names) == 0:
			x.message += "; no names are allowed here"
		case len(names) <= 10:
			x.message += "; allowed: `" + strings.Join(names, "`, `") + "`"
		default:
			x.message += fmt.Sprintf("; %d names are allowed, none like it", len(names))
		}
		return x
	}}
}

// shownName is the name k of object i as it may be told: in a secret value, names
// are secrets too.
func (e *explainer) shownName(i, k uint32) string {
	if e.secret(i) {
		return "[hidden]"
	}
	return shorten(e.d.text(k))
}

// declared are the names that the schema declares, in its order.
func (o *objectRule) declared() []string {
	var names []string
	for n := range o.props {
		if o.props[n].rule != nil && o.props[n].rule.always != alwaysFalse {
			names = append(names, o.props[n].name)
		}
	}
	return names
}

// absent are the names that object i does not have.
func (e *explainer) absent(i uint32, names []string) []string {
	var out []string
	for _, n := range names {
		if _, ok := e.d.member(i, n); !ok {
			out = append(out, n)
		}
	}
	return out
}

// undeclared warns of a name that the schema lets pass but does not declare: of
// every one where the schema is silent about further names, else only of those
// that differ from a declared name by case.
func (e *explainer) undeclared(list []finding, o *objectRule, i, k uint32, at int) []finding {
	if e.s.mode == ModeSpec || at >= 0 || len(o.props) == 0 {
		return list
	}
	name := e.d.text(k)
	message := ""
	for n := range o.props {
		if strings.EqualFold(o.props[n].name, name) {
			message = "`" + shorten(name) + "` is not declared and differs from `" + shorten(o.props[n].name) + "` by case; it is passed on as it is"
		}
	}
	if message == "" && o.rest == nil && len(o.patterns) == 0 {
		message = "`" + shorten(name) + "` is not declared; it is passed on as it is"
		if near := nearest(name, e.absent(i, o.declared()), 1); len(near) == 1 {
			message += " (did you mean `" + shorten(near[0]) + "`?)"
		}
	}
	if message == "" {
		return list
	}
	return append(list, finding{keyword: "properties", node: i, member: k, rank: rankUnknown, warning: true, say: func(e *explainer) said {
		if e.secret(i) {
			return said{expected: "a declared name", got: "[hidden]", message: "a name here is not declared; it is passed on as it is"}
		}
		return said{expected: "a declared name", got: shorten(name), message: message}
	}})
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
	return all
}
