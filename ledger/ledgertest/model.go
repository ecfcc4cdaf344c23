package ledgertest

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
)

// Model runs random operations of random callers on a ledger and on a small
// model of what it should mean, and compares every answer. open makes one store
// for all, on the given clock. A sample of so many operations is run, and with
// HOLDFAST_LONG=1 a long run.
func Model(t *testing.T, sample, long int, open func(t *testing.T, now func() time.Time) ledger.Store) {
	wanted := sample
	if os.Getenv("HOLDFAST_LONG") == "1" {
		wanted = long
	}
	k := &clock{now: time.Date(2024, 4, 11, 10, 0, 0, 0, time.UTC)}
	s := open(t, k.Now)
	t.Cleanup(func() { _ = s.Close() })
	runs, done := 0, 0
	for done < wanted && !t.Failed() {
		rapid.Check(t, func(rt *rapid.T) {
			if done >= wanted {
				return
			}
			runs++
			m := newMachine(rt, t, k, s, fmt.Sprint("tenant ", runs))
			rt.Repeat(m.actions(&done))
			for _, l := range m.ledgers {
				m.bench.kill(l) // so that what it runs is not looked at for ever
			}
		})
	}
	t.Logf("%d operations in %d runs", done, runs)
}

// actions are the operations of a machine, and the comparison after each. Those
// that had nothing to act on are not counted.
func (m *machine) actions(done *int) map[string]func(*rapid.T) {
	all := map[string]func(*rapid.T){"": m.check}
	for name, act := range map[string]func(*rapid.T){
		"start":    m.start,
		"settle":   m.settle,
		"resolve":  m.resolve,
		"ask":      m.ask,
		"decide":   m.decide,
		"resume":   m.resume,
		"withdraw": m.withdraw,
		"kill":     m.kill,
		"wait":     m.wait,
	} {
		all[name] = func(rt *rapid.T) {
			act(rt)
			*done++
		}
	}
	return all
}

// machine is a ledger in several processes beside the model of it.
type machine struct {
	bench   *bench
	tenant  string
	ledgers []*ledger.Ledger
	calls   []*modelCall
	holds   map[string]*modelCall // who has a key
}

// modelCall is what the model knows of an entry.
type modelCall struct {
	id, key, to, who, run string
	state                 ledger.State
	fence                 int64
	owner                 *ledger.Ledger
	approval              string
	decided               ledger.ApprovalState
	expires               time.Time
}

func newMachine(rt *rapid.T, t *testing.T, k *clock, s ledger.Store, tenant string) *machine {
	m := &machine{
		bench: &bench{T: t, clock: k, store: &mortal{Store: s}}, tenant: tenant, holds: map[string]*modelCall{},
	}
	for range 3 {
		m.ledgers = append(m.ledgers, m.another(rt))
	}
	return m
}

func (m *machine) another(rt *rapid.T) *ledger.Ledger {
	l, err := ledger.New(m.bench.Context(), m.bench.store, nil)
	if err != nil {
		rt.Fatalf("New() = %v, want no error", err)
	}
	return l
}

// draw is a call that somebody may propose; few of each kind, so that they meet.
func (m *machine) draw(rt *rapid.T) (c ledger.Claim, l *ledger.Ledger) {
	c = pay(rapid.SampledFrom([]string{"k1", "k2", "k3", "k4"}).Draw(rt, "key"), rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "to"))
	c.Entry.Principal = holdfast.Principal{Tenant: m.tenant, ID: rapid.SampledFrom([]string{"ana", "eve"}).Draw(rt, "who")}
	c.Entry.Run = rapid.SampledFrom([]string{"r1", "r2"}).Draw(rt, "run")
	c.TellsApart = rapid.Bool().Draw(rt, "tells apart")
	return c, m.ledgers[rapid.IntRange(0, len(m.ledgers)-1).Draw(rt, "ledger")]
}

// lives reports whether a call's owner has not been killed.
func (m *machine) lives(c *modelCall) bool {
	return slices.Contains(m.ledgers, c.owner)
}

