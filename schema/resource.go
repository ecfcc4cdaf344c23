package schema

import (
	"net/url"
	"strings"
)

// resource is a schema with an address of its own: a document's root or a
// subschema with an identifier.
type resource struct {
	id      int32
	base    string // absolute, without fragment; may be empty for the root
	doc     *document
	root    uint32
	ptr     string // where the root stands in its document
	label   string // what paths into its document begin with; "" for the root document
	dialect dialect
	anchors map[string]uint32
	dynamic map[string]uint32 // those that $dynamicAnchor made
	recurse bool              // $recursiveAnchor
}

// site is a node of a document.
type site struct {
	doc  *document
	node uint32
}

// resolveAddress resolves ref against base, both without regard to fragments.
func resolveAddress(base, ref string) string {
	if ref == "" {
		return base
	}
	r, err := url.Parse(ref)
	if err != nil {
		return ref
	}
	if base == "" || r.IsAbs() {
		return strings.TrimSuffix(ref, "#")
	}
	b, err := url.Parse(base)
	if err != nil {
		return ref
	}
	return b.ResolveReference(r).String()
}

// cutFragment parts an address from its fragment, percent-decoded.
func cutFragment(ref string) (address, fragment string) {
	address, fragment, _ = strings.Cut(ref, "#")
	if strings.IndexByte(fragment, '%') >= 0 {
		if f, err := url.PathUnescape(fragment); err == nil {
			fragment = f
		}
	}
	return address, fragment
}

// addDocument registers a document and every resource within it.
func (c *compiler) addDocument(d *document, base, label string, inherit dialect) *resource {
	res := &resource{base: base, doc: d, label: label, dialect: inherit}
	c.register(res)
	c.scan(res, 0, "", true)
	return res
}

func (c *compiler) register(res *resource) {
	res.id = int32(len(c.resources))
	c.resources = append(c.resources, res)
	c.roots[site{res.doc, res.root}] = res
	if _, taken := c.byAddress[res.base]; !taken {
		c.byAddress[res.base] = res
	}
}

// scan finds the identifiers and anchors of the schema at node and below it.
func (c *compiler) scan(res *resource, node uint32, ptr string, top bool) {
	v := Value{res.doc, node}
	if v.Kind() != Object {
		return
	}
	if top {
		res.dialect = c.dialectOf(v, res.dialect)
	}
	res = c.identify(res, v, ptr, top)
	for name, member := range v.Members() {
		k := res.dialect.find(name)
		if k == nil || k.shape == shapeNone {
			continue
		}
		at := ptr + "/" + escapeToken(name)
		switch k.shape {
		case shapeSchema:
			c.scan(res, member.i, at, false)
		case shapeSchemaOrList, shapeList:
			if member.Kind() == Object {
				c.scan(res, member.i, at, false)
			}
			for i, e := range member.Elements() {
				c.scan(res, e.i, indexPointer(at, i), false)
			}
		case shapeMap, shapeDependencies:
			for n, e := range member.Members() {
				c.scan(res, e.i, at+"/"+escapeToken(n), false)
			}
		}
	}
}

// identify reads the identifier and the anchors of schema v, which may open a
// new resource.
func (c *compiler) identify(res *resource, v Value, ptr string, top bool) *resource {
	d := res.dialect
	_, hasRef := v.Get("$ref")
	if d.draft < draft2019 && hasRef {
		return res // the siblings of $ref mean nothing
	}
	word := "$id"
	if d.draft == draft4 {
		word = "id"
	}
	if id, ok := v.Get(word); ok && id.Kind() == String {
		res = c.openResource(res, v, id.Text(), ptr, top)
		d = res.dialect
	}
	if a, ok := v.Get("$anchor"); ok && d.draft >= draft2019 && a.Kind() == String {
		res.anchor(a.Text(), v.i)
	}
	if a, ok := v.Get("$dynamicAnchor"); ok && d.draft >= draft2020 && a.Kind() == String {
		res.anchor(a.Text(), v.i)
		if res.dynamic == nil {
			res.dynamic = map[string]uint32{}
		}
		res.dynamic[a.Text()] = v.i
	}
	if a, ok := v.Get("$recursiveAnchor"); ok && d.draft == draft2019 && v.i == res.root {
		res.recurse = a.Bool()
	}
	return res
}

