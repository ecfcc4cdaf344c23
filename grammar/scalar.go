package grammar

import (
	"github.com/holdfast-go/holdfast/internal/numlang"
	"github.com/holdfast-go/holdfast/internal/rules"
	"github.com/holdfast-go/holdfast/internal/textlang"
)

// text is the set of strings that a rule admits.
func (b *builder) text(r *rules.Rule) *textlang.Formula {
	if f, ok := b.textOf[r]; ok {
		return f
	}
	f := b.newText(r)
	b.textOf[r] = f
	return f
}

func (b *builder) newText(r *rules.Rule) *textlang.Formula {
	if !admits(r, rules.Str) {
		return textlang.Or()
	}
	var parts []*textlang.Formula
	if v := b.vals[r]; v != nil {
		return textlang.Words([]string{v.text})
	}
	if r.HasSet {
		parts = append(parts, textlang.Words(words(r.Enum)))
	}
	if r.Const != nil {
		parts = append(parts, textlang.Words(words(r.Const)))
	}
	if s := r.String; s != nil {
		parts = append(parts, b.ownText(r, s)...)
	}
	b.eachPart(r, func(p part) {
		parts = append(parts, combineText(b, p))
	})
	return textlang.And(parts...)
}

func words(list []rules.Value) []string {
	out := []string{}
	for _, v := range list {
		if v.Type == rules.Str {
			out = append(out, v.Text)
		}
	}
	return out
}

func (b *builder) ownText(r *rules.Rule, s *rules.String) []*textlang.Formula {
	parts := []*textlang.Formula{textlang.Length(s.MinLen, s.MaxLen)}
	if s.Pattern != nil {
		if f := b.pattern(r, "pattern", s.Pattern); f != nil {
			parts = append(parts, f)
		}
	}
	if s.Format != "" {
		f, ok := b.formats[s.Format]
		if !ok {
			if f = format(s.Format); f != nil {
				f = textlang.Small(f)
			}
			b.formats[s.Format] = f
		}
		if f == nil {
			b.refuse(r, "format", "the format \""+s.Format+"\" is no regular language")
			return parts
		}
		parts = append(parts, f)
	}
	switch {
	case s.JSON:
		b.refuse(r, "contentMediaType", "a document inside of a string is no regular language")
	case s.Base64:
		f, err := textlang.Pattern(base64Pattern, false)
		if err != nil {
			panic("the pattern of base64 does not compile: " + err.Error())
		}
		parts = append(parts, f)
	}
	return parts
}

// base64Pattern is what a strict decoder takes: padded, and no bits left over.
const base64Pattern = `\A(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?\z`

func (b *builder) pattern(r *rules.Rule, keyword string, p *rules.Pattern) *textlang.Formula {
	f, ok := b.patterns[p]
	if ok {
		return f
	}
	f, err := textlang.Pattern(p.RE2, p.Looks)
	if err != nil {
		b.refuse(r, keyword, err.Error())
		return nil
	}
	b.patterns[p] = f
	return f
}

// number is the set of numbers that a rule admits.
func (b *builder) number(r *rules.Rule) *numlang.Formula {
	if f, ok := b.numberOf[r]; ok {
		return f
	}
	f := b.newNumber(r)
	b.numberOf[r] = f
	return f
}

func (b *builder) newNumber(r *rules.Rule) *numlang.Formula {
	if v := b.vals[r]; v != nil && v.typ == rules.Num {
		return numlang.In(v.json)
	}
	if !admits(r, rules.Num) {
		return numlang.Or()
	}
	var parts []*numlang.Formula
	if r.Types&(rules.Num|rules.Integer) == rules.Integer {
		parts = append(parts, numlang.MultipleOf("1"))
	}
	if r.HasSet {
		parts = append(parts, numlang.In(numbers(r.Enum)...))
	}
	if r.Const != nil {
		parts = append(parts, numlang.In(numbers(r.Const)...))
	}
	if n := r.Number; n != nil {
		parts = append(parts, ownNumber(n)...)
	}
	b.eachPart(r, func(p part) {
		parts = append(parts, combineNumber(b, p))
	})
	return numlang.And(parts...)
}

