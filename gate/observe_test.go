package gate_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/schema"
)

// ear is an observer that keeps what it was told.
type ear struct {
	mu     sync.Mutex
	begun  []gate.Progress
	ended  []gate.Progress
	inside []string // what the end's context says of whose call it is
}

type callMark struct{}

func (e *ear) observe(ctx context.Context, p gate.Progress) context.Context {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p.Verdict == nil {
		e.begun = append(e.begun, p)
		return context.WithValue(ctx, callMark{}, p.CallID)
	}
	e.ended = append(e.ended, p)
	e.inside = append(e.inside, fmt.Sprint(ctx.Value(callMark{}), " for ", p.CallID))
	return nil
}

// outcomes are "tool outcome code" of each ended call, in the order of names.
func (e *ear) outcomes() string {
	var all []string
	for _, p := range e.ended {
		all = append(all, strings.TrimSpace(fmt.Sprint(p.Tool, " ", p.Verdict.Outcome.Status, " ", p.Verdict.Outcome.Code)))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func TestTheObserverIsToldOfEveryCallTwice(t *testing.T) {
	e := &ear{}
	var inside string
	look := tool(t, "look", holdfast.Read, "", func(ctx context.Context, _ schema.Value) (holdfast.Result, error) {
		inside = fmt.Sprint(ctx.Value(callMark{}))
		return holdfast.Result{Text: "seen"}, nil
	}, nil)
	pay := tool(t, "pay", holdfast.Write, `{"type":"object","properties":{"pin":{"type":"string","writeOnly":true}}}`,
		(&entered{}).answers(`{}`), &holdfast.ToolOptions{Approval: &holdfast.ApprovalRule{}})
	h := open(t, &gate.Options{Observe: e.observe}, look, pay)
	r := h.round(call("look", `{}`), call("lok", `{}`), call("look", `{`), call("pay", `{"pin":"4711"}`), call("look", `{"n":2}`))
	for i := range r.Calls {
		r.Calls[i].ID = fmt.Sprint("c", i)
	}
	h.put(r, nil)
	if got, want := e.outcomes(), "lok rejected unknown_tool, look ok, look rejected unreadable_arguments, pay pending approval_pending"; got != want {
		t.Errorf("told of %s, want %s: the call that waits behind the pending one is not decided yet", got, want)
	}
	if inside != "c0" {
		t.Errorf("the handler's context says %q, want what the observer gave for its call", inside)
	}
	for _, s := range e.inside {
		if who, whose, _ := strings.Cut(s, " for "); who != whose {
			t.Errorf("an end was told under the context of another call: %s", s)
		}
	}
	for _, p := range e.ended {
		if p.Run != "run" || p.Turn != 1 || p.Round != 1 || (p.Definition == nil) != (p.Tool == "lok") {
			t.Errorf("told of %+v, want its place and its tool", p)
		}
		if strings.Contains(string(p.Arguments), "4711") {
			t.Errorf("arguments = %s hold a secret", p.Arguments)
		}
	}
	id := e.ended[slices.IndexFunc(e.ended, func(p gate.Progress) bool { return p.Tool == "pay" })].Verdict.ApprovalID
	if _, err := h.ledger.Approve(t.Context(), id, "eva", ""); err != nil {
		t.Fatalf("Approve = %v", err)
	}
	e.ended, e.inside = nil, nil
	h.put(r, &gate.RoundOptions{Resume: true})
	if got, want := e.outcomes(), "look ok, pay ok"; got != want {
		t.Errorf("resuming told of %s, want %s: the others stood already", got, want)
	}
}

func TestTheObserverLearnsHowLongEachStageTookAndWhoIgnoredItsCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &ear{}
		release := make(chan struct{})
		slow := tool(t, "slow", holdfast.Read, "", func(context.Context, schema.Value) (holdfast.Result, error) {
			time.Sleep(300 * time.Millisecond)
			return holdfast.Result{}, nil
		}, nil)
		deaf := tool(t, "deaf", holdfast.Read, "", func(context.Context, schema.Value) (holdfast.Result, error) {
			<-release
			return holdfast.Result{}, nil
		}, nil)
		h := open(t, &gate.Options{Observe: e.observe, Grace: 500 * time.Millisecond}, slow, deaf)
		h.one("slow", `{}`)
		h.one("deaf", `{}`)
		close(release)
		if took := e.ended[0].Took; took[gate.Execute] != 300*time.Millisecond || took[gate.Parse] != 0 || len(took) < 8 {
			t.Errorf("took = %v, want 300ms in execute, and every stage that it entered", took)
		}
		if p := e.ended[1]; !p.Abandoned || p.Took[gate.Execute] != 1500*time.Millisecond || e.ended[0].Abandoned {
			t.Errorf("the deaf handler: abandoned %v after %v, want true after its timeout and the grace", p.Abandoned, p.Took)
		}
		synctest.Wait()
	})
}

func TestAnObserverThatPanicsChangesNothing(t *testing.T) {
	look := tool(t, "look", holdfast.Read, "", (&entered{}).answers(`{}`), nil)
	h := open(t, &gate.Options{Observe: func(context.Context, gate.Progress) context.Context { panic("no") }}, look)
	want(t, h.one("look", `{}`), holdfast.OK, "", gate.Execute)
}

func TestTheLogHasALineForEachCallAndNothingThatItSaid(t *testing.T) {
	var b bytes.Buffer
	look := tool(t, "look", holdfast.Read, "", (&entered{}).answers(`{"a":"answer"}`), nil)
	h := open(t, &gate.Options{Log: slog.New(slog.NewTextHandler(&b, nil))}, look)
	h.one("look", `{"q":"question"}`)
	h.one("lok", `{"q":"question"}`)
	for _, want := range []string{
		`msg=call run=run turn=1 round=1 position=0 call=id_look tool=look effect=read stage=execute outcome=ok code="" replayed=false entry=`,
		`tool=lok effect="" stage=lookup outcome=rejected code=unknown_tool`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the log =\n%swant %s in it", b.String(), want)
		}
	}
	if strings.Contains(b.String(), "question") || strings.Contains(b.String(), "answer") {
		t.Errorf("the log holds arguments or results:\n%s", b.String())
	}
}