// lapse lets the model see what the ledger must: started by the dead is
// uncertain, and the fence has moved.
func (m *machine) lapse() {
	for _, c := range m.calls {
		if c.state == ledger.StateStarted && !m.lives(c) {
			c.state = ledger.StateUncertain
			c.fence++
		}
		if (c.decided == ledger.Waiting || c.decided == ledger.Approved) && !m.bench.clock.Now().Before(c.expires) {
			c.decided = ledger.Expired
		}
	}
}

// want is the standing that a claim must have.
func (m *machine) want(c ledger.Claim) (code holdfast.Code, held, unresolved string) {
	m.lapse()
	e := c.Entry
	if h := m.holds[e.Key]; h != nil && h.id != e.ID {
		if h.who != e.Principal.ID {
			return holdfast.KeyConflict, "", ""
		}
		code, taken := map[ledger.State]holdfast.Code{
			ledger.StateOK: "", ledger.StateStarted: holdfast.InProgress, ledger.StateUncertain: holdfast.UnresolvedWrite,
		}[h.state]
		if h.state == ledger.StatePending && (h.decided == ledger.Waiting || h.decided == ledger.Approved) {
			code, taken = holdfast.ApprovalPending, true
		}
		if taken && "digest of "+h.to != e.ArgumentsDigest {
			return holdfast.KeyConflict, "", ""
		}
		if taken {
			return code, h.id, ""
		}
	}
	for i := len(m.calls) - 1; i >= 0; i-- {
		o := m.calls[i]
		if o.id == e.ID || o.state != ledger.StateStarted && o.state != ledger.StateUncertain {
			continue
		}
		if "digest of "+o.to == e.ArgumentsDigest && o.who == e.Principal.ID {
			if o.state == ledger.StateStarted {
				return holdfast.InProgress, o.id, ""
			}
			return holdfast.UnresolvedWrite, o.id, ""
		}
		if o.run == e.Run && unresolved == "" && !c.TellsApart {
			unresolved = o.id
		}
	}
	return "", "", unresolved
}

func (m *machine) compare(rt *rapid.T, way string, c ledger.Claim, s ledger.Standing, err error) bool {
	code, held, unresolved := m.want(c)
	gotHeld, gotUnresolved := "", ""
	if s.Held != nil {
		gotHeld = s.Held.ID
	}
	if s.Unresolved != nil {
		gotUnresolved = s.Unresolved.ID
	}
	if err != nil || s.Code != code || gotHeld != held || gotUnresolved != unresolved {
		rt.Fatalf("%s(%s to %s by %s) = %q held %q unresolved %q, %v, want %q held %q unresolved %q",
			way, c.Entry.Key, c.Entry.ArgumentsDigest, c.Entry.Principal.ID, s.Code, gotHeld, gotUnresolved, err, code, held, unresolved)
	}
	return code == "" && held == "" && unresolved == ""
}

func (m *machine) look(rt *rapid.T, l *ledger.Ledger, c ledger.Claim) {
	s, err := l.Look(m.bench.Context(), c)
	m.compare(rt, "Look", c, s, err)
}

func (m *machine) start(rt *rapid.T) {
	c, l := m.draw(rt)
	m.look(rt, l, c)
	e, s, err := l.Start(m.bench.Context(), c)
	if !m.compare(rt, "Start", c, s, err) {
		return
	}
	m.began(rt, &modelCall{id: e.ID, key: c.Entry.Key, to: to(c), who: c.Entry.Principal.ID, run: c.Entry.Run}, e, l)
}

func to(c ledger.Claim) string { return c.Entry.ArgumentsDigest[len("digest of "):] }

func (m *machine) began(rt *rapid.T, c *modelCall, e ledger.Entry, l *ledger.Ledger) {
	if h := m.holds[c.key]; h != nil && e.Fence <= h.fence {
		rt.Fatalf("fence of %s = %d, want more than %d", c.key, e.Fence, h.fence)
	}
	c.state, c.fence, c.owner = ledger.StateStarted, e.Fence, l
	if c.approval != "" {
		c.decided = ledger.Consumed
	} else {
		m.calls = append(m.calls, c)
	}
	m.holds[c.key] = c
}

