package schema

import (
	"encoding/json"
	"slices"
	"strconv"
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

// Strict lists why the schema is not strict as it stands; an empty list means
// that a provider's strict mode can be asked for.
func (s *Schema) Strict(r *Rules) []Omission {
	w := s.newRewriter(r)
	w.schema(s.root, s.source, "", 0)
	w.audit()
	return w.omitted
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
	for _, word := range []string{"$ref", "$defs"} {
		if _, no := w.refused(word, Value{}); no {
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
	local := name == "$ref" && (ref == "#" || strings.HasPrefix(ref, "#/")) && r.res.label == ""
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

// stub keeps the type alone of a schema that cannot be written out.
func stub(r *rule) []member {
	names := typesOf(r, 0).names()
	if len(names) == 1 {
		return []member{{"type", quoted(names[0])}}
	}
	return nil
}

// reshape makes the changes that look at several keywords at once.
func (w *rewriter) reshape(parts []member, path string, depth int) []member {
	if w.rules.Nullable {
		parts = nullable(parts)
	}
	if w.rules.SingleType {
		parts = w.singleType(parts, path)
	}
	if depth == 0 && w.rules.PlainRoot {
		parts = put(parts, "type", `"object"`)
	}
	if depth == 0 && w.rules.NeedProperties && !hasMember(parts, "properties") {
		parts = append(parts, member{"properties", "{}"})
	}
	if w.rules.NeedItems && slices.Contains(typeList(parts), "array") && !hasMember(parts, "items") && !hasMember(parts, "prefixItems") {
		parts = append(parts, member{"items", "{}"})
	}
	return parts
}

func hasMember(list []member, name string) bool {
	return slices.ContainsFunc(list, func(m member) bool { return m.name == name })
}

func textOf(list []member, name string) string {
	for _, m := range list {
		if m.name == name {
			return m.text
		}
	}
	return ""
}

// typeList are the types that a rewritten schema names.
func typeList(parts []member) []string {
	v, err := Read([]byte(textOf(parts, "type")), nil)
	if err != nil {
		return nil
	}
	if v.Kind() == String {
		return []string{v.Text()}
	}
	var out []string
	for _, e := range v.Elements() {
		out = append(out, e.Text())
	}
	return out
}

func without(list []member, name string) []member {
	return slices.DeleteFunc(slices.Clone(list), func(m member) bool { return m.name == name })
}

// nullable turns null among the types, the branches or the values into
// "nullable": true.
func nullable(parts []member) []member {
	null := false
	if types := typeList(parts); len(types) > 1 && slices.Contains(types, "null") {
		null = true
		types = slices.DeleteFunc(types, func(t string) bool { return t == "null" })
		text := quoted(types[0])
		if len(types) > 1 {
			var list []string
			for _, t := range types {
				list = append(list, quoted(t))
			}
			text = "[" + strings.Join(list, ",") + "]"
		}
		parts = put(parts, "type", text)
	}
	if v, err := Read([]byte(textOf(parts, "enum")), schemaLimits); err == nil {
		var list []string
		for _, e := range v.Elements() {
			if e.Kind() != Null {
				list = append(list, string(e.Raw()))
			}
		}
		if len(list) > 0 && len(list) < v.Len() {
			null = true
			parts = put(parts, "enum", "["+strings.Join(list, ",")+"]")
		}
	}
	parts, inAny := nullBranch(parts)
	if null || inAny {
		parts = put(parts, "nullable", "true")
	}
	return parts
}

// nullBranch takes {"type":"null"} out of an anyOf; if one branch remains, it
// takes the anyOf's place.
func nullBranch(parts []member) ([]member, bool) {
	v, err := Read([]byte(textOf(parts, "anyOf")), schemaLimits)
	if err != nil {
		return parts, false
	}
	var rest []Value
	for _, e := range v.Elements() {
		if t, _ := e.Get("type"); t.Text() != "null" {
			rest = append(rest, e)
		}
	}
	if len(rest) == v.Len() || len(rest) == 0 {
		return parts, false
	}
	if len(rest) > 1 {
		var list []string
		for _, e := range rest {
			list = append(list, string(e.Raw()))
		}
		return put(parts, "anyOf", "["+strings.Join(list, ",")+"]"), true
	}
	var inner []member
	for name, e := range rest[0].Members() {
		if hasMember(parts, name) && name != "description" && name != "title" {
			return put(parts, "anyOf", "["+string(rest[0].Raw())+"]"), true
		}
		inner = append(inner, member{name, string(e.Raw())})
	}
	for _, m := range without(parts, "anyOf") {
		inner = put(inner, m.name, m.text)
	}
	return inner, true
}

// singleType writes a list of types as an anyOf.
func (w *rewriter) singleType(parts []member, path string) []member {
	types := typeList(parts)
	if !strings.HasPrefix(textOf(parts, "type"), "[") {
		return parts
	}
	if len(types) == 1 {
		return put(parts, "type", quoted(types[0]))
	}
	if hasMember(parts, "anyOf") {
		w.omit(path, "type", "the provider takes one type only, and anyOf is in use")
		return without(parts, "type")
	}
	var list []string
	for _, t := range types {
		branch := []member{{"type", quoted(t)}}
		if t == "array" && hasMember(parts, "items") {
			branch = append(branch, member{"items", textOf(parts, "items")})
		}
		list = append(list, object(branch))
	}
	parts = without(parts, "type")
	if slices.Contains(types, "array") {
		parts = without(parts, "items")
	}
	return append(parts, member{"anyOf", "[" + strings.Join(list, ",") + "]"})
}

// audit looks for what keeps a schema from being strict as it stands.
func (w *rewriter) audit() {
	a := auditor{w: w, open: map[*rule]bool{}, seen: map[*rule]bool{}}
	a.schema(w.s.root, 0)
	over := func(have, limit int, keyword, what string) {
		if limit > 0 && have > limit {
			w.omit("", keyword, "more than "+strconv.Itoa(limit)+" "+what)
		}
	}
	over(a.depth, w.rules.MaxDepth, "properties", "levels of nesting")
	over(a.properties, w.rules.MaxProperties, "properties", "properties")
	over(a.enums, w.rules.MaxEnum, "enum", "enum values")
}

type auditor struct {
	w                        *rewriter
	open, seen               map[*rule]bool
	depth, properties, enums int
}

func (a *auditor) schema(r *rule, depth int) {
	if a.open[r] && a.w.rules.NoRecursion {
		a.w.omit(r.ptr, "$ref", "recursion is not taken")
	}
	if a.open[r] || a.seen[r] {
		return
	}
	a.open[r], a.seen[r] = true, true
	defer delete(a.open, r)
	a.depth = max(a.depth, depth)
	a.own(r)
	if r.place != nil {
		r.place.each(func(s *rule) { a.schema(s, depth) })
	}
	if r.obj != nil {
		for n := range r.obj.props {
			if p := &r.obj.props[n]; p.rule != nil {
				a.properties++
				a.schema(p.rule, depth+1)
			}
		}
		for _, p := range r.obj.patterns {
			a.schema(p.rule, depth+1)
		}
		if r.obj.rest != nil {
			a.schema(r.obj.rest, depth+1)
		}
	}
	if r.arr != nil {
		for _, s := range append(slices.Clone(r.arr.prefix), r.arr.rest, r.arr.contains) {
			if s != nil {
				a.schema(s, depth+1)
			}
		}
	}
}

// own checks one schema by itself.
func (a *auditor) own(r *rule) {
	rules := &a.w.rules
	if r.always != 0 {
		if r.always == alwaysTrue && rules.Typed {
			a.w.omit(r.ptr, "type", "it says nothing of the type")
		}
		return
	}
	if r.enum != nil {
		a.enums += len(r.enum.values)
	}
	if _, ok := r.src.Get("$ref"); ok && rules.LoneRefs && r.src.Len() > 1 {
		a.w.omit(r.ptr, "$ref", "other keywords stand beside the reference")
	}
	if rules.Typed && typesOf(r, 0) == 0 && (r.place == nil || r.place.ref == nil && r.place.anyOf == nil) {
		a.w.omit(r.ptr, "type", "it says nothing of the type")
	}
	if r.types&typeObject == 0 && (r.types != 0 || r.obj == nil || len(r.obj.props) == 0) {
		return
	}
	if rules.Closed && (r.obj == nil || r.obj.rest == nil || r.obj.rest.always != alwaysFalse) {
		a.w.omit(r.ptr, "additionalProperties", "the object is not closed")
	}
	if !rules.AllRequired || r.obj == nil {
		return
	}
	for n := range r.obj.props {
		if p := &r.obj.props[n]; !p.required {
			a.w.omit(r.ptr, "required", "`"+shorten(p.name)+"` is optional")
		}
	}
}
