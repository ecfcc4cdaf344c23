package textlang

import (
	"encoding/binary"
	"slices"
)

// side is machines that run side by side. A key is their states, one after the
// other.
type side []Machine

func (s side) bounds() []rune {
	var out []rune
	for _, m := range s {
		out = append(out, m.bounds()...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (s side) first() []byte {
	key := make([]byte, 0, 4*len(s))
	for _, m := range s {
		key = appendState(key, m.Start())
	}
	return key
}

func (s side) step(next, key []byte, r rune) []byte {
	for i, m := range s {
		q := stateAt(key, i)
		if q >= 0 {
			q = m.Step(q, r)
		}
		next = appendState(next, q)
	}
	return next
}

func appendState(key []byte, q int32) []byte {
	return binary.LittleEndian.AppendUint32(key, uint32(q))
}

func stateAt(key []byte, i int) int32 {
	k := key[4*i:]
	return int32(uint32(k[0]) | uint32(k[1])<<8 | uint32(k[2])<<16 | uint32(k[3])<<24)
}
