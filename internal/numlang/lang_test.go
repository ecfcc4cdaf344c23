package numlang

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// rat is the exact value of a number's text.
func rat(t *testing.T, text string) *big.Rat {
	t.Helper()
	v, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("no number: %q", text)
	}
	return v
}

// judge decides membership by exact arithmetic.
func judge(t *testing.T, f *Formula, v *big.Rat) bool {
	t.Helper()
	switch f.op {
	case opAnd:
		for _, k := range f.kids {
			if !judge(t, k, v) {
				return false
			}
		}
		return true
	case opOr:
		for _, k := range f.kids {
			if judge(t, k, v) {
				return true
			}
		}
		return false
	case opNot:
		return !judge(t, f.kids[0], v)
	case opIn:
		for _, w := range f.values {
			if rat(t, w).Cmp(v) == 0 {
				return true
			}
		}
		return false
	case opMultiple:
		return new(big.Rat).Quo(v, rat(t, f.values[0])).IsInt()
	case opLeast:
		return v.Cmp(rat(t, f.values[0])) >= 0
	}
	return v.Cmp(rat(t, f.values[0])) > 0
}

var integer = MultipleOf("1")

var sets = []struct {
	name string
	f    *Formula
}{
	{"every number", And()},
	{"integers", integer},
	{"integers from 0 to 100", And(integer, AtLeast("0"), Not(Above("100")))},
	{"from 5 to 6", And(AtLeast("5"), Not(Above("6")))},
	{"between 5 and 6", And(Above("5"), Not(AtLeast("6")))},
	{"negative", Not(AtLeast("0"))},
	{"from -17.25 to -3", And(AtLeast("-17.25"), Not(Above("-3")))},
	{"a list", In("1", "2.5", "-300", "0")},
	{"multiples of 0.05 under 1", And(MultipleOf("0.05"), AtLeast("0"), Not(AtLeast("1")))},
	{"multiples of 7 from 20 to 60", And(MultipleOf("7"), AtLeast("20"), Not(Above("60")))},
	{"even and no multiple of 6", And(MultipleOf("2"), Not(MultipleOf("6")))},
	{"no integer from 1 to 3", And(Not(integer), AtLeast("1"), Not(Above("3")))},
	{"integers over 2e10", And(integer, Above("20000000000"))},
	{"integers but 3 and 4", And(integer, Not(In("3", "4")), AtLeast("1"), Not(Above("12")))},
	{"two ranges", Or(And(AtLeast("10"), Not(Above("12"))), And(AtLeast("0.001"), Not(Above("0.0012"))))},
	{"from 0 to 1", And(AtLeast("0"), Not(Above("1")))},
	{"none", And(AtLeast("3"), Not(Above("2")))},
	{"no multiple of 3 among 6 and 9", And(In("6", "9"), Not(MultipleOf("3")))},
}

func run(l *Lang, text string) (q int32, accepts bool) {
	q = l.Start()
	for i := 0; i < len(text) && q != Dead; i++ {
		q = l.Step(q, text[i])
	}
	return q, q != Dead && l.Accept(q)
}

// TestSetsByExactArithmetic spells every short number and asks whether it is in.
func TestSetsByExactArithmetic(t *testing.T) {
	for _, set := range sets {
		t.Run(set.name, func(t *testing.T) {
			l, err := Compile(set.f)
			if err != nil {
				t.Fatal(err)
			}
			var spell func(text string, left int) bool
			spell = func(text string, left int) bool {
				q, got := run(l, text)
				number := isNumber(text)
				want := number && judge(t, set.f, rat(t, text))
				if got != want {
					t.Fatalf("%q is in: %v, want %v", text, got, want)
				}
				found := want
				if left > 0 {
					for _, b := range []byte("-+.eE01356") {
						if next := text + string(b); couldBe(next) && spell(next, left-1) {
							found = true
						}
					}
				}
				if found && q == Dead && text != "" {
					t.Fatalf("%q leads to a number of the set, and is refused", text)
				}
				return found
			}
			spell("", 5)
		})
	}
}

// TestNoDeadEnds follows the automaton at random: from every state a number of the
// set must be reached.
func TestNoDeadEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, set := range sets {
		l, err := Compile(set.f)
		if err != nil {
			t.Fatal(err)
		}
		for range 300 {
			if text, ok := walk(l, r); !ok {
				t.Errorf("%s: %q is a dead end", set.name, text)
				break
			} else if text != "" && !judge(t, set.f, rat(t, text)) {
				t.Errorf("%s: %q came out", set.name, text)
				break
			}
		}
	}
}

