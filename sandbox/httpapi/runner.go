package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/sandbox"
	"github.com/holdfast-go/holdfast/schema"
)

// Runner is a [sandbox.Runner] whose run is one request.
type Runner struct{ request *request }

// New makes a runner of a declaration, for a tool of that input and effect. What
// is wrong with it is a [sandbox.SpecError]. Without hosts in the limits, the
// URL's own is the one that may be asked.
func New(s Spec, input *schema.Schema, effect holdfast.Effect, limits sandbox.Limits, o *Options) (*Runner, error) {
	use, err := usageOf(effect)
	if err != nil {
		return nil, err
	}
	r, err := compile(s, input, use, limits, o)
	if err != nil {
		return nil, err
	}
	return &Runner{r}, nil
}

// Limits are the hosts that may be asked, and how large a reply may be.
func (r *Runner) Limits() sandbox.Limits { return r.request.declared() }

func (r *request) declared() sandbox.Limits {
	return sandbox.Limits{Hosts: append([]string(nil), r.hosts.named...), Memory: int64(r.bytes)}
}

// Run sends the request and makes a result of the answer.
func (r *Runner) Run(ctx context.Context, args schema.Value) (holdfast.Result, error) {
	x, err := r.request.prepare(ctx, values{args: args, key: holdfast.CallInfoFrom(ctx).Key})
	if err != nil {
		return holdfast.Result{}, holdfast.WithoutEffect(err)
	}
	response, err := x.send()
	if err != nil {
		if !x.sent.Load() {
			err = holdfast.WithoutEffect(err)
		}
		return holdfast.Result{}, err
	}
	defer response.Body.Close()
	rule := x.ruleOf(response.StatusCode)
	switch rule.Means {
	case Effect, OK:
		return x.finish(response, rule)
	case NoEffect:
		// What was refused may be called again later; the gate itself does not.
		return holdfast.Result{}, holdfast.WithoutEffect(&holdfast.TransientError{Err: x.refused(response), After: retryAfter(response)})
	case Retry:
		return holdfast.Result{}, &holdfast.TransientError{Err: x.refused(response), After: retryAfter(response)}
	}
	return holdfast.Result{}, x.refused(response)
}

// finish reads a good answer. One of a write that came whole says that it
// happened, whatever is wrong with its content.
func (x *exchange) finish(response *http.Response, rule StatusRule) (holdfast.Result, error) {
	if rule.Result != nil {
		return holdfast.Result{JSON: rule.Result}, nil
	}
	text, err := x.read(response, x.bytes)
	if err != nil && (x.usage != writing || errors.Is(err, errCut) || x.ctx.Err() != nil) {
		return holdfast.Result{}, err
	}
	if len(text) > x.bytes {
		return holdfast.Result{Text: string(text)}, nil // too large, and for the gate to say so
	}
	var result holdfast.Result
	if err == nil {
		result, err = x.result(response, text)
	}
	if err != nil && x.usage == writing {
		return holdfast.Result{Text: fmt.Sprintf("[done; %v]", err)}, nil
	}
	return result, err
}

// Probe asks whether a write happened.
type Probe struct{ request *request }

// NewProbe makes a probe of a declaration. 2xx says that the write happened, 404
// that it did not, everything else nothing, unless Status says otherwise.
func NewProbe(s Spec, input *schema.Schema, limits sandbox.Limits, o *Options) (*Probe, error) {
	r, err := compile(s, input, probing, limits, o)
	if err != nil {
		return nil, err
	}
	return &Probe{r}, nil
}

// Ask asks about the write of that key and those arguments. What the answer holds
// is the result of a write that happened.
func (p *Probe) Ask(ctx context.Context, key string, args schema.Value) (holdfast.Confirmation, error) {
	x, err := p.request.prepare(ctx, values{args: args, key: key})
	if err != nil {
		return holdfast.Confirmation{}, err
	}
	response, err := x.send()
	if err != nil {
		return holdfast.Confirmation{}, err
	}
	defer response.Body.Close()
	c := holdfast.Confirmation{Evidence: fmt.Sprintf("%s %s%s answered %d", x.method, x.origin, x.url.EscapedPath(), response.StatusCode)}
	switch x.ruleOf(response.StatusCode).Means {
	case Effect:
		c.Effect = holdfast.Happened
	case NoEffect:
		c.Effect = holdfast.DidNotHappen
		return c, nil
	default:
		return holdfast.Confirmation{}, x.refused(response)
	}
	if x.method == http.MethodHead || response.StatusCode == http.StatusNoContent {
		return c, nil
	}
	text, err := x.read(response, x.bytes)
	if err != nil || len(text) == 0 || len(text) > x.bytes {
		return c, nil
	}
	if result, err := x.result(response, text); err == nil {
		c.Result = &result
	}
	return c, nil
}
