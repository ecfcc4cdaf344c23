package gate_test

import (
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/schema"
)

func TestCode_unreadable_arguments(t *testing.T) {
	rows := map[string]string{
		"not JSON":                   `{"n":`,
		"words":                      `call it with 5`,
		"null text":                  `null`,
		"an array":                   `[{"n":1}]`,
		"a string holding an object": `"{\"n\":1}"`,
		"several values (A3)":        `{"q":1}{"q":2}{"q":3}`,
		"two glued objects (G3)":     `{"id":"1"}{"id":"2"}`,
		"cut object (G2)":            `{"a":1,"items":[{"sku":"a"}`,
		"equal names (G1)":           `{"amount":1,"amount":999}`,
		"invalid UTF-8 (G8)":         "{\"n\":\"\xff\"}",
		"lone surrogate (B7)":        `{"d":"a\ud99cb"}`,
		"comment":                    `{"n":1}// one`,
		"NaN":                        `{"n":NaN}`,
		"too deep":                   strings.Repeat(`{"a":`, 70) + `1` + strings.Repeat(`}`, 70),
		"too long":                   `{"a":"` + strings.Repeat("x", 2<<20) + `"}`,
		"too long a string":          `{"a":"` + strings.Repeat("x", 300<<10) + `"}`,
		"too many digits":            `{"a":` + strings.Repeat("1", 500) + `}`,
		"too large an exponent":      `{"a":1e999}`,
	}
	for name, text := range rows {
		t.Run(name, func(t *testing.T) {
			var e entered
			h := open(t, nil, tool(t, "any", holdfast.Write, "", e.answers(`{}`), nil))
			v := h.one("any", text)
			want(t, v, holdfast.Rejected, holdfast.UnreadableArguments, gate.Parse)
			if len(v.Outcome.Problems) != 1 || v.Outcome.Problems[0].Message == "" {
				t.Errorf("problems = %+v, want one that says what is wrong", v.Outcome.Problems)
			}
			if e.times() != 0 {
				t.Errorf("handler entered %d times", e.times())
			}
			if got := h.entry(v.LedgerID).Text; len(got) > 5<<10 {
				t.Errorf("record keeps %d bytes of the text", len(got))
			}
		})
	}
}

func TestBugB1_EmptyAndBlankTextIsTheEmptyObject(t *testing.T) {
	for _, text := range []string{"", " ", "\n\t ", "{}", " {} "} {
		var e entered
		h := open(t, nil, tool(t, "today", holdfast.Read, "", e.answers(`{}`), nil))
		want(t, h.one("today", text), holdfast.OK, "", gate.Execute)
		if strings.TrimSpace(e.args[0]) != "{}" {
			t.Errorf("arguments of %q = %s, want {}", text, e.args[0])
		}
	}
}

func TestUnreadableTextOfAToolWithoutRequiredFieldsIsNotTheEmptyObject(t *testing.T) {
	var e entered
	h := open(t, nil, tool(t, "today", holdfast.Read, "", e.answers(`{}`), nil))
	want(t, h.one("today", `{nope`), holdfast.Rejected, holdfast.UnreadableArguments, gate.Parse)
	want(t, h.one("today", `{}`), holdfast.OK, "", gate.Execute)
}

func TestBugB5_LargeIntegersArriveExactly(t *testing.T) {
	for _, digits := range []string{"9007199254740993", "9007199254740992", "123456789012345678901234567890", "0.1000000000000000055511151231257827"} {
		var got string
		h := open(t, nil, tool(t, "by_id", holdfast.Write, `{"type":"object","properties":{"id":{"type":"number"}}}`,
			func(ctx ctx, args schema.Value) (holdfast.Result, error) {
				id, _ := args.Get("id")
				got = id.Text()
				return holdfast.Result{JSON: []byte(`{}`)}, nil
			}, nil))
		want(t, h.one("by_id", `{"id":`+digits+`}`), holdfast.OK, "", gate.Execute)
		if got != digits {
			t.Errorf("id = %s, want %s", got, digits)
		}
	}
}

func TestNeighbouringLargeIntegersAreDifferentCalls(t *testing.T) {
	var e entered
	h := open(t, nil, tool(t, "by_id", holdfast.Write, `{"type":"object","properties":{"id":{"type":"integer"}}}`, e.answers(`{}`), nil))
	a, b := h.one("by_id", `{"id":9007199254740993}`), h.one("by_id", `{"id":9007199254740992}`)
	same := h.one("by_id", `{"id":9007199254740993.0}`)
	if a.Key == b.Key || a.Key != same.Key || !same.Outcome.Replayed || e.times() != 2 {
		t.Errorf("keys = %s %s %s, handler entered %d times", a.Key, b.Key, same.Key, e.times())
	}
}
