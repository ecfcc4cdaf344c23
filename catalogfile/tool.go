package catalogfile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/linefile"
	"github.com/holdfast-go/holdfast/schema"
)

// toolBuilder makes one tool.
type toolBuilder struct {
	*builder
	n    *linefile.Node
	name string
	path string

	agent *Agent // that it asks, or nil
}

// fault records what is wrong with a field of the tool.
func (t *toolBuilder) fault(field, message string) {
	t.add(t.n.At(field).Place, t.name, t.path+field, message)
}

// field is a field of the tool, nil where there is none or its form is wrong,
// which is told already.
func (t *toolBuilder) field(name string) *linefile.Node {
	if !t.sound(t.path + "/" + name) {
		return nil
	}
	return t.n.Get(name)
}

// build makes the tool, or gives nil where it has faults.
func (t *toolBuilder) build() *holdfast.Tool {
	before := len(t.faults)
	input, output := t.schemaOf("input"), t.schemaOf("output")
	o := holdfast.ToolOptions{
		Output:     output,
		Coerce:     t.flag("coerce"),
		Repeats:    t.flag("repeats"),
		TellsApart: t.flag("tells_apart"),
		Untrusted:  t.flag("untrusted"),
		Sends:      t.flag("sends"),
		Grade:      holdfast.Grade(t.textOf("grade")),
	}
	if t.field("limits") != nil {
		o.ResultBytes = t.size("/limits/result")
		o.HandlerBytes = t.size("/limits/handler")
	}
	timeout := t.duration("timeout", "/timeout")
	o.Key, o.KeyRule = t.key(input)
	o.Approval = t.approval(input)
	t.readOptions(&o)
	t.confirm(&o, input, output)
	handler := t.run(&o, input, output)
	if len(t.faults) > before || !t.sound(t.path) {
		return nil
	}
	o.Declared = t.declared()
	made, err := holdfast.NewTool(t.n.Get("name").Text, t.n.Get("description").Text, input,
		holdfast.Effect(t.n.Get("effect").Text), timeout, handler, &o)
	if err != nil {
		cause := errors.Unwrap(err)
		if cause == nil {
			cause = err
		}
		t.fault("", cause.Error())
		return nil
	}
	return made
}

func (t *toolBuilder) textOf(name string) string {
	if n := t.field(name); n != nil {
		return n.Text
	}
	return ""
}

func (t *toolBuilder) flag(name string) bool { return t.textOf(name) == "true" }

// duration is the length of time at a path within a field, 0 where there is none.
func (t *toolBuilder) duration(field, path string) time.Duration {
	n := t.n.At(path)
	if t.field(field) == nil || n.Kind != linefile.String {
		return 0
	}
	d, err := time.ParseDuration(n.Text)
	if err != nil || d <= 0 {
		t.fault(path, fmt.Sprintf("%q is no length of time above zero, such as 5s", n.Text))
		return 0
	}
	return d
}

// size is the number of bytes in a field, 0 where there is none.
func (t *toolBuilder) size(field string) int {
	n := t.n.At(field)
	if n.Kind == linefile.Mapping {
		return 0
	}
	digits, unit := n.Text, 1
	if kib, ok := strings.CutSuffix(digits, "KiB"); ok {
		digits, unit = kib, 1<<10
	} else if mib, ok := strings.CutSuffix(digits, "MiB"); ok {
		digits, unit = mib, 1<<20
	} else {
		digits = strings.TrimSuffix(digits, "B")
	}
	v, err := strconv.Atoi(digits)
	if err != nil || v <= 0 || v > math.MaxInt32/unit {
		t.fault(field, fmt.Sprintf("%s is no size from 1 to 2047MiB, such as 64KiB", n.Text))
		return 0
	}
	return v * unit
}

// schemaOf compiles the schema in a field, or the one in the file that it names.
func (t *toolBuilder) schemaOf(field string) *schema.Schema {
	n := t.field(field)
	if n == nil {
		return nil
	}
	var o *schema.Options
	if field == "output" {
		o = &schema.Options{Mode: schema.ModeSpec} // a result need not be an object
	}
	if named := n.Get("file"); named != nil && len(n.Members) == 1 && named.Kind == linefile.String {
		return t.schemaFile(field, named, o)
	}
	s, err := schema.Compile(n.JSON(), o)
	if err == nil {
		return s
	}
	var faults *schema.CompileError
	if !errors.As(err, &faults) {
		t.fault("/"+field, err.Error())
		return nil
	}
	for _, f := range faults.Faults {
		t.add(placeIn(n, f), t.name, t.path+"/"+field+f.Path, inSchema(f))
	}
	return nil
}