func walk(l *Lang, r *rand.Rand) (string, bool) {
	q := l.Start()
	if q == Dead {
		return "", true
	}
	var text strings.Builder
	for n := range 40 {
		if l.Accept(q) && r.IntN(6) == 0 {
			break
		}
		var open []byte
		for _, b := range []byte("0123456789-+.eE") {
			if l.Step(q, b) != Dead && (b|0x20 != 'e' || n > 3) {
				open = append(open, b)
			}
		}
		if len(open) == 0 {
			if l.Accept(q) {
				break
			}
			for _, b := range []byte("eE") {
				if l.Step(q, b) != Dead {
					open = append(open, b)
				}
			}
			if len(open) == 0 {
				return text.String(), false
			}
		}
		b := open[r.IntN(len(open))]
		text.WriteByte(b)
		q = l.Step(q, b)
	}
	for !l.Accept(q) { // the nearest way out
		found := false
		seen := map[int32]bool{q: true}
		type at struct {
			q    int32
			text string
		}
		for queue := []at{{q, ""}}; len(queue) > 0 && !found && len(seen) < 20000; queue = queue[1:] {
			for _, b := range []byte("0123456789-+.eE") {
				to := l.Step(queue[0].q, b)
				if to == Dead || seen[to] {
					continue
				}
				seen[to] = true
				next := at{to, queue[0].text + string(b)}
				if l.Accept(to) {
					text.WriteString(next.text)
					q, found = to, true
					break
				}
				queue = append(queue, next)
			}
		}
		if !found {
			return text.String(), false
		}
	}
	return text.String(), true
}

// isNumber reads a whole number within the limits of package schema.
func isNumber(s string) bool {
	i := strings.IndexAny(s, "eE")
	return number(s, false) && (i < 0 || len(strings.TrimLeft(s[i+1:], "+-0")) < 3 || strings.TrimLeft(s[i+1:], "+-0") <= "400")
}

func couldBe(s string) bool { return number(s, true) }

// number reads the grammar of JSON numbers, or of what begins one.
func number(s string, prefix bool) bool {
	s = strings.TrimPrefix(s, "-")
	digits := func() int {
		n := 0
		for n < len(s) && '0' <= s[n] && s[n] <= '9' {
			n++
		}
		return n
	}
	n := digits()
	if n == 0 {
		return prefix && s == ""
	}
	if n > 1 && s[0] == '0' {
		return false
	}
	s = s[n:]
	if strings.HasPrefix(s, ".") {
		s = s[1:]
		if n = digits(); n == 0 {
			return prefix && s == ""
		}
		s = s[n:]
	}
	if s != "" && s[0]|0x20 == 'e' {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		if n = digits(); n == 0 {
			return prefix && s == ""
		}
		s = s[n:]
	}
	return s == ""
}

// TestFew lists what is within two bounds, and nothing where that is not seen.
func TestFew(t *testing.T) {
	integers := MultipleOf("1")
	for name, c := range map[string]struct {
		f    *Formula
		want string
	}{
		"integers":            {And(integers, AtLeast("-1"), Not(Above("2"))), "-1 0 1 2"},
		"exclusive":           {And(Above("1"), And(integers, Not(AtLeast("4")))), "2 3"},
		"fractions":           {And(MultipleOf("0.5"), AtLeast("0.1"), Not(Above("1.5e0"))), "0.5 1 1.5"},
		"the widest step":     {And(integers, MultipleOf("20"), AtLeast("1"), Not(Above("70"))), "20 40 60"},
		"left out":            {And(integers, Not(In("2")), AtLeast("1"), Not(Above("3"))), "1 3"},
		"none":                {And(integers, Above("1"), Not(AtLeast("2"))), ""},
		"too many":            {And(integers, AtLeast("0"), Not(Above("5"))), "?"},
		"no upper bound":      {And(integers, AtLeast("0")), "?"},
		"no step":             {And(AtLeast("0"), Not(Above("1"))), "?"},
		"far off":             {And(integers, AtLeast("1e300"), Not(Above("1e300"))), "?"},
		"an exponent to fear": {And(integers, AtLeast("0"), Not(Above("1e99999999"))), "?"},
	} {
		texts, ok := c.f.Few(5)
		got := strings.Join(texts, " ")
		if !ok {
			got = "?"
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
