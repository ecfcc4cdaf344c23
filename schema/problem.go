package schema

import (
	"fmt"
	"strings"
)

// Fault is one thing wrong with a schema.
type Fault struct {
	Path    string `json:"path"` // JSON Pointer into the schema
	Keyword string `json:"keyword"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
}

// CompileError lists why a schema does not compile.
type CompileError struct{ Faults []Fault }

// Error names the first fault and how many more there are.
func (e *CompileError) Error() string {
	if len(e.Faults) == 0 {
		return "compiling schema: no fault listed"
	}
	f := e.Faults[0]
	var b strings.Builder
	fmt.Fprintf(&b, "compiling schema: %s at %q", f.Message, f.Path)
	if f.Fix != "" {
		fmt.Fprintf(&b, " (%s)", f.Fix)
	}
	if more := len(e.Faults) - 1; more > 0 {
		fmt.Fprintf(&b, ", and %d more", more)
	}
	return b.String()
}

// Problem is one thing wrong with a value.
type Problem struct {
	Path     string `json:"path"` // JSON Pointer
	Keyword  string `json:"keyword"`
	Expected string `json:"expected"`
	Got      string `json:"got"`
	Message  string `json:"message"`
}

// Report is what Validate found, in document order.
type Report struct {
	Problems []Problem
	Warnings []Problem
}

// Valid reports whether there is no problem.
func (r Report) Valid() bool { return len(r.Problems) == 0 }
