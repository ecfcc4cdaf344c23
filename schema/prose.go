package schema

import "strings"

// prose holds the texts of one report side by side, so that a text costs a copy
// and seldom an allocation. Texts that were handed out never change.
type prose struct {
	b    strings.Builder
	room int // what is set aside at a time; none: as much as a text needs
}

// join is the parts one after the other.
func (w *prose) join(parts ...string) string {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	start := w.start(size)
	for _, p := range parts {
		w.b.WriteString(p)
	}
	return w.b.String()[start:]
}

// start makes room for a text and says where it begins.
func (w *prose) start(size int) int {
	if w.b.Cap()-w.b.Len() < size {
		w.b = strings.Builder{}
		w.b.Grow(max(size, w.room))
	}
	return w.b.Len()
}

// teller puts a finding into words. What a schema says is one itself, and a
// byte is one without an allocation; tellFunc serves what is rare.
type teller interface {
	tell(e *explainer, f *finding) said
}

type tellFunc func(e *explainer) said

func (t tellFunc) tell(e *explainer, _ *finding) said { return t(e) }

// extent tells of a size that is out of bounds: what is counted, twice, and 1 for
// the least.
type extent uint8

const (
	countCharacters extent = 2 * iota
	countElements
	countMembers
	countLeast extent = 1
)

func (x extent) tell(e *explainer, f *finding) said {
	return e.size(f, x&countLeast != 0, [...]string{"character", "element", "member"}[x>>1])
}
