package schema

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ourTags are the keys of the tags that describe a field.
var ourTags = []string{"desc", "enum", "min", "max", "pattern", "format", "example", "secret", "nullable"}

// foreignTags belong to other packages and are left alone.
var foreignTags = []string{
	"json", "yaml", "xml", "toml", "db", "bson", "sql", "gorm", "mapstructure", "validate", "binding", "form", "query",
	"header", "uri", "protobuf", "env", "ini", "csv", "hcl", "cty", "firestore", "dynamodbav", "redis", "url", "schema", "kong", "jsonschema",
}

// tagKeys reads a struct tag whole; reflect.StructTag gives up silently.
func tagKeys(tag string) (keys, values []string, err error) {
	for tag = strings.TrimLeft(tag, " "); tag != ""; tag = strings.TrimLeft(tag, " ") {
		key, rest, ok := strings.Cut(tag, ":")
		if !ok || key == "" || strings.ContainsAny(key, " \",;") || rest == "" || rest[0] != '"' {
			return nil, nil, fmt.Errorf("the tag %s is malformed", quoteShort(tag))
		}
		prefix, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return nil, nil, fmt.Errorf("the tag %s is malformed", quoteShort(tag))
		}
		value, _ := strconv.Unquote(prefix)
		if slices.Contains(keys, key) {
			return nil, nil, fmt.Errorf("the tag %s stands twice", key)
		}
		keys, values = append(keys, key), append(values, value)
		tag = rest[len(prefix):]
	}
	return keys, values, nil
}

// applyTags adds what a field's tags say to its schema.
func applyTags(f field, inner []member) ([]member, error) {
	keys, values, err := tagKeys(string(f.tag))
	if err != nil {
		return nil, err
	}
	kind := schemaKind(inner)
	for n, key := range keys {
		if slices.Contains(foreignTags, key) {
			continue
		}
		if !slices.Contains(ourTags, key) {
			if near := nearest(key, ourTags, 1); len(near) == 1 {
				return nil, fmt.Errorf("the tag %q is not known; did you mean %q?", key, near[0])
			}
			return nil, fmt.Errorf("the tag %q is not known", key)
		}
		if inner, err = applyTag(inner, kind, key, values[n]); err != nil {
			return nil, err
		}
	}
	return inner, nil
}

// schemaKind is the type that a schema names, or "".
func schemaKind(inner []member) string {
	for _, m := range inner {
		if m.name == "type" {
			return strings.Trim(m.text, `"`)
		}
	}
	return ""
}

// put replaces a member or adds it.
func put(list []member, name, text string) []member {
	for n := range list {
		if list[n].name == name {
			list[n].text = text
			return list
		}
	}
	return append(list, member{name, text})
}

func applyTag(inner []member, kind, key, value string) ([]member, error) {
	switch key {
	case "desc":
		if value == "" {
			return nil, errors.New("the tag desc is empty")
		}
		return put(inner, "description", quoted(value)), nil
	case "enum":
		return enumTag(inner, kind, value)
	case "min", "max":
		return boundTag(inner, kind, key, value)
	case "pattern":
		if kind != "string" {
			return nil, errors.New("the tag pattern needs a string")
		}
		return put(inner, "pattern", quoted(value)), nil
	case "format":
		if kind != "string" || (formats[value] == nil && !annotationFormats[value]) {
			return nil, fmt.Errorf("the format %q is not known, or the field is no string", value)
		}
		return put(inner, "format", quoted(value)), nil
	case "example":
		text, err := tagValue(kind, value)
		if err != nil {
			return nil, err
		}
		return put(inner, "examples", "["+text+"]"), nil
	}
	if value != "true" {
		return nil, fmt.Errorf("the tag %s can only be \"true\"", key)
	}
	if key == "secret" {
		return put(inner, "writeOnly", "true"), nil
	}
	if kind == "" {
		return nil, errors.New("the tag nullable needs a field with a type of its own")
	}
	return put(inner, "type", `["`+kind+`","null"]`), nil
}

// tagValue is the JSON text of a value in a tag.
func tagValue(kind, value string) (string, error) {
	if kind == "string" {
		return quoted(value), nil
	}
	v, err := Read([]byte(value), nil)
	if err != nil {
		return "", fmt.Errorf("the value %q in the tag is not JSON", value)
	}
	if kind != "" && v.Kind().String() != kind && (kind != "integer" || v.Kind() != Number) {
		return "", fmt.Errorf("the value %q in the tag is no %s", value, kind)
	}
	return value, nil
}

func enumTag(inner []member, kind, value string) ([]member, error) {
	if kind == "array" || kind == "object" || kind == "" {
		return nil, errors.New("the tag enum needs a string, a number or a boolean")
	}
	var list []string
	for one := range strings.SplitSeq(value, "|") {
		text, err := tagValue(kind, one)
		if err != nil {
			return nil, err
		}
		if one == "" || slices.Contains(list, text) {
			return nil, errors.New("the tag enum holds an empty or a repeated value")
		}
		list = append(list, text)
	}
	return put(inner, "enum", "["+strings.Join(list, ",")+"]"), nil
}

func boundTag(inner []member, kind, key, value string) ([]member, error) {
	word := map[string][2]string{
		"integer": {"minimum", "maximum"}, "number": {"minimum", "maximum"}, "string": {"minLength", "maxLength"},
		"array": {"minItems", "maxItems"}, "object": {"minProperties", "maxProperties"},
	}[kind]
	if word[0] == "" {
		return nil, fmt.Errorf("the tag %s does not fit the field", key)
	}
	v, err := Read([]byte(value), nil)
	if err != nil || v.Kind() != Number || (kind != "number" && !parseDecimal(value).integer()) {
		return nil, fmt.Errorf("the tag %s must be a number, not %q", key, value)
	}
	if key == "min" {
		return put(inner, word[0], value), nil
	}
	return put(inner, word[1], value), nil
}
