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

func literalOf(r *rules.Rule, neg bool) literal {
	l := literal(r.ID << 1)
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
	lits   []literal
	listed bool        // a finite set of values was looked for
	begun  rules.Types // the types that were looked at, or are being
	known  rules.Types // and that is over

	null, yes, no bool
	number        *numlang.Lang // nil: none
	texts         []*textlang.Lang
	objects       []*object
	arrays        []*array

	values []*rules.Rule // where it is a finite set of values

	forms map[rules.Types][]*clause // of objects and of arrays, until all is built

	height int // of the lowest value, once sealed: 0 for a scalar
}

// kinds are the types that are looked at apart. Null stands for the words: null,
// true and false.
var kinds = []rules.Types{rules.Null, rules.Num, rules.Str, rules.Obj, rules.Arr}

const allKinds = rules.Null | rules.Num | rules.Str | rules.Obj | rules.Arr

// goals are all goals of a grammar, and the rules that they speak of.
type goals struct {
	rules  []*rules.Rule // the schemas', by ID, and those made for the values of enums
	byLits map[string]*goal
}

// goalOf gives the goal of a set of literals.
func (t *goals) goalOf(lits []literal) *goal {
	lits = slices.DeleteFunc(slices.Clone(lits), func(l literal) bool { return !l.neg() && t.rules[l>>1].Always == 1 })
	slices.Sort(lits)
	lits = slices.Compact(lits)
	key := make([]byte, 0, 4*len(lits))
	for _, l := range lits {
		key = binary.LittleEndian.AppendUint32(key, uint32(l))
	}
	if g, ok := t.byLits[string(key)]; ok {
		return g
	}
	g := &goal{lits: lits}
	t.byLits[string(key)] = g
	return g
}

// with is the goal that asks for more.
func (t *goals) with(g *goal, more ...literal) *goal {
	return t.goalOf(append(slices.Clone(g.lits), more...))
}

const maxGoals = 50_000

// goalOf is that of goals, within the limit.
func (b *builder) goalOf(lits []literal) *goal {
	defer b.countGoals(lits)
	return b.goals.goalOf(lits)
}

func (b *builder) countGoals(lits []literal) {
	if len(b.byLits) > maxGoals {
		b.refuseLits(lits, "the schema combines into too many different rules")
	}
}

// prepare works out what values a goal admits.
func (b *builder) prepare(g *goal) {
	for _, kind := range kinds {
		b.look(g, kind)
	}
}

// look works out what values of one kind a goal admits.
func (b *builder) look(g *goal, kind rules.Types) {
	b.list(g)
	if g.begun&kind != 0 || b.err != nil {
		return
	}
	g.begun |= kind
	if b.mayBe(g, kind) {
		b.lookAt(g, kind)
	}
	g.known |= kind
}

// list looks for the values of a goal that are a finite set, once.
func (b *builder) list(g *goal) {
	if g.listed || b.err != nil {
		return
	}
	g.listed = true
	if set, ok := b.finite(g); ok {
		g.begun = allKinds
		b.prepareSet(g, set)
		g.known = allKinds
	}
}

// mayBe reports whether no rule of a goal refuses a kind by its type alone.
func (b *builder) mayBe(g *goal, kind rules.Types) bool {
	if kind == rules.Null {
		kind |= rules.Bool
	}
	for _, l := range g.lits {
		if !l.neg() && !admits(b.rules[l>>1], kind) {
			return false
		}
	}
	return true
}

// formulas are those of literals.
func formulas[F any](b *builder, lits []literal, of func(*rules.Rule) F, not func(F) F) []F {
	var all []F
	for _, l := range lits {
		f := of(b.rules[l>>1])
		if l.neg() {
			f = not(f)
		}
		all = append(all, f)
	}
	return all
}

func (b *builder) lookAt(g *goal, kind rules.Types) {
	switch kind {
	case rules.Null:
		g.null, g.yes, g.no = b.holds(g, "null"), b.holds(g, "true"), b.holds(g, "false")
	case rules.Num:
		all := formulas(b, g.lits, b.number, numlang.Not)
		if b.err == nil {
			g.number = b.numberLang(g.lits, numlang.And(all...))
		}
	case rules.Str:
		all := formulas(b, g.lits, b.text, textlang.Not)
		if b.err == nil {
			g.texts = b.textLang(g.lits, textlang.And(all...))
		}
	case rules.Obj:
		g.objects = b.objects(g)
	case rules.Arr:
		g.arrays = b.arrays(g)
	}
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
			g.objects = append(g.objects, b.objects(b.goalOf([]literal{literalOf(r.AllOf[0], false)}))...)
		case rules.Arr:
			g.arrays = append(g.arrays, b.arrays(b.goalOf([]literal{literalOf(r.AllOf[0], false)}))...)
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

// holds asks the validator whether a value satisfies every literal. The same values
// are asked about again and again, so what rules say of them is noted.
func (b *builder) holds(g *goal, json string) bool {
	for _, l := range g.lits {
		key := judgement{b.rules[l>>1], json}
		ok, known := b.judged[key]
		if !known {
			var decided bool
			if ok, decided = b.accepts(key.rule, json); !decided {
				b.refuse(key.rule, "", "the validator gives up on a value of an enum")
				return false
			}
			b.judged[key] = ok
		}
		if ok == l.neg() {
			return false
		}
	}
	return true
}

// judgement is the question whether a rule accepts a value.
type judgement struct {
	rule *rules.Rule
	json string
}
