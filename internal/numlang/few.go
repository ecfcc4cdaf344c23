package numlang

import (
	"math/big"
	"strings"
)

// farScale bounds the numbers that Few counts with.
const farScale = 64

// Few lists the numbers of a formula where these are multiples between two bounds,
// at most so many; ok is false where it does not see that they are.
func (f *Formula) Few(most int) (texts []string, ok bool) {
	var r span
	if !r.narrow(f) || r.step == nil || r.low == nil || r.high == nil || r.step.Sign() == 0 {
		return nil, false
	}
	l, err := Compile(f)
	if err != nil {
		return nil, false
	}
	at := new(big.Rat).Quo(r.low, r.step)
	k := new(big.Int).Div(at.Num(), at.Denom()) // the floor: at or before the first
	// A bound may be outside, on either side; the last is past them.
	for range most + 3 {
		at.Mul(new(big.Rat).SetInt(k), r.step)
		if at.Cmp(r.high) > 0 {
			return texts, len(texts) <= most
		}
		if text := decimalText(at); l.has(text) {
			texts = append(texts, text)
		}
		k.Add(k, big.NewInt(1))
	}
	return nil, false
}

// span is what the numbers of a formula are within; a bound itself may be outside.
type span struct{ low, high, step *big.Rat }

// narrow takes what a conjunction says of it. It reports false for numbers that are
// too far off.
func (r *span) narrow(f *Formula) bool {
	switch {
	case f.op == opAnd:
		for _, k := range f.kids {
			if !r.narrow(k) {
				return false
			}
		}
	case f.op == opLeast, f.op == opAbove:
		return widest(&r.low, f.values[0], 1)
	case f.op == opMultiple:
		return widest(&r.step, strings.TrimPrefix(f.values[0], "-"), 1)
	case f.op == opNot && (f.kids[0].op == opLeast || f.kids[0].op == opAbove):
		return widest(&r.high, f.kids[0].values[0], -1)
	}
	return true
}

// widest sets at to a number if that is further in a direction.
func widest(at **big.Rat, text string, direction int) bool {
	d, err := parse(text)
	if err != nil || d.scale > farScale || d.scale-len(d.digits) < -farScale {
		return false
	}
	v, ok := new(big.Rat).SetString(text)
	if ok && (*at == nil || v.Cmp(*at) == direction) {
		*at = v
	}
	return ok
}

// decimalText writes a number that ends, without zeros behind.
func decimalText(v *big.Rat) string {
	if v.IsInt() {
		return v.Num().String()
	}
	return strings.TrimRight(v.FloatString(farScale), "0")
}

func (l *Lang) has(text string) bool {
	q := l.Start()
	for i := 0; i < len(text) && q != Dead; i++ {
		q = l.Step(q, text[i])
	}
	return q != Dead && l.Accept(q)
}
