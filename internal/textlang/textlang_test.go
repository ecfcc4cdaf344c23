package textlang

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// in reports whether a text is in one of some languages, and whether a state was
// given out that says it cannot be.
func in(langs []*Lang, text string) bool {
	for _, l := range langs {
		q, n := l.Start(), 0
		for _, r := range text {
			if q == Dead {
				break
			}
			q = l.Step(q, r)
			n++
		}
		if q != Dead && l.Accept(q) && n >= l.Min && (l.Max < 0 || n <= l.Max) {
			return true
		}
	}
	return false
}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(9) {
		b.WriteRune([]rune("aab01_- \n\u00e9Z\U0001f600")[r.IntN(12)])
	}
	return b.String()
}

var patterns = []string{
	`\Aa+\z`, `a|b`, `\A(?:a|bb)*\z`, `[^a]`, `\b0`, `a\B`, `\A[a-z]{1,20}\z`, `\A[a-z]{2}-[0-9]{0,14}\z`, `(?i:z)`, `\A.*0.*\z`,
	`\A(?:\S+\s+){0,5}\S+\z`, `\A[[:word:]]{13,40}\z`, `\A\z`, ``, `\z`, `\A(?:[ab]{3})?\z`, `\pL`, `\A[^a-z]{12,}\z`,
	`\A(?:a|b[01]?|(?:aa|b)-)\z`, `\A(?i:a|b)\z`,
}

// TestPatternsMatchLikeRegexp holds automata to package regexp.
func TestPatternsMatchLikeRegexp(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, p := range patterns {
		comparePattern(t, p, r, 300)
	}
}

func comparePattern(t *testing.T, p string, r *rand.Rand, n int) {
	t.Helper()
	re, err := regexp.Compile(p)
	if err != nil {
		return
	}
	f, err := Pattern(p, false)
	if err != nil {
		return
	}
	yes, err := Compile(f)
	if err != nil {
		return
	}
	not, err := Compile(Not(f))
	if err != nil {
		return
	}
	for range n {
		text := randomText(r)
		want := re.MatchString(text)
		if got := in(yes, text); got != want {
			t.Fatalf("%q in %q: %v, want %v", text, p, got, want)
		}
		if got := in(not, text); got == want {
			t.Fatalf("%q in not %q: %v, want %v", text, p, got, !want)
		}
	}
}

func FuzzPattern(f *testing.F) {
	for _, p := range patterns {
		f.Add(p, uint64(1))
	}
	f.Fuzz(func(t *testing.T, p string, seed uint64) {
		// The syntax of lines is not written by package schema.
		if len(p) > 200 || !utf8.ValidString(p) || strings.ContainsAny(p, "^$") || strings.Contains(p, "(?") {
			return
		}
		comparePattern(t, p, rand.New(rand.NewPCG(seed, 1)), 30)
	})
}

// TestLengthsBesidePatterns: no state is given out from which no word has an
// allowed length.
func TestLengthsBesidePatterns(t *testing.T) {
	for _, row := range []struct {
		pattern  string
		min, max int
		words    []string // all of up to four characters of a and b
	}{
		{`\A(?:aaa)*\z`, 1, 4, []string{"aaa"}},
		{`\Aab*\z`, 3, 3, []string{"abb"}},
		{`b`, 0, 1, []string{"b"}},
		{`\A(?:ab)*\z`, 3, 3, nil},
	} {
		f, err := Pattern(row.pattern, false)
		if err != nil {
			t.Fatal(err)
		}
		langs, err := Compile(And(f, Length(row.min, row.max)))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		var walk func(l *Lang, q int32, text string)
		walk = func(l *Lang, q int32, text string) {
			n := len(text)
			if !l.Fits(q, l.Min-n, max(l.Max-n, 0)) {
				t.Errorf("%s of %d to %d: %q leads nowhere", row.pattern, row.min, row.max, text)
			}
			if l.Accept(q) && n >= l.Min {
				got = append(got, text)
			}
			for _, r := range "ab" {
				if to := l.Step(q, r); n < l.Max && to != Dead && l.Fits(to, l.Min-n-1, max(l.Max-n-1, 0)) {
					walk(l, to, text+string(r))
				}
			}
		}
		for _, l := range langs {
			walk(l, l.Start(), "")
		}
		if strings.Join(got, ",") != strings.Join(row.words, ",") {
			t.Errorf("%s of %d to %d has %q, want %q", row.pattern, row.min, row.max, got, row.words)
		}
	}
}

