package schema

import (
	"sync"
	"testing"
)

// TestOneSchemaServesManyGoroutines is for the race detector.
func TestOneSchemaServesManyGoroutines(t *testing.T) {
	s := mustCompile(t, `{"properties":{"a":{"type":"string","pattern":"^(?=a)a+$","maxLength":9},"n":{"anyOf":[{"type":"integer"},{"$ref":"#/$defs/t"}]}},"required":["b"],"$defs":{"t":{"properties":{"k":{"type":"integer"}}}}}`, nil)
	v := mustRead(t, `{"a":"aaaaaaaaaaaa","n":{"k":"5"}}`)
	want := s.Validate(v)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if got := s.Validate(v); len(got.Problems) != len(want.Problems) {
					t.Errorf("Validate = %v, want %v", got, want)
				}
				s.Coerce(v)
				s.Mask(v)
				_, _ = s.Generate(1)
				s.Rewrite(openAPIRules)
			}
		})
	}
	wg.Wait()
}
