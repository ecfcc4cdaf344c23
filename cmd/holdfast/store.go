package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
	"github.com/holdfast-go/holdfast/ledger/postgres"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
)

// memoryLedger is a ledger that ends with the process.
const memoryLedger = "memory"

// ledgerFlag is --ledger: memory, a SQLite file, or the default file.
type ledgerFlag struct {
	where string
	looks bool // the command only looks at what is there: it makes no file
	// committed is told of each write; nil: nobody is.
	committed func(time.Duration, error)
}

func (f *ledgerFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.where, "ledger", "", "the record: a SQLite file, or memory (default: holdfast.db in the user's data folder)")
}

// withLedger opens the ledger for the time of work.
func (a *app) withLedger(ctx context.Context, f ledgerFlag, work func(context.Context, *ledger.Ledger) error) (err error) {
	a.where = f.where
	store, err := a.openStore(ctx, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	l, err := ledger.New(ctx, store, &ledger.Options{Committed: f.committed})
	if err != nil {
		return fmt.Errorf("opening the ledger: %w", err)
	}
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = l.Run(renewing) // its end is ours: stop
	}()
	defer func() {
		stop()
		<-ended
		err = errors.Join(err, l.Close())
	}()
	return work(ctx, l)
}

// ledgerPlace is where the record is, for people.
func (a *app) ledgerPlace(f ledgerFlag) string {
	where := f.where
	if where == "" {
		where, _ = a.dataFile(ledgerFile) // it was opened before
	}
	if where == memoryLedger {
		return "memory, until this ends"
	}
	if u, err := url.Parse(where); err == nil && isDatabase(where) {
		return u.Redacted()
	}
	return where
}

func isDatabase(where string) bool {
	return strings.HasPrefix(where, "postgres://") || strings.HasPrefix(where, "postgresql://")
}

// ledgerFile is the default ledger, in the user's data folder.
const ledgerFile = "holdfast.db"

func (a *app) openStore(ctx context.Context, f ledgerFlag) (ledger.Store, error) {
	where := f.where
	switch {
	case where == memoryLedger:
		return memory.New(nil), nil
	case isDatabase(where):
		return postgres.Open(ctx, where, nil)
	case where == "":
		file, err := a.dataFile(ledgerFile)
		if err != nil {
			return nil, err
		}
		where = file
	}
	if _, err := os.Stat(where); f.looks && errors.Is(err, fs.ErrNotExist) {
		if f.where == "" {
			return memory.New(nil), nil // nothing was ever recorded
		}
		return nil, fmt.Errorf("opening the ledger: %w", err)
	}
	store, err := sqlite.Open(ctx, where, nil)
	if err != nil {
		return nil, fmt.Errorf("opening the ledger: %w", err)
	}
	return store, nil
}