func numbers(list []rules.Value) []string {
	out := []string{}
	for _, v := range list {
		if v.Type == rules.Num {
			out = append(out, v.JSON)
		}
	}
	return out
}

func ownNumber(n *rules.Number) []*numlang.Formula {
	var parts []*numlang.Formula
	if n.Min != "" {
		parts = append(parts, numlang.AtLeast(n.Min))
	}
	if n.Above != "" {
		parts = append(parts, numlang.Above(n.Above))
	}
	if n.Max != "" {
		parts = append(parts, numlang.Not(numlang.Above(n.Max)))
	}
	if n.Below != "" {
		parts = append(parts, numlang.Not(numlang.AtLeast(n.Below)))
	}
	if n.Step != "" {
		parts = append(parts, numlang.MultipleOf(n.Step))
	}
	return parts
}

func admits(r *rules.Rule, t rules.Types) bool {
	if t == rules.Num {
		t |= rules.Integer
	}
	return r.Always >= 0 && (r.Types == 0 || r.Types&t != 0)
}

// part is one applicator of a rule that looks at the same value.
type part struct {
	word string
	rule *rules.Rule   // of $ref, allOf, not; the condition of if
	list []*rules.Rule // of anyOf and oneOf
	then *rules.Rule   // of if; nil: true
	els  *rules.Rule
}

// eachPart calls f for the applicators of a rule that look at the same value.
func (b *builder) eachPart(r *rules.Rule, f func(part)) {
	if r.Dynamic {
		b.refuse(r, "$dynamicRef", "its target depends on the way to it")
	}
	if r.Ref != nil {
		f(part{word: "$ref", rule: r.Ref})
	}
	for _, s := range r.AllOf {
		f(part{word: "allOf", rule: s})
	}
	if r.AnyOf != nil {
		f(part{word: "anyOf", list: r.AnyOf})
	}
	if r.OneOf != nil {
		f(part{word: "oneOf", list: r.OneOf})
	}
	if r.Not != nil {
		f(part{word: "not", rule: r.Not})
	}
	if r.If != nil && (r.Then != nil || r.Else != nil || b.marking > 0) {
		f(part{word: "if", rule: r.If, then: r.Then, els: r.Else})
	}
}

// algebra is how formulas of one kind are combined.
type algebra[F any] struct {
	of      func(*rules.Rule) F
	and, or func(...F) F
	not     func(F) F
}

func combine[F any](a algebra[F], p part) F {
	of := func(r *rules.Rule) F {
		if r == nil {
			return a.and()
		}
		return a.of(r)
	}
	switch p.word {
	case "anyOf":
		var parts []F
		for _, s := range p.list {
			parts = append(parts, a.of(s))
		}
		return a.or(parts...)
	case "oneOf":
		// One holds and none of the others.
		var parts []F
		for i, s := range p.list {
			one := []F{a.of(s)}
			for j, other := range p.list {
				if j != i {
					one = append(one, a.not(a.of(other)))
				}
			}
			parts = append(parts, a.and(one...))
		}
		return a.or(parts...)
	case "not":
		return a.not(a.of(p.rule))
	case "if":
		cond := a.of(p.rule)
		return a.or(a.and(cond, of(p.then)), a.and(a.not(cond), of(p.els)))
	}
	return a.of(p.rule)
}

func combineText(b *builder, p part) *textlang.Formula {
	return combine(algebra[*textlang.Formula]{b.text, textlang.And, textlang.Or, textlang.Not}, p)
}

func combineNumber(b *builder, p part) *numlang.Formula {
	return combine(algebra[*numlang.Formula]{b.number, numlang.And, numlang.Or, numlang.Not}, p)
}

// matches decides a name by a pattern.
func matches(p *rules.Pattern, name string) bool {
	ok, _ := p.Match(name)
	return ok
}
