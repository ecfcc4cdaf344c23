package schema

import (
	"encoding/json"
	"slices"
	"strings"
)

// Rules say what a provider takes of a schema. They are data, kept beside the
// provider's codec; the zero Rules take every schema as it is.
type Rules struct {
	// Keywords are those taken; nil means all but Refuse.
	Keywords []string
	// Refuse gives the reason why a keyword is not taken, whatever Keywords
	// says. A key "minItems:2" refuses the keyword from that number on.
	Refuse map[string]string
	// Describe are keywords that, where they are left out, are put into words
	// at the end of the description.
	Describe []string
	// Formats are those taken; nil means all.
	Formats []string
	// SimplePatterns leaves out patterns with lookaround or back references.
	SimplePatterns bool
	// Inline writes references out and drops the definitions.
	Inline bool
	// ConstAsEnum writes const as an enum of one; OneOfAsAnyOf writes oneOf as
	// anyOf; SingleType writes a list of types as an anyOf; Nullable writes null
	// among types as OpenAPI's nullable; StringEnums leaves out enums that hold
	// anything but strings; OpenSchemas writes the schema true as {}.
	ConstAsEnum, OneOfAsAnyOf, SingleType, Nullable, StringEnums, OpenSchemas bool
	// PlainRoot leaves out anyOf, oneOf, allOf, enum, const and not at the root,
	// and states its type as object.
	PlainRoot bool
	// NeedProperties and NeedItems add the empty keywords that a provider
	// insists on, at the root and for arrays.
	NeedProperties, NeedItems bool

	// What Strict asks for beyond that: every object closed, every property
	// required, every schema typed, no siblings of $ref, no recursion, and no
	// more than so many levels, properties and enum values (0: any number).
	Closed, AllRequired, Typed, LoneRefs, NoRecursion bool
	MaxDepth, MaxProperties, MaxEnum                  int
}

// Omission is something left out of a rewritten schema. Path leads to the schema
// object that held the keyword.
type Omission struct {
	Path    string `json:"path"`
	Keyword string `json:"keyword"`
	Why     string `json:"why"`
}

// maxInlined bounds the schemas written where references are written out, which
// may double with every level.
const maxInlined = 20_000

// Rewrite is the schema as a provider with these rules takes it, and what was
// left out. What is checked is still s: the wire never changes the contract.
func (s *Schema) Rewrite(r *Rules) (json.RawMessage, []Omission) {
	w := s.newRewriter(r)
	text := w.schema(s.root, s.source, "", 0)
	return json.RawMessage(text), w.omitted
}

type rewriter struct {
	s       *Schema
	rules   Rules
	bySite  map[site]*rule
	open    map[*rule]bool // references being written out
	written int
	omitted []Omission
}

func (s *Schema) newRewriter(r *Rules) *rewriter {
	w := &rewriter{s: s, bySite: make(map[site]*rule, len(s.rules)), open: map[*rule]bool{}}
	if r != nil {
		w.rules = *r
	}
	for _, word := range []string{"$ref", "$defs", "definitions"} {
		_, used := s.source.Get(word)
		if _, no := w.refused(word, Value{}); no && (used || word == "$ref") {
			w.rules.Inline = true // a reference would dangle
		}
	}
	w.open[s.root] = true
	for _, x := range s.rules {
		w.bySite[site{x.src.d, x.src.i}] = x
	}
	return w
}

func (w *rewriter) omit(path, keyword, why string) {
	w.omitted = append(w.omitted, Omission{path, keyword, why})
}

// refused gives the reason why a keyword with this value is not taken.
func (w *rewriter) refused(name string, v Value) (string, bool) {
	if why, ok := w.rules.Refuse[name]; ok {
		return why, true
	}
	if v.Kind() == Number {
		for key, why := range w.rules.Refuse {
			if word, from, ok := strings.Cut(key, ":"); ok && word == name && parseDecimal(v.Text()).cmp(parseDecimal(from)) >= 0 {
				return why, true
			}
		}
	}
	if w.rules.Keywords != nil && !slices.Contains(w.rules.Keywords, name) {
		return "the provider does not take this keyword", true
	}
	return "", false
}

