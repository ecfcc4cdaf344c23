package schema

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// oddities replace parts of a schema.
var oddities = []string{
	`null`, `true`, `0`, `-1`, `1.5`, `"x"`, `""`, `[]`, `{}`, `["a","a"]`, `[1]`, `[{}]`, `{"a":1}`, `{"a":["b"]}`, `"#"`, `"("`, `[[]]`, `["string"]`,
}

// TestCompileRefusesWhatTheMetaschemaRefuses changes schemas at random places and
// holds the compiler's own checks against the metaschemas.
func TestCompileRefusesWhatTheMetaschemaRefuses(t *testing.T) {
	base := []string{
		`{"$id":"x","$anchor":"a","$comment":"c","title":"t","description":"d","default":1,"examples":[1],"deprecated":true,"readOnly":true,"writeOnly":false,"type":["object","null"],"enum":[1,2],"const":1,
		"minimum":1,"maximum":2,"exclusiveMinimum":1,"exclusiveMaximum":2,"multipleOf":1,"minLength":1,"maxLength":2,"pattern":"a","format":"date","minItems":1,"maxItems":2,"uniqueItems":true,
		"contains":{"type":"string"},"minContains":1,"maxContains":2,"minProperties":1,"maxProperties":2,"required":["a"],"dependentRequired":{"a":["b"]},"properties":{"a":{"type":"string"}},
		"patternProperties":{"a":{"type":"string"}},"additionalProperties":{"type":"string"},"propertyNames":{"type":"string"},"dependentSchemas":{"a":{"type":"string"}},"dependencies":{"a":["b"],"c":{}},
		"prefixItems":[{"type":"string"}],"items":{"type":"string"},"allOf":[{"type":"string"}],"anyOf":[{}],"oneOf":[{}],"not":{},"if":{},"then":{},"else":{},"unevaluatedItems":{},"unevaluatedProperties":{},
		"contentEncoding":"base64","contentMediaType":"application/json","contentSchema":{},"$defs":{"d":{"type":"string"}},"definitions":{"d":{"type":"string"}}}`,
		`{"items":[{"type":"string"}],"additionalItems":{"type":"string"},"properties":{"a":{"minimum":1,"maximum":2,"required":["b"]}},"dependencies":{"a":["b"]},"definitions":{"x":{"not":{"type":"string"}}}}`,
	}
	for draft, address := range map[Draft]string{
		Draft202012: "https://json-schema.org/draft/2020-12/schema", Draft201909: "https://json-schema.org/draft/2019-09/schema",
		Draft7: "http://json-schema.org/draft-07/schema#", Draft6: "http://json-schema.org/draft-06/schema#", Draft4: "http://json-schema.org/draft-04/schema#",
	} {
		meta := mustCompile(t, `{"$ref":"`+address+`"}`, &Options{Draft: draft, Mode: ModeSpec})
		r := rand.New(rand.NewPCG(7, uint64(draftNumbers[draft])))
		for range 1500 {
			text := base[r.IntN(len(base))]
			v := mustReadLarge(t, []byte(text))
			c := &coercer{machine: machine{d: v.d}}
			at := uint32(r.IntN(len(v.d.nodes)-1) + 1)
			if isName(v.d, at) {
				continue
			}
			text = c.apply(0, edits{{node: at, text: oddities[r.IntN(len(oddities))]}})
			v = mustReadLarge(t, []byte(text))
			report := meta.Validate(v)
			_, err := Compile([]byte(text), &Options{Draft: draft, Mode: ModeSpec})
			ce, _ := errors.AsType[*CompileError](err)
			if !report.Valid() && err == nil && !onlyRepeats(report) {
				t.Errorf("draft %s: Compile(%.2000s) succeeds, the metaschema says %v", draft, text, report.Problems)
			}
			if report.Valid() && err != nil && !beyondMetaschema(ce) {
				t.Errorf("draft %s: Compile(%.300s) = %v, the metaschema allows it", draft, text, err)
			}
		}
	}
}

func isName(d *document, at uint32) bool {
	s := d.spots(nil)
	return Kind(d.nodes[s.up[at]].kind) == Object && s.index[at] == 0
}

// onlyRepeats: lists that name something twice, or nothing, are lint.
func onlyRepeats(r Report) bool {
	for _, p := range r.Problems {
		if p.Keyword != "uniqueItems" && (p.Keyword != "minItems" || !strings.HasSuffix(p.Path, "/enum") && !strings.HasSuffix(p.Path, "/required") && !strings.Contains(p.Path, "/dependencies/")) {
			return false
		}
	}
	return true
}

// beyondMetaschema: what a metaschema cannot say.
func beyondMetaschema(e *CompileError) bool {
	for _, f := range e.Faults {
		if f.Keyword != "$ref" && f.Keyword != "pattern" && f.Keyword != "patternProperties" {
			return false
		}
	}
	return true
}
