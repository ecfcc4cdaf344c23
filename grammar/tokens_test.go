package grammar

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
	"github.com/holdfast-go/holdfast/schema"
)

// crossingVocabulary has every byte and some longer tokens that cross what a grammar
// tells apart.
func crossingVocabulary(t testing.TB) *tokenizer.Vocabulary {
	t.Helper()
	var list []tokenizer.Token
	for b := range 256 {
		list = append(list, tokenizer.Token{Bytes: string([]byte{byte(b)})})
	}
	for _, text := range []string{
		"ab", "abc", "name", "na", "me", "id", "the", "value", " the", `":`, `": `, `":"`, `": "`, `",`, `", "`, `","`, `"}`, `"},`, `"]`, `"],"`, `{"`, `{"a`, `{"id":`,
		`["`, `[[`, `[]`, `{}`, `""`, `"":`, `"id":`, ` "id": `, `a":`, `me":`, `me": "`, `\"`, `\n`, `\u00`, `\u0061`, "\n", "\n  ", "    ", "  \"", "true", "false", "null", "ull", "10", "123", "00", "1.5", "e1", "-1",
		"\u00e9", "\u00e9\u00e9", "\u2028", "a\u2029", "\u00e9\u2028", "\xe2\x82", "\xac", "x\xe2", "}}", "]}", "},", "}, {", "1,", "1}", "true}", "ab",
	} {
		list = append(list, tokenizer.Token{Bytes: text})
	}
	list = append(list, tokenizer.Token{Bytes: "<end>", Kind: tokenizer.Control}, tokenizer.Token{Bytes: "hole", Kind: tokenizer.Unused})
	v, err := tokenizer.New(list, &tokenizer.Options{Size: len(list) + 40, End: []string{"<end>"}})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// maskSchemas are schemas whose masks are held to the bytes, token by token.
var maskSchemas = []string{
	`{}`,
	`{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"}},"required":["id"]}`,
	`{"type":"object","properties":{"id":{"type":"integer"},"name":{"enum":["ab","abc","the value"]}},"additionalProperties":false}`,
	`{"type":"object","properties":{"name":{"type":"string","minLength":2,"maxLength":4},"value":{"type":"string","maxLength":300}}}`,
	`{"type":"object","properties":{"name":{"type":"string","pattern":"^[a-z]+$"},"id":{"pattern":"e"}},"additionalProperties":{"type":"array","items":{"type":"number"}}}`,
	`{"type":"object","patternProperties":{"^n":{"type":"string"},"e$":{"minLength":3}},"additionalProperties":{"type":"boolean"}}`,
	`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},"uniqueItems":true},"id":{"type":"array","uniqueItems":true}}}`,
	`{"type":"object","properties":{"name":{"format":"date-time"},"id":{"format":"email"},"the":{"format":"uri"}}}`,
	`{"oneOf":[{"type":"object","required":["id"]},{"type":"object","required":["name"]},{"type":"object","properties":{"a":{"const":[1,"ab"]}},"required":["a"],"additionalProperties":false}]}`,
	`{"type":"object","propertyNames":{"pattern":"^[a-n]{1,2}$"},"maxProperties":2}`,
	`{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"boolean"}},"patternProperties":{"^e":{"type":"string"},"e.*n":{"const":1}},"additionalProperties":{}}`,
	`{"type":"object","properties":{"id":{}},"patternProperties":{"^n":{}},"additionalProperties":false}`,
	`{"type":"object","properties":{"id":{},"the":{}},"patternProperties":{"^.+/.*$":{},"^[a-c]+$":{}},"additionalProperties":false}`,
	`{"type":"object","properties":{"id":{},"name":false},"patternProperties":{"^(?:[a-z]+ ){0,2}[a-z]+$":{}},"additionalProperties":false}`,
	`{"type":"object","properties":{"id":{"pattern":"^[a-zA-Z0-9_-]{1,20}$"},"name":{"pattern":"^.*@.*$"}}}`,
	only(`{"pattern":"^(?:\\S+\\s+){0,3}\\S+$"}`),
	only(`{"pattern":"^(?:\\S+\\s+){0,2}\\S+$","maxLength":40,"minLength":3}`),
	only(`{"pattern":"^.*\\.[dD][eE]$"}`),
	only(`{"pattern":"^.+/.+$","maxLength":9}`),
	only(`{"pattern":"^([^:]+:[a-f0-9]+|[a-f0-9]{6})$"}`),
	only(`{"pattern":"^[0-9A-Za-z]{3}-[0-9A-Za-z]{2}$"}`),
	only(`{"pattern":"^(?!the)[a-z]+ [a-z]+$"}`),
	only(`{"oneOf":[{"const":"the"},{"const":"value"},{"const":"na"},{"pattern":"^[a-c]+$"},{"const":1}]}`),
	only(`{"type":"array","uniqueItems":true,"items":{"enum":["ab","abc",1,10,true,{"a":1}]}}`),
	`{"oneOf":[{"required":["id"],"properties":{"name":{"type":"object"}}},{"required":["the"],"properties":{"name":{"type":["object","array"]}}},{"required":["value"]}],"type":"object"}`,
	`{"anyOf":[{"properties":{"a":{"properties":{"b":{"type":"string"}}}},"required":["id"]},{"properties":{"a":{"properties":{"b":{"enum":["ab","the"]}}}},"required":["name"]}],"type":"object","required":["a"]}`,
}

// only is the schema of an object of one member.
func only(of string) string {
	return `{"type":"object","properties":{"id":` + of + `},"required":["id"],"additionalProperties":false}`
}

// checkMask compares every bit of a mask with what the bytes of its token do.
func checkMask(t *testing.T, m *Matcher, v *tokenizer.Vocabulary) {
	t.Helper()
	mask := append([]uint64(nil), m.Mask()...)
	for id := range tokenizer.ID(64 * len(mask)) {
		got := mask[id>>6]>>(id&63)&1 != 0
		c := m.Clone()
		want := int(id) < v.Size() && c.Accept(id)
		if got != want {
			t.Fatalf("behind %q token %d %q is allowed: %v, want %v", m.text, id, v.Token(id).Bytes, got, want)
		}
	}
}

// TestMasksAreWhatTheBytesSay walks at random and checks every mask on the way.
func TestMasksAreWhatTheBytesSay(t *testing.T) {
	v := crossingVocabulary(t)
	for n, src := range maskSchemas {
		s, err := schema.Compile([]byte(src), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []*Options{nil, {SchemaOrder: true}, {CacheBytes: 20_000}} {
			g, err := Compile(s, o)
			if err != nil {
				t.Fatalf("%s: %v", src, err)
			}
			r := rand.New(rand.NewPCG(uint64(n), 5))
			for range 2 {
				m := g.Matcher(v)
				for range 14 {
					checkMask(t, m, v)
					if !m.Accept(randomToken(r, m, v)) {
						break
					}
				}
				if m.Rollback(1) {
					checkMask(t, m, v)
				}
			}
		}
	}
}

// randomToken picks one that the mask allows, longer ones rather.
func randomToken(r *rand.Rand, m *Matcher, v *tokenizer.Vocabulary) tokenizer.ID {
	var list []tokenizer.ID
	for i, word := range m.Mask() {
		for ; word != 0; word &= word - 1 {
			id := tokenizer.ID(i<<6 + trailing(word))
			for range 1 + 2*min(len(v.Token(id).Bytes), 4) {
				list = append(list, id)
			}
		}
	}
	if len(list) == 0 {
		return -1
	}
	return list[r.IntN(len(list))]
}

// TestANameThatIsUsedUpLeadsNowhere: where no other name can become of the letters,
// they must not be taken, or the text could not go on.
func TestANameThatIsUsedUpLeadsNowhere(t *testing.T) {
	for _, row := range []struct{ src, text, never string }{
		{`{"properties":{"id":{}},"patternProperties":{"^n":{}},"additionalProperties":false}`, `{"id":1,"`, `i`},
		{`{"properties":{"\u00e9":{}},"patternProperties":{"^n":{}},"additionalProperties":false}`, `{"\u00e9":1,"`, "\xc3"},
		{`{"properties":{"no":false},"patternProperties":{"^x":{}},"additionalProperties":false}`, `{"`, `n`},
	} {
		m := compiled(t, row.src).Matcher(nil)
		if n, ok := m.AcceptBytes([]byte(row.text)); !ok {
			t.Fatalf("%s: only %d bytes of %q are taken", row.src, n, row.text)
		}
		if _, ok := m.AcceptBytes([]byte(row.never)); ok {
			t.Errorf("%s: behind %q the byte %q is taken, from which nothing leads on", row.src, row.text, row.never)
		}
	}
}

// TestNothingComesTwice: not within one token, not by an escape, and not as the
// beginning of what can only become what came.
func TestNothingComesTwice(t *testing.T) {
	var list []tokenizer.Token
	for b := range 256 {
		list = append(list, tokenizer.Token{Bytes: string([]byte{byte(b)})})
	}
	for _, text := range []string{
		`a":1,"a":`, `":1,"a"`, `{"a":1,"a":`, `1,1,`, `,1,`, `[1,1,`, `","a"`, `","","`, `,true`, `true,true`, `,{},`, `{},{}`,
		`"a`, `,"a`, `, "a`, `}, "a`, `\u0061`, `\u0061"`, `\u0061":`, `\"":`, `\"`, `61`, `61"`, `61":`,
	} {
		list = append(list, tokenizer.Token{Bytes: text})
	}
	v, err := tokenizer.New(list, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		src   string
		texts []string
	}{
		{`{}`, []string{`{"`, `{"a`, `{"x":`, `{"a\"":1,"a`, `{"a":1,"`, `{"a":1,"\u00`}},
		{`{"patternProperties":{"^(a|b.*)$":{}},"additionalProperties":false}`, []string{`{"`, `{"a":1,"`, `{"a":1,"\u00`, `{"a":1,`, `{"a":1`, `{"a":{"b":1`, `{"a":{}`, `{"a":[1`}},
		{only(`{"type":"array","uniqueItems":true}`), []string{`{"id":`, `{"id":[`, `{"id":["`, `{"id":[1`, `{"id":["a`, `{"id":[tru`, `{"id":[true`, `{"id":[{}`}},
		{only(`{"type":"array","uniqueItems":true,"items":{"type":"string","pattern":"^(a|b.*)$"}}`), []string{`{"id":["a`, `{"id":["a","`, `{"id":["a","\u00`}},
	} {
		g := compiled(t, row.src)
		for _, text := range row.texts {
			m := g.Matcher(v)
			if n, ok := m.AcceptBytes([]byte(text)); !ok {
				t.Fatalf("%s: only %d bytes of %q are taken", row.src, n, text)
			}
			checkMask(t, m, v)
		}
	}
}

// TestNodesWithoutText: below the quote of a token there may be nothing that stays in
// the string.
func TestNodesWithoutText(t *testing.T) {
	list := []tokenizer.Token{{Bytes: `{"id":`}, {Bytes: `"`}, {Bytes: "a"}, {Bytes: "}"}}
	for b := byte('!'); b < 0x7f; b++ {
		list = append(list, tokenizer.Token{Bytes: `""` + string(rune(b))})
	}
	v, err := tokenizer.New(list, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []string{only(`{"type":"string","maxLength":9}`), only(`{"type":"string"}`), `{}`} {
		m := compiled(t, src).Matcher(v)
		if _, ok := m.AcceptBytes([]byte(`{"id":`)); !ok {
			t.Fatal(src)
		}
		checkMask(t, m, v)
	}
}

// TestEnoughComeInOrder: a member is passed over only where enough come behind it.
func TestEnoughComeInOrder(t *testing.T) {
	for _, row := range []struct {
		src, text string
		want      bool
	}{
		{`{"properties":{"a":{},"b":{}},"additionalProperties":false,"minProperties":2}`, `{"b`, false},
		{`{"properties":{"a":{},"b":{}},"additionalProperties":false,"minProperties":2}`, `{"a":1,"b":2}`, true},
		{`{"properties":{"a":{},"b":{},"c":{}},"additionalProperties":false,"minProperties":2}`, `{"b":1,"c":2}`, true},
		{`{"properties":{"a":{},"b":{},"c":{}},"additionalProperties":false,"minProperties":2}`, `{"a":1,"c":2}`, true},
		{`{"properties":{"a":{},"b":{},"c":{}},"additionalProperties":false,"minProperties":2,"dependentRequired":{"c":["a"]}}`, `{"b`, false},
		{`{"properties":{"a":{},"b":{}},"minProperties":2}`, `{"b":1,"x":2}`, true},
	} {
		s, err := schema.Compile([]byte(row.src), nil)
		if err != nil {
			t.Fatal(err)
		}
		g, err := Compile(s, &Options{SchemaOrder: true})
		if err != nil {
			t.Fatalf("%s: %v", row.src, err)
		}
		if _, ok := g.Matcher(nil).AcceptBytes([]byte(row.text)); ok != row.want {
			t.Errorf("%s: %s is taken: %v, want %v", row.src, row.text, ok, row.want)
		}
	}
}

// TestManyMatchersAtOnce shares one grammar; it is for the race detector.
func TestManyMatchersAtOnce(t *testing.T) {
	v := crossingVocabulary(t)
	for _, src := range maskSchemas {
		g := compiled(t, src)
		var wg sync.WaitGroup
		for k := range uint64(4) {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(k, 8))
				m := g.Matcher(v)
				for range 60 {
					m.Forced()
					if !m.Accept(randomToken(r, m, v)) {
						break
					}
				}
			})
		}
		wg.Wait()
	}
}

