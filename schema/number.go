package schema

import (
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// decimal is the exact value of a number's literal: digits × 10^exp, the digits
// without zeros at either end. Zero has no digits. Where the digits fit, mant
// holds them too, and the arithmetic is done in machine words.
type decimal struct {
	neg    bool
	small  bool
	mant   uint64
	exp    int
	digits string // set only where small is false
}

// maxSmallDigits is how many decimal digits always fit 64 bits.
const maxSmallDigits = 19

// parseDecimal reads a literal that Read has let through, so its length and its
// exponent are bounded.
func parseDecimal(s string) decimal {
	var d decimal
	i := 0
	if s[0] == '-' {
		d.neg = true
		i = 1
	}
	seen, frac, point := 0, 0, false
	for ; i < len(s); i++ {
		c := s[i]
		if c == '.' {
			point = true
			continue
		}
		if c|0x20 == 'e' {
			e, _ := strconv.Atoi(strings.TrimPrefix(s[i+1:], "+"))
			d.exp = e
			break
		}
		if point {
			frac++
		}
		if seen > 0 || c != '0' {
			if seen++; seen > maxSmallDigits {
				return parseLarge(s)
			}
			d.mant = d.mant*10 + uint64(c-'0')
		}
	}
	d.exp -= frac
	d.small = true
	if d.mant == 0 {
		return decimal{small: true}
	}
	for d.mant%10 == 0 {
		d.mant /= 10
		d.exp++
	}
	return d
}

// parseLarge reads a literal of more digits than fit a machine word.
func parseLarge(s string) decimal {
	var d decimal
	if s[0] == '-' {
		d.neg = true
		s = s[1:]
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		d.exp, _ = strconv.Atoi(strings.TrimPrefix(s[i+1:], "+"))
		s = s[:i]
	}
	whole, frac, _ := strings.Cut(s, ".")
	d.exp -= len(frac)
	digits := strings.TrimLeft(whole+frac, "0")
	short := strings.TrimRight(digits, "0")
	d.exp += len(digits) - len(short)
	if len(short) > maxSmallDigits {
		d.digits = short
		return d
	}
	d.small = true
	d.mant, _ = strconv.ParseUint("0"+short, 10, 64)
	if d.mant == 0 {
		return decimal{small: true}
	}
	return d
}

// text of the digits alone.
func (d decimal) text() string {
	if !d.small {
		return d.digits
	}
	if d.mant == 0 {
		return ""
	}
	return strconv.FormatUint(d.mant, 10)
}

func (d decimal) zero() bool { return d.small && d.mant == 0 }

// integer reports whether d has no fraction.
func (d decimal) integer() bool { return d.exp >= 0 || d.zero() }

// pow10 holds the powers that fit a machine word.
var pow10 = [...]uint64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
}

// cmp is -1, 0 or 1 as d is less than, equal to or greater than e.
func (d decimal) cmp(e decimal) int {
	switch {
	case d.zero() && e.zero():
		return 0
	case d.zero():
		return -e.sign()
	case e.zero():
		return d.sign()
	case d.neg != e.neg:
		return d.sign()
	case d.neg:
		return -cmpMagnitude(d, e)
	}
	return cmpMagnitude(d, e)
}

func (d decimal) sign() int {
	switch {
	case d.zero():
		return 0
	case d.neg:
		return -1
	}
	return 1
}

func cmpMagnitude(d, e decimal) int {
	if d.small && e.small {
		if c, ok := cmpSmall(d, e); ok {
			return c
		}
	}
	a, b := d.text(), e.text()
	// The place of the first digit decides, then the digits from the left.
	if pa, pb := len(a)+d.exp, len(b)+e.exp; pa != pb {
		if pa < pb {
			return -1
		}
		return 1
	}
	return strings.Compare(a, b)
}

func cmpSmall(d, e decimal) (int, bool) {
	shift := d.exp - e.exp
	if shift < 0 {
		c, ok := cmpSmall(e, d)
		return -c, ok
	}
	if shift >= len(pow10) {
		return 0, false
	}
	hi, lo := bits.Mul64(d.mant, pow10[shift])
	switch {
	case hi > 0 || lo > e.mant:
		return 1, true
	case lo < e.mant:
		return -1, true
	}
	return 0, true
}

// multipleOf reports whether d is a whole multiple of step, in decimal.
func (d decimal) multipleOf(step decimal) bool {
	if d.zero() {
		return true
	}
	if step.zero() {
		return false
	}
	shift := d.exp - step.exp
	if d.small && step.small {
		if shift >= 0 && shift < len(pow10) {
			if hi, lo := bits.Mul64(d.mant, pow10[shift]); hi < step.mant {
				_, rem := bits.Div64(hi, lo, step.mant)
				return rem == 0
			}
		}
		if shift < 0 && -shift < len(pow10) {
			if hi, lo := bits.Mul64(step.mant, pow10[-shift]); hi == 0 {
				return d.mant%lo == 0
			}
			return false // the step is greater than the number
		}
	}
	a, b := d.integerText(max(shift, 0)), step.integerText(max(-shift, 0))
	return new(big.Int).Rem(a, b).Sign() == 0
}

// integerText is the digits followed by zeros, as an integer.
func (d decimal) integerText(zeros int) *big.Int {
	n, _ := new(big.Int).SetString(d.text()+strings.Repeat("0", zeros), 10)
	return n
}

// canonical writes d so that equal numbers have equal text: plain digits for
// integers of up to 400 places, else digits, "e" and the exponent.
func (d decimal) canonical(dst []byte) []byte {
	if d.zero() {
		return append(dst, '0')
	}
	if d.neg {
		dst = append(dst, '-')
	}
	digits := d.text()
	switch {
	case d.exp >= 0 && len(digits)+d.exp <= 400:
		dst = append(dst, digits...)
		for range d.exp {
			dst = append(dst, '0')
		}
	case d.exp < 0 && -d.exp < len(digits):
		dst = append(dst, digits[:len(digits)+d.exp]...)
		dst = append(dst, '.')
		dst = append(dst, digits[len(digits)+d.exp:]...)
	case d.exp < 0 && -d.exp <= 40:
		dst = append(dst, "0."...)
		for range -d.exp - len(digits) {
			dst = append(dst, '0')
		}
		dst = append(dst, digits...)
	default:
		dst = append(dst, digits...)
		dst = append(dst, 'e')
		dst = strconv.AppendInt(dst, int64(d.exp), 10)
	}
	return dst
}

// isInteger reports whether the number node i has no fraction.
func (d *document) isInteger(i uint32) bool {
	n := &d.nodes[i]
	return n.flags&flagPlainInt != 0 || parseDecimal(d.src[n.off:n.end]).integer()
}
