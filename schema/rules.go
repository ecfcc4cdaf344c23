package schema

import "github.com/holdfast-go/holdfast/internal/rules"

// Rules is the compiled schema for packages of this module that turn it into
// something else than an answer; others have no use for it.
func (s *Schema) Rules() *rules.Schema {
	v := viewer{done: make(map[*rule]*rules.Rule, len(s.rules)), patterns: map[*pattern]*rules.Pattern{}}
	out := &rules.Schema{Root: v.rule(s.root), Object: s.mode == ModeTool}
	back := make(map[*rules.Rule]*rule, len(v.done))
	for own, r := range v.done {
		back[r] = own
	}
	out.Accepts = func(r *rules.Rule, json string) (ok, decided bool) {
		val, err := Read([]byte(json), schemaLimits)
		if err != nil || back[r] == nil {
			return false, false
		}
		m := machine{d: val.d, s: s}
		ok = m.valid(back[r], 0)
		return ok, !m.over
	}
	return out
}

// viewer copies rules into the form of package rules.
type viewer struct {
	done     map[*rule]*rules.Rule
	patterns map[*pattern]*rules.Pattern
}

func (v *viewer) rule(r *rule) *rules.Rule {
	if r == nil {
		return nil
	}
	if out, ok := v.done[r]; ok {
		return out
	}
	out := &rules.Rule{ID: len(v.done), Path: r.ptr, Types: rules.Types(r.types)}
	v.done[r] = out
	switch r.always {
	case alwaysTrue:
		out.Always = 1
	case alwaysFalse:
		out.Always = -1
	}
	if r.enum != nil {
		out.Enum, out.HasSet = values(r.enum), true
	}
	if r.konst != nil {
		out.Const = values(r.konst)
	}
	out.Number, out.String = v.number(r.num), v.string(r.str)
	out.Array, out.Object = v.array(r.arr), v.object(r.obj)
	if p := r.place; p != nil {
		out.Ref, out.Dynamic = v.rule(p.ref), p.dynamic != nil
		out.AllOf, out.AnyOf, out.OneOf = v.list(p.allOf), v.list(p.anyOf), v.list(p.oneOf)
		out.Not, out.If, out.Then, out.Else = v.rule(p.not), v.rule(p.cond), v.rule(p.then), v.rule(p.els)
	}
	return out
}

func (v *viewer) list(list []*rule) []*rules.Rule {
	var out []*rules.Rule
	for _, r := range list {
		out = append(out, v.rule(r))
	}
	return out
}

// values are the values of an enum; typeNull and its like are the bits of rules.Null.
func values(m *members) []rules.Value {
	out := make([]rules.Value, 0, len(m.values))
	for _, val := range m.values {
		e := rules.Value{JSON: val.d.raw(val.i), Type: rules.Types(kindTypes[val.Kind()])}
		if val.Kind() == String {
			e.Text = val.Text()
		}
		out = append(out, e)
	}
	return out
}

func (v *viewer) number(n *numberRule) *rules.Number {
	if n == nil {
		return nil
	}
	text := func(d *decimal) string {
		if d == nil {
			return ""
		}
		return string(d.canonical(nil))
	}
	return &rules.Number{Min: text(n.min), Max: text(n.max), Above: text(n.above), Below: text(n.below), Step: text(n.step)}
}

func (v *viewer) string(s *stringRule) *rules.String {
	if s == nil {
		return nil
	}
	out := &rules.String{MinLen: s.minLen, MaxLen: s.maxLen, Pattern: v.pattern(s.pattern)}
	if s.format != nil {
		out.Format, out.IsFormat = s.format.name, s.format.valid
		if s.format == oldHostname {
			out.Format = "plain-hostname"
		}
	}
	if s.content != nil {
		out.Base64, out.JSON = s.content.base64, s.content.json
	}
	return out
}

func (v *viewer) pattern(p *pattern) *rules.Pattern {
	if p == nil {
		return nil
	}
	if out, ok := v.patterns[p]; ok {
		return out
	}
	t := translator{src: p.src}
	re2, err := t.translate()
	if err != nil {
		panic("a pattern that was compiled does not translate: " + err.Error())
	}
	out := &rules.Pattern{Source: p.src, RE2: re2, Looks: t.backtracks}
	out.Match = func(text string) (ok, decided bool) {
		ok, late := p.match(text, isASCII(text))
		return ok, !late
	}
	v.patterns[p] = out
	return out
}

func (v *viewer) array(a *arrayRule) *rules.Array {
	if a == nil {
		return nil
	}
	return &rules.Array{
		Prefix: v.list(a.prefix), Rest: v.rule(a.rest), MinLen: a.minLen, MaxLen: a.maxLen, Unique: a.unique,
		Contains: v.rule(a.contains), MinContains: a.minContains, MaxContains: a.maxContains,
		Marks: a.containsMark, Unevaluated: v.rule(a.uneval),
	}
}

func (v *viewer) object(o *objectRule) *rules.Object {
	if o == nil {
		return nil
	}
	out := &rules.Object{Rest: v.rule(o.rest), Names: v.rule(o.names), MinLen: o.minLen, MaxLen: o.maxLen, Unevaluated: v.rule(o.uneval)}
	for i := range o.props {
		p := &o.props[i]
		out.Properties = append(out.Properties, rules.Property{Name: p.name, Rule: v.rule(p.rule), Required: p.required})
	}
	for _, p := range o.patterns {
		out.Patterns = append(out.Patterns, rules.PatternProperty{Pattern: v.pattern(p.pattern), Rule: v.rule(p.rule)})
	}
	for _, d := range o.depends {
		out.Depends = append(out.Depends, rules.Dependency{Name: d.name, Needs: d.needs, Rule: v.rule(d.rule), Word: d.keyword})
	}
	return out
}
