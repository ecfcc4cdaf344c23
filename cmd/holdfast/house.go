package main

import (
	"context"
	"errors"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/model/scripted"
)

// house is what a call passes through, wired by hand: catalog, ledger, gate.
type house struct {
	label   string // the catalog's name for people and the record
	catalog *holdfast.Catalog
	system  func(now time.Time) string         // the system prompt of a conversation
	preset  func() (*scripted.Scenario, error) // the model that plays unless one is named; nil: none
	ledger  *ledger.Ledger
	gate    *gate.Gate
	staff   *staff // the agents of the catalog file, nil: none
}

// closeWait is how long a command waits at its end for outcomes that the ledger
// did not take at first.
const closeWait = 10 * time.Second

// withGate opens the ledger and the catalog for the time of work.
func (a *app) withGate(ctx context.Context, where ledgerFlag, catalogName string, work func(context.Context, *house) error) error {
	return a.withGateOf(ctx, where, catalogName, nil, work)
}

// withGateOf is withGate with options of the gate.
func (a *app) withGateOf(ctx context.Context, where ledgerFlag, catalogName string, o *gate.Options, work func(context.Context, *house) error) error {
	return a.withLedger(ctx, where, func(ctx context.Context, l *ledger.Ledger) (err error) {
		c, err := a.openCatalog(ctx, catalogName, where.where)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, c.close()) }()
		o, err := a.guarded(c, l, o)
		if err != nil {
			return err
		}
		g, err := gate.New(c.catalog, l, o)
		if err != nil {
			return err
		}
		if c.staff != nil {
			c.staff.ledger, c.staff.gates = l, o
		}
		defer func() {
			closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWait)
			defer cancel()
			err = errors.Join(err, c.staff.close(closing), g.Close(closing))
		}()
		return work(ctx, &house{label: c.label, catalog: c.catalog, system: c.system, preset: c.preset, ledger: l, gate: g, staff: c.staff})
	})
}
