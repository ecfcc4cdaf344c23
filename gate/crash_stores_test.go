package gate_test

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/postgres"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
)

// crashStoreKind is a kind of store that outlives its process. place makes an
// empty one.
type crashStoreKind struct {
	name  string
	place func(t *testing.T) string
	open  func(ctx context.Context, place string) (ledger.Store, error)
}

var crashStores = []crashStoreKind{
	{
		name:  "sqlite",
		place: func(t *testing.T) string { return filepath.Join(t.TempDir(), "l.db") },
		open: func(ctx context.Context, place string) (ledger.Store, error) {
			return sqlite.Open(ctx, place, nil)
		},
	},
	{
		name: "postgres",
		place: func(t *testing.T) string {
			if os.Getenv("HOLDFAST_POSTGRES") != "" {
				return "t_" + strings.ToLower(rand.Text())
			}
			if os.Getenv("HOLDFAST_REQUIRE_POSTGRES") == "1" {
				t.Fatal("HOLDFAST_POSTGRES names no database and HOLDFAST_REQUIRE_POSTGRES=1")
			}
			t.Skip("skipped: HOLDFAST_POSTGRES names no database")
			return ""
		},
		open: func(ctx context.Context, place string) (ledger.Store, error) {
			return postgres.Open(ctx, os.Getenv("HOLDFAST_POSTGRES"), &postgres.Options{Schema: place})
		},
	},
}
