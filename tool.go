package holdfast

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/schema"
)

// Handler runs a call. args are exactly as validated; the call's idempotency
// key, run and principal are in [CallInfoFrom]. It must stop when ctx ends. A
// write's error means "perhaps" unless it is a [NoEffectError].
type Handler func(ctx context.Context, args schema.Value) (Result, error)

// Tool is one definition, complete: it cannot exist without a name, a
// description, a compiled schema, an effect, a timeout and a handler. Immutable
// and safe for concurrent use.
type Tool struct {
	name        string
	description string
	input       *schema.Schema
	effect      Effect
	timeout     time.Duration
	handler     Handler
	options     ToolOptions
	digest      string
}

// ToolOptions are what a tool may state beyond the required; nil means none.
type ToolOptions struct {
	// Output is the schema that results must satisfy; nil: not checked.
	Output *schema.Schema
	// Coerce opts in to reading "5" as 5 where the schema says integer, and the
	// like; every change is recorded.
	Coerce bool
	// ResultBytes is how much of a result the model sees; 0 means 64 KiB.
	ResultBytes int
	// HandlerBytes is how much a handler may hand back at all; 0 means 16 MiB.
	HandlerBytes int

	// Key computes a write's idempotency key from its arguments; nil means the
	// contract's default. KeyRule describes it in the definition's digest.
	Key     func(args schema.Value) (string, error)
	KeyRule string
	// Repeats says that the same write in a later round is another write.
	Repeats bool
	// TellsApart says that the tool's keys tell writes apart, so an unresolved
	// write of it does not hold back others with other arguments.
	TellsApart bool

	// Precondition looks, without effect, at what the call would meet. It runs
	// under the tool's timeout, before an approval and again before the start.
	Precondition func(ctx context.Context, args schema.Value) (Finding, error)
	// Approval says when a person must agree; nil: only when Precondition says so.
	Approval *ApprovalRule
	// Confirm tells whether a write's effect is there; nil: nobody can tell.
	Confirm func(ctx context.Context, key string, args schema.Value) (Confirmation, error)
	// InFlight is how long the API behind may still be at work on a write whose
	// answer was lost: before that, a confirm function's "no" does not count. 0
	// means not at all, and after a crash the timeout.
	InFlight time.Duration
	// Grade of a write; "" means confirm where Confirm is set, else person.
	Grade Grade

	// Untrusted says that results may hold what strangers wrote. The run is marked
	// before they are shown; from then on its writes, and its reads that send data
	// out, need a rule that allows them in spite of that, or a person.
	Untrusted bool
	// Sends says that a call sends data out, by its address or its words, though
	// it changes nothing. A write is taken to.
	Sends bool
	// Retries is how often a read that failed with a [TransientError] is run again,
	// within the timeout of its call; 0 means 2, and below 0 never.
	Retries int
	// CacheFor keeps a read's result for the same principal and arguments; 0: not.
	CacheFor time.Duration

	// Version of a Go handler, stated by its author: part of what an approval
	// is bound to. Declared holds a catalog file's `run`, for the same end.
	Version  string
	Declared json.RawMessage
}

// ApprovalRule says when a call needs a person.
type ApprovalRule struct {
	// Needs reports whether these arguments need one; nil: always.
	Needs func(args schema.Value) bool
	// Rule describes Needs in the definition's digest.
	Rule string
	// Expires is how long an approval waits; 0 means 24 h.
	Expires time.Duration
}

// Finding is a precondition's answer.
type Finding struct {
	// NeedsApproval asks for a person, and Why tells that person.
	NeedsApproval bool   `json:"needs_approval"`
	Why           string `json:"why,omitempty"`
	// Shown is what was found (old value against new), bound into the approval.
	Shown json.RawMessage `json:"shown,omitempty"`
}

// Confirmation is a confirm function's answer about an effect.
type Confirmation struct {
	Effect   EffectState
	Result   *Result // the result to record where it happened and none is held
	Evidence string  // what was seen, for the record
}

// EffectState is what is known of an effect.
type EffectState string

// What can be known of an effect.
const (
	Happened     EffectState = "happened"
	DidNotHappen EffectState = "did_not_happen"
	Unknown      EffectState = "unknown"
)

const (
	maxNameBytes        = 128
	maxDescriptionBytes = 16 << 10
	defaultResultBytes  = 64 << 10
	defaultHandlerBytes = 16 << 20
	defaultRetries      = 2
)

// NewTool makes a tool of a handler. Everything but o is required; o is copied.
// What is missing or contradicts itself is an error, and so is an input schema
// that says outright that it is for something else than an object: arguments are
// always one JSON object.
func NewTool(name, description string, input *schema.Schema, effect Effect, timeout time.Duration, h Handler, o *ToolOptions) (*Tool, error) {
	t := &Tool{name: name, description: description, input: input, effect: effect, timeout: timeout, handler: h}
	if o != nil {
		t.options = *o
	}
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("tool %q: %w", name, err)
	}
	t.complete()
	t.digest = t.definitionDigest()
	return t, nil
}

func (t *Tool) check() error {
	if err := checkName(t.name); err != nil {
		return err
	}
	if strings.TrimSpace(t.description) == "" {
		return errors.New("has no description; a model chooses by it")
	}
	if !utf8.ValidString(t.description) || len(t.description) > maxDescriptionBytes {
		return fmt.Errorf("description must be valid UTF-8 of at most %d bytes", maxDescriptionBytes)
	}
	if t.input == nil {
		return errors.New("has no input schema; an empty object schema says that it takes no arguments")
	}
	if !admitsObject(t.input.Source()) {
		return errors.New("input schema is not one of an object; arguments are always one JSON object")
	}
	if err := t.effect.check(); err != nil {
		return err
	}
	if t.timeout <= 0 {
		return errors.New("has no timeout; every tool must state one")
	}
	if t.handler == nil {
		return errors.New("has no handler")
	}
	return t.checkOptions()
}

