package catalogfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/sandbox"
	"github.com/holdfast-go/holdfast/schema"
)

// keyPart is a fixed text, or the argument of that name.
type keyPart struct {
	text     string
	argument bool
}

// key is the key function of the tool's template and its rule, or nil and "".
func (t *toolBuilder) key(input *schema.Schema) (func(schema.Value) (string, error), string) {
	template := t.textOf("key")
	if template == "" {
		return nil, ""
	}
	parts, err := parseKey(template)
	if err != nil {
		t.fault("/key", err.Error())
		return nil, ""
	}
	in := sandbox.InputOf(input)
	for _, p := range parts {
		if p.argument && !in.Requires(p.text) {
			t.fault("/key", fmt.Sprintf("{%s} is not a required argument, so the key could lack it", p.text))
		}
		if p.argument && in.Hides(p.text) {
			t.fault("/key", fmt.Sprintf("{%s} is a secret, and a key stands in the record and is shown", p.text))
		}
	}
	return func(args schema.Value) (string, error) { return expandKey(parts, args) }, template
}

// parseKey splits a template. Between two arguments there must be a character
// that a value's encoding never holds: two different pairs of values could have
// one key otherwise.
func parseKey(template string) ([]keyPart, error) {
	var parts []keyPart
	rest := template
	for rest != "" {
		text, after, found := strings.Cut(rest, "{")
		if strings.Contains(text, "}") {
			return nil, fmt.Errorf("key %q has a } without {", template)
		}
		if text != "" {
			parts = append(parts, keyPart{text: text})
		}
		if !found {
			break
		}
		name, end, closed := strings.Cut(after, "}")
		if !closed || name == "" || strings.Contains(name, "{") {
			return nil, fmt.Errorf("key %q has a { without a name and }", template)
		}
		if err := tellsApart(parts); err != nil {
			return nil, fmt.Errorf("key %q: %w", template, err)
		}
		parts = append(parts, keyPart{text: name, argument: true})
		rest = end
	}
	if !slices.ContainsFunc(parts, func(p keyPart) bool { return p.argument }) {
		return nil, fmt.Errorf("key %q names no argument, so all writes would be one", template)
	}
	return parts, nil
}

func tellsApart(before []keyPart) error {
	last := len(before) - 1
	hasArgument := slices.ContainsFunc(before, func(p keyPart) bool { return p.argument })
	if !hasArgument {
		return nil
	}
	if before[last].argument || !strings.ContainsFunc(before[last].text, func(r rune) bool { return !plainInKey(r) }) {
		return fmt.Errorf("two arguments need a separator such as : between them")
	}
	return nil
}

// plainInKey reports whether a value's character stands in a key as it is.
func plainInKey(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._%", r)
}

// expandKey writes the arguments into the template: texts as they are, other
// values in their canonical form, so that 1 and 1.0 give one key, and both with
// all but letters, digits and -._ percent-encoded.
func expandKey(parts []keyPart, args schema.Value) (string, error) {
	var b strings.Builder
	for _, p := range parts {
		if !p.argument {
			b.WriteString(p.text)
			continue
		}
		v, ok := args.Get(p.text)
		if !ok {
			return "", fmt.Errorf("key: argument %s is absent", p.text)
		}
		text := string(v.Canonical())
		if v.Kind() == schema.String {
			text = v.Text()
		}
		for i := range len(text) {
			if c := rune(text[i]); c != '%' && plainInKey(c) {
				b.WriteByte(text[i])
			} else {
				fmt.Fprintf(&b, "%%%02X", text[i])
			}
		}
	}
	return b.String(), nil
}
