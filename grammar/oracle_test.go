package grammar

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/schema"
)

// The oracle is the validator: what a grammar admits must be what validates, and
// from every place where a matcher may stand some valid text must be reached.

// schemaMaker makes small schemas of every keyword that a grammar holds.
type schemaMaker struct{ r *rand.Rand }

func (m *schemaMaker) pick(list ...string) string { return list[m.r.IntN(len(list))] }

func (m *schemaMaker) num() string {
	return m.pick("0", "1", "2", "-1", "10", "0.5", "1e1", "-2.5", "3", "100")
}

func (m *schemaMaker) value() string {
	return m.pick(`"a"`, `"b"`, `""`, `"ab"`, "1", "0", "1.5", "-1", "true", "false", "null", "[]", "[1]", `["a",1]`, "{}", `{"a":1}`, `{"b":"a"}`, `"\u00e9"`)
}

func (m *schemaMaker) list(f func() string, lo, hi int) string {
	var out []string
	for range lo + m.r.IntN(hi-lo+1) {
		out = append(out, f())
	}
	return "[" + strings.Join(out, ",") + "]"
}

func (m *schemaMaker) name() string { return m.pick("a", "b", "c", "ab") }

func (m *schemaMaker) schema(deep int) string {
	if deep <= 0 {
		return m.pick(`{}`, `true`, `{"type":"string"}`, `{"type":"integer"}`, `{"const":1}`, `{"type":"null"}`, `false`, `{"type":["string","boolean"]}`)
	}
	words := map[string]string{}
	for range 1 + m.r.IntN(3) {
		w, v := m.word(deep - 1)
		words[w] = v
	}
	if m.r.IntN(2) == 0 {
		words["type"] = m.pick(`"object"`, `"array"`, `"string"`, `"number"`, `"integer"`, `["object","null"]`, `["array","string"]`)
	}
	if _, ok := words["if"]; ok {
		words["then"] = m.schema(deep - 1)
		if m.r.IntN(2) == 0 {
			words["else"] = m.schema(deep - 1)
		}
	}
	var parts []string
	for w, v := range words {
		parts = append(parts, strconv.Quote(w)+":"+v)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (m *schemaMaker) object(f func() string) string {
	seen := map[string]bool{}
	var out []string
	for range 1 + m.r.IntN(3) {
		if n := m.name(); !seen[n] {
			seen[n] = true
			out = append(out, strconv.Quote(n)+":"+f())
		}
	}
	return "{" + strings.Join(out, ",") + "}"
}

func (m *schemaMaker) word(deep int) (word, value string) {
	sub := func() string { return m.schema(deep) }
	small := func() string { return strconv.Itoa(m.r.IntN(4)) }
	switch word = m.pick("enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
		"minLength", "maxLength", "pattern", "items", "prefixItems", "minItems", "maxItems", "contains", "minContains", "maxContains", "uniqueItems",
		"properties", "properties", "properties", "required", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties",
		"dependentRequired", "dependentSchemas", "allOf", "anyOf", "oneOf", "oneOf", "not", "not", "if", "format", "unevaluatedProperties", "unevaluatedItems"); word {
	case "enum":
		return word, m.list(m.value, 1, 4)
	case "const":
		return word, m.value()
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return word, m.num()
	case "multipleOf":
		return word, m.pick("1", "2", "0.5", "3", "0.01")
	case "pattern":
		return word, m.pick(`"^a"`, `"b$"`, `"^[ab]+$"`, `"^(a|bb)*$"`, `"^.{2,3}$"`, `"\\d"`, `"^(?!b).*$"`, `"^[^a]$"`)
	case "format":
		return word, m.pick(`"date"`, `"ipv4"`, `"uuid"`, `"uri"`)
	case "items", "contains", "additionalProperties", "not", "if", "unevaluatedProperties", "unevaluatedItems":
		return word, sub()
	case "prefixItems", "allOf", "anyOf", "oneOf":
		return word, m.list(sub, 1, 3)
	case "uniqueItems":
		return word, "true"
	case "properties", "dependentSchemas":
		return word, m.object(sub)
	case "patternProperties":
		return word, `{` + m.pick(`"^a"`, `"b"`, `"^[abc]$"`, `"^x"`) + `:` + sub() + `}`
	case "propertyNames":
		return word, m.pick(`{"maxLength":1}`, `{"pattern":"^[a-c]+$"}`, `{"enum":["a","b"]}`, `{"not":{"const":"a"}}`, sub())
	case "required":
		return word, m.pick(`["a"]`, `["b"]`, `["a","b"]`, `["c"]`)
	case "dependentRequired":
		return word, m.pick(`{"a":["b"]}`, `{"b":["c"],"c":["a"]}`)
	}
	return word, small()
}

// documents are small texts of every shape.
func documents() []string {
	scalars := []string{`"a"`, `"b"`, `""`, `"ab"`, `"aa"`, `"bb"`, `"abc"`, `"\u00e9"`, `"a1"`, "1", "0", "1.5", "-1", "2", "3", "10", "1e1", "0.5", "0.05", "-0", "100", "1.0", "true", "false", "null", `"2026-02-28"`, `"1.2.3.4"`}
	out := append([]string{"[]", "{}"}, scalars...)
	values := []string{`"a"`, `"b"`, "1", "0", "1.5", "null", "true", "[]", "{}", "[1]", `{"a": 1}`, `{"b": "a"}`}
	for i, v := range values {
		out = append(out, "["+v+"]", `{"a": `+v+`}`, `{"b": `+v+`}`, `{"c": `+v+`}`, `{"x": `+v+`}`, `{"ab": `+v+`}`)
		for k, w := range values {
			if (i+k)%3 == 0 {
				out = append(out, "["+v+", "+w+"]", `{"a": `+v+`, "b": `+w+`}`, `{"b": `+v+`, "a": `+w+`}`, `{"c": `+v+`, "x": `+w+`}`, `{"a": `+v+`, "c": `+w+`}`, `{"xa": `+v+`, "ab": `+w+`}`)
			}
			if (i+k)%4 == 0 {
				out = append(out, "["+v+", "+w+", "+v+"]", `{"a": `+v+`, "b": `+w+`, "c": `+v+`}`, `{"q": `+v+`, "ab": `+w+`, "a": `+v+`, "b": 1}`, "["+v+", 1, "+w+`, "a"]`)
			}
		}
	}
	return out
}

// spell writes a value in another order of names, with other spaces and escapes.
func spell(r *rand.Rand, b *strings.Builder, v schema.Value) {
	gap := func() { b.WriteString([]string{"", "", " ", "\n  ", "\t"}[r.IntN(5)]) }
	text := func(s string) {
		b.WriteByte('"')
		for _, c := range s {
			switch {
			case c < ' ' || c == '"' || c == '\\' || (c < 0x10000 && r.IntN(5) == 0):
				fmt.Fprintf(b, `\u%04x`, c)
			case c >= 0x10000 && r.IntN(2) == 0:
				fmt.Fprintf(b, `\u%04x\u%04x`, 0xd800+(c-0x10000)>>10, 0xdc00+(c-0x10000)&0x3ff)
			default:
				b.WriteRune(c)
			}
		}
		b.WriteByte('"')
	}
	switch v.Kind() {
	case schema.String:
		text(v.Text())
	case schema.Array:
		b.WriteByte('[')
		for i, e := range v.Elements() {
			if i > 0 {
				b.WriteByte(',')
			}
			gap()
			spell(r, b, e)
			gap()
		}
		b.WriteByte(']')
	case schema.Object:
		var names []string
		for n := range v.Members() {
			names = append(names, n)
		}
		r.Shuffle(len(names), func(i, k int) { names[i], names[k] = names[k], names[i] })
		b.WriteByte('{')
		for i, n := range names {
			if i > 0 {
				b.WriteByte(',')
			}
			gap()
			text(n)
			gap()
			b.WriteByte(':')
			gap()
			e, _ := v.Get(n)
			spell(r, b, e)
			gap()
		}
		b.WriteByte('}')
	default:
		b.Write(v.Raw())
	}
}

var corpus = documents()

// againstOracle holds one grammar to the validator; it says what differs, or "".
func againstOracle(src string, seed uint64) string {
	s, err := schema.Compile([]byte(src), &schema.Options{Mode: schema.ModeSpec, Formats: true})
	if err != nil {
		return ""
	}
	g, err := Compile(s, nil)
	if err != nil {
		if re, ok := errors.AsType[*RefusedError](err); ok && re.Message == "no value satisfies the schema" {
			return emptyByOracle(s)
		}
		return ""
	}
	r := rand.New(rand.NewPCG(seed, 1))
	for _, text := range corpus {
		v, err := schema.Read([]byte(text), nil)
		if err != nil {
			return text + " cannot be read"
		}
		if got, want := g.admits(text), s.Validate(v).Valid(); got != want {
			return fmt.Sprintf("%s is in the grammar: %v, valid: %v", text, got, want)
		}
	}
	for n := range uint64(4) {
		if in, err := s.Generate(seed + n); err == nil {
			v, _ := schema.Read(in.JSON, nil)
			var b strings.Builder
			spell(r, &b, v)
			if !g.admits(b.String()) {
				return b.String() + " is valid, and not in the grammar"
			}
		}
		if text, ok := wander(g, r); !ok {
			return fmt.Sprintf("%q is a dead end", text)
		} else if v, err := schema.Read([]byte(text), nil); g.admits(text) && (err != nil || !s.Validate(v).Valid()) {
			return fmt.Sprintf("%q came out, and is not valid", text)
		}
	}
	return ""
}

func emptyByOracle(s *schema.Schema) string {
	for _, text := range corpus {
		if v, err := schema.Read([]byte(text), nil); err == nil && s.Validate(v).Valid() {
			return text + " is valid, and the schema is refused as empty"
		}
	}
	return ""
}

// wander goes on at random, then to an end.
func wander(g *Grammar, r *rand.Rand) (string, bool) {
	m := g.Matcher(nil)
	for range r.IntN(40) {
		var may []byte
		for b := byte(' '); b < 0x7f; b++ {
			if m.goesOnBytes(b) {
				may = append(may, b)
				if strings.IndexByte(`{}[]",:`, b) >= 0 {
					may = append(may, b, b, b, b, b, b)
				}
			}
		}
		if len(may) == 0 {
			break
		}
		m.AcceptBytes([]byte{may[r.IntN(len(may))]})
	}
	return finish(m)
}

func (m *Matcher) goesOnBytes(b byte) bool {
	before := m.place
	ok := m.feed(b)
	m.restore(before)
	return ok
}

// finish searches a near end, first one that opens and goes on with nothing that it
// need not.
func finish(m *Matcher) (text string, found bool) {
	before := m.place
	if text, found = m.nearestEnd(true); !found {
		m.restore(before)
		text, found = m.nearestEnd(false)
	}
	return text, found
}

// nearestEnd searches the nearest end and goes there, but for a name that came before.
func (m *Matcher) nearestEnd(thrifty bool) (text string, found bool) {
	type step struct {
		p    *position
		n    byte
		text string
	}
	limit := 60_000
	if thrifty {
		limit = 6_000
	}
	seen := map[*position]bool{m.at: true}
	byCost := [][]step{{{m.at, m.space, ""}}}
	for cost := 0; cost < len(byCost) && len(seen) < limit; cost++ {
		for k := 0; k < len(byCost[cost]); k++ {
			at := byCost[cost][k]
			if at.p.ends {
				_, ok := m.AcceptBytes([]byte(at.text))
				return string(m.text), !ok || m.CanEnd()
			}
			for _, b := range m.g.onwards(at.p, at.n, thrifty) {
				to, n := m.g.next(at.p, at.n, b)
				if seen[to] {
					continue
				}
				seen[to] = true
				c := cost + 1
				if b == '\\' || !isString(at.p.ways[0].at) {
					c += costs[b]
				}
				for len(byCost) <= c {
					byCost = append(byCost, nil)
				}
				byCost[c] = append(byCost[c], step{to, n, at.text + string(rune(b))})
			}
		}
	}
	return string(m.text), false
}

// onwards are the bytes that lead on. A thrifty search ends strings and numbers
// where it can, and takes what has many forms only where nothing else leads on:
// containers, escapes, most digits.
func (m *machine) onwards(p *position, n byte, thrifty bool) []byte {
	ends, costly := "", "{[-23456789"
	switch p.ways[0].at {
	case inText, inSet:
		ends, costly = `"`, `\`
	case inKey:
		costly = `\`
	case inNumber:
		ends, costly = ",]}", "eE23456789"
	}
	var all, plain, end []byte
	for i := range len(printable) {
		b := printable[i]
		if to, _ := m.next(p, n, b); to == dead {
			continue
		}
		all = append(all, b)
		if strings.IndexByte(costly, b) < 0 {
			plain = append(plain, b)
		}
		if strings.IndexByte(ends, b) >= 0 {
			end = append(end, b)
		}
	}
	switch {
	case thrifty && len(end) > 0:
		return end
	case thrifty && len(plain) > 0:
		return plain
	}
	return all
}

// costs of bytes: what opens a container leads far, numbers go on for long, and an
// escape has many forms.
var costs = func() (c [256]int) {
	for b := '0'; b <= '9'; b++ {
		c[b] = 4
	}
	c['{'], c['['], c['.'], c['-'], c['\\'] = 12, 12, 4, 4, 30
	return c
}()

var printable = func() string {
	var b strings.Builder
	for c := byte('!'); c < 0x7f; c++ {
		b.WriteByte(c)
	}
	return b.String()
}()

func TestOracle(t *testing.T) {
	n := uint64(12)
	if os.Getenv("HOLDFAST_LONG") == "1" {
		n = 20_000
	}
	for seed := range n {
		m := schemaMaker{rand.New(rand.NewPCG(seed, 9))}
		src := m.schema(3)
		if fault := againstOracle(src, seed); fault != "" {
			t.Errorf("seed %d, schema %s: %s", seed, src, fault)
		}
	}
}

func FuzzOracle(f *testing.F) {
	for seed := range uint64(3) {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, a, b uint64) {
		m := schemaMaker{rand.New(rand.NewPCG(a, b))}
		src := m.schema(3)
		if fault := againstOracle(src, b); fault != "" {
			t.Errorf("schema %s: %s", src, fault)
		}
	})
}
