package ledgertest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
)

// child is what runs in the process that is to die.
func child(t *testing.T, what string, open func(ctx context.Context, place string) (ledger.Store, error)) {
	s, err := open(t.Context(), os.Getenv(envPlace))
	if err != nil {
		t.Fatalf("opening = %v", err)
	}
	defer s.Close()
	var o *ledger.Options
	if what == "zombie" {
		o = &ledger.Options{Lease: zombieLease}
	}
	l, err := ledger.New(t.Context(), s, o)
	if err != nil {
		t.Fatalf("New() = %v", err)
	}
	defer l.Close()
	p := &program{T: t, Ledger: l}
	switch fields := strings.Fields(what); fields[0] {
	case "script":
		p.script()
	case "busy":
		p.busy()
	case "zombie":
		p.zombie(s)
	case "race":
		p.race(fields[1] == "other", number(fields[2]), number(fields[3]), fields[4])
	}
	note("points", strconv.FormatInt(passed.Load(), 10))
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

// note appends a line to a file of the world in one write.
func note(file, line string) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(line + "\n")
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		panic(err)
	}
}

// program is a process that makes calls as the gate does.
type program struct {
	*testing.T
	*ledger.Ledger
}

var scriptKeys = []string{"plain", "approved", "again", "last"}

// script makes one call of each kind, or brings to its end what a process
// before it left.
func (p *program) script() {
	for _, key := range scriptKeys {
		Point()
		c := pay(key, key)
		c.TellsApart = true
		s, err := p.Look(p.Context(), c)
		if err != nil {
			p.Fatalf("Look() = %v", err)
		}
		Point()
		switch {
		case s.Code == holdfast.UnresolvedWrite:
			if p.resolve(*s.Held) {
				continue
			}
		case s.Held != nil && s.Held.State == ledger.StateOK:
			continue
		case s.Code == holdfast.ApprovalPending:
			c.Entry.ID, c.ApprovalID = s.Held.ID, s.Held.ApprovalID
		}
		if key == "approved" {
			c = p.agree(c)
		}
		p.call(c, key == "again")
		if key == "again" {
			p.call(c, false)
		}
	}
}

// resolve asks the world, as a confirm function would, and reports whether the
// call is done.
func (p *program) resolve(e ledger.Entry) bool {
	o := failed()
	if readWorld(p.T, ".").effects[e.Key] > 0 {
		o = ok("seen")
	}
	Point()
	if _, err := p.Resolve(p.Context(), e.ID, e.Fence, o, "confirm", "looked at the world"); err != nil {
		p.Fatalf("Resolve() = %v", err)
	}
	Point()
	return o.Status == holdfast.OK
}

func (p *program) agree(c ledger.Claim) ledger.Claim {
	if c.ApprovalID == "" {
		e, a, err := p.OpenApproval(p.Context(), c.Entry, ledger.Approval{Digest: "bound"})
		if err != nil {
			p.Fatalf("OpenApproval() = %v", err)
		}
		c.Entry.ID, c.ApprovalID = e.ID, a.ID
	}
	Point()
	if _, err := p.Approve(p.Context(), c.ApprovalID, "boss", ""); err != nil {
		p.Fatalf("Approve() = %v", err)
	}
	Point()
	c.Digest = "bound"
	return c
}

// call starts, acts and settles. One without effect fails, and says so.
func (p *program) call(c ledger.Claim, withoutEffect bool) {
	e, s, err := p.Start(p.Context(), c)
	if err != nil || !s.Free() {
		p.Fatalf("Start(%s) = %+v, %v", c.Entry.Key, s, err)
	}
	Point()
	o := ok("done")
	if withoutEffect {
		o = failed()
	} else {
		note("effects", c.Entry.Key)
	}
	Point()
	if _, err := p.Settle(p.Context(), e.ID, e.Fence, o, "record", ""); err != nil {
		p.Fatalf("Settle() = %v", err)
	}
	Point()
	if !withoutEffect {
		note("acked", c.Entry.Key)
	}
}

// busy makes calls with 16 workers until it is killed.
func (p *program) busy() {
	note("busy", "begun")
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for {
				key := strconv.FormatUint(rand.Uint64(), 36)
				c := pay(key, key)
				c.TellsApart = true
				p.call(c, rand.IntN(8) == 0)
				if rand.IntN(4) == 0 {
					if _, err := p.Record(p.Context(), look("busy", 1, 0)); err != nil {
						p.Errorf("Record() = %v", err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

func (p *program) race(others bool, racers, keys int, me string) {
	for k := range keys {
		var wg sync.WaitGroup
		for i := range racers {
			wg.Go(func() {
				key := fmt.Sprint("race", k)
				to := key
				if others {
					to = fmt.Sprint(key, me, i)
				}
				c := pay(key, to)
				c.TellsApart = true
				_, s, err := p.Start(p.Context(), c)
				if err != nil {
					p.Errorf("Start() = %v", err)
				}
				if s.Free() {
					note("effects", key)
				}
			})
		}
		wg.Wait()
	}
}
