package grammar

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/schema"
)

// TestElementsOfASetDiffer: each value of a list comes once, whatever its type.
func TestElementsOfASetDiffer(t *testing.T) {
	checkTexts(t,
		`{"type":"object","properties":{"s":{"type":"array","items":{"enum":[1,"a",null,true,[2],{"b":3}]},"uniqueItems":true,"minItems":2}}}`,
		[]string{`{"s": [1, "a"]}`, `{"s": ["a", null, 1.0]}`, `{"s": [{"b": 3}, [2], true, null, "a", 10e-1]}`},
		[]string{`{"s": [1]}`, `{"s": [1, 1.0]}`, `{"s": ["a", "\u0061"]}`, `{"s": [[2], [2]]}`, `{"s": [null, 1, null]}`})
}

// TestNumbersAndTextsThatRunOutDiffer: a list need not be written as one.
func TestNumbersAndTextsThatRunOutDiffer(t *testing.T) {
	checkTexts(t,
		`{"type":"object","properties":{"s":{"type":"array","uniqueItems":true,"items":{"type":"integer","minimum":1,"exclusiveMaximum":8}}}}`,
		[]string{`{"s": []}`, `{"s": [1, 7, 3]}`, `{"s": [7, 6, 5, 4, 3, 2, 1.0]}`},
		[]string{`{"s": [0]}`, `{"s": [8]}`, `{"s": [3, 1, 3]}`, `{"s": [3, 30e-1]}`, `{"s": [1, 2, 3, 4, 5, 6, 7, 8]}`})
	checkTexts(t,
		`{"type":"object","properties":{"s":{"type":"array","uniqueItems":true,"items":{"type":["number","null"],"minimum":-0.75,"maximum":0.5,"multipleOf":0.25}}}}`,
		[]string{`{"s": [-0.75, null, 0, 0.5]}`, `{"s": [0.25]}`},
		[]string{`{"s": [null, null]}`, `{"s": [-0.0, 0]}`, `{"s": [0.1]}`, `{"s": [0.75]}`})
	checkTexts(t,
		`{"type":"object","properties":{"s":{"type":"array","uniqueItems":true,"minItems":2,"items":{"type":["string","boolean"],"pattern":"^[A-C]?$"}}}}`,
		[]string{`{"s": ["A", true, "B", "", "C", false]}`},
		[]string{`{"s": ["A"]}`, `{"s": ["A", "A"]}`, `{"s": ["", ""]}`, `{"s": ["D"]}`, `{"s": [true, true]}`})
}

// TestElementsThatRunOutAreAList: whatever keywords leave few of them, so that the
// array ends where they are used up.
func TestElementsThatRunOutAreAList(t *testing.T) {
	for _, row := range []struct{ src, text, never string }{
		{`{"type":"string","maxLength":0}`, `[""`, `,`},
		{`{"type":"string","pattern":"^a*$","maxLength":1}`, `["","a"`, `,`},
		{`{"type":"string","pattern":"^[ab]{2}$","not":{"pattern":"b"}}`, `["aa"`, `,`},
		{`{"type":["string","boolean"],"pattern":"^[ab]{2}$","not":{"type":"string","pattern":"b"}}`, `[true,"aa",false`, `,`},
		{`{"type":"integer","exclusiveMinimum":0,"exclusiveMaximum":129}`, `[1,128`, `,129`},
	} {
		m := compiled(t, only(`{"type":"array","uniqueItems":true,"items":`+row.src+`}`)).Matcher(nil)
		if n, ok := m.AcceptBytes([]byte(`{"id":` + row.text)); !ok {
			t.Fatalf("%s: only %d bytes of %s are taken", row.src, n, row.text)
		}
		if _, ok := m.AcceptBytes([]byte(row.never)); ok {
			t.Errorf("%s: %s is taken behind %s", row.src, row.never, row.text)
		}
		if _, ok := m.AcceptBytes([]byte(`]}`)); !ok {
			t.Errorf("%s: the array cannot end behind %s", row.src, row.text)
		}
	}
}

// TestManyTextsRunOutToo: too many for a list, they are counted.
func TestManyTextsRunOutToo(t *testing.T) {
	var all []string
	for n := range 200 {
		all = append(all, fmt.Sprintf(`"%02d%c"`, n/2, 'a'+n%2))
	}
	whole := strings.Join(all, ",")
	checkTexts(t,
		`{"type":"object","properties":{"s":{"type":"array","uniqueItems":true,"minItems":199,"items":{"pattern":"^[0-9]{2}[ab]$","type":"string"}}}}`,
		[]string{`{"s": [` + whole + `]}`, `{"s": [` + whole[:len(whole)-6] + `]}`},
		[]string{`{"s": [` + whole + `,"00a"]}`, `{"s": [` + whole[:len(whole)-12] + `]}`})
	for least, want := range map[string]bool{"200": true, "201": false} {
		s, err := schema.Compile([]byte(`{"type":"array","uniqueItems":true,"minItems":`+least+`,"items":{"pattern":"^[0-9]{2}[ab]$","type":"string"}}`),
			&schema.Options{Mode: schema.ModeSpec})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Compile(s, nil); (err == nil) != want {
			t.Errorf("with minItems %s Compile() = %v, want it to compile: %v", least, err, want)
		}
	}
}
