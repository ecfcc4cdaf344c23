package schemabench

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/internal/shared"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// rounds of the three engines in turn; slice is how long each runs in a round.
const (
	rounds = 21
	slice  = 8 * time.Millisecond
)

// timed runs f as often as fits the slice and gives the nanoseconds of one run.
func timed(count int, f func()) float64 {
	start := time.Now()
	for range count {
		f()
	}
	return float64(time.Since(start)) / float64(count)
}

// countFor is how often f fits the slice.
func countFor(f func()) int {
	for n := 1; ; n *= 2 {
		if d := time.Duration(timed(n, f) * float64(n)); d > slice/2 || n > 1<<22 {
			return n
		}
	}
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// TestSpeed measures reading and validating from bytes, the engines interleaved,
// and holds the geometric means to the bars: those of valid calls, and those of
// valid and faulty ones together. Faulty calls are told apart too: there the
// others do less, since their messages name no nearest words.
func TestSpeed(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(shared.Dir(t, "schema-bench"), "cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name           string
		Schema         json.RawMessage
		Valid, Invalid string
	}
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	node := startAjv(t)
	var allToAjv, allToSanthosh float64
	for _, valid := range []bool{true, false} {
		var toAjv, toSanthosh float64
		kind := map[bool]string{true: "valid", false: "invalid"}[valid]
		for _, c := range cases {
			text := c.Valid
			if !valid {
				text = c.Invalid
			}
			ours, err := schema.Compile(c.Schema, nil)
			if err != nil {
				t.Fatal(err)
			}
			theirs, err := compileSanthosh(string(c.Schema), "2020-12", true, nil)
			if err != nil {
				t.Fatal(err)
			}
			node.ask(t, map[string]any{"op": "compile", "name": c.Name, "schema": string(c.Schema)}, nil)
			one, other, us := measure(t, node, c.Name, []byte(text), valid, ours, theirs)
			t.Logf("%-18s %-7s ours %8.2f µs   Ajv × %5.2f   santhosh × %6.2f", c.Name, kind, us/1000, one, other)
			toAjv += math.Log(one)
			toSanthosh += math.Log(other)
		}
		allToAjv += toAjv
		allToSanthosh += toSanthosh
		n := float64(len(cases))
		hold(t, kind, math.Exp(toAjv/n), math.Exp(toSanthosh/n), valid)
	}
	n := float64(2 * len(cases))
	hold(t, "all", math.Exp(allToAjv/n), math.Exp(allToSanthosh/n), true)
}

// hold tells the means of some calls and, where they are promised, checks them.
func hold(t *testing.T, kind string, toAjv, toSanthosh float64, promised bool) {
	t.Helper()
	t.Logf("%s: geometric means: %.2f times Ajv's time; santhosh takes %.2f times ours", kind, toAjv, toSanthosh)
	if promised && toAjv > 2 {
		t.Errorf("%s: the geometric mean is %.2f times Ajv's, want at most 2", kind, toAjv)
	}
	if promised && toSanthosh < 4 {
		t.Errorf("%s: santhosh takes %.2f times our time, want at least 4", kind, toSanthosh)
	}
}

// measure gives the median ratios: our time over Ajv's, santhosh's over ours.
func measure(t *testing.T, node *ajv, name string, text []byte, valid bool, ours *schema.Schema, theirs *jsonschema.Schema) (toAjv, toSanthosh, ns float64) {
	run := func() {
		v, err := schema.Read(text, nil)
		if err != nil || ours.Validate(v).Valid() != valid {
			t.Fatal("wrong verdict")
		}
	}
	other := func() {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil || (theirs.Validate(v) == nil) != valid {
			t.Fatal("wrong verdict of santhosh")
		}
	}
	n, m := countFor(run), countFor(other)
	k := 64
	var answer struct{ NS float64 }
	for range 12 {
		node.ask(t, map[string]any{"op": "time", "name": name, "text": string(text), "count": k}, &answer)
		if answer.NS*float64(k) < float64(slice)/2 {
			k *= 2
		}
	}
	var a, b, c []float64
	for range rounds {
		x := timed(n, run)
		y := timed(m, other)
		node.ask(t, map[string]any{"op": "time", "name": name, "text": string(text), "count": k}, &answer)
		a, b, c = append(a, x/answer.NS), append(b, y/x), append(c, x)
	}
	return median(a), median(b), median(c)
}

// TestCompileSpeed compiles every real tool; the best of some tries counts.
func TestCompileSpeed(t *testing.T) {
	slowest, name := time.Duration(0), ""
	for _, tool := range realTools(t) {
		best := time.Hour
		for range 200 {
			start := time.Now()
			_, _ = schema.Compile([]byte(tool.schema), nil)
			if best = min(best, time.Since(start)); best < time.Millisecond/4 {
				break
			}
		}
		if best > slowest {
			slowest, name = best, tool.name
		}
	}
	t.Logf("the slowest to compile is %s with %v", name, slowest)
	if slowest > time.Millisecond {
		t.Errorf("%s takes %v to compile, want at most 1ms", name, slowest)
	}
}
