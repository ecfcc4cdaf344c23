package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/holdfast-go/holdfast/sandbox"
	"github.com/holdfast-go/holdfast/schema"
)

// wholeArguments is the body that is the arguments, exactly as validated.
const wholeArguments = "arguments"

// body is a JSON value with placeholders in its strings.
type body struct {
	fixed   []byte   // without any
	text    template // a string; nothing but one argument: that argument's JSON
	names   []string
	items   []body // of an object with names, of a list without
	isArray bool
}

// parseBody reads a body's declaration: JSON, or a text that is JSON but for the
// placeholders outside of its strings.
func parseBody(src json.RawMessage) (body, error) {
	var text string
	if json.Unmarshal(src, &text) == nil {
		src = quotePlaceholders(text)
		if v, err := schema.Read(src, nil); err != nil || v.Kind() != schema.Object && v.Kind() != schema.Array {
			return body{}, errors.New("is neither arguments nor JSON with {name} in it")
		}
	}
	v, err := schema.Read(src, nil)
	if err != nil {
		return body{}, err
	}
	return newBody(v)
}

// quotePlaceholders puts the placeholders outside of strings into quotes: then
// they are strings that are nothing but one argument.
func quotePlaceholders(text string) []byte {
	var b bytes.Buffer
	for rest, inString := text, false; rest != ""; {
		switch at := placeholder.FindStringIndex(rest); {
		case !inString && at != nil && at[0] == 0:
			b.WriteString(`"` + rest[:at[1]] + `"`)
			rest = rest[at[1]:]
		case inString && rest[0] == '\\' && len(rest) > 1:
			b.WriteString(rest[:2])
			rest = rest[2:]
		default:
			inString = inString != (rest[0] == '"')
			b.WriteByte(rest[0])
			rest = rest[1:]
		}
	}
	return b.Bytes()
}

func newBody(v schema.Value) (body, error) {
	switch v.Kind() {
	case schema.String:
		t, err := parseTemplate(v.Text())
		if err != nil {
			return body{}, err
		}
		if len(t) == 0 || len(t) == 1 && t[0].text != "" {
			return body{fixed: v.Raw()}, nil
		}
		return body{text: t}, nil
	case schema.Array:
		made := body{isArray: true}
		for _, item := range v.Elements() {
			b, err := newBody(item)
			if err != nil {
				return body{}, err
			}
			made.items = append(made.items, b)
		}
		return made, nil
	case schema.Object:
		made := body{}
		for name, member := range v.Members() {
			b, err := newBody(member)
			if err != nil {
				return body{}, err
			}
			made.names, made.items = append(made.names, name), append(made.items, b)
		}
		return made, nil
	}
	return body{fixed: v.Raw()}, nil
}

// check says what is wrong with the placeholders. A member of an object may be an
// optional argument: it is left out where that is absent.
func (b *body) check(in *sandbox.Input, optional bool) error {
	at := place{arguments: true, key: true, optional: optional}
	if err := b.text.check(at, in); err != nil {
		return err
	}
	for i := range b.items {
		if err := b.items[i].check(in, !b.isArray); err != nil {
			return err
		}
	}
	return nil
}

// fill writes the body.
func (b *body) fill(w *bytes.Buffer, v values) error {
	switch {
	case b.fixed != nil:
		w.Write(b.fixed)
	case b.text != nil:
		return b.text.fillJSON(w, v)
	case b.isArray:
		return b.fillItems(w, v, '[', ']')
	default:
		return b.fillItems(w, v, '{', '}')
	}
	return nil
}

func (b *body) fillItems(w *bytes.Buffer, v values, open, end byte) error {
	w.WriteByte(open)
	first := true
	for i := range b.items {
		item := &b.items[i]
		if _, ok := v.args.Get(item.text.whole()); !b.isArray && item.text.whole() != "" && !ok {
			continue
		}
		if !first {
			w.WriteByte(',')
		}
		first = false
		if !b.isArray {
			w.Write(quoted(b.names[i]))
			w.WriteByte(':')
		}
		if err := item.fill(w, v); err != nil {
			return err
		}
	}
	w.WriteByte(end)
	return nil
}

// fillJSON writes t as one JSON value: an argument that is all of it with its own
// type and digits, everything else as a string.
func (t template) fillJSON(w *bytes.Buffer, v values) error {
	if name := t.whole(); name != "" {
		arg, ok := v.args.Get(name)
		if !ok {
			return fmt.Errorf("argument %s %w", name, errAbsent)
		}
		w.Write(arg.Raw())
		return nil
	}
	text, err := t.fill(v, asIs)
	if err != nil {
		return err
	}
	w.Write(quoted(text))
	return nil
}

// quoted is s as a JSON string, without escapes for HTML.
func quoted(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always has its JSON
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
