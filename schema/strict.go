package schema

import (
	"slices"
	"strconv"
)

// Strict lists why the schema is not strict as it stands; an empty list means
// that a provider's strict mode can be asked for.
func (s *Schema) Strict(r *Rules) []Omission {
	w := s.newRewriter(r)
	w.schema(s.root, s.source, "", 0)
	w.audit()
	return w.omitted
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
