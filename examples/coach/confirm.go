package coach

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
)

// confirm makes a confirm function of a look at what stands under a call's key:
// no row, no effect.
func confirm[T any](s *store, look func(context.Context, *sql.Tx, holdfast.Principal, string) (T, error)) func(context.Context, string, schema.Value) (holdfast.Confirmation, error) {
	return func(ctx context.Context, key string, _ schema.Value) (holdfast.Confirmation, error) {
		var there T
		err := s.read(ctx, ReadingBack, func(tx *sql.Tx) error {
			var err error
			there, err = look(ctx, tx, holdfast.CallInfoFrom(ctx).Principal, key)
			return err
		})
		if errors.Is(err, sql.ErrNoRows) {
			return holdfast.Confirmation{Effect: holdfast.DidNotHappen, Evidence: "no row stands under the call's key"}, nil
		}
		if err != nil {
			return holdfast.Confirmation{}, fmt.Errorf("reading back: %w", err)
		}
		result, err := json.Marshal(there)
		if err != nil {
			return holdfast.Confirmation{}, err
		}
		return holdfast.Confirmation{Effect: holdfast.Happened, Result: &holdfast.Result{JSON: result}, Evidence: "read back by the call's key"}, nil
	}
}
