package rule

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/internal/glob"
	"github.com/holdfast-go/holdfast/schema"
)

// Condition compares one argument of a call, or each of a list. [Condition.Check]
// says whether it is one.
type Condition struct {
	// Path is a JSON Pointer into the arguments. A step * stands for every element
	// of a list.
	Path string `json:"path"`
	// Op is one of ==, !=, >, >=, <, <=, in, not in, like, not like, exists, absent.
	Op string `json:"op"`
	// Value to compare with; nil with exists and absent. Numbers are compared
	// exactly; in takes a list, like a text in which * stands for any characters
	// and ? for one.
	Value json.RawMessage `json:"value,omitempty"`
}

var conditionOps = []string{"==", "!=", ">", ">=", "<", "<=", "in", "not in", "like", "not like", "exists", "absent"}

// Check reports what is wrong with c in itself.
func (c Condition) Check() error {
	if c.Path != "" && !strings.HasPrefix(c.Path, "/") {
		return fmt.Errorf("path %q is no JSON Pointer; it begins with /", c.Path)
	}
	if !slices.Contains(conditionOps, c.Op) {
		return fmt.Errorf("%q is none of %s", c.Op, strings.Join(conditionOps, ", "))
	}
	if c.Op == "exists" || c.Op == "absent" {
		if c.Value != nil {
			return fmt.Errorf("%s takes no value", c.Op)
		}
		return nil
	}
	if c.Value == nil {
		return fmt.Errorf("%s needs a value", c.Op)
	}
	v, err := schema.Read(c.Value, nil)
	if err != nil {
		return fmt.Errorf("its value is not readable: %w", err)
	}
	needs := map[string]schema.Kind{
		"in": schema.Array, "not in": schema.Array, "like": schema.String, "not like": schema.String,
		">": schema.Number, ">=": schema.Number, "<": schema.Number, "<=": schema.Number,
	}
	if kind, ok := needs[c.Op]; ok && v.Kind() != kind {
		return fmt.Errorf("%s needs %s", c.Op, map[schema.Kind]string{
			schema.Array: "a list", schema.String: "a text", schema.Number: "a number",
		}[kind])
	}
	return nil
}

// String is the condition as a person reads it. It leaves nothing out.
func (c Condition) String() string {
	said := strings.TrimPrefix(c.Path, "/") + " " + c.Op
	if c.Value != nil {
		said += " " + string(c.Value)
	}
	return said
}

// Holds reports whether the condition certainly holds: an argument that is absent,
// or cannot be compared (a text with a number), fulfils none but absent. Of a list
// with a *, every element must, and there must be one.
func (c Condition) Holds(args schema.Value) bool {
	found := c.test(args)
	return !found.no && !found.unknown && found.yes
}

// May reports whether the condition holds, or whether that cannot be told because
// the argument is absent or cannot be compared. Of a list with a *, one element
// is enough.
func (c Condition) May(args schema.Value) bool {
	found := c.test(args)
	return found.yes || found.unknown
}

// tested is what was found of the values that a condition is about.
type tested struct{ yes, no, unknown bool }

func (f *tested) add(holds, known bool) {
	switch {
	case !known:
		f.unknown = true
	case holds:
		f.yes = true
	default:
		f.no = true
	}
}

func (c Condition) test(args schema.Value) tested {
	var found tested
	want := schema.Value{}
	if c.Value != nil {
		v, err := schema.Read(c.Value, nil)
		if err != nil {
			return tested{unknown: true}
		}
		want = v
	}
	c.walk(args, c.Path, want, &found)
	return found
}

// walk tests what stands at the rest of the path.
func (c Condition) walk(v schema.Value, rest string, want schema.Value, found *tested) {
	before, after, each := cutEach(rest)
	if !each {
		got, there := v.At(rest)
		found.add(c.compare(got, there, want))
		return
	}
	list, there := v.At(before)
	switch {
	case !there || list.Kind() != schema.Array:
		found.add(c.Op == "absent", c.Op == "exists" || c.Op == "absent")
	case list.Len() == 0:
		// Nothing to test: it neither certainly holds nor may it.
		found.add(false, true)
	}
	if there && list.Kind() == schema.Array {
		for _, item := range list.Elements() {
			c.walk(item, after, want, found)
		}
	}
}

// cutEach cuts a path at its first step *.
func cutEach(path string) (before, after string, found bool) {
	for i := 0; i < len(path); i++ {
		if strings.HasPrefix(path[i:], "/*") && (i+2 == len(path) || path[i+2] == '/') {
			return path[:i], path[i+2:], true
		}
	}
	return path, "", false
}

// compare tells whether one value fulfils the condition, and whether that is known.
func (c Condition) compare(got schema.Value, there bool, want schema.Value) (holds, known bool) {
	switch c.Op {
	case "exists":
		return there, true
	case "absent":
		return !there, true
	}
	if !there {
		return false, false
	}
	switch c.Op {
	case "==":
		return got.Equal(want), true
	case "!=":
		return !got.Equal(want), true
	case "in":
		return amongst(want, got), true
	case "not in":
		return !amongst(want, got), true
	case "like", "not like":
		if got.Kind() != schema.String || want.Kind() != schema.String {
			return false, false
		}
		return glob.Match(want.Text(), got.Text()) == (c.Op == "like"), true
	}
	order, err := compareNumbers(got, want)
	if err != nil {
		return false, false
	}
	switch c.Op {
	case ">":
		return order > 0, true
	case ">=":
		return order >= 0, true
	case "<":
		return order < 0, true
	case "<=":
		return order <= 0, true
	}
	return false, false
}

func amongst(list, v schema.Value) bool {
	for _, item := range list.Elements() {
		if item.Equal(v) {
			return true
		}
	}
	return false
}

var errNoNumber = errors.New("not a number")

// compareNumbers orders two numbers by their exact values.
func compareNumbers(a, b schema.Value) (int, error) {
	if a.Kind() != schema.Number || b.Kind() != schema.Number {
		return 0, errNoNumber
	}
	x, okX := new(big.Rat).SetString(a.Text())
	y, okY := new(big.Rat).SetString(b.Text())
	if !okX || !okY {
		return 0, errNoNumber
	}
	return x.Cmp(y), nil
}