// openResource makes what an identifier asks for: a resource, or in the older
// drafts an anchor.
func (c *compiler) openResource(res *resource, v Value, id, ptr string, top bool) *resource {
	address, fragment, hasFragment := strings.Cut(id, "#")
	if address == "" && hasFragment {
		if res.dialect.draft < draft2019 && fragment != "" {
			res.anchor(fragment, v.i)
		}
		return res
	}
	address = resolveAddress(res.base, address)
	if top {
		if address != res.base {
			res.base = address
			c.byAddress[address] = res
		}
		return res
	}
	inner := &resource{base: address, doc: res.doc, root: v.i, ptr: ptr, label: res.label, dialect: c.dialectOf(v, res.dialect)}
	c.register(inner)
	if fragment != "" && inner.dialect.draft < draft2019 {
		inner.anchor(fragment, v.i)
	}
	return inner
}

func (res *resource) anchor(name string, node uint32) {
	if res.anchors == nil {
		res.anchors = map[string]uint32{}
	}
	if _, twice := res.anchors[name]; !twice {
		res.anchors[name] = node
	}
}

// dialectOf reads "$schema" of a resource's root.
func (c *compiler) dialectOf(v Value, inherit dialect) dialect {
	s, ok := v.Get("$schema")
	if !ok || s.Kind() != String {
		return inherit
	}
	if n, ok := standardDraft(s.Text()); ok {
		if c.forced != 0 && v.d == c.main && v.i == 0 {
			return inherit
		}
		return dialect{draft: n, vocab: vocabStandard}
	}
	address, _ := cutFragment(s.Text())
	meta := c.fetch(address, inherit)
	if meta == nil {
		if v.d == c.main {
			c.lintf(place{res: c.resources[0]}, "$schema", "the metaschema "+quoteShort(s.Text())+" is not known; the schema is read as draft "+string(inherit.draft.name()), "")
		}
		return inherit
	}
	return c.customDialect(meta, inherit)
}

// customDialect is what a metaschema of somebody's own declares.
func (c *compiler) customDialect(meta *resource, inherit dialect) dialect {
	d := dialect{draft: meta.dialect.draft, vocab: vocabStandard}
	list, ok := (Value{meta.doc, meta.root}).Get("$vocabulary")
	if !ok {
		return d
	}
	d.vocab = vocabCore
	for address, needed := range list.Members() {
		v, known := vocabularyOf(address)
		d.vocab |= v
		if !known && needed.Bool() {
			c.faultf(place{res: c.resources[0]}, "$vocabulary", "the vocabulary "+quoteShort(address)+" is required and not known here", "")
		}
	}
	return d
}

func (n draftNumber) name() Draft {
	for d, m := range draftNumbers {
		if m == n {
			return d
		}
	}
	return ""
}

// fetch finds the document of an address among the remotes and the metaschemas.
func (c *compiler) fetch(address string, inherit dialect) *resource {
	if res, ok := c.byAddress[address]; ok {
		return res
	}
	src, ok := c.opts.Remotes[address]
	if !ok {
		if src, ok = metaschema(address); !ok {
			return nil
		}
	}
	v, err := Read(src, schemaLimits)
	if err != nil {
		c.faultf(place{res: c.resources[0]}, "$ref", "the document "+quoteShort(address)+" cannot be read: "+err.Error(), "")
		return nil
	}
	return c.addDocument(v.d, address, address, inherit)
}

// locate finds what a reference means: the node and the resource it stands in.
func (c *compiler) locate(from *resource, ref string) (site, *resource, bool) {
	address, fragment := cutFragment(ref)
	res := from
	if address != "" {
		if res = c.fetch(resolveAddress(from.base, address), from.dialect); res == nil {
			return site{}, nil, false
		}
	}
	if fragment == "" {
		return site{res.doc, res.root}, res, true
	}
	if fragment[0] != '/' {
		node, ok := res.anchors[fragment]
		return site{res.doc, node}, res, ok
	}
	v := Value{res.doc, res.root}
	for token := range strings.SplitSeq(fragment[1:], "/") {
		var ok bool
		if v, ok = v.child(unescapeToken(token)); !ok {
			return site{}, nil, false
		}
		if inner, ok := c.roots[site{v.d, v.i}]; ok {
			res = inner
		}
	}
	return site{v.d, v.i}, res, true
}
