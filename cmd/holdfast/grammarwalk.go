package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/holdfast-go/holdfast/grammar"
	"github.com/holdfast-go/holdfast/grammar/tokenizer"
	"github.com/holdfast-go/holdfast/schema"
)

// bench walks the tests of schemas, one file after the other.
type bench struct {
	vocabulary *tokenizer.Vocabulary
	options    *grammar.Options
	clock      stopwatch

	schemas                          []benchedSchema
	mislabelled                      []string
	compiles, firsts, masks, commits []time.Duration
}

// benchCase is a file: a schema, and texts that it admits or not.
type benchCase struct {
	schema []byte
	tests  []benchTest
}

type benchTest struct {
	valid bool
	text  []byte
}

// file measures one file.
func (b *bench) file(name string, source []byte) error {
	c, err := readCase(source)
	if err != nil {
		return err
	}
	entry := benchedSchema{File: filepath.Base(name), Failed: []int{}}
	var s *schema.Schema
	var g *grammar.Grammar
	before := heap()
	took := b.clock.lap(func() {
		s, g, entry.Refused, err = compileGrammar(c.schema, &schema.Options{Mode: schema.ModeSpec, Formats: true}, b.options)
	})
	if err != nil {
		return err
	}
	entry.Compiled, entry.CompileUS = g != nil, microseconds(took)
	if g != nil {
		b.compiles = append(b.compiles, took)
		if err := b.tests(&entry, s, g, c.tests); err != nil {
			return err
		}
		entry.Bytes = max(0, heap()-before)
	}
	runtime.KeepAlive(g)
	b.schemas = append(b.schemas, entry)
	return nil
}

// heap is how many bytes are held. What a grammar holds, schema and caches
// included, is the difference: it is measured and not told by the grammar.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func (b *bench) tests(entry *benchedSchema, s *schema.Schema, g *grammar.Grammar, tests []benchTest) error {
	first := true
	for i, test := range tests {
		v, err := schema.Read(test.text, nil)
		if valid := err == nil && s.Validate(v).Valid(); valid != test.valid {
			b.mislabelled = append(b.mislabelled, fmt.Sprintf("%s#%d", entry.File, i))
			continue
		}
		ids := b.vocabulary.Encode(string(test.text))
		if !bytes.Equal(b.vocabulary.Decode(ids), test.text) {
			return fmt.Errorf("test %d: the vocabulary does not write the text as it stands", i)
		}
		if b.walk(g.Matcher(b.vocabulary), ids, &first) == test.valid {
			entry.Right++
		} else {
			entry.Wrong++
			entry.Failed = append(entry.Failed, i)
		}
	}
	if first { // no test: the first mask all the same
		b.mask(g.Matcher(b.vocabulary), &first)
	}
	return nil
}

// walk takes a text's tokens and then its end, and reports whether all of them
// were allowed.
func (b *bench) walk(m *grammar.Matcher, ids []tokenizer.ID, first *bool) bool {
	for _, id := range ids {
		if !allowed(b.mask(m, first), id) {
			return false
		}
		taken := false
		b.commits = append(b.commits, b.clock.lap(func() { taken = m.Accept(id) }))
		if !taken {
			return false
		}
	}
	mask := b.mask(m, first)
	return slices.ContainsFunc(b.vocabulary.End(), func(id tokenizer.ID) bool { return allowed(mask, id) })
}

func (b *bench) mask(m *grammar.Matcher, first *bool) []uint64 {
	var mask []uint64
	took := b.clock.lap(func() { mask = m.Mask() })
	if *first {
		b.firsts, *first = append(b.firsts, took), false
	} else {
		b.masks = append(b.masks, took)
	}
	return mask
}

func (b *bench) result() benched {
	t := benchedTotal{
		Schemas: len(b.schemas), Mislabelled: list(b.mislabelled), Masks: len(b.masks) + len(b.firsts),
		Compile: spreadOf(b.compiles), FirstMask: spreadOf(b.firsts), Mask: spreadOf(b.masks), Commit: spreadOf(b.commits),
	}
	var sizes []int
	for _, s := range b.schemas {
		switch {
		case !s.Compiled:
			t.Refused++
			continue
		case s.Wrong > 0:
			t.Wrong++
		default:
			t.Right++
		}
		t.Compiled++
		t.Bytes += s.Bytes
		sizes = append(sizes, s.Bytes)
	}
	if slices.Sort(sizes); len(sizes) > 0 {
		t.BytesMedian = sizes[len(sizes)/2]
	}
	t.Floors = b.floors()
	t.Ratios = map[string]float64{
		"mask_p50_to_copy": t.Mask.P50 / t.Floors.Copy, "mask_mean_to_or": t.Mask.Mean / t.Floors.Or,
		"mask_p99_to_walk": t.Mask.P99 / t.Floors.Walk, "mask_max_to_walk": t.Mask.Max / t.Floors.Walk,
	}
	return benched{Schemas: list(b.schemas), Total: t}
}

// spread is how times lie; the names are fixed.
type spread struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

func spreadOf(times []time.Duration) spread {
	if len(times) == 0 {
		return spread{}
	}
	slices.Sort(times)
	var sum time.Duration
	for _, t := range times {
		sum += t
	}
	at := func(share float64) float64 { return microseconds(times[int(share*float64(len(times)-1)+0.5)]) }
	return spread{Mean: microseconds(sum) / float64(len(times)), P50: at(0.5), P90: at(0.9), P99: at(0.99), Max: at(1)}
}

// readCase reads a file of tests, or one that is a schema alone. A test's text is
// its data with ", " and ": " between its parts.
func readCase(source []byte) (benchCase, error) {
	doc, err := schema.Read(source, &schema.Limits{Bytes: maxInputBytes, Depth: 500, String: 1 << 20})
	if err != nil {
		return benchCase{}, err
	}
	inner, hasSchema := doc.Get("schema")
	tests, hasTests := doc.Get("tests")
	if !hasSchema || !hasTests || tests.Kind() != schema.Array {
		return benchCase{schema: source}, nil
	}
	c := benchCase{schema: inner.Raw()}
	for _, t := range tests.Elements() {
		valid, ok := t.Get("valid")
		data, found := t.Get("data")
		if !ok || !found || valid.Kind() != schema.Bool {
			return benchCase{}, errors.New("a test needs valid, true or false, and data")
		}
		c.tests = append(c.tests, benchTest{valid.Bool(), respell(nil, data)})
	}
	return c, nil
}

// respell appends a value with ", " and ": " between its parts, and with no escape
// that need not be.
func respell(dst []byte, v schema.Value) []byte {
	between := ""
	switch v.Kind() {
	case schema.String:
		return appendText(dst, v.Text())
	case schema.Array:
		dst = append(dst, '[')
		for _, e := range v.Elements() {
			dst = respell(append(dst, between...), e)
			between = ", "
		}
		return append(dst, ']')
	case schema.Object:
		dst = append(dst, '{')
		for name, e := range v.Members() {
			dst = appendText(append(dst, between...), name)
			dst = respell(append(dst, ": "...), e)
			between = ", "
		}
		return append(dst, '}')
	}
	return append(dst, v.Raw()...)
}

func appendText(dst []byte, text string) []byte {
	quoted, err := encode(text)
	if err != nil { // a text always can be
		panic(err)
	}
	for _, r := range []string{"\u2028", "\u2029"} { // which Go escapes beyond need
		escaped, _ := json.Marshal(r)
		quoted = bytes.ReplaceAll(quoted, bytes.Trim(escaped, `"`), []byte(r))
	}
	return append(dst, quoted...)
}
