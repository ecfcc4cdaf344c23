package holdfast

import "context"

// CallInfo is what a handler may know of the call it runs.
type CallInfo struct {
	// Key is the idempotency key of a write: pass it on to the API behind.
	Key       string
	LedgerID  string
	Run       string
	Turn      int // from 1
	Round     int // from 1
	Tool      string
	Principal Principal
}

type callInfoKey struct{}

// WithCallInfo is ctx with info; the gate sets it.
func WithCallInfo(ctx context.Context, info CallInfo) context.Context {
	return context.WithValue(ctx, callInfoKey{}, info)
}

// CallInfoFrom is the call that ctx runs, or the zero CallInfo.
func CallInfoFrom(ctx context.Context) CallInfo {
	info, _ := ctx.Value(callInfoKey{}).(CallInfo)
	return info
}
