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

// infoContext is a context with a call's info, both in one piece.
type infoContext struct {
	context.Context
	info CallInfo
}

// Value is the info for its key.
func (c *infoContext) Value(key any) any {
	if key == (callInfoKey{}) {
		return &c.info
	}
	return c.Context.Value(key)
}

// WithCallInfo is ctx with info; the gate sets it.
func WithCallInfo(ctx context.Context, info CallInfo) context.Context {
	return &infoContext{ctx, info}
}

// CallInfoFrom is the call that ctx runs, or the zero CallInfo.
func CallInfoFrom(ctx context.Context) CallInfo {
	if info, ok := ctx.Value(callInfoKey{}).(*CallInfo); ok {
		return *info
	}
	return CallInfo{}
}
