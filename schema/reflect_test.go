package schema

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type measurement struct {
	Person   string          `json:"person" desc:"Whose it is, in full" min:"1" example:"Ana Silva"`
	WeightKg float64         `json:"weight_kg" min:"0" max:"500"`
	TakenOn  string          `json:"taken_on" format:"date"`
	At       time.Time       `json:"at"`
	Unit     string          `json:"unit,omitempty" enum:"kg|lb"`
	Code     string          `json:"code,omitempty" pattern:"^[A-Z]{3}$"`
	Count    uint8           `json:"count,omitempty"`
	Small    int16           `json:"small,omitempty"`
	ID       int64           `json:"id,omitempty"`
	Tags     []string        `json:"tags,omitempty" max:"3"`
	Extra    json.RawMessage `json:"extra,omitempty"`
	Any      any             `json:"any,omitempty"`
	Limits   map[string]int  `json:"limits,omitempty"`
	Pair     [2]bool         `json:"pair,omitempty"`
	Key      string          `json:"key,omitempty" secret:"true"`
	Maybe    *int            `json:"maybe,omitempty" nullable:"true" min:"1"`
	Blob     []byte          `json:"blob,omitempty"`
	Skipped  int             `json:"-"`
	audit
}

type audit struct {
	By string `json:"by,omitempty" desc:"Who asked"`
}

