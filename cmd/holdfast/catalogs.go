package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/catalogfile"
	"github.com/holdfast-go/holdfast/examples/coach"
	"github.com/holdfast-go/holdfast/model/scripted"
	"github.com/holdfast-go/holdfast/policy"
)

// coachName stands for the built-in coach wherever a catalog file may stand.
const coachName = "coach"

// openedCatalog is a catalog and what it holds open.
type openedCatalog struct {
	label   string
	catalog *holdfast.Catalog
	policy  *policy.Policy // of the catalog's file; nil: it names none
	staff   *staff         // the file's agents; nil: of none
	preset  func() (*scripted.Scenario, error)
	system  func(now time.Time) string
	close   func() error
}

// openCatalog opens a catalog file or the coach, whose data lies beside the
// ledger.
func (a *app) openCatalog(ctx context.Context, name, ledgerWhere string) (*openedCatalog, error) {
	if name == coachName {
		return a.openCoach(ctx, ledgerWhere)
	}
	agents := a.newStaff(name)
	f, err := a.readCatalog(name, agents)
	if err != nil {
		return nil, err
	}
	agents.file = f
	label := f.Catalog.Namespace()
	if label == "" {
		label = filepath.Base(name)
	}
	return &openedCatalog{label: label, catalog: f.Catalog, policy: f.Policy, staff: agents, system: fileSystem, close: func() error { return nil }}, nil
}

func (a *app) readCatalog(name string, agents *staff) (*catalogfile.File, error) {
	if name != "-" {
		return catalogfile.Open(name, agents)
	}
	src, err := a.readFile(name)
	if err != nil {
		return nil, err
	}
	c, err := catalogfile.Parse("standard input", src, nil)
	return &catalogfile.File{Catalog: c}, err
}

func (a *app) openCoach(ctx context.Context, ledgerWhere string) (*openedCatalog, error) {
	file, err := a.coachFile(ledgerWhere)
	if err != nil {
		return nil, err
	}
	c, err := coach.Open(ctx, file, nil)
	if err != nil {
		return nil, fmt.Errorf("opening the coach: %w", err)
	}
	return &openedCatalog{label: coachName, catalog: c.Catalog(), preset: coachScenario, system: c.System, close: c.Close}, nil
}

// coachScenario is what the coach's model plays unless a real one is named.
func coachScenario() (*scripted.Scenario, error) { return scripted.Parse(coach.Scenario()) }

// coachFile is beside the ledger where that is a file of its own, so that a
// ledger and what its keys stand for stay together.
func (a *app) coachFile(ledgerWhere string) (string, error) {
	if ledgerWhere == "" || ledgerWhere == memoryLedger || strings.Contains(ledgerWhere, "://") {
		return a.dataFile("coach.db")
	}
	return filepath.Join(filepath.Dir(ledgerWhere), "coach.db"), nil
}

// fileSystem is the system prompt for a catalog from a file.
func fileSystem(now time.Time) string {
	return "You help a person by calling the tools you are given. Today is " + now.Format(time.DateOnly) +
		". Say what a tool did only after its result came; if a call was rejected, read why and correct it."
}
