package schema

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// wrong notes a keyword whose value has the wrong shape.
func (c *compiler) wrong(at place, want string, got Value) {
	c.faultf(at, at.word, fmt.Sprintf("`%s` must be %s, not %s", at.word, want, describe(got)), "")
}

func (c *compiler) want(kind Kind, at place, v Value) bool {
	if v.Kind() == kind {
		return true
	}
	words := map[Kind]string{String: "a string", Object: "an object", Array: "an array", Bool: "true or false", Number: "a number"}
	c.wrong(at, words[kind], v)
	return false
}

func (c *compiler) coreWord(r *rule, at place, v Value) {
	switch at.word {
	case "$ref", "$dynamicRef":
		c.reference(r, at, v)
	case "$recursiveRef":
		if v.Text() != "#" {
			c.wrong(at, `"#"`, v)
			return
		}
		c.reference(r, at, v)
	case "$defs", "definitions":
		c.defs(at, v)
	case "$vocabulary":
		c.want(Object, at, v)
	case "$recursiveAnchor":
		c.want(Bool, at, v)
	case "$anchor", "$dynamicAnchor":
		if c.want(String, at, v) && !isAnchor(v.Text()) {
			c.wrong(at, "a letter followed by letters, digits, '-', '_' and '.'", v)
		}
	default:
		c.want(String, at, v)
	}
}

// isAnchor allows a colon too, as 2019-09 does.
func isAnchor(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !alpha(c) && c != '_' && (i == 0 || (!digit(c) && c != '-' && c != '.' && c != ':')) {
			return false
		}
	}
	return s != ""
}

func (c *compiler) metaWord(at place, v Value) {
	switch at.word {
	case "title", "description":
		c.want(String, at, v)
	case "examples":
		c.want(Array, at, v)
	case "deprecated", "readOnly", "writeOnly":
		if c.want(Bool, at, v) && at.word == "writeOnly" && v.Bool() {
			c.secrets = true
		}
	}
}

func (c *compiler) validationWord(r *rule, at place, v Value) {
	switch at.word {
	case "type":
		c.typeWord(r, at, v)
	case "enum":
		c.enum(r, at, v)
	case "const":
		r.konst = newMembers([]Value{v})
	case "minimum", "maximum":
		c.bound(r, at, v)
	case "exclusiveMinimum", "exclusiveMaximum":
		c.exclusive(r, at, v)
	case "multipleOf":
		c.multipleOf(r, at, v)
	case "pattern":
		if c.want(String, at, v) {
			r.text().pattern = c.compilePattern(at, v.Text())
		}
	case "uniqueItems":
		if c.want(Bool, at, v) {
			r.array().unique = v.Bool()
		}
	case "required":
		c.required(r, at, v)
	case "dependentRequired":
		c.dependentRequired(r, at, v)
	default:
		c.count(r, at, v)
	}
}

func (c *compiler) reference(r *rule, at place, v Value) {
	if c.want(String, at, v) {
		c.pending = append(c.pending, pendingRef{r, at, v.Text(), at.word})
	}
}

func (c *compiler) defs(at place, v Value) {
	if v.Kind() != Object {
		c.wrong(at, "an object of schemas", v)
		return
	}
	for name, e := range v.Members() {
		c.compile(at.inside(e, name))
	}
}

// strayTypes are words that people write for a JSON type.
var strayTypes = map[string]string{
	"dict": "object", "map": "object", "struct": "object", "record": "object", "json": "object", "hash": "object",
	"float": "number", "double": "number", "decimal": "number", "numeric": "number", "real": "number",
	"int": "integer", "long": "integer", "int32": "integer", "int64": "integer", "uint": "integer", "short": "integer",
	"str": "string", "text": "string", "char": "string", "varchar": "string",
	"date": "string", "datetime": "string", "date-time": "string", "time": "string", "uuid": "string", "uri": "string", "email": "string", "file": "string",
	"bool": "boolean",
	"list": "array", "tuple": "array", "set": "array", "vector": "array", "sequence": "array",
	"none": "null", "nil": "null", "undefined": "null", "void": "null",
}

