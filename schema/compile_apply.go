package schema

import "strings"

// schemas compiles an object of schemas.
func (c *compiler) schemas(at place, v Value, each func(name string, r *rule)) {
	if v.Kind() != Object {
		c.wrong(at, "an object of schemas", v)
		return
	}
	for name, e := range v.Members() {
		each(name, c.compile(at.inside(e, name)))
	}
}

// list compiles an array of at least one schema.
func (c *compiler) list(at place, v Value) []*rule {
	if v.Kind() != Array {
		c.wrong(at, "an array of schemas", v)
		return nil
	}
	if v.Len() == 0 {
		c.faultf(at, at.word, "`"+at.word+"` must not be empty", "add a schema or leave it out")
	}
	var out []*rule
	for i, e := range v.Elements() {
		p := at.inside(e)
		p.ptr = indexPointer(p.ptr, i)
		out = append(out, c.compile(p))
	}
	return out
}

func (c *compiler) one(at place, v Value) *rule { return c.compile(at.inside(v)) }

func (c *compiler) properties(r *rule, at place, v Value) {
	if v.Kind() == Object {
		r.object()
	}
	c.schemas(at, v, func(name string, p *rule) { r.object().property(name).rule = p })
}

func (c *compiler) patternProperties(r *rule, at place, v Value) {
	c.schemas(at, v, func(src string, p *rule) {
		if re := c.compilePattern(at, src); re != nil {
			o := r.object()
			o.patterns = append(o.patterns, patternProperty{re, p})
		}
	})
}

func (c *compiler) applicatorWord(r *rule, at place, v Value) {
	switch at.word {
	case "properties":
		c.properties(r, at, v)
	case "patternProperties":
		c.patternProperties(r, at, v)
	case "additionalProperties":
		r.object().rest = c.one(at, v)
	case "propertyNames":
		r.object().names = c.one(at, v)
	case "unevaluatedProperties":
		r.object().uneval = c.one(at, v)
	case "unevaluatedItems":
		r.array().uneval = c.one(at, v)
	case "dependencies":
		c.dependencies(r, at, v)
	case "dependentSchemas":
		c.dependentSchemas(r, at, v)
	case "items":
		c.items(r, at, v)
	case "additionalItems":
		c.additionalItems(r, at, v)
	case "prefixItems":
		r.array().prefix = c.list(at, v)
	case "contains":
		r.array().contains = c.one(at, v)
		r.arr.containsMark = r.res.dialect.draft >= draft2020
	case "not":
		r.inPlace().not = c.one(at, v)
	case "if", "then", "else":
		c.condition(r, at, v)
	default:
		c.combine(r, at, v)
	}
}

func (c *compiler) dependentSchemas(r *rule, at place, v Value) {
	c.schemas(at, v, func(name string, p *rule) {
		o := r.object()
		o.depends = append(o.depends, dependency{name: name, rule: p, keyword: at.word})
	})
}

func (c *compiler) dependencies(r *rule, at place, v Value) {
	if v.Kind() != Object {
		c.wrong(at, "an object of schemas or lists of names", v)
		return
	}
	o := r.object()
	for name, e := range v.Members() {
		if e.Kind() != Array {
			o.depends = append(o.depends, dependency{name: name, rule: c.compile(at.inside(e, name)), keyword: at.word})
			continue
		}
		if list, ok := c.names(at, e); ok {
			o.depends = append(o.depends, dependency{name: name, needs: list, keyword: at.word})
		}
	}
}

// items is one schema, or before 2020-12 also a list of them.
func (c *compiler) items(r *rule, at place, v Value) {
	a := r.array()
	if v.Kind() != Array {
		a.rest, a.restWord = c.one(at, v), at.word
		return
	}
	if r.res.dialect.draft >= draft2020 {
		c.faultf(at, at.word, "`items` must be one schema, not an array", "use `prefixItems` for a list of schemas")
		return
	}
	a.prefix = c.list(at, v)
}

func (c *compiler) additionalItems(r *rule, at place, v Value) {
	extra := c.one(at, v)
	if items, ok := r.src.Get("items"); ok && items.Kind() == Array {
		a := r.array()
		a.rest, a.restWord = extra, at.word
	}
}

func (c *compiler) combine(r *rule, at place, v Value) {
	list := c.list(at, v)
	p := r.inPlace()
	switch at.word {
	case "allOf":
		p.allOf = append(p.allOf, list...)
	case "anyOf":
		p.anyOf = list
	case "oneOf":
		p.oneOf = list
	}
}

func (c *compiler) condition(r *rule, at place, v Value) {
	sub := c.one(at, v)
	_, ok := r.src.Get("if")
	if !ok {
		return // then and else mean nothing alone
	}
	p := r.inPlace()
	switch at.word {
	case "if":
		p.cond = sub
	case "then":
		p.then = sub
	case "else":
		p.els = sub
	}
}

// asserts reports whether content keywords are held to.
func (c *compiler) assertsContent() bool { return c.opts.Mode == ModeTool || c.opts.Formats }

func (c *compiler) contentWord(r *rule, at place, v Value) {
	if at.word == "contentSchema" {
		c.contentSchema(r, at, v)
		return
	}
	if !c.want(String, at, v) || !c.assertsContent() {
		return
	}
	word := strings.ToLower(v.Text())
	if at.word == "contentEncoding" {
		if word == "base64" {
			r.contents().base64 = true
		}
		return
	}
	media, _, _ := strings.Cut(word, ";")
	media = strings.TrimSpace(media)
	if media == "application/json" || strings.HasSuffix(media, "+json") {
		r.contents().json = true
	}
}

func (c *compiler) contentSchema(r *rule, at place, v Value) {
	sub := c.one(at, v)
	if _, ok := r.src.Get("contentMediaType"); ok && c.assertsContent() {
		r.contents().schema = sub
	}
}

func (r *rule) contents() *contentRule {
	t := r.text()
	if t.content == nil {
		t.content = &contentRule{}
	}
	return t.content
}
