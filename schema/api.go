package schema

import (
	"encoding/json"
	"errors"
	"iter"
)

// Draft is a JSON Schema draft.
type Draft string

// The drafts that compile. The zero value means: what "$schema" says, else 2020-12.
const (
	Draft202012 Draft = "2020-12"
	Draft201909 Draft = "2019-09"
	Draft7      Draft = "7"
	Draft6      Draft = "6"
	Draft4      Draft = "4"
)

// Mode says what a schema asserts.
type Mode int

const (
	// ModeTool asserts formats and content, and needs an object at the root.
	ModeTool Mode = iota
	// ModeSpec is the specification's own meaning.
	ModeSpec
)

// Options of Compile; nil means defaults.
type Options struct {
	Draft   Draft
	Mode    Mode
	Remotes map[string][]byte // absolute address to document; the network is never asked
	Coerce  bool              // reserved for callers that keep it with the schema
}

// Limits of Read; a zero field means its default.
type Limits struct {
	Bytes    int // of the whole text; 1 MiB
	Depth    int // of nesting; 64
	String   int // bytes of one string; 256 KiB
	Digits   int // of one number; 400
	Exponent int // absolute; 400
}

// Fault is one thing wrong with a schema.
type Fault struct {
	Path    string `json:"path"` // JSON Pointer into the schema
	Keyword string `json:"keyword"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
}

// CompileError lists why a schema does not compile.
type CompileError struct{ Faults []Fault }

func (e *CompileError) Error() string { return "schema: not compiled" }

// ReadError says why bytes are not one JSON value within the limits.
type ReadError struct {
	Keyword string // "json" or "limit"
	Path    string // JSON Pointer to where it happened, as far as known
	Offset  int    // byte offset
	Message string
}

func (e *ReadError) Error() string { return e.Message }

// Problem is one thing wrong with a value.
type Problem struct {
	Path     string `json:"path"` // JSON Pointer
	Keyword  string `json:"keyword"`
	Expected string `json:"expected"`
	Got      string `json:"got"`
	Message  string `json:"message"`
}

// Report is what Validate found.
type Report struct {
	Problems []Problem
	Warnings []Problem
}

// Valid reports whether there is no problem.
func (r Report) Valid() bool { return len(r.Problems) == 0 }

// Coercion records one change that Coerce made.
type Coercion struct {
	Path string          `json:"path"`
	Rule string          `json:"rule"`
	From json.RawMessage `json:"from"`
	To   json.RawMessage `json:"to"`
}

// Kind of a Value.
type Kind int

// The kinds; the zero Value is Invalid.
const (
	Invalid Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// Value is one JSON value as it was read: names in order, numbers as their text.
// It is immutable and safe for concurrent use.
type Value struct{}

// Kind of v.
func (v Value) Kind() Kind { return Invalid }

// Raw is the JSON text of v. The caller must not change it.
func (v Value) Raw() json.RawMessage { return nil }

// Text is a string's value, a number's literal, or "".
func (v Value) Text() string { return "" }

// Bool is a boolean's value.
func (v Value) Bool() bool { return false }

// Len is the number of elements or members.
func (v Value) Len() int { return 0 }

// Get is the member of that exact name.
func (v Value) Get(name string) (Value, bool) { return Value{}, false }

// At follows a JSON Pointer.
func (v Value) At(pointer string) (Value, bool) { return Value{}, false }

// Elements of an array, in order.
func (v Value) Elements() iter.Seq2[int, Value] { return func(func(int, Value) bool) {} }

// Members of an object, in order.
func (v Value) Members() iter.Seq2[string, Value] { return func(func(string, Value) bool) {} }

// Canonical is v with names ordered and strings escaped as in RFC 8785, and
// numbers as exact normalised decimals.
func (v Value) Canonical() []byte { return nil }

// Equal compares by JSON Schema's rule: numbers by value, objects without order.
func (v Value) Equal(w Value) bool { return false }

// Schema is a compiled schema; it exists only compiled. Safe for concurrent use.
type Schema struct{}

// Compile compiles one schema document. The error is a *CompileError.
func Compile(src []byte, o *Options) (*Schema, error) { return nil, errors.ErrUnsupported }

// For is the schema of a Go type, by reflection and the tags of the package comment.
func For[T any](o *Options) (*Schema, error) { return nil, errors.ErrUnsupported }

// Read reads exactly one JSON value (RFC 8259, valid UTF-8, no duplicate names,
// no lone surrogates). It copies src. The error is a *ReadError.
func Read(src []byte, l *Limits) (Value, error) { return Value{}, errors.ErrUnsupported }

// Decode fills dst from v: case-sensitive, exact.
func Decode(v Value, dst any) error { return errors.ErrUnsupported }

// Source is the schema document as it was given.
func (s *Schema) Source() json.RawMessage { return nil }

// Lint lists what compiles but deserves a look.
func (s *Schema) Lint() []Fault { return nil }

// Validate finds every problem of v, in document order.
func (s *Schema) Validate(v Value) Report { return Report{} }

// Coerce reads v as the schema would have it, where that can be done in one way
// only, and records what it changed. A value that validates comes back as it is.
func (s *Schema) Coerce(v Value) (Value, []Coercion) { return v, nil }

// Mask is v's JSON with every value that the schema marks writeOnly replaced.
func (s *Schema) Mask(v Value) json.RawMessage { return nil }

// Rules say what a provider takes of a schema.
type Rules struct{}

// Omission is something left out of a rewritten schema.
type Omission struct {
	Path    string `json:"path"`
	Keyword string `json:"keyword"`
	Why     string `json:"why"`
}

// Rewrite is the schema as a provider with these rules takes it, and what was left out.
func (s *Schema) Rewrite(r *Rules) (json.RawMessage, []Omission) { return nil, nil }

// Instance is a generated document; Path and Keyword name its one fault.
type Instance struct {
	JSON    json.RawMessage
	Path    string
	Keyword string
}

// Generate makes a valid instance; the same seed makes the same one.
func (s *Schema) Generate(seed uint64) (Instance, error) { return Instance{}, errors.ErrUnsupported }

// GenerateFaulty makes an instance with exactly one fault.
func (s *Schema) GenerateFaulty(seed uint64) (Instance, error) {
	return Instance{}, errors.ErrUnsupported
}