// schema writes the schema v, which rule r was compiled from.
func (w *rewriter) schema(r *rule, v Value, path string, depth int) string {
	w.written++
	if v.Kind() != Object {
		if w.rules.OpenSchemas && v.Bool() {
			return "{}"
		}
		return string(v.Raw())
	}
	if r == nil {
		r = w.bySite[site{v.d, v.i}]
	}
	parts := w.members(r, v, path, depth)
	parts = w.reshape(parts, path, depth)
	return object(parts)
}

// members rewrites the keywords one by one; lost ones go into words.
func (w *rewriter) members(r *rule, v Value, path string, depth int) []member {
	var out []member
	var words []string
	for name, e := range v.Members() {
		if name == "$ref" || name == "$dynamicRef" || name == "$recursiveRef" {
			if parts, ok := w.reference(r, name, e, path, depth); ok {
				out = join(out, parts)
				continue
			}
		}
		if w.rules.Inline && (name == "$defs" || name == "definitions") {
			continue
		}
		keep, why := w.word(name, e, path, depth)
		if why == "" {
			out = put(out, keep.name, keep.text)
			continue
		}
		w.omit(path, name, why)
		if slices.Contains(w.rules.Describe, name) {
			if s := inWords(name, e); s != "" {
				words = append(words, s)
			}
		}
	}
	return describeMore(out, words)
}

// join adds the members that are not there yet: what stands beside a reference
// stands over what it leads to.
func join(list, more []member) []member {
	for _, m := range more {
		if !hasMember(list, m.name) {
			list = append(list, m)
		}
	}
	return list
}

// describeMore ends the description with what was left out.
func describeMore(list []member, words []string) []member {
	if len(words) == 0 {
		return list
	}
	more := "(" + strings.Join(words, "; ") + ")"
	for n := range list {
		if list[n].name == "description" {
			if v, err := Read([]byte(list[n].text), schemaLimits); err == nil && v.Text() != "" {
				list[n].text = quoted(v.Text() + " " + more)
				return list
			}
		}
	}
	return put(list, "description", quoted(more))
}

// inWords puts a keyword into words for the model.
func inWords(name string, v Value) string {
	text := shorten(string(v.Raw()))
	if v.Kind() == String {
		text = shorten(v.Text())
	}
	switch name {
	case "minimum":
		return "at least " + text
	case "maximum":
		return "at most " + text
	case "exclusiveMinimum":
		return "greater than " + text
	case "exclusiveMaximum":
		return "less than " + text
	case "multipleOf":
		return "a multiple of " + text
	case "minLength":
		return "at least " + text + " characters"
	case "maxLength":
		return "at most " + text + " characters"
	case "minItems":
		return "at least " + text + " elements"
	case "maxItems":
		return "at most " + text + " elements"
	case "minProperties":
		return "at least " + text + " members"
	case "maxProperties":
		return "at most " + text + " members"
	case "pattern":
		return "matching " + text
	case "format":
		return "format: " + text
	case "default":
		return "default: " + text
	case "const":
		return "always " + text
	case "enum":
		return "one of " + text
	case "uniqueItems":
		if v.Bool() {
			return "no element twice"
		}
		return ""
	case "additionalProperties":
		if v.Kind() == Bool && !v.Bool() {
			return "no other names"
		}
		return ""
	case "title", "contentMediaType", "contentEncoding":
		return name + ": " + text
	}
	return ""
}

// word rewrites one keyword, or says why it is left out.
func (w *rewriter) word(name string, v Value, path string, depth int) (member, string) {
	switch {
	case depth == 0 && w.rules.PlainRoot && slices.Contains([]string{"anyOf", "oneOf", "allOf", "enum", "const", "not"}, name):
		return member{}, "not taken at the root of a tool's parameters"
	case name == "oneOf" && w.rules.OneOfAsAnyOf:
		name = "anyOf"
	case name == "const" && w.rules.ConstAsEnum:
		return w.enumWord([]Value{v})
	}
	if why, no := w.refused(name, v); no {
		return member{}, why
	}
	switch name {
	case "enum":
		values := []Value{}
		for _, e := range v.Elements() {
			values = append(values, e)
		}
		return w.enumWord(values)
	case "format":
		if w.rules.Formats != nil && !slices.Contains(w.rules.Formats, v.Text()) {
			return member{}, "the provider does not take the format " + shorten(v.Text())
		}
	case "pattern":
		if w.rules.SimplePatterns {
			if p, err := newPattern(v.Text()); err != nil || p.slow != nil {
				return member{}, "the provider does not take lookaround or back references"
			}
		}
	}
	return member{name, w.children(name, v, path, depth)}, ""
}