// placeIn is where a schema's fault stands: at its keyword, where there is one.
func placeIn(n *linefile.Node, f schema.Fault) linefile.Place {
	at := n.At(f.Path)
	for _, m := range at.Members {
		if m.Name == f.Keyword {
			return m.At
		}
	}
	return at.Place
}

func inSchema(f schema.Fault) string {
	message := f.Message
	if f.Fix != "" {
		message += " (" + f.Fix + ")"
	}
	return message
}

func (t *toolBuilder) schemaFile(field string, named *linefile.Node, o *schema.Options) *schema.Schema {
	files := t.files
	if t.schemas != nil {
		files = t.schemas
	}
	if files == nil {
		t.fault("/"+field, "names a file, but the catalog has no folder to look in")
		return nil
	}
	src, err := readFile(files, named.Text)
	if err != nil {
		t.fault("/"+field+"/file", "reading the schema: "+err.Error())
		return nil
	}
	before := len(t.faults)
	root := t.read(named.Text, src)
	for i := before; i < len(t.faults); i++ {
		t.faults[i].Tool = t.name
	}
	if root == nil || len(t.faults) > before {
		return nil
	}
	s, err := schema.Compile(root.JSON(), o)
	if err == nil {
		return s
	}
	var faults *schema.CompileError
	if !errors.As(err, &faults) {
		t.fault("/"+field, err.Error())
		return nil
	}
	for _, f := range faults.Faults {
		at := placeIn(root, f)
		t.faults = append(t.faults, Fault{
			File: named.Text, Line: at.Line, Column: at.Column, Tool: t.name, Path: f.Path, Message: inSchema(f),
		})
	}
	return nil
}

// readOptions takes what only a read has.
func (t *toolBuilder) readOptions(o *holdfast.ToolOptions) {
	if n := t.field("retry"); n != nil {
		o.Retries, _ = strconv.Atoi(n.Get("max").Text)
		if o.Retries == 0 {
			o.Retries = -1
		}
	}
	o.CacheFor = t.duration("cache", "/cache")
}

// run makes the handler of the tool's kind.
func (t *toolBuilder) run(o *holdfast.ToolOptions, input, output *schema.Schema) holdfast.Handler {
	n := t.field("run")
	if n == nil {
		return nil
	}
	switch m := n.Members[0]; m.Name {
	case "static":
		if t.n.Get("sandbox") != nil {
			t.fault("/sandbox", "a fixed result reaches nothing, so there is nothing to declare")
		}
		return t.static(m.Value, output)
	case "http":
		return t.http(m.Value, o, input)
	case "agent":
		return t.asks(m.Value)
	case "handoff":
		return t.handsOver(m.Value)
	default:
		t.fault("/run/"+m.Name, fmt.Sprintf("run kind %s is not built in yet", m.Name))
	}
	return nil
}

// declared is what the file says of the run, for the definition's digest.
func (t *toolBuilder) declared() json.RawMessage {
	run := t.n.Get("run")
	if t.agent != nil {
		return t.agent.definition()
	}
	if t.n.Get("confirm") == nil && t.n.Get("sandbox") == nil {
		return run.JSON()
	}
	all := &linefile.Node{Kind: linefile.Mapping}
	for _, m := range t.n.Members {
		if m.Name == "run" || m.Name == "confirm" || m.Name == "sandbox" {
			all.Members = append(all.Members, m)
		}
	}
	return all.JSON()
}

// static is a handler that always gives the same result: JSON, or, where no
// output schema wants JSON, a text as it is. One that the output schema refuses
// is the gate's to tell, as it would be of any handler.
func (t *toolBuilder) static(n *linefile.Node, output *schema.Schema) holdfast.Handler {
	result := holdfast.Result{JSON: n.JSON()}
	if n.Kind == linefile.String && output == nil {
		result = holdfast.Result{Text: n.Text}
	}
	return func(ctx context.Context, _ schema.Value) (holdfast.Result, error) {
		out := result
		out.JSON = append(json.RawMessage(nil), result.JSON...)
		return out, holdfast.WithoutEffect(context.Cause(ctx))
	}
}
