package grammar

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/internal/textlang"
	"github.com/holdfast-go/holdfast/schema"
)

// formatSeeds are texts from which others are made by small changes.
var formatSeeds = map[string][]string{
	"date":                  {"2024-02-29", "1900-02-29", "2000-02-29", "2026-04-31", "0000-12-01"},
	"time":                  {"23:59:60Z", "14:30:00.5+01:00", "00:59:60+01:00", "01:29:60+01:30", "15:59:60-08:00", "20:29:60.25-03:30"},
	"date-time":             {"2024-02-29T23:59:60Z", "2026-11-30t14:30:00-01:00", "1998-12-31T15:59:60.123-08:00", "1990-12-31T23:59:59z"},
	"duration":              {"P3Y6M4DT12H30M5S", "P2W", "PT1H", "P1DT1M", "P1Y1D"},
	"email":                 {"user@example.com", `"a b\"c"@x.org`, "a.b+c@[192.168.0.1]", "a@[IPv6:::1]", "x@xn--a.com", "x@ab--c.de"},
	"hostname":              {"www.example.com", "a-b.c", "ab--c.de", "xn--nxasmq6b", "-a", "a.", "1.2"},
	"uri":                   {"https://user:pw@host:80/p/a?q=1#f", "urn:isbn:1", "http://[::1]:8080/", "a:", "mailto:x@y.z", "http://[v1.a:b]/", "x://%41"},
	"uri-reference":         {"/a/b?c#d", "//host/p", "a:b", "a/b:c", "#x", ""},
	"iri":                   {"https://ex\u00e4mple.com/\u00fc?\ue000", "a:\U0001f600"},
	"iri-reference":         {"/\u00e4", "\u00e4:b"},
	"uri-template":          {"http://x/{+a,b:3,c*}{?d.e}", "{a%20b}", "{}", "%4", "{a.}", "a'b"},
	"uuid":                  {"2eb8aa08-aa98-11ea-b4aa-73b441d16380"},
	"ipv4":                  {"192.168.0.255", "01.2.3.4", "1.2.3"},
	"ipv6":                  {"::1", "1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:8", "::1:2:3:4:5:6:7", "::ffff:1.2.3.4", "1::8", "fe80::1%eth0"},
	"json-pointer":          {"/a~0b/~1", "", "a", "/~"},
	"relative-json-pointer": {"1/a", "0#", "01", "10"},
}

// TestFormatsAreWhatIsChecked compares the automaton of each format with the
// parser of package schema on near misses.
func TestFormatsAreWhatIsChecked(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for name, seeds := range formatSeeds {
		s, err := schema.Compile([]byte(`{"format":"`+name+`"}`), &schema.Options{Mode: schema.ModeSpec, Formats: true})
		if err != nil {
			t.Fatal(err)
		}
		check := s.Rules().Root.String.IsFormat
		langs, err := textlang.Compile(format(name))
		if err != nil {
			t.Fatal(name, err)
		}
		for n := range 3000 {
			text := seeds[n%len(seeds)]
			if n >= len(seeds) {
				text = changed(r, text, seeds)
			}
			want := check(text)
			if strings.Contains(text, "--") && (name == "hostname" || name == "email") {
				want = want && !punycode(text)
			}
			if got := inLang(langs, text); got != want {
				t.Errorf("%s %q: in the grammar %v, valid %v", name, text, got, want)
				break
			}
		}
	}
}

// punycode reports whether a label has "--" in its third place, which grammars
// leave out.
func punycode(text string) bool {
	host := text[strings.LastIndexByte(text, '@')+1:]
	for l := range strings.SplitSeq(host, ".") {
		if len(l) >= 4 && l[2:4] == "--" {
			return true
		}
	}
	return false
}

func changed(r *rand.Rand, text string, seeds []string) string {
	b := []rune(text)
	all := []rune(strings.Join(seeds, "") + "09:-.@/%[]{}a\u00e9")
	for range 1 + r.IntN(3) {
		i := r.IntN(len(b) + 1)
		switch c := all[r.IntN(len(all))]; {
		case i == len(b) || r.IntN(3) == 0:
			b = append(b[:i], append([]rune{c}, b[i:]...)...)
		case r.IntN(2) == 0:
			b[i] = c
		default:
			b = append(b[:i], b[i+1:]...)
		}
	}
	return string(b)
}

func inLang(langs []*textlang.Lang, text string) bool {
	for _, l := range langs {
		q, n := l.Start(), 0
		for _, c := range text {
			if q == textlang.Dead {
				break
			}
			q = l.Step(q, c)
			n++
		}
		if q != textlang.Dead && l.Accept(q) && n >= l.Min && (l.Max < 0 || n <= l.Max) {
			return true
		}
	}
	return false
}

// TestLeapSecondsEndADay: second 60 goes with the one offset, on either side, for
// which it ends a day in UTC.
func TestLeapSecondsEndADay(t *testing.T) {
	s, err := schema.Compile([]byte(`{"format":"time"}`), &schema.Options{Mode: schema.ModeSpec, Formats: true})
	if err != nil {
		t.Fatal(err)
	}
	check := s.Rules().Root.String.IsFormat
	langs, err := textlang.Compile(format("time"))
	if err != nil {
		t.Fatal(err)
	}
	const day = 24 * 60
	right := 0
	for local := range day {
		for _, offset := range []int{local, local + 1, local + 2, 2*day - 2 - local, 2*day - 1 - local, 2*day - local} {
			for _, sign := range "+-" {
				text := fmt.Sprintf("%02d:%02d:60.5%c%02d:%02d", local/60, local%60, sign, offset/60%24, offset%60)
				want := check(text)
				if got := inLang(langs, text); got != want {
					t.Fatalf("%s: in the grammar %v, valid %v", text, got, want)
				}
				if want {
					right++
				}
			}
		}
	}
	if right < 2*day {
		t.Errorf("%d of these times are right, want %d at least", right, 2*day)
	}
}

// TestFormatsWithLengths: every format goes together with lengths.
func TestFormatsWithLengths(t *testing.T) {
	for name, seeds := range formatSeeds {
		s, err := schema.Compile([]byte(`{"type":"string","format":"`+name+`","minLength":1,"maxLength":40}`), &schema.Options{Mode: schema.ModeSpec, Formats: true})
		if err != nil {
			t.Fatal(err)
		}
		g, err := Compile(s, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, text := range seeds {
			v, err := schema.Read([]byte(plainQuote(text)), nil)
			if err != nil {
				t.Fatal(err)
			}
			want := s.Validate(v).Valid() && (name != "hostname" && name != "email" || !punycode(text))
			if got := g.admits(plainQuote(text)); got != want {
				t.Errorf("%s %q: in the grammar %v, valid %v", name, text, got, want)
			}
		}
	}
}