// TestNearIsReach: what is searched from one state is what exploring all gives.
func TestNearIsReach(t *testing.T) {
	for _, p := range append(patterns, `\A(?:a{7})*\z`, `\A(?:ab){3,9}(?:01)?\z`, `\Aa{5}(?:b|0{4}1)+\z`) {
		f, err := Pattern(p, false)
		if err != nil {
			t.Fatal(err)
		}
		m, err := NewMachine(f)
		if err != nil {
			t.Fatal(err)
		}
		if m.Start() == Dead || m == Any {
			continue
		}
		reach, err := newReach(m, 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		near := newNear(m)
		next, _, err := explore(m)
		if err != nil {
			t.Fatal(err)
		}
		for q := range next {
			if next[q] == nil && !m.Accept(int32(q)) {
				continue // no word goes on from it
			}
			for lo := range nearMin {
				for _, hi := range []int{-1, 0, 1, 2, 3, 5, 8, 13, 30} {
					got, want := near.fits(int32(q), lo, hi), (hi < 0 || lo <= hi) && reach.fits(int32(q), lo, hi)
					if got != want {
						t.Fatalf("%s, state %d: a word of %d to %d more: %v, want %v", p, q, lo, hi, got, want)
					}
				}
			}
		}
	}
}

// TestLooksAreTakenApart: look-ahead at the beginning and at the end is held, and
// refused in the middle.
func TestLooksAreTakenApart(t *testing.T) {
	for _, row := range []struct {
		pattern string
		ok      bool
		yes, no string
	}{
		{pattern: `\A(?!b)[a-z]*\z`, ok: true, yes: "ab", no: "ba"},
		{pattern: `\A(?=.*[0-9])(?!.*_)[a-z0-9_]+\z`, ok: true, yes: "a1", no: "a1_"},
		{pattern: `a(?=b)`, ok: true, yes: "cab", no: "ca"},
		{pattern: `a(?!b)c`},
		{pattern: `(?<=a)b`},
	} {
		f, err := Pattern(row.pattern, true)
		if (err == nil) != row.ok {
			t.Errorf("%s: error %v", row.pattern, err)
			continue
		}
		if !row.ok {
			continue
		}
		langs, err := Compile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !in(langs, row.yes) || in(langs, row.no) {
			t.Errorf("%s: %q is in: %v, %q is in: %v", row.pattern, row.yes, in(langs, row.yes), row.no, in(langs, row.no))
		}
	}
}

// TestClassesOfNames tells names apart by patterns, and lists the few.
func TestClassesOfNames(t *testing.T) {
	var machines []Machine
	for _, p := range []string{`\Aa`, `\A[ab]\z`} {
		f, err := Pattern(p, false)
		if err != nil {
			t.Fatal(err)
		}
		m, err := NewMachine(f)
		if err != nil {
			t.Fatal(err)
		}
		machines = append(machines, m)
	}
	l, err := NewLabels(machines)
	if err != nil {
		t.Fatal(err)
	}
	classes, err := l.Classes(map[string]bool{"a": true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range classes {
		switch c.Labels {
		case 0, 1:
			if !c.Infinite {
				t.Errorf("class %b is finite", c.Labels)
			}
		case 2:
			if c.Infinite || strings.Join(c.Words, ",") != "b" {
				t.Errorf("class %b has %q, want b alone", c.Labels, c.Words)
			}
		default:
			t.Errorf("class %b has words", c.Labels)
		}
	}
}
