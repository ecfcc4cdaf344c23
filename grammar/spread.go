package grammar

import (
	"slices"

	"github.com/holdfast-go/holdfast/internal/rules"
)

// clauses spreads the literals of a goal into clauses about one type.
func (b *builder) clauses(g *goal, kind rules.Types) []*clause {
	if out, ok := g.forms[kind]; ok {
		return out
	}
	out := []*clause{top()}
	if !b.mayBe(g, kind) {
		out = nil
	}
	for _, l := range g.lits {
		if len(out) > 0 && b.err == nil {
			out = b.meetAll(b.rules[l>>1], out, b.spread(b.rules[l>>1], l.neg(), kind))
		}
	}
	if g.forms == nil {
		g.forms = map[rules.Types][]*clause{}
	}
	g.forms[kind] = out
	return out
}

type spreadKey struct {
	r      *rules.Rule
	neg    bool
	kind   rules.Types
	marked bool // what is evaluated matters
}

func (b *builder) spread(r *rules.Rule, neg bool, kind rules.Types) []*clause {
	marked := b.marking > 0 && !neg
	if unevaluated(r, kind) != nil {
		b.marking++
		defer func() { b.marking-- }()
	}
	key := spreadKey{r, neg, kind, marked}
	if out, ok := b.spreads[key]; ok {
		return out
	}
	var out []*clause
	if neg {
		out = b.spreadNot(r, kind)
	} else {
		out = b.spreadRule(r, kind)
	}
	b.spreads[key] = out
	return out
}

func (b *builder) spreadRule(r *rules.Rule, kind rules.Types) []*clause {
	if !admits(r, kind) {
		return nil
	}
	out := []*clause{top()}
	also := func(more []*clause) { out = b.meetAll(r, out, more) }
	for _, set := range [][]rules.Value{r.Enum, r.Const} {
		if set == nil {
			continue
		}
		var some []*clause
		for _, v := range set {
			if v.Type == kind {
				some = append(some, b.spread(b.valueRule(v), false, kind)...)
			}
		}
		also(some)
	}
	switch {
	case kind == rules.Obj && r.Object != nil:
		also(b.ownObject(r))
	case kind == rules.Arr && r.Array != nil:
		also(b.ownArray(r))
	}
	b.eachPart(r, func(p part) {
		if len(out) > 0 {
			also(b.spreadPart(p, kind))
		}
	})
	if u := unevaluated(r, kind); u != nil {
		for i, c := range out {
			out[i] = b.meet(c, b.rest(c, u, kind))
		}
		out = slices.DeleteFunc(out, func(c *clause) bool { return c == nil })
	}
	return out
}

func (b *builder) spreadPart(p part, kind rules.Types) []*clause {
	switch p.word {
	case "anyOf":
		return b.spreadAnyOf(p.list, kind)
	case "oneOf":
		return b.spreadOneOf(p.list, kind)
	case "not":
		return b.spread(p.rule, true, kind)
	case "if":
		branch := func(r *rules.Rule, neg bool) []*clause {
			if r == nil {
				return []*clause{top()}
			}
			return b.spread(r, neg, kind)
		}
		out := b.meetAll(p.rule, b.spread(p.rule, false, kind), branch(p.then, false))
		return append(out, b.meetAll(p.rule, b.spread(p.rule, true, kind), branch(p.els, false))...)
	}
	return b.spread(p.rule, false, kind)
}

// spreadAnyOf takes each branch. Where it matters what is evaluated, several
// branches that hold evaluate more than one.
func (b *builder) spreadAnyOf(list []*rules.Rule, kind rules.Types) []*clause {
	var out []*clause
	for _, s := range list {
		branch := b.spread(s, false, kind)
		if b.marking > 0 {
			branch = append(slices.Clip(branch), b.meetAll(s, out, branch)...)
		}
		out = append(out, branch...)
	}
	return b.distinct(out)
}

func (b *builder) distinct(list []*clause) []*clause {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(c *clause) bool {
		k := b.clauseKey(c)
		twice := seen[k]
		seen[k] = true
		return twice
	})
}

// spreadOneOf takes each branch without the others. Those that it cannot meet
// anyway need not be denied.
func (b *builder) spreadOneOf(list []*rules.Rule, kind rules.Types) []*clause {
	var out []*clause
	for i, r := range list {
		one := b.spread(r, false, kind)
		for j, other := range list {
			if j == i || len(one) == 0 || b.apart(r, other, kind) {
				continue
			}
			one = b.meetAll(r, one, b.spread(other, true, kind))
		}
		out = append(out, one...)
	}
	return b.distinct(out)
}

// apart reports whether no value of a kind satisfies both rules, as far as that is
// sure already.
func (b *builder) apart(x, y *rules.Rule, kind rules.Types) bool {
	if !admits(x, kind) || !admits(y, kind) {
		return true
	}
	if x == y {
		return false
	}
	g := b.goalOf([]literal{literalOf(x, false), literalOf(y, false)})
	return b.surelyEmpty(g, kind)
}

func (b *builder) spreadNot(r *rules.Rule, kind rules.Types) []*clause {
	if !admits(r, kind) {
		return []*clause{top()}
	}
	var out []*clause
	for _, set := range [][]rules.Value{r.Enum, r.Const} {
		if set == nil {
			continue
		}
		none := []*clause{top()}
		for _, v := range set {
			if v.Type == kind {
				none = b.meetAll(r, none, b.spread(b.valueRule(v), true, kind))
			}
		}
		out = append(out, none...)
	}
	switch {
	case kind == rules.Obj && r.Object != nil:
		out = append(out, b.notObject(r)...)
	case kind == rules.Arr && r.Array != nil:
		out = append(out, b.notArray(r)...)
	}
	b.eachPart(r, func(p part) { out = append(out, b.spreadNotPart(p, kind)...) })
	for i, c := range out {
		if c.marks != nil {
			blind := *c
			blind.marks, blind.key = nil, ""
			out[i] = &blind
		}
	}
	return b.distinct(out)
}

func (b *builder) spreadNotPart(p part, kind rules.Types) []*clause {
	switch p.word {
	case "anyOf":
		out := []*clause{top()}
		for _, s := range p.list {
			out = b.meetAll(s, out, b.spread(s, true, kind))
		}
		return out
	case "oneOf":
		return b.spreadNotOneOf(p.list, kind)
	case "not":
		return b.spread(p.rule, false, kind)
	case "if":
		var out []*clause
		if p.then != nil {
			out = b.meetAll(p.rule, b.spread(p.rule, false, kind), b.spread(p.then, true, kind))
		}
		if p.els != nil {
			out = append(out, b.meetAll(p.rule, b.spread(p.rule, true, kind), b.spread(p.els, true, kind))...)
		}
		return out
	}
	return b.spread(p.rule, true, kind)
}

// spreadNotOneOf: none of the branches, or two of them.
func (b *builder) spreadNotOneOf(list []*rules.Rule, kind rules.Types) []*clause {
	out := []*clause{top()}
	for _, s := range list {
		out = b.meetAll(s, out, b.spread(s, true, kind))
	}
	for i, x := range list {
		for _, y := range list[i+1:] {
			if !b.apart(x, y, kind) {
				out = append(out, b.meetAll(x, b.spread(x, false, kind), b.spread(y, false, kind))...)
			}
		}
	}
	return out
}
