package postgres_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/ledgertest"
)

// BenchmarkWrite sets a write's claim, start and commit by 64 callers against
// two bare transactions of one statement each on 64 connections.
func BenchmarkWrite(b *testing.B) {
	const callers = 64
	l, err := ledger.New(b.Context(), open(b, newSchema()), nil)
	if err != nil {
		b.Fatal(err)
	}
	ledgertest.Price(b, callers, l, bare(b, callers))
}

func bare(b *testing.B, connections int32) func(ctx context.Context, key string) error {
	config, err := pgxpool.ParseConfig(address(b))
	if err != nil {
		b.Fatal(err)
	}
	config.MaxConns, config.MinConns = connections, connections
	pool, err := pgxpool.NewWithConfig(b.Context(), config)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	var opened []*pgxpool.Conn // before anything is measured
	for range connections {
		c, err := pool.Acquire(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		opened = append(opened, c)
	}
	for _, c := range opened {
		c.Release()
	}
	table := newSchema()
	if _, err := pool.Exec(b.Context(), "CREATE TABLE "+table+" (key text PRIMARY KEY, state text)"); err != nil {
		b.Fatal(err)
	}
	return func(ctx context.Context, key string) error {
		if _, err := pool.Exec(ctx, "INSERT INTO "+table+" VALUES ($1, 'started') ON CONFLICT DO NOTHING", key); err != nil {
			return err
		}
		_, err := pool.Exec(ctx, "UPDATE "+table+" SET state = 'ok' WHERE key = $1 AND state = 'started'", key)
		return err
	}
}
