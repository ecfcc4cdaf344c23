package grammar

import (
	"encoding/binary"
	"slices"

	"github.com/holdfast-go/holdfast/internal/numlang"
	"github.com/holdfast-go/holdfast/internal/rules"
	"github.com/holdfast-go/holdfast/internal/textlang"
)

// literal is a rule that a value must satisfy, or must not.
type literal int32

func (b *builder) literal(r *rules.Rule, neg bool) literal {
	l := literal(b.index(r) << 1)
	if neg {
		l |= 1
	}
	return l
}

func (l literal) neg() bool { return l&1 != 0 }

// goal is what one value must be: every one of its literals at once. Equal goals
// are one, so that recursion ends. What values it admits is worked out when it is
// first asked for, type by type.
type goal struct {
	lits  []literal
	phase phase

	null, yes, no bool
	number        *numlang.Lang // nil: none
	texts         []*textlang.Lang
	objects       []*object
	arrays        []*array

	values []*rules.Rule // where it is a finite set of values

	height int // of the lowest value, once sealed: 0 for a scalar
}

// phase of a goal.
type phase uint8

const (
	fresh phase = iota
	preparing
	prepared
)

// goalOf gives the goal of a set of literals.
func (b *builder) goalOf(lits []literal) *goal {
	lits = slices.DeleteFunc(slices.Clone(lits), func(l literal) bool { return !l.neg() && b.rules[l>>1].Always == 1 })
	slices.Sort(lits)
	lits = slices.Compact(lits)
	key := make([]byte, 0, 4*len(lits))
	for _, l := range lits {
		key = binary.LittleEndian.AppendUint32(key, uint32(l))
	}
	if g, ok := b.goals[string(key)]; ok {
		return g
	}
	g := &goal{lits: lits}
	b.goals[string(key)] = g
	if len(b.goals) > maxGoals {
		b.refuseLits(lits, "the schema combines into too many different rules")
	}
	return g
}

const maxGoals = 50_000

// with is the goal that asks for more.
func (b *builder) with(g *goal, more ...literal) *goal {
	return b.goalOf(append(slices.Clone(g.lits), more...))
}

// prepare works out what values a goal admits.
func (b *builder) prepare(g *goal) {
	if g.phase != fresh || b.err != nil {
		return
	}
	g.phase = preparing
	defer func() { g.phase = prepared }()
	if set, ok := b.finite(g); ok {
		b.prepareSet(g, set)
		return
	}
	g.null, g.yes, g.no = b.holds(g, "null"), b.holds(g, "true"), b.holds(g, "false")
	var texts []*textlang.Formula
	var numbers []*numlang.Formula
	for _, l := range g.lits {
		r := b.rules[l>>1]
		t, n := b.text(r), b.number(r)
		if l.neg() {
			t, n = textlang.Not(t), numlang.Not(n)
		}
		texts, numbers = append(texts, t), append(numbers, n)
	}
	if b.err != nil {
		return
	}
	g.texts = b.textLang(g.lits, textlang.And(texts...))
	g.number = b.numberLang(g.lits, numlang.And(numbers...))
	g.objects = b.objects(g)
	g.arrays = b.arrays(g)
}

// finite finds the values of a goal that holds an enum or a const, directly or
// through references and allOf.
func (b *builder) finite(g *goal) ([]*rules.Rule, bool) {
	var best []*rules.Rule
	found := false
	for _, l := range g.lits {
		if l.neg() {
			continue
		}
		if set, ok := b.valuesOf(b.rules[l>>1]); ok && (!found || len(set) < len(best)) {
			best, found = set, true
		}
	}
	if !found {
		return nil, false
	}
	var out []*rules.Rule
	for _, v := range best {
		if b.holds(g, b.value(v).json) {
			out = append(out, v)
		}
	}
	return out, true
}

func (b *builder) prepareSet(g *goal, set []*rules.Rule) {
	g.values = set
	var words, numbers []string
	for _, r := range set {
		switch v := b.value(r); v.typ {
		case rules.Null:
			g.null = true
		case rules.Bool:
			g.yes = g.yes || v.json == "true"
			g.no = g.no || v.json == "false"
		case rules.Num:
			numbers = append(numbers, v.json)
		case rules.Str:
			words = append(words, v.text)
		case rules.Obj:
			g.objects = append(g.objects, b.objects(b.goalOf([]literal{b.literal(r.AllOf[0], false)}))...)
		case rules.Arr:
			g.arrays = append(g.arrays, b.arrays(b.goalOf([]literal{b.literal(r.AllOf[0], false)}))...)
		}
	}
	if len(words) > 0 {
		g.texts = []*textlang.Lang{{Machine: textlang.NewTrie(words), Max: -1}}
	}
	if len(numbers) > 0 {
		g.number = b.numberLang(g.lits, numlang.In(numbers...))
	}
}

func (b *builder) textLang(lits []literal, f *textlang.Formula) []*textlang.Lang {
	key := f.Key()
	if langs, ok := b.texts[key]; ok {
		return langs
	}
	langs, err := textlang.Compile(f)
	if err != nil {
		b.refuseLits(lits, err.Error())
	}
	b.texts[key] = langs
	return langs
}

func (b *builder) numberLang(lits []literal, f *numlang.Formula) *numlang.Lang {
	key := f.Key()
	if l, ok := b.numbers[key]; ok {
		return l
	}
	l, err := numlang.Compile(f)
	if err != nil {
		b.refuseLits(lits, err.Error())
		return nil
	}
	if l.Start() == numlang.Dead {
		l = nil
	}
	b.numbers[key] = l
	return l
}

// holds asks the validator whether a value satisfies every literal.
func (b *builder) holds(g *goal, json string) bool {
	for _, l := range g.lits {
		ok, decided := b.accepts(b.rules[l>>1], json)
		if !decided {
			b.refuse(b.rules[l>>1], "", "the validator gives up on a value of an enum")
			return false
		}
		if ok == l.neg() {
			return false
		}
	}
	return true
}