func TestForWritesTheSchemaOfAType(t *testing.T) {
	s, err := For[measurement](nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","properties":{` +
		`"person":{"type":"string","description":"Whose it is, in full","minLength":1,"examples":["Ana Silva"]},` +
		`"weight_kg":{"type":"number","minimum":0,"maximum":500},` +
		`"taken_on":{"type":"string","format":"date"},` +
		`"at":{"type":"string","format":"date-time"},` +
		`"unit":{"type":"string","enum":["kg","lb"]},` +
		`"code":{"type":"string","pattern":"^[A-Z]{3}$"},` +
		`"count":{"type":"integer","minimum":0,"maximum":255},` +
		`"small":{"type":"integer","minimum":-32768,"maximum":32767},` +
		`"id":{"type":"integer"},` +
		`"tags":{"type":"array","items":{"type":"string"},"maxItems":3},` +
		`"extra":{},"any":{},` +
		`"limits":{"type":"object","additionalProperties":{"type":"integer"}},` +
		`"pair":{"type":"array","items":{"type":"boolean"},"minItems":2,"maxItems":2},` +
		`"key":{"type":"string","writeOnly":true},` +
		`"maybe":{"type":["integer","null"],"minimum":1},` +
		`"blob":{"type":"string","contentEncoding":"base64"},` +
		`"by":{"type":"string","description":"Who asked"}},` +
		`"required":["person","weight_kg","taken_on","at"],"additionalProperties":false}`
	if diff := cmp.Diff(want, string(s.Source())); diff != "" {
		t.Errorf("For[measurement] (-want +got):\n%s", diff)
	}
}

type tree struct {
	Value string  `json:"value"`
	Kids  []*tree `json:"kids,omitempty"`
	Other *leaf   `json:"other,omitempty"`
	Again *leaf   `json:"again,omitempty"`
}

type leaf struct {
	Back *tree `json:"back,omitempty"`
	N    int   `json:"n"`
}

func TestForWritesRecursiveTypes(t *testing.T) {
	s, err := For[tree](nil)
	if err != nil {
		t.Fatal(err)
	}
	text := `{"value":"a","kids":[{"value":"b","other":{"n":1,"back":{"value":"c"}}}],"again":{"n":2}}`
	v := mustRead(t, text)
	if r := s.Validate(v); !r.Valid() {
		t.Errorf("Validate(%s) by %s = %v", text, s.Source(), r.Problems)
	}
	bad := mustRead(t, `{"value":"a","kids":[{"value":"b","other":{"n":1,"back":{"value":7}}}]}`)
	if r := s.Validate(bad); len(r.Problems) != 1 || r.Problems[0].Path != "/kids/0/other/back/value" {
		t.Errorf("Validate = %v, want one problem at /kids/0/other/back/value", r.Problems)
	}
	var got tree
	if err := Decode(v, &got); err != nil || got.Kids[0].Other.Back.Value != "c" || got.Again.N != 2 {
		t.Errorf("Decode = %+v, %v", got, err)
	}
}

func TestForRefusesTagsThatAreSlips(t *testing.T) {
	try := func(f func(*Options) (*Schema, error)) string {
		if _, err := f(nil); err != nil {
			return err.Error()
		}
		return ""
	}
	for _, c := range []struct {
		name, want string
		err        string
	}{
		{"a misspelt key", "did you mean \"desc\"", try(For[struct {
			A string `decs:"x"`
		}])},
		{"an unknown key", "not known", try(For[struct {
			A string `zzzzzzzz:"x"`
		}])},
		{"a bound that is no number", "must be a number", try(For[struct {
			A int `min:"one"`
		}])},
		{"a bound on a boolean", "does not fit", try(For[struct {
			A bool `min:"1"`
		}])},
		{"a pattern on a number", "needs a string", try(For[struct {
			A int `pattern:"x"`
		}])},
		{"a pattern that does not compile", "does not compile", try(For[struct {
			A string `pattern:"("`
		}])},
		{"an unknown format", "not known", try(For[struct {
			A string `format:"dat"`
		}])},
		{"an enum of another type", "not JSON", try(For[struct {
			A int `enum:"1|x"`
		}])},
		{"an enum with an empty value", "empty", try(For[struct {
			A string `enum:"a|"`
		}])},
		{"an example against its own bound", "does not satisfy", try(For[struct {
			A int `min:"5" example:"3"`
		}])},
		{"a comma keeps the rest", "", try(For[struct {
			A string `desc:"City, with country"`
		}])},
		{"tags of other packages", "", try(For[struct {
			A string `yaml:"a" validate:"required"`
		}])},
		{"a channel", "no JSON form", try(For[struct{ A chan int }])},
		{"a duration", "unit", try(For[struct{ A time.Duration }])},
	} {
		if (c.want == "") != (c.err == "") || !strings.Contains(c.err, c.want) {
			t.Errorf("%s: For = %q, want %q", c.name, c.err, c.want)
		}
	}
}

func TestMalformedTagsAreRefused(t *testing.T) {
	for _, tag := range []string{`desc:x`, `desc: "x"`, `desc:"x`, `desc`, `"x"`, `desc:"x",min:"1"`, `desc:"x" desc:"y"`} {
		if keys, values, err := tagKeys(tag); err == nil {
			t.Errorf("tagKeys(%q) = %q, %q, want an error", tag, keys, values)
		}
	}
}

func TestDecodeIsExactAndCaseSensitive(t *testing.T) {
	var got struct {
		ID     int64           `json:"id"`
		Big    uint64          `json:"big"`
		F      float64         `json:"f"`
		Raw    json.RawMessage `json:"raw"`
		N      json.Number     `json:"n"`
		Any    any             `json:"any"`
		At     time.Time       `json:"at"`
		P      *string         `json:"p"`
		Nil    *string         `json:"nil"`
		M      map[string]int8 `json:"m"`
		Blob   []byte          `json:"blob"`
		Value  Value           `json:"value"`
		Name   string          `json:"name"`
		Hidden string          `json:"-"`
	}
	text := `{"id":9007199254740993,"big":18446744073709551615,"f":1e-2,"raw": [1, 2] ,"n":1.50,"any":{"x":[1.50,null,true]},
		"at":"2026-02-28T10:00:00Z","p":"s","nil":null,"m":{"a":1.0},"blob":"aGk=","value":{"k":1},"Name":"other","Hidden":"h","-":"h"}`
	if err := Decode(mustRead(t, text), &got); err != nil {
		t.Fatal(err)
	}
	switch {
	case got.ID != 9007199254740993, got.Big != 1<<64-1, got.F != 0.01, string(got.Raw) != `[1, 2]`, got.N != "1.50":
		t.Errorf("numbers decoded as %+v", got)
	case got.At != time.Date(2026, 2, 28, 10, 0, 0, 0, time.UTC), *got.P != "s", got.Nil != nil, got.M["a"] != 1, string(got.Blob) != "hi":
		t.Errorf("values decoded as %+v", got)
	case got.Name != "" || got.Hidden != "":
		t.Errorf("name = %q, hidden = %q, want nothing: names match by case and - is no name", got.Name, got.Hidden)
	case string(got.Value.Raw()) != `{"k":1}`:
		t.Errorf("value = %s", got.Value.Raw())
	}
	want := map[string]any{"x": []any{json.Number("1.50"), nil, true}}
	if diff := cmp.Diff(any(want), got.Any); diff != "" {
		t.Errorf("any (-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		text string
		dst  any
	}{
		{`300`, new(uint8)},
		{`-1`, new(uint)},
		{`1.5`, new(int)},
		{`9223372036854775808`, new(int64)},
		{`1e30`, new(int64)},
		{`1e400`, new(float64)},
		{`"5"`, new(int)},
		{`5`, new(string)},
		{`"x"`, new(bool)},
		{`[1,2,3]`, new([2]int)},
		{`{"a":1}`, new([]int)},
		{`"2026-02-30T10:00:00Z"`, new(time.Time)},
		{`{"1":2}`, new(map[int]int)},
	} {
		if err := Decode(mustRead(t, c.text), c.dst); err == nil {
			t.Errorf("Decode(%s) into %T succeeded, want an error", c.text, c.dst)
		}
	}
	if err := Decode(mustRead(t, `{}`), got); err == nil {
		t.Errorf("Decode into a value that is no pointer succeeded")
	}
}
