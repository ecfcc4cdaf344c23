package coach

import (
	"encoding/json"
	"fmt"
	"math/big"
)

// Numbers are exact decimals throughout: 75.5 is 75.5, and 0.1 three times is
// 0.3. They travel and are stored as their text, and are reckoned with as
// rationals.

// rational is the value of a JSON number.
func rational(n json.Number) (*big.Rat, error) {
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		return nil, fmt.Errorf("%q is not a number", n.String())
	}
	return r, nil
}

// decimal is the shortest text of r, a rational whose denominator is a product
// of twos and fives.
func decimal(r *big.Rat) json.Number {
	digits, _ := r.FloatPrec()
	return json.Number(r.FloatString(digits))
}

// normal is n in its shortest form: 200.0 and 2e2 are 200.
func normal(n json.Number) (json.Number, error) {
	r, err := rational(n)
	if err != nil {
		return "", err
	}
	return decimal(r), nil
}
