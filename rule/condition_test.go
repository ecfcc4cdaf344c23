package rule

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/schema"
)

func TestCondition(t *testing.T) {
	const args = `{"n":5,"big":9007199254740993,"to":"ana@example.com","none":null,"cc":["a@example.com","b@evil.test"],
		"ok":["a@example.com"],"empty":[],"parts":[{"n":1},{"n":9}],"a/b":1}`
	v, err := schema.Read([]byte(args), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, path, op, value string
		holds, may            bool
	}{
		{"equal by value, not by writing", "/n", "==", "5.0", true, true},
		{"every digit counts", "/big", "==", "9007199254740992", false, false},
		{"at most", "/n", "<=", "5", true, true},
		{"below", "/n", "<", "5", false, false},
		{"a text where a number is compared", "/to", ">", "5", false, true},
		{"a missing argument", "/amount", "<=", "5", false, true},
		{"a missing argument is not unequal either", "/amount", "!=", "5", false, true},
		{"a missing argument in no list", "/amount", "not in", "[5]", false, true},
		{"null is a value", "/none", "==", "null", true, true},
		{"in a list", "/n", "in", "[1,5]", true, true},
		{"not in a list", "/n", "not in", "[1,5]", false, false},
		{"like", "/to", "like", `"*@example.com"`, true, true},
		{"not like", "/to", "not like", `"*@example.com"`, false, false},
		{"like of a number", "/n", "like", `"*"`, false, true},
		{"exists", "/n", "exists", "", true, true},
		{"does not exist", "/m", "exists", "", false, false},
		{"absent", "/m", "absent", "", true, true},
		{"is not absent", "/none", "absent", "", false, false},
		{"every element", "/ok/*", "like", `"*@example.com"`, true, true},
		{"one element of two", "/cc/*", "like", `"*@example.com"`, false, true},
		{"no element", "/empty/*", "like", `"*"`, false, false},
		{"elements of what is no list", "/to/*", "like", `"*"`, false, true},
		{"elements of what is not there", "/bcc/*", "like", `"*"`, false, true},
		{"absent elements of what is not there", "/bcc/*", "absent", "", true, true},
		{"a field of every element", "/parts/*/n", "<", "10", true, true},
		{"a field of some element", "/parts/*/n", ">", "5", false, true},
		{"an escaped name", "/a~1b", "==", "1", true, true},
		{"an element by its number", "/cc/1", "==", `"b@evil.test"`, true, true},
		{"all arguments", "", "exists", "", true, true},
	} {
		c := Condition{Path: row.path, Op: row.op}
		if row.value != "" {
			c.Value = json.RawMessage(row.value)
		}
		if err := c.Check(); err != nil {
			t.Errorf("%s: Check(%v) = %v", row.name, c, err)
		}
		if got := c.Holds(v); got != row.holds {
			t.Errorf("%s: %v holds = %t, want %t", row.name, c, got, row.holds)
		}
		if got := c.May(v); got != row.may {
			t.Errorf("%s: %v may hold = %t, want %t", row.name, c, got, row.may)
		}
	}
}

func TestCondition_that_is_none(t *testing.T) {
	for want, c := range map[string]Condition{
		"no JSON Pointer": {Path: "n", Op: "exists"},
		"is none of":      {Path: "/n", Op: "=~", Value: json.RawMessage(`1`)},
		"needs a value":   {Path: "/n", Op: "=="},
		"takes no value":  {Path: "/n", Op: "exists", Value: json.RawMessage(`1`)},
		"needs a list":    {Path: "/n", Op: "in", Value: json.RawMessage(`1`)},
		"needs a number":  {Path: "/n", Op: ">", Value: json.RawMessage(`"1"`)},
		"needs a text":    {Path: "/n", Op: "like", Value: json.RawMessage(`1`)},
		"not readable":    {Path: "/n", Op: "==", Value: json.RawMessage(`{`)},
	} {
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Check(%v) = %v, want %q", c, err, want)
		}
		if v, _ := schema.Read([]byte(`{"n":1}`), nil); c.Op != "exists" && c.Holds(v) {
			t.Errorf("%v holds; what is no condition must not allow anything", c)
		}
	}
}
