package grammar

import "github.com/holdfast-go/holdfast/internal/rules"

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
	if b.err != nil || b.searching > maxSearch || g.phase == preparing {
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

func (b *builder) searchEmpty(g *goal, kind rules.Types) bool {
	b.prepare(g)
	if g.phase != prepared || b.err != nil {
		return false
	}
	is := func(t rules.Types) bool { return kind == 0 || kind == t }
	if (is(rules.Null) && g.null) || (is(rules.Bool) && (g.yes || g.no)) || (is(rules.Num) && g.number != nil) || (is(rules.Str) && len(g.texts) > 0) {
		return false
	}
	if is(rules.Obj) {
		for _, o := range g.objects {
			if !b.emptyObject(o) {
				return false
			}
		}
	}
	if is(rules.Arr) {
		for _, a := range g.arrays {
			if !b.emptyArray(a) {
				return false
			}
		}
	}
	return true
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
