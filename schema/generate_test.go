package schema

import (
	"bytes"
	"testing"
)

func TestGeneratedInstancesOfRealToolsAreValid(t *testing.T) {
	schemas, made, faulty, none := 0, 0, 0, 0
	keywords := map[string]int{}
	for _, tool := range realTools(t) {
		s, err := Compile(tool.InputSchema, nil)
		if err != nil {
			continue
		}
		schemas++
		for seed := range uint64(5) {
			in, err := s.Generate(seed)
			if err != nil {
				t.Errorf("Generate(%s, %d) = %v", tool.Name, seed, err)
				continue
			}
			made++
			if again, _ := s.Generate(seed); !bytes.Equal(in.JSON, again.JSON) {
				t.Errorf("Generate(%s, %d) differs from run to run", tool.Name, seed)
			}
			bad, err := s.GenerateFaulty(seed)
			if err != nil {
				none++
				continue
			}
			faulty++
			keywords[bad.Keyword]++
			r := s.Validate(mustRead(t, string(bad.JSON)))
			if len(r.Problems) != 1 || r.Problems[0].Path != bad.Path || r.Problems[0].Keyword != bad.Keyword {
				t.Errorf("Validate(%s) = %v, want one problem %s at %s", bad.JSON, r.Problems, bad.Keyword, bad.Path)
			}
		}
	}
	t.Logf("%d schemas: %d valid instances, %d with one fault, %d times none: %v", schemas, made, faulty, none, keywords)
	if faulty*100 < made*95 {
		t.Errorf("a fault was found for %d of %d instances, want 95 in 100", faulty, made)
	}
}

// TestGeneratorsOfTheSuite: the suite's odd schemas have valid instances too,
// where they have any; this guards the generator's ways more than its aim.
func TestGenerateCoversTheKeywords(t *testing.T) {
	for _, src := range []string{
		`{"properties":{"a":{"type":"integer","multipleOf":7,"minimum":20,"maximum":40}},"required":["a"]}`,
		`{"properties":{"a":{"type":"number","multipleOf":0.01,"exclusiveMinimum":0,"exclusiveMaximum":1}},"required":["a"]}`,
		`{"properties":{"a":{"type":"string","pattern":"^[A-Z]{3}-\\d{4}$"}},"required":["a"]}`,
		`{"properties":{"a":{"type":"string","pattern":"^(?=.*\\d)[a-z0-9]{8,12}$"}},"required":["a"]}`,
		`{"properties":{"a":{"type":"array","uniqueItems":true,"minItems":3,"items":{"enum":["x","y","z"]}}},"required":["a"]}`,
		`{"properties":{"a":{"type":"array","contains":{"const":5},"minContains":2,"items":{"type":"integer"}}},"required":["a"]}`,
		`{"type":"object","minProperties":3,"propertyNames":{"pattern":"^[a-z]{4}$"},"additionalProperties":{"type":"boolean"}}`,
		`{"type":"object","patternProperties":{"^x-":{"type":"integer"}},"additionalProperties":false,"minProperties":2}`,
		`{"properties":{"a":{"oneOf":[{"type":"object","properties":{"k":{"const":"p"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"q"}},"required":["k"]}]}},"required":["a"]}`,
		`{"$ref":"#/$defs/t","$defs":{"t":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/t"}},"v":{"type":"integer"}},"required":["v"]}}}`,
		`{"allOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]},{"properties":{"a":{"minimum":5}}}]}`,
		`{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"dependentRequired":{"a":["b"]},"required":["a"]}`,
		`{"properties":{"k":{"enum":["u","v"]}},"required":["k"],"if":{"properties":{"k":{"const":"u"}}},"then":{"required":["x"],"properties":{"x":{"type":"integer"}}},"else":{"required":["y"]}}`,
		`{"properties":{"a":{"type":"string","contentMediaType":"application/json","contentSchema":{"type":"object","required":["q"],"properties":{"q":{"type":"integer"}}}}},"required":["a"]}`,
		`{"properties":{"a":{"not":{"type":"string"}}},"required":["a"]}`,
	} {
		s := mustCompile(t, src, nil)
		for seed := range uint64(20) {
			if _, err := s.Generate(seed); err != nil {
				t.Errorf("Generate(%d) for %s: %v", seed, src, err)
				break
			}
		}
	}
	for name, f := range formats {
		s := mustCompile(t, `{"properties":{"a":{"type":"string","format":"`+name+`"}},"required":["a"]}`, nil)
		for seed := range uint64(10) {
			if _, err := s.Generate(seed); err != nil {
				t.Errorf("Generate(%d) for format %s: %v", seed, name, err)
			}
		}
		if !f.valid(f.example) {
			t.Errorf("the example %q of format %s is not valid", f.example, name)
		}
	}
}

func FuzzGenerate(f *testing.F) {
	f.Add(uint64(1), `{"type":"object","properties":{"a":{"type":"integer"}}}`)
	f.Add(uint64(2), `{"properties":{"a":{"pattern":"^a{3}$","minLength":2}},"required":["a"]}`)
	f.Fuzz(func(t *testing.T, seed uint64, src string) {
		s, err := Compile([]byte(src), nil)
		if err != nil {
			return
		}
		in, err := s.Generate(seed)
		if err != nil {
			return
		}
		v, err := Read(in.JSON, schemaLimits)
		if err != nil || !s.Validate(v).Valid() {
			t.Errorf("Generate(%d) for %s = %s, which is not valid", seed, src, in.JSON)
		}
	})
}
