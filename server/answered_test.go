package server

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/holdfast-go/holdfast/agent"
)

// A turn outlives the request that begins it, or goes on with it, and still stands
// in that request's trace.
func TestWhatARequestCausesStandsInItsTrace(t *testing.T) {
	type trace struct{}
	seen := make(chan string, 8)
	v := serve(t, "", func(o *Options) {
		o.Trace = func(ctx context.Context, h http.Header) context.Context {
			return context.WithValue(ctx, trace{}, h.Get("traceparent"))
		}
		o.Agent.Observe = func(ctx context.Context, _ string, _ int) (context.Context, func(agent.Result, error)) {
			of, _ := ctx.Value(trace{}).(string)
			seen <- of
			return ctx, func(agent.Result, error) {}
		}
	})
	v.header.Set("traceparent", "the message's")
	run, id := v.park()
	v.header.Set("traceparent", "the answer's")
	s := v.listen(run, "")
	v.want(http.StatusOK, "POST", "/v1/approvals/"+id+"/approve", `{}`)
	s.untilEnd(v, run)
	close(seen)
	var all []string
	for of := range seen {
		all = append(all, of)
	}
	if want := []string{"the message's", "the message's", "the answer's"}; !slices.Equal(all, want) {
		t.Errorf("turns began and went on in the traces %q, want %q", all, want)
	}
}
