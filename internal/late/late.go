// Package late keeps the list of rows that are late in their indexes. Most calls get
// some words when they start, and lose them when they are settled: in an index each
// would be put in and taken out for nothing. So these words of rows that are new are
// in one list, which is written once a commit, and come into the indexes only if they
// stay for longer.
package late

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// The words that may be late, From among them and To not.
const (
	From = 3
	To   = 6
)

// Max is how long a list may be when it is written.
const Max = 256

// Row holds a checksum of each word of a row.
type Row struct {
	Seq  int64
	sums [To - From]uint32
}

const size = 8 + 4*(To-From)

// RowOf is the row of that place and words.
func RowOf(seq int64, words [7]string) Row {
	r := Row{Seq: seq}
	for i := range r.sums {
		r.sums[i] = sumOf(words[From+i])
	}
	return r
}

// sumOf is FNV-1a.
func sumOf(word string) uint32 {
	sum := uint32(2166136261)
	for i := range len(word) {
		sum = (sum ^ uint32(word[i])) * 16777619
	}
	return sum
}

// In reports whether any of the words is one that may be late.
func In(words [7]string) bool {
	for _, w := range words[From:To] {
		if w != "" {
			return true
		}
	}
	return false
}

// May reports whether a row may have the words, of which "" asks for nothing.
// sought is RowOf them.
func (r Row) May(sought Row, words [7]string) bool {
	for i, sum := range r.sums {
		if words[From+i] != "" && sum != sought.sums[i] {
			return false
		}
	}
	return true
}

// List is by Seq. A row may be in it that was deleted.
type List []Row

func (l List) at(seq int64) (int, bool) {
	return slices.BinarySearchFunc(l, seq, func(r Row, seq int64) int { return cmp.Compare(r.Seq, seq) })
}

// Has reports whether a row is late.
func (l List) Has(seq int64) bool {
	_, ok := l.at(seq)
	return ok
}

// Set says of a row, as it is about to be, whether it is late, and reports whether
// that changes the list.
func (l *List) Set(seq int64, words [7]string, is bool) (changed bool) {
	i, was := l.at(seq)
	switch {
	case is && was:
		(*l)[i] = RowOf(seq, words)
	case is:
		*l = slices.Insert(*l, i, RowOf(seq, words))
	case was:
		*l = slices.Delete(*l, i, i+1)
	}
	return is || was
}

// State is a list as a transaction has it.
type State struct {
	List
	Changed bool     // and not yet written
	None    [To]bool // no row stands in the index of that word
}

// Set says of a row, as it is about to be, whether it is late.
func (s *State) Set(seq int64, words [7]string, is bool) {
	if s.List.Set(seq, words, is) {
		s.Changed = true
	}
	if !is { // what it has of these words is in their indexes
		for i := From; i < To; i++ {
			s.None[i] = s.None[i] && words[i] == ""
		}
	}
}

// NoneHas reports whether no row in the indexes has all of these words.
func (s *State) NoneHas(words [7]string) bool {
	for i := From; i < To; i++ {
		if words[i] != "" && s.None[i] {
			return true
		}
	}
	return false
}

// Trim takes the oldest rows out of a list that is longer than Max. They are to be
// put into the indexes.
func (s *State) Trim() []Row {
	if len(s.List) <= Max {
		return nil
	}
	n := len(s.List) - Max/2
	old := slices.Clone(s.List[:n])
	s.List = slices.Delete(s.List, 0, n)
	s.None = [To]bool{}
	return old
}

// Bytes are what Read reads.
func (l List) Bytes() []byte {
	b := make([]byte, 0, size*len(l))
	for _, r := range l {
		b = binary.LittleEndian.AppendUint64(b, uint64(r.Seq))
		for _, sum := range r.sums {
			b = binary.LittleEndian.AppendUint32(b, sum)
		}
	}
	return b
}

// Read adds the rows of a list that was written to its end.
func (l *List) Read(b []byte) {
	for ; len(b) >= size; b = b[size:] {
		r := Row{Seq: int64(binary.LittleEndian.Uint64(b))}
		for i := range r.sums {
			r.sums[i] = binary.LittleEndian.Uint32(b[8+4*i:])
		}
		*l = append(*l, r)
	}
}
