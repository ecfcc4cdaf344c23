package numlang

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// decimal is 0.d1d2… × 10^scale; the digits have no zeros at either end. Zero has
// no digits.
type decimal struct {
	neg    bool
	digits string
	scale  int
}

// parse reads the text of a JSON number.
func parse(s string) (decimal, error) {
	var d decimal
	text := s
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		d.neg, text = true, rest
	}
	exp := 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		e, err := strconv.Atoi(strings.TrimPrefix(text[i+1:], "+"))
		if err != nil {
			return d, fmt.Errorf("number %q has an odd exponent", s)
		}
		exp, text = e, text[:i]
	}
	whole, frac, _ := strings.Cut(text, ".")
	if whole == "" || strings.Trim(whole+frac, "0123456789") != "" {
		return d, fmt.Errorf("%q is no number", s)
	}
	all := whole + frac
	short := strings.TrimLeft(all, "0")
	d.scale = len(whole) + exp - (len(all) - len(short))
	d.digits = strings.TrimRight(short, "0")
	if d.digits == "" {
		return decimal{}, nil
	}
	return d, nil
}

func (d decimal) zero() bool { return d.digits == "" }

// unit gives d as an integer times a power of ten.
func (d decimal) unit() (*big.Int, int) {
	n, _ := new(big.Int).SetString("0"+d.digits, 10)
	return n, d.scale - len(d.digits)
}
