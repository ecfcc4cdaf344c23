package schema

import (
	"strings"
	"sync"
	"testing"
	"time"
)

// TestRealToolsCompileInAMillisecond takes the best of some tries: other work on
// the machine must not fail it.
func TestRealToolsCompileInAMillisecond(t *testing.T) {
	slowest, name := time.Duration(0), ""
	for _, tool := range realTools(t) {
		best := time.Hour
		for range 50 {
			start := time.Now()
			_, _ = Compile(tool.InputSchema, nil)
			if best = min(best, time.Since(start)); best < time.Millisecond/2 {
				break
			}
		}
		if best > slowest {
			slowest, name = best, tool.Name
		}
	}
	t.Logf("the slowest is %s with %v", name, slowest)
	if slowest > time.Millisecond {
		t.Errorf("%s takes %v to compile, want at most 1ms", name, slowest)
	}
}

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

func TestWideSchemasCompileInLine(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"properties":{`)
	for n := range 20_000 {
		if n > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"p` + strings.Repeat("x", n%7) + time.Duration(n).String() + `":{"type":"string","x-unknown":1}`)
	}
	b.WriteString(`}}`)
	start := time.Now()
	mustCompile(t, b.String(), nil)
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("20,000 properties took %v", took)
	}
}
