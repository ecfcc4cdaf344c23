package grammar

import (
	"slices"

	"github.com/holdfast-go/holdfast/internal/rules"
)

// While goals are built, some decisions ask whether a goal has no values. Only
// what is sure counts: a goal that is still being looked at is taken to have some,
// so that "empty" is always right and "not empty" may later turn out to be empty.

type emptyKey struct {
	g    *goal
	kind rules.Types
}

// maxSearch bounds how deep emptiness is searched for.
const maxSearch = 60

// surelyEmpty reports whether it is sure that no value, of one type or (0) of any,
// satisfies a goal.
func (b *builder) surelyEmpty(g *goal, kind rules.Types) bool {
	if kind == 0 {
		kind = allKinds
	}
	if b.err != nil || b.searching > maxSearch || g.begun&^g.known&kind != 0 {
		return false
	}
	key := emptyKey{g, kind}
	if empty, known := b.empties[key]; known {
		return empty
	}
	b.empties[key] = false // while it is searched
	b.searching++
	empty := b.searchEmpty(g, kind)
	b.searching--
	if b.searching+1 > maxSearch {
		delete(b.empties, key) // the search was cut short
		return empty
	}
	b.empties[key] = empty
	return empty
}

func (b *builder) searchEmpty(g *goal, asked rules.Types) bool {
	for _, kind := range kinds {
		if asked&kind == 0 {
			continue
		}
		if !b.none(g, kind) || b.err != nil {
			return false
		}
	}
	return true
}

// none reports whether it is sure that no value of a kind satisfies a goal.
// Objects need not be built for that: their forms say which names must be there.
func (b *builder) none(g *goal, kind rules.Types) bool {
	b.list(g)
	if kind == rules.Obj && g.begun&kind == 0 {
		return !slices.ContainsFunc(b.clauses(g, kind), b.plausible)
	}
	b.look(g, kind)
	if g.known&kind == 0 {
		return false
	}
	switch kind {
	case rules.Null:
		return !g.null && !g.yes && !g.no
	case rules.Num:
		return g.number == nil
	case rules.Str:
		return len(g.texts) == 0
	case rules.Obj:
		return !slices.ContainsFunc(g.objects, func(o *object) bool { return !b.emptyObject(o) })
	default:
		return !slices.ContainsFunc(g.arrays, func(a *array) bool { return !b.emptyArray(a) })
	}
}

func (b *builder) emptyObject(o *object) bool {
	for i := range o.members {
		if m := &o.members[i]; m.needed && (m.goal == nil || b.surelyEmpty(m.goal, 0)) {
			return true
		}
	}
	return false
}

func (b *builder) emptyArray(a *array) bool {
	if !a.built {
		return false
	}
	if a.max < -1 {
		return true
	}
	for i := range min(a.min, len(a.prefix)) {
		if b.surelyEmpty(a.prefix[i], 0) {
			return true
		}
	}
	return a.min > len(a.prefix) && b.surelyEmpty(a.rest, 0)
}
