package holdfast_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
)

func nothing(context.Context, schema.Value) (holdfast.Result, error) { return holdfast.Result{}, nil }

func compile(t testing.TB, text string) *schema.Schema {
	t.Helper()
	s, err := schema.Compile([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestToolCannotExistIncomplete: a tool that lacks one of the required things
// would fail at the first call instead of at the start.
func TestToolCannotExistIncomplete(t *testing.T) {
	input := compile(t, `{"type":"object"}`)
	confirm := func(context.Context, string, schema.Value) (holdfast.Confirmation, error) {
		return holdfast.Confirmation{}, nil
	}
	for _, row := range []struct {
		says        string
		name, about string
		input       *schema.Schema
		effect      holdfast.Effect
		timeout     time.Duration
		handler     holdfast.Handler
		options     *holdfast.ToolOptions
		want        string
	}{
		{"no name", "", "d", input, holdfast.Read, 1, nothing, nil, "no name"},
		{"a name with a space", "a b", "d", input, holdfast.Read, 1, nothing, nil, "name has ' '"},
		{"a name of 129 bytes", strings.Repeat("a", 129), "d", input, holdfast.Read, 1, nothing, nil, "longer"},
		{"no description", "a", " ", input, holdfast.Read, 1, nothing, nil, "no description"},
		{"no schema", "a", "d", nil, holdfast.Read, 1, nothing, nil, "no input schema"},
		{"arguments that are a text", "a", "d", compile(t, `{"type":"string"}`), holdfast.Read, 1, nothing, nil, "always one JSON object"},
		{"arguments that are no object of several types", "a", "d", compile(t, `{"type":["array","null"]}`), holdfast.Read, 1, nothing, nil, "always one JSON object"},
		{"no effect", "a", "d", input, "", 1, nothing, nil, "effect"},
		{"no timeout", "a", "d", input, holdfast.Read, 0, nothing, nil, "no timeout"},
		{"no handler", "a", "d", input, holdfast.Read, 1, nil, nil, "no handler"},
		{"a read that confirms", "a", "d", input, holdfast.Read, 1, nothing, &holdfast.ToolOptions{Confirm: confirm}, "belong to a write"},
		{"grade confirm without a confirm function", "a", "d", input, holdfast.Write, 1, nothing, &holdfast.ToolOptions{Grade: holdfast.Confirms}, "needs a confirm function"},
		{"a grade that is none", "a", "d", input, holdfast.Write, 1, nothing, &holdfast.ToolOptions{Grade: "sure"}, "is none of"},
		{"a negative limit", "a", "d", input, holdfast.Read, 1, nothing, &holdfast.ToolOptions{ResultBytes: -1}, "negative"},
	} {
		t.Run(row.says, func(t *testing.T) {
			tool, err := holdfast.NewTool(row.name, row.about, row.input, row.effect, row.timeout, row.handler, row.options)
			if err == nil || !strings.Contains(err.Error(), row.want) || tool != nil {
				t.Errorf("NewTool(…) = %v, %v, want no tool and an error with %q", tool, err, row.want)
			}
		})
	}
}

// TestDigestCoversTheDefinition: an approval is bound to the digest, so each
// part that changes what runs must change it.
func TestDigestCoversTheDefinition(t *testing.T) {
	input := compile(t, `{"type":"object"}`)
	digest := func(about string, input *schema.Schema, timeout time.Duration, o *holdfast.ToolOptions) string {
		tool, err := holdfast.NewTool("pay", about, input, holdfast.Write, timeout, nothing, o)
		if err != nil {
			t.Fatal(err)
		}
		return tool.Digest()
	}
	base := digest("Pay.", input, time.Second, nil)
	if again := digest("Pay.", input, time.Second, nil); again != base {
		t.Errorf("the same definition twice has digests %s and %s", base, again)
	}
	for says, other := range map[string]string{
		"description": digest("Pay now.", input, time.Second, nil),
		"schema":      digest("Pay.", compile(t, `{"type":"object","properties":{"a":{}}}`), time.Second, nil),
		"timeout":     digest("Pay.", input, 2*time.Second, nil),
		"output":      digest("Pay.", input, time.Second, &holdfast.ToolOptions{Output: input}),
		"version":     digest("Pay.", input, time.Second, &holdfast.ToolOptions{Version: "2"}),
		"run":         digest("Pay.", input, time.Second, &holdfast.ToolOptions{Declared: []byte(`{"static":1}`)}),
		"approval":    digest("Pay.", input, time.Second, &holdfast.ToolOptions{Approval: &holdfast.ApprovalRule{}}),
		"key rule":    digest("Pay.", input, time.Second, &holdfast.ToolOptions{KeyRule: "order:{id}"}),
		"untrusted":   digest("Pay.", input, time.Second, &holdfast.ToolOptions{Untrusted: true}),
		"sends":       digest("Pay.", input, time.Second, &holdfast.ToolOptions{Sends: true}),
		"grade":       digest("Pay.", input, time.Second, &holdfast.ToolOptions{Grade: holdfast.Deduplicates}),
	} {
		if other == base {
			t.Errorf("another %s has the same digest: an approval would outlive the change", says)
		}
	}
}

type order struct {
	ID int64 `json:"id" desc:"The order"`
}

func TestFuncKeepsEveryDigit(t *testing.T) {
	var got int64
	tool, err := holdfast.Func("cancel_order", "Cancel one order.", holdfast.Write, time.Second,
		func(_ context.Context, in order) (map[string]bool, error) {
			got = in.ID
			return map[string]bool{"cancelled": true}, nil
		}, nil)
	if err != nil {
		t.Fatal(err)
	}
	args, err := schema.Read([]byte(`{"id":9007199254740993}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	result, err := tool.Handle(t.Context(), args)
	if err != nil || got != 9007199254740993 || string(result.JSON) != `{"cancelled":true}` {
		t.Errorf("Handle = %s, %v with id %d, want {\"cancelled\":true} with id 9007199254740993", result.JSON, err, got)
	}
}

// TestFuncDecodesByExactNames: a name that differs by case must not reach the
// field that the gate validated under another name.
func TestFuncDecodesByExactNames(t *testing.T) {
	var got order
	tool, err := holdfast.Func("cancel_order", "Cancel one order.", holdfast.Write, time.Second,
		func(_ context.Context, in order) (string, error) { got = in; return "", nil }, nil)
	if err != nil {
		t.Fatal(err)
	}
	args, err := schema.Read([]byte(`{"id":1,"ID":2}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tool.Handle(t.Context(), args); err != nil || got.ID != 1 {
		t.Errorf("Handle = %v with id %d, want id 1", err, got.ID)
	}
}

func TestFuncWithoutFunctionIsNoTool(t *testing.T) {
	if _, err := holdfast.Func[order, string]("a", "d", holdfast.Read, time.Second, nil, nil); err == nil {
		t.Error("Func(nil) made a tool, want an error")
	}
}

func TestWithoutEffectIsTheOnlyWordOfNoEffect(t *testing.T) {
	cause := errors.New("connection refused")
	if holdfast.HasNoEffect(cause) {
		t.Error("a plain error says that nothing happened")
	}
	if err := holdfast.WithoutEffect(cause); !holdfast.HasNoEffect(err) || !errors.Is(err, cause) {
		t.Errorf("WithoutEffect(%v) = %v, want a no-effect error that wraps it", cause, err)
	}
	if err := holdfast.WithoutEffect(nil); err != nil {
		t.Errorf("WithoutEffect(nil) = %v, want nil", err)
	}
}
