package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/holdfast-go/holdfast/schema"
)

// batchLine is one line of a batch. Instances come as JSON or as raw text, for
// what could not stand in JSON.
type batchLine struct {
	ID        json.RawMessage   `json:"id"`
	Schema    json.RawMessage   `json:"schema"`
	Draft     string            `json:"draft"`
	Mode      string            `json:"mode"`
	Instances []json.RawMessage `json:"instances"`
	Texts     []string          `json:"instances_text"`
}

// batchResult is one line of the output, its lists in the order of the
// instances. The names are fixed.
type batchResult struct {
	ID       json.RawMessage     `json:"id"`
	Valid    []bool              `json:"valid"`
	Problems [][]schema.Problem  `json:"problems"`
	Warnings [][]schema.Problem  `json:"warnings"`
	Coerced  [][]schema.Coercion `json:"coerced"`
	Values   []json.RawMessage   `json:"values"`
}

// batchError is the line of a schema that does not compile, or of a line that
// is no batch line.
type batchError struct {
	ID     json.RawMessage `json:"id"`
	Valid  []bool          `json:"valid"` // null
	Error  schema.Fault    `json:"error"`
	Faults []schema.Fault  `json:"faults"`
}

func (a *app) checkBatch(f checkFlags, remotes map[string][]byte) error {
	in, err := a.open(f.batch)
	if err != nil {
		return err
	}
	defer in.Close()
	out := bufio.NewWriter(a.stdout)
	findings := false
	lines := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := readLine(lines)
		if len(bytes.TrimSpace(line)) > 0 {
			result, found := f.batchLine(line, remotes)
			if err := writeJSON(out, result); err != nil {
				return err
			}
			findings = findings || found
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return errors.Join(out.Flush(), fmt.Errorf("reading %s: %w", shownName(f.batch), err))
		}
		if lines.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if findings {
		return errFindings
	}
	return nil
}

// readLine reads one line of at most maxInputBytes.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxInputBytes {
			return nil, fmt.Errorf("a line is longer than %d bytes", maxInputBytes)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// batchLine answers one line and reports whether it found anything. A line that
// cannot be used has its answer too, so that the output keeps its order.
func (f checkFlags) batchLine(text []byte, remotes map[string][]byte) (any, bool) {
	var line batchLine
	if err := json.Unmarshal(text, &line); err != nil {
		return refusedLine(nil, schema.Fault{Keyword: "batch", Message: err.Error()}), true
	}
	opts, err := line.options(f)
	if err != nil {
		return refusedLine(line.ID, schema.Fault{Keyword: "batch", Message: err.Error()}), true
	}
	opts.Remotes = remotes
	s, err := schema.Compile(line.Schema, opts)
	if c := (*schema.CompileError)(nil); errors.As(err, &c) && len(c.Faults) > 0 {
		return refusedLine(line.ID, c.Faults...), true
	}
	if err != nil {
		return refusedLine(line.ID, schema.Fault{Keyword: "schema", Message: err.Error()}), true
	}
	return line.check(s, f.coerce)
}

func refusedLine(id json.RawMessage, faults ...schema.Fault) batchError {
	return batchError{ID: id, Error: faults[0], Faults: faults}
}

// options are the line's own, and the flags' where it has none.
func (l batchLine) options(f checkFlags) (*schema.Options, error) {
	if l.Schema == nil {
		return nil, errors.New("the line has no schema")
	}
	if l.Instances != nil && l.Texts != nil {
		return nil, errors.New("the line has both instances and instances_text")
	}
	return schemaOptions(cmp.Or(l.Draft, f.draft), cmp.Or(l.Mode, f.mode))
}

// texts are the line's instances.
func (l batchLine) texts() [][]byte {
	texts := make([][]byte, 0, len(l.Instances)+len(l.Texts))
	for _, instance := range l.Instances {
		texts = append(texts, instance)
	}
	for _, text := range l.Texts {
		texts = append(texts, []byte(text))
	}
	return texts
}

func (l batchLine) check(s *schema.Schema, coerce bool) (batchResult, bool) {
	r := batchResult{
		ID: l.ID, Valid: []bool{}, Problems: [][]schema.Problem{}, Warnings: [][]schema.Problem{},
		Coerced: [][]schema.Coercion{}, Values: []json.RawMessage{},
	}
	found := false
	for _, text := range l.texts() {
		c := checkText(s, text, coerce)
		found = found || !c.Valid
		r.Valid = append(r.Valid, c.Valid)
		r.Problems = append(r.Problems, c.Problems)
		r.Warnings = append(r.Warnings, c.Warnings)
		r.Coerced = append(r.Coerced, c.Coerced)
		r.Values = append(r.Values, c.Value)
	}
	return r, found
}
