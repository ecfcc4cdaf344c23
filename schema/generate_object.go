package schema

import (
	"strconv"
)

func (g *generator) object(w *wish, r *rule, depth int) string {
	low, high := 0, -1
	for _, o := range w.objs {
		low = max(low, o.minLen)
		if o.maxLen >= 0 && (high < 0 || o.maxLen < high) {
			high = o.maxLen
		}
	}
	var list []member
	add := func(name string) {
		if !hasMember(list, name) {
			list = append(list, member{name, g.value(g.memberRule(w, name), depth+1)})
		}
	}
	deep := g.lean || g.budget < 0 || depth > maxGenerateDepth/2
	for _, o := range w.objs {
		for n := range o.props {
			p := &o.props[n]
			switch {
			case p.required:
				add(p.name)
			case p.rule != nil && p.rule.always != alwaysFalse && !deep && (high < 0 || len(list) < high) && g.rand.IntN(2) == 0:
				add(p.name)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, o := range w.objs {
			for _, d := range o.depends {
				for _, name := range d.needs {
					if hasMember(list, d.name) && !hasMember(list, name) {
						add(name)
						changed = true
					}
				}
			}
		}
	}
	extra := low - len(list)
	if open := opensNames(w); !deep && open && extra <= 0 {
		extra = g.rand.IntN(3)
	}
	want := len(list) + extra
	for n := 0; n < 4*extra && n < 400 && len(list) < want; n++ {
		add(g.name(w, n))
	}
	g.rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return object(list)
}

// opensNames reports whether names are free and described: a map.
func opensNames(w *wish) bool {
	open := false
	for _, o := range w.objs {
		if len(o.props) > 0 || (o.rest != nil && o.rest.always == alwaysFalse && len(o.patterns) == 0) {
			return false
		}
		open = open || o.rest != nil || len(o.patterns) > 0
	}
	return open
}

// name makes one that the object allows beside the declared ones.
func (g *generator) name(w *wish, n int) string {
	for _, o := range w.objs {
		if o.names != nil {
			var inner wish
			g.gather(&inner, o.names, 0)
			if text, ok := g.listed(&inner, o.names); ok {
				if v, err := Read([]byte(text), nil); err == nil {
					return v.Text()
				}
			}
			return g.text(&inner, o.names)
		}
		if len(o.patterns) > 0 {
			p := o.patterns[g.rand.IntN(len(o.patterns))].pattern
			text := g.matching(p)
			if more := text + words[g.rand.IntN(len(words))] + strconv.Itoa(n); g.rand.IntN(2) == 0 {
				if ok, _ := p.match(more, isASCII(more)); ok {
					return more
				}
			}
			return text
		}
	}
	for _, o := range w.objs { // a declared one, before one is made up
		for i := range o.props {
			if g.rand.IntN(2) == 0 && o.props[i].rule != nil && o.props[i].rule.always != alwaysFalse {
				return o.props[i].name
			}
		}
	}
	return "key" + strconv.Itoa(n) + string(rune('a'+g.rand.IntN(26)))
}

// memberRule is what all rules say of the member of that name.
func (g *generator) memberRule(w *wish, name string) *rule {
	all := &placeRule{}
	for _, o := range w.objs {
		known := false
		if at := o.find(name); at >= 0 && o.props[at].rule != nil {
			known = true
			all.allOf = append(all.allOf, o.props[at].rule)
		}
		for _, p := range o.patterns {
			if ok, _ := p.pattern.match(name, isASCII(name)); ok {
				known = true
				all.allOf = append(all.allOf, p.rule)
			}
		}
		if !known && o.rest != nil && o.rest.always == 0 {
			all.allOf = append(all.allOf, o.rest)
		}
	}
	return together(all)
}
