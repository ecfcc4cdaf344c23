package schema

import (
	"slices"
	"strings"
)

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
