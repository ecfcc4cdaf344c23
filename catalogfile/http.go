package catalogfile

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/linefile"
	"github.com/holdfast-go/holdfast/sandbox"
	"github.com/holdfast-go/holdfast/sandbox/httpapi"
	"github.com/holdfast-go/holdfast/schema"
)

// http is a handler that sends one request.
func (t *toolBuilder) http(n *linefile.Node, o *holdfast.ToolOptions, input *schema.Schema) holdfast.Handler {
	effect := holdfast.Effect(t.textOf("effect"))
	if input == nil || effect == "" {
		return nil // told already
	}
	runner, err := httpapi.New(request(n), input, effect, t.limits(), &httpapi.Options{Bytes: o.HandlerBytes})
	if err != nil {
		t.faultsOf(err, "/run/http")
		return nil
	}
	return runner.Run
}

// confirm asks the API whether a write happened.
func (t *toolBuilder) confirm(o *holdfast.ToolOptions, input, output *schema.Schema) {
	n := t.field("confirm")
	if n == nil || input == nil {
		return
	}
	o.InFlight = 0
	if n.Get("in_flight") != nil {
		o.InFlight = t.duration("confirm", "/confirm/in_flight")
	}
	if n.Get("http").Get("key_header") != nil {
		t.fault("/confirm/http/key_header", "the key stands in the url or the query of a confirm, as ${key}")
		return
	}
	probe, err := httpapi.NewProbe(request(n.Get("http")), input, t.limits(), &httpapi.Options{Bytes: o.HandlerBytes})
	if err != nil {
		t.faultsOf(err, "/confirm/http")
		return
	}
	o.Confirm = func(ctx context.Context, key string, args schema.Value) (holdfast.Confirmation, error) {
		c, err := probe.Ask(ctx, key, args)
		if c.Result != nil && output != nil && !satisfies(output, c.Result) {
			c.Result = nil // the API shows a write in another form than it answers one
		}
		return c, err
	}
}

func satisfies(output *schema.Schema, r *holdfast.Result) bool {
	v, err := schema.Read(r.JSON, nil)
	return err == nil && output.Validate(v).Valid()
}

// faultsOf tells a runner's faults at their places in the file.
func (t *toolBuilder) faultsOf(err error, at string) {
	var spec *sandbox.SpecError
	if !errors.As(err, &spec) {
		t.fault(at, err.Error())
		return
	}
	for _, f := range spec.Faults {
		path := at + f.Path
		if below, ok := strings.CutPrefix(f.Path, "/limits"); ok {
			path = "/sandbox" + below
		}
		t.fault(path, f.Message)
	}
}

// limits are what the tool declares to reach.
func (t *toolBuilder) limits() sandbox.Limits {
	n := t.field("sandbox")
	l := sandbox.Limits{Read: texts(n.Get("read")), Write: texts(n.Get("write")), Hosts: texts(n.Get("hosts"))}
	if n.Get("memory") != nil {
		l.Memory = int64(t.size("/sandbox/memory"))
	}
	return l
}

func texts(n *linefile.Node) []string {
	if n == nil {
		return nil
	}
	var list []string
	for _, item := range n.Items {
		list = append(list, item.Text)
	}
	return list
}

// request is the declaration of one request.
func request(n *linefile.Node) httpapi.Spec {
	s := httpapi.Spec{
		Method: n.Get("method").Content(), URL: n.Get("url").Content(), KeyHeader: n.Get("key_header").Content(),
		Query: fields(n.Get("query")), Headers: fields(n.Get("headers")), Form: fields(n.Get("form")),
	}
	if body := n.Get("body"); body != nil {
		s.Body = body.JSON()
	}
	if status := n.Get("status"); status != nil {
		for _, m := range status.Members {
			s.Status = append(s.Status, statusRule(m))
		}
	}
	return s
}

func statusRule(m linefile.Member) httpapi.StatusRule {
	rule := httpapi.StatusRule{Match: m.Name, Means: httpapi.Meaning(m.Value.Text)}
	if result := m.Value.Get("result"); result != nil {
		rule.Means, rule.Result = httpapi.OK, json.RawMessage(result.JSON())
	}
	return rule
}

func fields(n *linefile.Node) []httpapi.Field {
	if n == nil {
		return nil
	}
	var list []httpapi.Field
	for _, m := range n.Members {
		list = append(list, httpapi.Field{Name: m.Name, Value: m.Value.Text})
	}
	return list
}
