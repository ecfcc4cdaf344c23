package schema

import "testing"

// TestExplainingAllocatesLittle: a call with seven faults costs a handful of
// allocations, whatever they are; the race detector makes the pool forget some.
func TestExplainingAllocatesLittle(t *testing.T) {
	s := mustCompile(t, `{
		"properties": {
			"owner": {"type": "string", "pattern": "^[a-z-]+$"}, "title": {"type": "string", "minLength": 1},
			"draft": {"type": "boolean"}, "perPage": {"type": "integer", "maximum": 100},
			"state": {"enum": ["open", "closed", "all"]}
		},
		"required": ["owner", "repo"], "additionalProperties": false
	}`, nil)
	v := mustRead(t, `{"owner": "bad owner!", "title": "", "draft": "no", "perPage": 500, "state": "opened", "titel": 1}`)
	if n := len(s.Validate(v).Problems); n != 7 {
		t.Fatalf("there are %d problems, want 7", n)
	}
	if got := testing.AllocsPerRun(200, func() { s.Validate(v) }); got > 12 {
		t.Errorf("explaining seven faults allocates %v times, want at most 12", got)
	}
}
