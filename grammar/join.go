package grammar

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Readings that agree on all but what is around the innermost object or array are
// one until it closes: its frame then lies in a frame that stands for any of
// theirs.

// joined joins the readings that agree so. It may reuse the slice.
func (m *machine) joined(ways []way) []way {
	kept := ways[:0]
	var around [][]*frame // of each that is kept, where it was joined
	var known map[joinKey]int
	if len(ways) > maxDistinct {
		known = make(map[joinKey]int, len(ways))
	}
	for _, w := range ways {
		i := -1
		switch {
		case !w.in.joins():
		case known != nil:
			k := keyOfJoin(&w)
			if at, ok := known[k]; ok {
				i = at
			} else {
				known[k] = len(kept)
			}
		default:
			i = slices.IndexFunc(kept, func(k way) bool { return agree(&k, &w) })
		}
		if i < 0 {
			kept = append(kept, w)
			continue
		}
		if around == nil {
			around = make([][]*frame, len(ways))
		}
		if around[i] == nil {
			around[i] = append(around[i], kept[i].in.up)
		}
		around[i] = append(around[i], w.in.up)
	}
	for i, list := range around {
		if list != nil {
			k := kept[i].in.frameKey
			k.up = m.anyOf(list)
			kept[i].in = m.frame(k)
		}
	}
	return kept
}

// joins reports whether a frame is of an object or an array.
func (f *frame) joins() bool { return f != nil && (f.object != nil || f.array != nil) }

// joinKey is what readings agree on.
type joinKey struct {
	way   way
	frame frameKey
	depth int
}

func keyOfJoin(w *way) joinKey {
	k := joinKey{*w, w.in.frameKey, w.in.depth}
	k.way.in, k.frame.up = nil, nil
	return k
}

func agree(x, y *way) bool {
	return x.at == y.at && x.state == y.state && x.word == y.word && x.in.joins() &&
		x.in.object == y.in.object && x.in.array == y.in.array && keyOfJoin(x) == keyOfJoin(y)
}

// anyOf is the frame that stands for any of a list.
func (m *machine) anyOf(list []*frame) *frame {
	var all []*frame
	for _, f := range list {
		if f != nil && f.any != nil {
			all = append(all, f.any...)
		} else {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(x, y *frame) int { return cmp.Compare(x.number(), y.number()) })
	all = slices.Compact(all)
	if len(all) == 1 {
		return all[0]
	}
	var ids []byte
	for _, f := range all {
		ids = binary.LittleEndian.AppendUint32(ids, f.number())
	}
	f := m.frame(frameKey{any: string(ids)})
	f.any, f.depth = all, all[0].level()
	return f
}
