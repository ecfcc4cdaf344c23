package holdfast

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/holdfast-go/holdfast/schema"
)

// Func makes a tool of a Go function: the input schema comes from In, and a
// call's validated arguments are decoded into it exactly. In is a struct, or a
// map; its fields say their rules in tags (desc, enum, min, max, pattern, format
// and others: see package schema), and a field is required unless its json tag
// says omitempty or omitzero. Out is sent back as JSON; a string or a [Result] is
// sent as it is.
//
// fn stops when its context ends: at the timeout, or when the turn is cancelled.
// It may panic, which is told as an outcome. An error of a write says "perhaps",
// unless it is one of [WithoutEffect].
func Func[In, Out any](name, description string, effect Effect, timeout time.Duration, fn func(context.Context, In) (Out, error), o *ToolOptions) (*Tool, error) {
	input, err := schema.For[In](nil)
	if err != nil {
		return nil, fmt.Errorf("tool %q: input: %w", name, err)
	}
	if fn == nil {
		return NewTool(name, description, input, effect, timeout, nil, o)
	}
	handler := func(ctx context.Context, args schema.Value) (Result, error) {
		var in In
		if err := input.Decode(args, &in); err != nil {
			return Result{}, WithoutEffect(fmt.Errorf("decoding arguments: %w", err))
		}
		out, err := fn(ctx, in)
		if err != nil {
			return Result{}, err
		}
		return asResult(out)
	}
	return NewTool(name, description, input, effect, timeout, handler, o)
}

func asResult[Out any](out Out) (Result, error) {
	if r, ok := any(&out).(*Result); ok { // copies less than the next
		return *r, nil
	}
	switch v := any(out).(type) {
	case Result:
		return v, nil
	case string:
		return Result{Text: v}, nil
	}
	text, err := json.Marshal(out)
	if err != nil {
		return Result{}, fmt.Errorf("encoding result: %w", err)
	}
	return Result{JSON: text}, nil
}
