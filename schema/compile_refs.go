package schema

import (
	"strings"
)

// pendingRef is a reference whose target is looked up once all is scanned.
type pendingRef struct {
	from *rule
	at   place
	ref  string
	word string
}

// follow resolves references until none is left; targets may hold new ones.
func (c *compiler) follow() {
	for len(c.pending) > 0 {
		p := c.pending[0]
		c.pending = c.pending[1:]
		target, res, ok := c.locate(p.from.res, p.ref)
		if !ok {
			c.faultf(p.at, p.word, "unresolved reference "+shorten(p.ref), c.refFix(p))
			continue
		}
		to := c.rules[target]
		if to == nil {
			to = c.compile(place{res: res, ptr: targetPointer(p.ref, res), node: target.node})
		}
		c.link(p, to, res)
	}
}

// targetPointer names a target that stands where no schema was expected.
func targetPointer(ref string, res *resource) string {
	if _, fragment := cutFragment(ref); strings.HasPrefix(fragment, "/") {
		return res.ptr + fragment
	}
	return res.ptr
}

func (c *compiler) refFix(p pendingRef) string {
	if address, _ := cutFragment(p.ref); address != "" {
		return "give the document as a remote or inline it"
	}
	var names []string
	for _, word := range []string{"$defs", "definitions"} {
		list, _ := (Value{p.from.res.doc, p.from.res.root}).Get(word)
		for name := range list.Members() {
			names = append(names, "#/"+word+"/"+escapeToken(name))
		}
	}
	if near := nearest(p.ref, names, 1); len(near) == 1 {
		return "did you mean " + shorten(near[0]) + "?"
	}
	return "add the definition or correct the reference"
}

func (c *compiler) link(p pendingRef, to *rule, res *resource) {
	pl := p.from.inPlace()
	_, fragment := cutFragment(p.ref)
	switch p.word {
	case "$dynamicRef":
		if node, ok := res.dynamic[fragment]; ok && to.src.i == node && len(c.dynamicTargets(fragment)) >= 1 {
			pl.dynamic = &dynamicRef{anchor: fragment, initial: to}
			return
		}
	case "$recursiveRef":
		if to.res.recurse {
			pl.dynamic = &dynamicRef{initial: to}
			return
		}
	}
	if pl.ref != nil {
		// $ref beside $dynamicRef or $recursiveRef: both hold.
		pl.allOf = append(pl.allOf, to)
		return
	}
	pl.ref = to
}

func (c *compiler) dynamicTargets(anchor string) []*resource {
	var out []*resource
	for _, res := range c.resources {
		if _, ok := res.dynamic[anchor]; ok {
			out = append(out, res)
		}
	}
	return out
}

// finish resolves what needs all rules to be known.
func (c *compiler) finish() {
	for n := 0; n < len(c.all); n++ { // compiling targets may add rules
		r := c.all[n]
		if r.place != nil && r.place.dynamic != nil {
			c.resolveDynamic(r.place)
		}
	}
	c.follow()
	for _, r := range c.all {
		if r.obj != nil {
			r.obj.index()
		}
		r.plain = r.always == 0 && r.enum == nil && r.konst == nil && r.num == nil &&
			r.str == nil && r.arr == nil && r.obj == nil && r.place == nil
	}
}

// resolveDynamic lists the targets of a dynamic reference; with one target only
// it is a plain reference.
func (c *compiler) resolveDynamic(pl *placeRule) {
	d := pl.dynamic
	d.targets = map[*resource]*rule{}
	for _, res := range c.resources {
		node, ok := res.root, res.recurse
		if d.anchor != "" {
			node, ok = res.dynamic[d.anchor]
		}
		if !ok {
			continue
		}
		at := place{res: res, ptr: res.ptr, node: node}
		d.targets[res] = c.compile(at)
	}
	if len(d.targets) > 1 {
		c.dynamic = true
		return
	}
	pl.dynamic = nil
	if pl.ref != nil {
		pl.allOf = append(pl.allOf, d.initial)
		return
	}
	pl.ref = d.initial
}

// findLoops refuses schemas that lead back to themselves without descending
// into the value: no evaluation of them would end.
func (c *compiler) findLoops() {
	state := make([]uint8, len(c.all))
	var visit func(r *rule) bool
	visit = func(r *rule) bool {
		switch state[r.id] {
		case 1:
			return false
		case 2:
			return true
		}
		state[r.id] = 1
		ok := true
		if r.place != nil {
			r.place.each(func(next *rule) { ok = ok && visit(next) })
		}
		if r.obj != nil {
			for _, d := range r.obj.depends {
				ok = ok && (d.rule == nil || visit(d.rule))
			}
		}
		state[r.id] = 2
		if !ok {
			c.faults = append(c.faults, placedFault{Fault: Fault{
				Path: r.ptr, Keyword: "$ref", Message: "the reference leads back to itself without reading anything",
				Fix: "let the recursion pass through properties or items",
			}})
		}
		return true
	}
	for _, r := range c.all {
		visit(r)
	}
}