func (m *machine) pick(rt *rapid.T, fits func(c *modelCall) bool) *modelCall {
	m.lapse()
	var list []*modelCall
	for _, c := range m.calls {
		if fits(c) {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		rt.Skip("no such call")
	}
	return list[rapid.IntRange(0, len(list)-1).Draw(rt, "call")]
}

func drawOutcome(rt *rapid.T) holdfast.Outcome {
	return rapid.SampledFrom([]holdfast.Outcome{
		ok("done"), failed(), uncertain(), holdfast.Reject(holdfast.Cancelled, "not entered", ""),
	}).Draw(rt, "outcome")
}

func (m *machine) settle(rt *rapid.T) {
	c := m.pick(rt, func(c *modelCall) bool { return c.owner != nil })
	o := drawOutcome(rt)
	fence := c.fence - rapid.SampledFrom([]int64{0, 0, 0, 1}).Draw(rt, "late by")
	before, _ := c.owner.Entry(m.bench.Context(), c.id)
	got, err := c.owner.Settle(m.bench.Context(), c.id, fence, o, "execute", "")
	switch repeated := before.Outcome != nil && before.Fence == fence && cmp.Equal(*before.Outcome, o); {
	case c.state == ledger.StateStarted && fence == c.fence:
		if err != nil {
			rt.Fatalf("Settle(%s) = %v, want no error", o.Status, err)
		}
		c.state = ledger.State(o.Status)
	case repeated:
		if err != nil {
			rt.Fatalf("Settle(%s) again = %v, want no error", o.Status, err)
		}
	case !errors.Is(err, ledger.ErrLost):
		rt.Fatalf("Settle(%s) of a call that is %s = %v, want ErrLost", o.Status, c.state, err)
	}
	if got.State != c.state {
		rt.Fatalf("Settle(%s) = %s, want %s", o.Status, got.State, c.state)
	}
}

func (m *machine) resolve(rt *rapid.T) {
	c := m.pick(rt, func(c *modelCall) bool { return c.state != ledger.StatePending })
	o := rapid.SampledFrom([]holdfast.Outcome{ok("seen"), failed()}).Draw(rt, "outcome")
	_, err := m.ledgers[0].Resolve(m.bench.Context(), c.id, c.fence, o, "boss", "seen")
	if want := c.state == ledger.StateUncertain; (err == nil) != want {
		rt.Fatalf("Resolve of a call that is %s = %v, want it to work: %v", c.state, err, want)
	}
	if err == nil {
		c.state = ledger.State(o.Status)
		c.fence++
	}
}

func (m *machine) ask(rt *rapid.T) {
	c, l := m.draw(rt)
	code, held, unresolved := m.want(c)
	wait := rapid.SampledFrom([]time.Duration{time.Minute, time.Hour}).Draw(rt, "wait")
	e, a, err := l.OpenApproval(m.bench.Context(), c.Entry, ledger.Approval{Digest: "bound", Wait: wait, Unresolved: unresolved})
	if err != nil {
		rt.Fatalf("OpenApproval() = %v, want no error", err)
	}
	if code == holdfast.ApprovalPending {
		if e.ID != held {
			rt.Fatalf("OpenApproval() = entry %s, want it to join %s", e.ID, held)
		}
		return
	}
	call := &modelCall{
		id: e.ID, key: c.Entry.Key, to: to(c), who: c.Entry.Principal.ID, run: c.Entry.Run, state: ledger.StatePending,
		approval: a.ID, decided: ledger.Waiting, expires: m.bench.clock.Now().Add(wait), fence: e.Fence,
	}
	m.calls = append(m.calls, call)
	if h := m.holds[call.key]; h == nil || h.who == call.who && m.done(h) {
		m.holds[call.key] = call
	}
}

// done reports whether a call no longer needs its key.
func (m *machine) done(c *modelCall) bool {
	live := c.decided == ledger.Waiting || c.decided == ledger.Approved
	return c.state == ledger.StateFailed || c.state == ledger.StateRejected || c.state == ledger.StatePending && !live
}

func (m *machine) decide(rt *rapid.T) {
	c := m.pick(rt, func(c *modelCall) bool { return c.approval != "" })
	decision, decide := ledger.Approved, m.ledgers[0].Approve
	if rapid.Bool().Draw(rt, "deny") {
		decision, decide = ledger.Denied, m.ledgers[0].Deny
	}
	_, err := decide(m.bench.Context(), c.approval, "boss", "because")
	same := c.decided == decision || c.decided == ledger.Consumed && decision == ledger.Approved
	var decided *ledger.DecidedError
	switch {
	case c.decided == ledger.Waiting && err == nil:
		c.decided = decision
	case c.decided == ledger.Waiting, same && err != nil, !same && !errors.As(err, &decided):
		rt.Fatalf("deciding %s on one that is %s = %v", decision, c.decided, err)
	}
}

func (m *machine) resume(rt *rapid.T) {
	call := m.pick(rt, func(c *modelCall) bool { return c.state == ledger.StatePending })
	c := pay(call.key, call.to)
	c.Entry.ID, c.Entry.Run, c.Entry.Principal = call.id, call.run, holdfast.Principal{Tenant: m.tenant, ID: call.who}
	c.ApprovalID, c.Digest, c.TellsApart = call.approval, "bound", true
	l := m.ledgers[rapid.IntRange(0, len(m.ledgers)-1).Draw(rt, "ledger")]
	e, s, err := l.Start(m.bench.Context(), c)
	code, held, _ := m.want(c)
	if code == "" && held == "" {
		code = map[ledger.ApprovalState]holdfast.Code{
			ledger.Waiting: holdfast.ApprovalPending, ledger.Denied: holdfast.ApprovalDenied, ledger.Expired: holdfast.ApprovalExpired,
		}[call.decided]
	}
	if err != nil || s.Code != code {
		rt.Fatalf("Start of a pending call whose approval is %s = %q, %v, want %q", call.decided, s.Code, err, code)
	}
	if s.Free() {
		m.began(rt, call, e, l)
	}
}

func (m *machine) withdraw(rt *rapid.T) {
	c := m.pick(rt, func(c *modelCall) bool { return c.approval != "" })
	err := m.ledgers[0].Withdraw(m.bench.Context(), c.approval, holdfast.Reject(holdfast.Cancelled, "cancelled", ""))
	if (err != nil) != (c.decided == ledger.Consumed) {
		rt.Fatalf("Withdraw of one that is %s = %v", c.decided, err)
	}
	if c.decided == ledger.Waiting || c.decided == ledger.Approved {
		c.decided = ledger.Withdrawn
	}
	if c.state == ledger.StatePending {
		c.state = ledger.StateRejected
	}
}

func (m *machine) kill(rt *rapid.T) {
	i := rapid.IntRange(0, len(m.ledgers)-1).Draw(rt, "ledger")
	m.bench.kill(m.ledgers[i])
	m.ledgers[i] = m.another(rt)
}

func (m *machine) wait(rt *rapid.T) {
	// The living renew their leases meanwhile.
	m.bench.clock.pass(rapid.SampledFrom([]time.Duration{time.Second, 2 * time.Minute}).Draw(rt, "time"))
}

// check compares every call with the model.
func (m *machine) check(rt *rapid.T) {
	m.lapse()
	for _, c := range m.calls {
		e, err := m.ledgers[0].Entry(m.bench.Context(), c.id)
		if err != nil || e.State != c.state || e.Fence != c.fence {
			rt.Fatalf("entry of %s = %s fence %d, %v, want %s fence %d", c.key, e.State, e.Fence, err, c.state, c.fence)
		}
	}
}