func typeFix(word string) string {
	lower := strings.ToLower(strings.TrimSpace(word))
	base, _, generic := strings.Cut(lower, "<")
	if !generic {
		base, _, _ = strings.Cut(lower, "[")
	}
	if lower == "any" || lower == "mixed" || lower == "unknown" || lower == "*" {
		return "leave `type` out to allow any value"
	}
	for _, t := range typeNames {
		if base == t.name || lower == t.name {
			return "write \"" + t.name + "\""
		}
	}
	to, ok := strayTypes[base]
	switch {
	case !ok:
		return "use one of null, boolean, integer, number, string, array, object"
	case to == "string" && (base == "date" || base == "date-time" || base == "datetime" || base == "time" || base == "uuid" || base == "uri" || base == "email"):
		if base == "datetime" {
			base = "date-time"
		}
		return "write \"string\" with \"format\": \"" + base + "\""
	}
	return "write \"" + to + "\""
}

func typeBit(name string) typeSet {
	for _, t := range typeNames {
		if t.name == name {
			return t.bit
		}
	}
	return 0
}

func (c *compiler) typeWord(r *rule, at place, v Value) {
	one := func(e Value) {
		if e.Kind() != String {
			c.wrong(at, "a type's name or a list of them", e)
			return
		}
		bit := typeBit(e.Text())
		if bit == 0 {
			c.faultf(at, "type", "the type "+quoteShort(e.Text())+" does not exist", typeFix(e.Text()))
			return
		}
		if r.types&bit != 0 {
			c.faultf(at, "type", "the type \""+e.Text()+"\" is listed twice", "list each type once")
		}
		r.types |= bit
	}
	if v.Kind() != Array {
		one(v)
		return
	}
	if v.Len() == 0 {
		c.faultf(at, "type", "the list of types is empty", "name a type or leave `type` out")
	}
	for _, e := range v.Elements() {
		one(e)
	}
}

func (c *compiler) enum(r *rule, at place, v Value) {
	if v.Kind() != Array {
		c.wrong(at, "an array of values", v)
		return
	}
	var values []Value
	seen := make(map[string]bool, v.Len())
	for _, e := range v.Elements() {
		key := string(e.Canonical())
		if seen[key] {
			c.lintf(at, "enum", "the value "+shown(e)+" is listed twice", "list each value once")
			continue
		}
		seen[key] = true
		values = append(values, e)
	}
	if len(values) == 0 {
		c.lintf(at, "enum", "the list is empty: no value will do", "list the values")
	}
	r.enum = newMembers(values)
}

func (r *rule) number() *numberRule {
	if r.num == nil {
		r.num = &numberRule{}
	}
	return r.num
}

func (c *compiler) bound(r *rule, at place, v Value) {
	if !c.want(Number, at, v) {
		return
	}
	d := parseDecimal(v.Text())
	exclusive, _ := r.src.Get("exclusive" + strings.ToUpper(at.word[:1]) + at.word[1:])
	old := r.res.dialect.draft == draft4 && exclusive.Bool()
	n := r.number()
	switch {
	case at.word == "minimum" && old:
		n.above = &d
	case at.word == "minimum":
		n.min = &d
	case old:
		n.below = &d
	default:
		n.max = &d
	}
}

func (c *compiler) exclusive(r *rule, at place, v Value) {
	if r.res.dialect.draft == draft4 {
		if v.Kind() != Bool {
			c.wrong(at, "true or false in draft 4", v)
		}
		return
	}
	if v.Kind() != Number {
		plain := "minimum"
		if at.word == "exclusiveMaximum" {
			plain = "maximum"
		}
		fix := ""
		if bound, ok := r.src.Get(plain); ok && v.Bool() {
			fix = fmt.Sprintf("write \"%s\": %s in place of \"%s\" (true is draft 4's form)", at.word, shorten(string(bound.Raw())), plain)
		} else if v.Kind() == Bool {
			fix = "leave it out (a boolean is draft 4's form)"
		}
		c.faultf(at, at.word, fmt.Sprintf("`%s` must be a number, not %s", at.word, describe(v)), fix)
		return
	}
	d := parseDecimal(v.Text())
	if at.word == "exclusiveMinimum" {
		r.number().above = &d
	} else {
		r.number().below = &d
	}
}

func (c *compiler) multipleOf(r *rule, at place, v Value) {
	if !c.want(Number, at, v) {
		return
	}
	d := parseDecimal(v.Text())
	if d.sign() <= 0 {
		c.wrong(at, "greater than 0", v)
		return
	}
	r.number().step = &d
}

