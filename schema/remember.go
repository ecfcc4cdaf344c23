package schema

// remembered is what rules found at values, by both.
type remembered struct {
	spans []span
	place map[uint64]int // of spans, where there are many
	all   []finding
}

type span struct {
	key      uint64
	from, to int
}

// fewSpans are looked through faster than looked up.
const fewSpans = 16

func (r *remembered) of(key uint64) ([]finding, bool) {
	at, ok := -1, false
	if r.place != nil {
		at, ok = r.place[key]
	} else {
		for n := range r.spans {
			if r.spans[n].key == key {
				at, ok = n, true
				break
			}
		}
	}
	if !ok {
		return nil, false
	}
	s := r.spans[at]
	return r.all[s.from:s.to], true
}

func (r *remembered) add(key uint64, list []finding) {
	from := len(r.all)
	r.all = append(r.all, list...)
	r.spans = append(r.spans, span{key, from, len(r.all)})
	switch {
	case r.place != nil:
		r.place[key] = len(r.spans) - 1
	case len(r.spans) > fewSpans:
		r.place = make(map[uint64]int, 4*fewSpans)
		for n, s := range r.spans {
			r.place[s.key] = n
		}
	}
}

func (r *remembered) reset() {
	r.all, r.spans, r.place = emptied(r.all), emptied(r.spans), nil
}

// keptRoom is how much of a list is kept for the next.
const keptRoom = 256

// emptied is the room of a list. What is left in it is the schema's own or goes
// when the room does; wiping it would cost more than the list did.
func emptied[T any](list []T) []T {
	if cap(list) > keptRoom {
		return nil
	}
	return list[:0]
}
