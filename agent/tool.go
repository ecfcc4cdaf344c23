package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
)

// ToolOptions of Tool; nil means none.
type ToolOptions struct {
	// Input is the schema of the arguments; nil: one text, task, which is required.
	Input *schema.Schema
	// Message makes the agent's message of a call's arguments; nil: the task, or
	// with an Input the arguments as they came, as JSON.
	Message func(args schema.Value) (string, error)
	// Tool is what the tool states beyond that, such as an approval rule; nil:
	// nothing. Where its Declared is left out, the names and definitions of a's own
	// tools stand there, so that an approval of the call holds for these.
	Tool *holdfast.ToolOptions
}

// Tool makes a tool of an agent: to the model that calls it, it looks like any
// other. Each call is a run of its own in the record, which names the call as its
// Parent; it acts for the same principal, with a's own prompt, tools, model and
// limits. Its final answer is the result. The timeout counts while it runs, and not
// while a call of its own waits for a person: see [Agent.Handler].
func Tool(name, description string, a *Agent, timeout time.Duration, o *ToolOptions) (*holdfast.Tool, error) {
	if a == nil {
		return nil, fmt.Errorf("tool %q: no agent", name)
	}
	var options ToolOptions
	if o != nil {
		options = *o
	}
	if options.Message == nil {
		options.Message = wholeArguments
	}
	if options.Input == nil {
		options.Input = taskSchema()
		if o == nil || o.Message == nil {
			options.Message = task
		}
	}
	var stated holdfast.ToolOptions
	if options.Tool != nil {
		stated = *options.Tool
	}
	if stated.Declared == nil {
		stated.Declared = a.declared()
	}
	return holdfast.NewTool(name, description, options.Input, holdfast.Agent, timeout, a.Handler(options.Message), &stated)
}

// taskSchema is the input of an agent tool that states none.
func taskSchema() *schema.Schema {
	s, err := schema.Compile([]byte(`{"type":"object","properties":{"task":{"type":"string","minLength":1,`+
		`"description":"What is to be done, with everything that is needed for it: nothing else of this conversation is seen."}},`+
		`"required":["task"],"additionalProperties":false}`), nil)
	if err != nil {
		panic("agent: the schema of a task does not compile: " + err.Error())
	}
	return s
}

func task(args schema.Value) (string, error) {
	var in struct {
		Task string `json:"task"`
	}
	err := schema.Decode(args, &in)
	return in.Task, err
}

func wholeArguments(args schema.Value) (string, error) { return string(args.Raw()), nil }

// declared is what an approval of a call of a is bound to beside the tool itself.
func (a *Agent) declared() json.RawMessage {
	type definition struct {
		Tool   string `json:"tool"`
		Digest string `json:"digest"`
	}
	var tools []definition
	c := a.gate.Catalog()
	for _, t := range c.Tools() {
		tools = append(tools, definition{c.Qualify(t), t.Digest()})
	}
	text, err := json.Marshal(map[string][]definition{"agent": tools})
	if err != nil {
		panic("agent: names and digests do not marshal: " + err.Error())
	}
	return text
}

// nesting says within which agents' calls a context runs.
type nesting struct {
	agent  *Agent
	depth  int // from 1
	around *nesting
}

type nestingKey struct{}

func nestingOf(ctx context.Context) *nesting {
	n, _ := ctx.Value(nestingKey{}).(*nesting)
	return n
}

// enter is ctx within a call of a. One that is within a call of a already, or
// within too many, is refused: such calls would go on without an end.
func (a *Agent) enter(ctx context.Context) (context.Context, error) {
	around := nestingOf(ctx)
	n := &nesting{agent: a, depth: 1, around: around}
	if around != nil {
		n.depth = around.depth + 1
	}
	for at := around; at != nil; at = at.around {
		if at.agent == a {
			return ctx, fmt.Errorf("it is within a call of the same agent already, and an agent may not call itself")
		}
	}
	if n.depth > a.options.MaxDepth {
		return ctx, fmt.Errorf("agents may call agents %d deep, and this would be %d", a.options.MaxDepth, n.depth)
	}
	return context.WithValue(ctx, nestingKey{}, n), nil
}