func (w *rewriter) enumWord(values []Value) (member, string) {
	var list []string
	for _, v := range values {
		if w.rules.StringEnums && v.Kind() != String && (v.Kind() != Null || !w.rules.Nullable) {
			return member{}, "the provider takes enums of strings only"
		}
		list = append(list, string(v.Raw()))
	}
	return member{"enum", "[" + strings.Join(list, ",") + "]"}, ""
}

// children rewrites the schemas inside of a keyword.
func (w *rewriter) children(name string, v Value, path string, depth int) string {
	shape := shapeNone
	if k := keywords[name]; k != nil {
		shape = k.shape
	}
	at := path + "/" + escapeToken(name)
	inner := func(e Value, path string) string {
		if e.Kind() != Object && e.Kind() != Bool {
			return string(e.Raw())
		}
		if e.Kind() == Bool && (name == "additionalProperties" || name == "unevaluatedProperties" || name == "unevaluatedItems" || name == "additionalItems") {
			return string(e.Raw())
		}
		return w.schema(nil, e, path, depth+1)
	}
	switch {
	case shape == shapeNone:
		return compact(v)
	case shape == shapeMap || shape == shapeDependencies:
		var list []member
		for n, e := range v.Members() {
			list = append(list, member{n, inner(e, at+"/"+escapeToken(n))})
		}
		return object(list)
	case v.Kind() == Array:
		var list []string
		for i, e := range v.Elements() {
			list = append(list, inner(e, indexPointer(at, i)))
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	return inner(v, at)
}

// compact is the text of a value without the space around its parts.
func compact(v Value) string {
	return string(compactTo(nil, v))
}

func compactTo(dst []byte, v Value) []byte {
	switch v.Kind() {
	case Array:
		dst = append(dst, '[')
		for i, e := range v.Elements() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = compactTo(dst, e)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		first := true
		for name, e := range v.Members() {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(appendString(dst, name), ':')
			dst = compactTo(dst, e)
		}
		return append(dst, '}')
	}
	return append(dst, v.Raw()...)
}

// reference writes out what a reference leads to, where it cannot stay.
func (w *rewriter) reference(r *rule, name string, v Value, path string, depth int) ([]member, bool) {
	ref := v.Text()
	if r == nil || r.place == nil {
		return nil, false
	}
	to := r.place.ref
	if to == nil && r.place.dynamic != nil {
		to = r.place.dynamic.initial
	}
	local := name == "$ref" && stays(ref) && r.res.label == ""
	if to == nil || (local && !w.rules.Inline) {
		return nil, false
	}
	if w.open[to] || w.written > maxInlined {
		why := "recursion cannot be written out"
		if !w.open[to] {
			why = "the schema is too large to write its references out"
		}
		w.omit(path, name, why)
		return stub(to), true
	}
	w.open[to] = true
	defer delete(w.open, to)
	if to.src.Kind() != Object {
		return nil, true
	}
	parts := w.members(to, to.src, path, max(depth, 1))
	return slices.DeleteFunc(parts, func(m member) bool { return m.name == "$id" || m.name == "$anchor" || m.name == "$schema" }), true
}

// stays reports whether what a reference leads to keeps its place when the
// schema is rewritten.
func stays(ref string) bool {
	for _, start := range []string{"#/$defs/", "#/definitions/"} {
		if name, ok := strings.CutPrefix(ref, start); ok {
			return !strings.Contains(name, "/")
		}
	}
	return ref == "#"
}

// stub keeps the type alone of a schema that cannot be written out.
func stub(r *rule) []member {
	names := typesOf(r, 0).names()
	if len(names) == 1 {
		return []member{{"type", quoted(names[0])}}
	}
	return nil
}
