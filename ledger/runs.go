package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdfast-go/holdfast"
)

type storedRun struct {
	ID        string    `json:"id"`
	Catalog   string    `json:"catalog,omitempty"`
	Model     string    `json:"model,omitempty"`
	Tenant    string    `json:"tenant,omitempty"`
	Principal string    `json:"principal,omitempty"`
	Parent    string    `json:"parent,omitempty"`
	Root      string    `json:"root,omitempty"`
	Created   time.Time `json:"created"`
}

func storeRun(r Run) storedRun {
	return storedRun{
		ID: r.ID, Catalog: r.Catalog, Model: r.Model,
		Tenant: r.Principal.Tenant, Principal: r.Principal.ID, Parent: r.Parent, Root: r.Root, Created: r.Created,
	}
}

func (s *storedRun) run() Run {
	return Run{
		ID: s.ID, Catalog: s.Catalog, Model: s.Model,
		Principal: holdfast.Principal{Tenant: s.Tenant, ID: s.Principal}, Parent: s.Parent, Root: s.Root, Created: s.Created,
	}
}

// CreateRun writes a run, and gives it an id if it has none. The same run again
// changes nothing, so a program may begin with it; one with that id that differs
// is an error. Within an agent call it shares the root of that call's run; a Root
// that itself shares another's is that other.
func (l *Ledger) CreateRun(ctx context.Context, r Run) (Run, error) {
	if r.ID == "" {
		r.ID = l.newID()
	}
	s := storeRun(r)
	var out storedRun
	err := l.update(ctx, func(t *txn) error {
		old, err := get[storedRun](t, runs, r.ID)
		if err != nil {
			return err
		}
		out = s
		if out.Root, err = t.sharedRoot(&s); err != nil {
			return err
		}
		if old != nil {
			out.Created = old.Created
			if out != *old {
				return fmt.Errorf("there is another run of that id, for catalog %q", old.Catalog)
			}
			return nil
		}
		out.Created = firstTime(out.Created, t.now)
		return t.put(runs, r.ID, [7]string{r.Parent}, out)
	})
	if err != nil {
		return r, fmt.Errorf("creating run %s: %w", r.ID, err)
	}
	return out.run(), nil
}

// LookupRun is the run of that id, or [ErrNotFound]: CreateRun makes it.
func (l *Ledger) LookupRun(ctx context.Context, id string) (Run, error) {
	var out Run
	err := l.view(ctx, func(t *txn) error {
		s, err := must[storedRun](t, runs, id)
		if err != nil {
			return err
		}
		out, err = t.labelled(s)
		return err
	})
	if errors.Is(err, ErrNotFound) {
		return out, fmt.Errorf("run %q: %w; CreateRun makes one", id, ErrNotFound)
	}
	return out, err
}

// Runs lists runs.
func (l *Ledger) Runs(ctx context.Context, f Filter) ([]Run, error) {
	var list []Run
	err := l.view(ctx, func(t *txn) error {
		list = nil
		return t.page(Query{Table: runs, Words: [7]string{f.Parent}}, f, func(row Row) (bool, error) {
			s, err := load[storedRun](row)
			if err != nil {
				return false, err
			}
			r, err := t.labelled(s)
			list = append(list, r)
			return true, err
		})
	})
	return list, err
}

// maxNested bounds how deep runs within calls are followed.
const maxNested = 64

// Outermost is the call of a person's conversation that e was made for: e itself,
// or the outermost of the agent calls around it.
func (l *Ledger) Outermost(ctx context.Context, e Entry) (Entry, error) {
	out := e
	err := l.view(ctx, func(t *txn) error {
		around, err := t.outermost(e.Run)
		if err == nil && around != nil {
			out = around.entry()
		}
		return err
	})
	return out, err
}

// outermost is the call of a person's conversation that a run is within, or nil.
func (t *txn) outermost(run string) (*storedEntry, error) {
	var out *storedEntry
	for range maxNested {
		r, err := get[storedRun](t, runs, run)
		if err != nil || r == nil || r.Parent == "" {
			return out, err
		}
		if out, err = t.mustEntry(r.Parent); err != nil {
			return nil, fmt.Errorf("the call around run %s: %w", run, err)
		}
		if out, err = t.lapse(out); err != nil {
			return nil, err
		}
		run = out.Run
	}
	return nil, fmt.Errorf("run %s: more than %d runs within each other", run, maxNested)
}

// place says in which call of a conversation an approval's call is made, if it is
// made within one. That is not kept with it: the runs say it.
func (t *txn) place(a *Approval) error {
	around, err := t.outermost(a.Run)
	if errors.Is(err, ErrNotFound) { // pruned
		return nil
	}
	if err == nil && around != nil {
		a.Within, a.WithinRun, a.WithinTool = around.ID, around.Run, around.Tool
	}
	return err
}
