package schema

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
)

// spoiler lists the ways to break a valid document in one place.
type spoiler struct {
	coercer // its writer puts changed values into a document
	rand    *rand.Rand
	ways    []way
	seen    map[uint64]bool
}

// way is one change and the one problem that it should cause.
type way struct {
	edit
	add     string // a name to add to the object at node
	keyword string
	at      uint32 // where the problem is reported
}

// spoil breaks v in one place, such that Validate finds exactly the one problem.
func (s *Schema) spoil(v Value, r *rand.Rand) (Instance, bool) {
	sp := &spoiler{coercer: coercer{machine: machine{d: v.d, s: s}}, rand: r, seen: map[uint64]bool{}}
	sp.visit(s.root, 0)
	r.Shuffle(len(sp.ways), func(i, j int) { sp.ways[i], sp.ways[j] = sp.ways[j], sp.ways[i] })
	e := s.newExplainer(v.d)
	for n, w := range sp.ways {
		if n > 60 {
			break
		}
		text := sp.with(w)
		bad, err := Read([]byte(text), schemaLimits)
		if err != nil {
			continue
		}
		report := s.Validate(bad)
		if path := e.path(w.at); len(report.Problems) == 1 && report.Problems[0].Path == path && report.Problems[0].Keyword == w.keyword {
			return Instance{JSON: json.RawMessage(text), Path: path, Keyword: w.keyword}, true
		}
	}
	return Instance{}, false
}

// with is the document after a change.
func (sp *spoiler) with(w way) string {
	if w.add == "" {
		return sp.apply(0, edits{w.edit})
	}
	text := sp.d.raw(w.node)
	inside := strings.TrimSpace(text[1 : len(text)-1])
	if inside != "" {
		inside += ","
	}
	return sp.apply(0, edits{{node: w.node, text: "{" + inside + quoted(w.add) + ":" + w.text + "}"}})
}

// visit lists the ways to break the value at i by rule r, and goes on inside.
// Unions are left alone: what breaks them depends on the branch.
func (sp *spoiler) visit(r *rule, i uint32) {
	key := uint64(r.id)<<32 | uint64(i)
	if r.always != 0 || sp.seen[key] {
		return
	}
	sp.seen[key] = true
	sp.types(r, i)
	sp.values(r, i)
	switch Kind(sp.d.nodes[i].kind) {
	case Number:
		sp.numbers(r, i)
	case String:
		sp.strings(r, i)
	case Array:
		sp.arrays(r, i)
	case Object:
		sp.objects(r, i)
	}
	if p := r.place; p != nil {
		if p.ref != nil {
			sp.visit(p.ref, i)
		}
		for _, s := range p.allOf {
			sp.visit(s, i)
		}
	}
}

func (sp *spoiler) put(i uint32, keyword, text string) {
	sp.ways = append(sp.ways, way{edit: edit{node: i, text: text}, keyword: keyword, at: i})
}

func (sp *spoiler) types(r *rule, i uint32) {
	if r.types == 0 || (i == 0 && sp.s.mode == ModeTool) {
		return
	}
	var wrong []string
	for _, c := range []struct {
		t    typeSet
		text string
	}{
		{typeString, `"wrong"`}, {typeBool, `true`}, {typeArray, `["wrong"]`}, {typeObject, `{"wrong":1}`}, {typeNumber, `7.5`},
	} {
		if r.types&c.t == 0 {
			wrong = append(wrong, c.text)
		}
	}
	if len(wrong) > 0 {
		sp.put(i, "type", wrong[sp.rand.IntN(len(wrong))])
	}
	if n := &sp.d.nodes[i]; Kind(n.kind) == Number && r.types&typeString == 0 {
		sp.put(i, "type", `"`+sp.d.raw(i)+`"`)
	}
}

func (sp *spoiler) values(r *rule, i uint32) {
	if r.enum != nil && len(r.enum.values) > 0 {
		v := r.enum.values[sp.rand.IntN(len(r.enum.values))]
		switch v.Kind() {
		case String:
			text := v.Text()
			sp.put(i, "enum", quoted(text+"x"))
			if len(text) > 2 {
				sp.put(i, "enum", quoted(text[:1]+text[2:]))
			}
		case Number:
			sp.put(i, "enum", "987654321")
		}
	}
	if r.konst != nil {
		switch v := r.konst.values[0]; v.Kind() {
		case String:
			sp.put(i, "const", quoted(v.Text()+"x"))
		case Number:
			sp.put(i, "const", "987654321")
		case Bool:
			sp.put(i, "const", strconv.FormatBool(!v.Bool()))
		}
	}
}

