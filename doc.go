// Package holdfast is the tool-calling contract that holds: it stands between a
// language model and the code that the model wants to call.
//
// A tool call is a request, not an action. A [Tool] is one definition (name,
// description, input schema, effect, timeout, handler) that advertises itself to
// every provider and validates its own calls; a [Catalog] is a closed set of
// them; a [Call] is what a model proposed; an [Outcome] is what became of it,
// and an [Observation] is the outcome as the model reads it. What lies between
// call and outcome is package gate, and what is remembered of it package ledger.
//
//	weigh, err := holdfast.Func("write_weight", "Store today's weight.", holdfast.Write, time.Second,
//		func(ctx context.Context, in Weight) (Stored, error) { … }, nil)
//	catalog, err := holdfast.NewCatalog("coach", weigh)
//
// The package knows no provider, no storage and no network.
package holdfast