// admitsObject is false only where the root's type plainly leaves objects out: a
// tool whose every call would be rejected is a slip of its author's.
func admitsObject(source json.RawMessage) bool {
	var root struct {
		Type json.RawMessage `json:"type"`
	}
	if json.Unmarshal(source, &root) != nil || root.Type == nil {
		return true // true, false, or by other words
	}
	var one string
	var several []string
	if json.Unmarshal(root.Type, &one) == nil {
		return one == "object"
	}
	return json.Unmarshal(root.Type, &several) != nil || slices.Contains(several, "object")
}

func (t *Tool) checkOptions() error {
	o := &t.options
	if o.ResultBytes < 0 || o.HandlerBytes < 0 {
		return errors.New("limits cannot be negative")
	}
	if o.CacheFor < 0 || o.InFlight < 0 {
		return errors.New("lengths of time cannot be negative")
	}
	if t.effect != Read && (o.CacheFor != 0 || o.Retries != 0) {
		return fmt.Errorf("cache and retries belong to a read, not to effect %q", string(t.effect))
	}
	if o.InFlight > 0 && o.Confirm == nil {
		return errors.New("a time in flight is for a confirm function, and there is none")
	}
	if t.effect != Write {
		if o.Confirm != nil || o.Key != nil || o.Grade != "" || o.Repeats {
			return fmt.Errorf("key, confirm, grade and repeats belong to a write, not to effect %q", string(t.effect))
		}
		return nil
	}
	switch o.Grade {
	case "", Deduplicates, Person:
	case Confirms:
		if o.Confirm == nil {
			return errors.New("grade confirm needs a confirm function")
		}
	default:
		return fmt.Errorf("grade %q is none of deduplicates, confirm, person", string(o.Grade))
	}
	return nil
}

func (t *Tool) complete() {
	o := &t.options
	if o.ResultBytes == 0 {
		o.ResultBytes = defaultResultBytes
	}
	if o.HandlerBytes == 0 {
		o.HandlerBytes = defaultHandlerBytes
	}
	if t.effect == Read && o.Retries == 0 {
		o.Retries = defaultRetries
	}
	if t.effect == Write && o.Grade == "" {
		o.Grade = Person
		if o.Confirm != nil {
			o.Grade = Confirms
		}
	}
}

// checkName admits what people, policy and the ledger can hold; a codec encodes
// a name further where its provider takes less.
func checkName(name string) error {
	if name == "" {
		return errors.New("has no name")
	}
	if len(name) > maxNameBytes {
		return fmt.Errorf("name is longer than %d bytes", maxNameBytes)
	}
	for i, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
		case (r == '-' || r == '.' || r == '/') && i > 0:
		default:
			return fmt.Errorf("name has %q; letters, digits, _ and, not first, - . / are allowed", r)
		}
	}
	return nil
}

// definitionDigest covers everything an approval is bound to.
func (t *Tool) definitionDigest() string {
	var output json.RawMessage
	if t.options.Output != nil {
		output = t.options.Output.Source()
	}
	approval, expires := "", time.Duration(0)
	if t.options.Approval != nil {
		approval, expires = "always", t.options.Approval.Expires
		if t.options.Approval.Needs != nil {
			approval = t.options.Approval.Rule
		}
	}
	o := &t.options
	parts := []any{
		t.name, t.description, t.input.Source(), output, t.effect, t.timeout, o.Coerce, o.ResultBytes, o.HandlerBytes,
		o.Key != nil, o.KeyRule, o.Repeats, o.TellsApart, o.Precondition != nil, approval, expires,
		o.Confirm != nil, o.Grade, o.Version, o.Declared,
	}
	// What came later is added only where it is stated, so that the digests of
	// definitions that do not state it stay what they were.
	if o.Untrusted {
		parts = append(parts, "untrusted")
	}
	if o.Sends {
		parts = append(parts, "sends")
	}
	if o.InFlight > 0 {
		parts = append(parts, "in_flight", o.InFlight)
	}
	if t.effect == Read && o.Retries != defaultRetries {
		parts = append(parts, "retries", o.Retries)
	}
	if o.CacheFor > 0 {
		parts = append(parts, "cache", o.CacheFor)
	}
	text, err := json.Marshal(parts)
	if err != nil {
		panic("holdfast: definition of a tool does not marshal: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Name of the tool, without its catalog's namespace.
func (t *Tool) Name() string { return t.name }

// Description that the model chooses by.
func (t *Tool) Description() string { return t.description }

// Input is the compiled schema of the arguments.
func (t *Tool) Input() *schema.Schema { return t.input }

// Effect of the tool.
func (t *Tool) Effect() Effect { return t.effect }

// Timeout of one run of the handler.
func (t *Tool) Timeout() time.Duration { return t.timeout }

// Options are the tool's options with defaults filled in.
func (t *Tool) Options() ToolOptions { return t.options }

// Digest is the definition's SHA-256 in hex: what an approval is bound to.
func (t *Tool) Digest() string { return t.digest }

// Handle enters the handler. Only the gate calls it: the line where an effect
// becomes possible is the gate's.
func (t *Tool) Handle(ctx context.Context, args schema.Value) (Result, error) {
	return t.handler(ctx, args)
}