// whole reads a count; those beyond what memory can hold count as the greatest.
func (c *compiler) whole(at place, v Value) (int, bool) {
	if v.Kind() != Number {
		c.wrong(at, "a whole number of at least 0", v)
		return 0, false
	}
	d := parseDecimal(v.Text())
	if d.neg || !d.integer() {
		c.wrong(at, "a whole number of at least 0", v)
		return 0, false
	}
	if len(d.text())+d.exp > 15 {
		return math.MaxInt, true
	}
	n, _ := strconv.Atoi(string(d.canonical(nil)))
	return n, true
}

func (c *compiler) count(r *rule, at place, v Value) {
	n, ok := c.whole(at, v)
	if !ok {
		return
	}
	switch at.word {
	case "minLength":
		r.text().minLen = n
	case "maxLength":
		r.text().maxLen = n
	case "minItems":
		r.array().minLen = n
	case "maxItems":
		r.array().maxLen = n
	case "minProperties":
		r.object().minLen = n
	case "maxProperties":
		r.object().maxLen = n
	case "minContains":
		r.array().minContains = n
	case "maxContains":
		r.array().maxContains = n
	}
}

func (r *rule) text() *stringRule {
	if r.str == nil {
		r.str = &stringRule{maxLen: -1}
	}
	return r.str
}

func (r *rule) array() *arrayRule {
	if r.arr == nil {
		r.arr = &arrayRule{maxLen: -1, minContains: 1, maxContains: -1}
	}
	return r.arr
}

func (r *rule) object() *objectRule {
	if r.obj == nil {
		r.obj = &objectRule{maxLen: -1}
	}
	return r.obj
}

func (c *compiler) compilePattern(at place, src string) *pattern {
	p, err := newPattern(src)
	if err != nil {
		c.faultf(at, at.word, "the pattern "+quoteShort(src)+" does not compile: "+err.Error(), "write it in ECMAScript's syntax")
		return nil
	}
	if p.slow != nil {
		c.lintf(at, at.word, "the pattern "+quoteShort(src)+" needs a backtracking engine; it runs under a time limit", "rewrite it without lookaround and back references")
	}
	return p
}

// names reads a list of distinct names.
func (c *compiler) names(at place, v Value) ([]string, bool) {
	if v.Kind() != Array {
		c.wrong(at, "an array of names", v)
		return nil, false
	}
	var out []string
	for _, e := range v.Elements() {
		if e.Kind() != String {
			c.wrong(at, "an array of names", e)
			return nil, false
		}
		if slices.Contains(out, e.Text()) {
			c.lintf(at, at.word, "the name "+quoteShort(e.Text())+" is listed twice", "list each name once")
			continue
		}
		out = append(out, e.Text())
	}
	return out, true
}

func (c *compiler) required(r *rule, at place, v Value) {
	if v.Kind() == Bool {
		c.faultf(at, at.word, "`required` must be a list of names, not "+describe(v), "list the required names in the object that holds the properties")
		return
	}
	list, ok := c.names(at, v)
	if !ok {
		return
	}
	o := r.object()
	for _, name := range list {
		o.property(name).required = true
	}
}

// property is the entry of a name, made when it is first needed.
func (o *objectRule) property(name string) *property {
	if i := o.find(name); i >= 0 {
		return &o.props[i]
	}
	o.props = append(o.props, property{name: name})
	if o.byName != nil {
		o.byName[name] = len(o.props) - 1
	} else if len(o.props) == 32 {
		o.byName = make(map[string]int, 64)
		for i := range o.props {
			o.byName[o.props[i].name] = i
		}
	}
	return &o.props[len(o.props)-1]
}

func (c *compiler) dependentRequired(r *rule, at place, v Value) {
	if v.Kind() != Object {
		c.wrong(at, "an object of lists of names", v)
		return
	}
	for name, e := range v.Members() {
		if list, ok := c.names(at, e); ok {
			o := r.object()
			o.depends = append(o.depends, dependency{name: name, needs: list, keyword: at.word})
		}
	}
}

func (c *compiler) format(r *rule, at place, v Value) {
	if !c.want(String, at, v) {
		return
	}
	d := r.res.dialect
	f := formatOf(v.Text(), d.draft)
	if f == nil {
		if !annotationFormats[v.Text()] && c.opts.Mode == ModeTool && r.res.doc == c.main {
			c.lintf(at, at.word, "the format "+quoteShort(v.Text())+" is not known and not checked", "")
		}
		return
	}
	if c.opts.Mode == ModeTool || c.opts.Formats || (d.draft >= draft2020 && d.vocab&vocabFormatAssert != 0) {
		r.text().format = f
	}
}
