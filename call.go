package holdfast

// CallKind says what kind of call a model proposed.
type CallKind string

// The kinds. Only a function call can be ours to run.
const (
	FunctionCall CallKind = "function"
	CustomCall   CallKind = "custom"  // its input is free text, not JSON
	BuiltinCall  CallKind = "builtin" // a provider's own tool
)

// Call is what a model proposed: data, never an action. Codecs make calls from
// a provider's bytes; the gate decides what becomes of them.
type Call struct {
	// ID is the provider's own id, "" if it sent none. It is unique within its
	// round at best.
	ID string
	// Name is the tool's name as the provider sent it.
	Name string
	// Namespace is a provider's own qualifier (toolset, namespace), "" mostly.
	Namespace string
	Kind      CallKind
	// Arguments is the exact argument text as it was sent, joined. Where the
	// provider sends an object, it is that slice of the source.
	Arguments string
	// Complete says that the call came whole and that no stop reason vetoes it.
	Complete bool
	// ProviderExecuted marks calls that the provider ran itself, or whose
	// result already stands in the same reply. They are never ours to run.
	ProviderExecuted bool
	// Problem is a code of the contract that the codec already knows of, or "".
	Problem Code
}

// Principal is on whose behalf a run acts, within a tenant.
type Principal struct {
	Tenant string `json:"tenant"`
	ID     string `json:"id"`
}