// TestSteadyPathAllocatesNothing: the tokens of a string's body, and of elements
// that repeat.
func TestSteadyPathAllocatesNothing(t *testing.T) {
	v := crossingVocabulary(t)
	for _, row := range []struct{ src, start, again string }{
		{`{"type":"object","properties":{"s":{"type":"string"}}}`, `{"s": "`, "the"},
		{`{"type":"object","properties":{"s":{"type":"string","maxLength":100000}}}`, `{"s": "`, "the"},
		{`{"type":"object","properties":{"s":{"type":"array","items":{"type":"integer"}}}}`, `{"s": [`, "1,"},
	} {
		m := compiled(t, row.src).Matcher(v)
		if _, ok := m.AcceptBytes([]byte(row.start)); !ok {
			t.Fatalf("%q is refused", row.start)
		}
		id := v.Encode(row.again)[0]
		step := func() {
			m.Mask()
			if !m.Accept(id) {
				t.Fatalf("%q is refused behind %q", row.again, m.text)
			}
		}
		for range 3 {
			step()
		}
		if n := testing.AllocsPerRun(100, step); n != 0 {
			t.Errorf("%s: %v allocations a token, want none", row.src, n)
		}
	}
}

// TestForced follows what alone leads on.
func TestForced(t *testing.T) {
	v := crossingVocabulary(t)
	for _, row := range []struct{ src, start, text, tokens string }{
		{`{"type":"object","properties":{"name":{"const":"the value"}},"required":["name"],"additionalProperties":false}`, `{"`, `name"`, "na"},
		{`{"type":"object","properties":{"name":{"const":"the value"}},"required":["name"],"additionalProperties":false}`, `{"name": "t`, `he value"`, ""},
		{`{"type":"object","properties":{"names":{},"name":{}},"required":["name"],"additionalProperties":false}`, `{"`, `name`, ""},
		{`{"type":"object","properties":{"name":{"type":"string"}}}`, `{"`, "", ""},
		{`{"type":"object","properties":{"id":{"type":"boolean"}}}`, `{"id": t`, "rue", ""},
	} {
		m := compiled(t, row.src).Matcher(v)
		if _, ok := m.AcceptBytes([]byte(row.start)); !ok {
			t.Fatalf("%q is refused", row.start)
		}
		text, tokens := m.Forced()
		if string(text) != row.text {
			t.Errorf("behind %q the text %q is forced, want %q", row.start, text, row.text)
		}
		for _, id := range tokens {
			if !m.Accept(id) {
				t.Errorf("behind %q the forced token %q is refused", m.text, v.Token(id).Bytes)
			}
		}
	}
}