func (sp *spoiler) numbers(r *rule, i uint32) {
	n := r.num
	if n == nil {
		return
	}
	if n.min != nil {
		sp.put(i, "minimum", n.min.plus(-1))
	}
	if n.max != nil {
		sp.put(i, "maximum", n.max.plus(1))
	}
	if n.above != nil {
		sp.put(i, "exclusiveMinimum", n.above.plus(0))
	}
	if n.below != nil {
		sp.put(i, "exclusiveMaximum", n.below.plus(0))
	}
	if n.step != nil && r.types&typeInteger == 0 {
		d := parseDecimal(sp.d.raw(i))
		sp.put(i, "multipleOf", string(decimal{small: true, neg: d.neg, mant: d.mant*10 + 1, exp: d.exp - 1}.canonical(nil)))
	}
}

// plus adds a small integer where that is easily done; else d itself.
func (d decimal) plus(n int64) string {
	if !d.small || d.exp != 0 && !d.zero() || d.mant > 1<<60 {
		if f, err := strconv.ParseFloat(string(d.canonical(nil)), 64); err == nil {
			return strconv.FormatFloat(f+float64(n), 'f', -1, 64)
		}
		return string(d.canonical(nil))
	}
	v := int64(d.mant)
	if d.neg {
		v = -v
	}
	return strconv.FormatInt(v+n, 10)
}

func (sp *spoiler) strings(r *rule, i uint32) {
	s := r.str
	if s == nil {
		return
	}
	text := sp.d.text(i)
	if s.minLen > 0 {
		runes := []rune(text)
		sp.put(i, "minLength", quoted(string(runes[:min(len(runes), s.minLen-1)])))
	}
	if s.maxLen >= 0 && s.maxLen < 10_000 {
		sp.put(i, "maxLength", quoted(text+strings.Repeat("x", s.maxLen+1-sp.d.runes(i))))
	}
	if s.pattern != nil {
		sp.put(i, "pattern", quoted("¿"+text))
		sp.put(i, "pattern", quoted(strings.Repeat(" ", len(text))))
		sp.put(i, "pattern", quoted(text+"¿"))
	}
	if s.format != nil {
		sp.put(i, "format", quoted("not "+s.format.name))
		sp.put(i, "format", quoted(strings.ReplaceAll(text, "-", " ")))
	}
}

func (sp *spoiler) arrays(r *rule, i uint32) {
	a := r.arr
	if a == nil {
		return
	}
	count := int(sp.d.nodes[i].aux)
	v := Value{sp.d, i}
	var elements []string
	for _, e := range v.Elements() {
		elements = append(elements, string(e.Raw()))
	}
	list := func(e []string) string { return "[" + strings.Join(e, ",") + "]" }
	if a.minLen > 0 && count >= a.minLen {
		sp.put(i, "minItems", list(elements[:a.minLen-1]))
	}
	if count > 0 {
		last := elements[count-1]
		if a.unique {
			sp.put(i, "uniqueItems", list(append(elements[:count:count], last)))
		}
		if a.maxLen >= 0 && a.maxLen < 200 {
			long := elements[:count:count]
			for len(long) <= a.maxLen {
				long = append(long, last)
			}
			sp.put(i, "maxItems", list(long))
		}
	}
	sp.eachElement(&arrayRule{prefix: a.prefix, rest: a.rest}, i, sp.visit)
}

func (sp *spoiler) objects(r *rule, i uint32) {
	o := r.obj
	if o == nil {
		return
	}
	for n := range o.props {
		p := &o.props[n]
		at, ok := sp.d.member(i, p.name)
		if !ok {
			continue
		}
		if p.required {
			sp.ways = append(sp.ways, way{edit: edit{node: at, drop: true}, keyword: "required", at: i})
		}
	}
	if o.rest != nil && o.rest.always == alwaysFalse {
		sp.ways = append(sp.ways, way{edit: edit{node: i, text: `1`}, add: "surplus", keyword: "additionalProperties", at: i})
		if names, _ := o.declared(); len(names) > 0 {
			// A slip of a name that is optional and absent.
			if name := names[sp.rand.IntN(len(names))]; len(name) > 2 {
				if _, given := sp.d.member(i, name); !given {
					sp.ways = append(sp.ways, way{edit: edit{node: i, text: `1`}, add: name[:1] + name[2:], keyword: "additionalProperties", at: i})
				}
			}
		}
	}
	plain := *o
	plain.uneval, plain.depends = nil, nil
	sp.eachMember(&plain, i, sp.visit)
}
