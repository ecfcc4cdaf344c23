package httpapi

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/holdfast-go/holdfast/sandbox"
	"github.com/holdfast-go/holdfast/schema"
)

// placeholder is {name} for an argument, and ${…} for what is none: ${key} and
// ${env:NAME}.
var placeholder = regexp.MustCompile(`\$\{([^{}]*)\}|\{([A-Za-z0-9_][A-Za-z0-9_.-]*)\}`)

const (
	keyWord   = "key"  // ${key}, the idempotency key
	envPrefix = "env:" // ${env:NAME}, a secret
)

// part is a fixed text, an argument, the key or an environment variable.
type part struct {
	text     string
	argument string
	key      bool
	env      string
}

// template is a text with placeholders.
type template []part

// parseTemplate splits a text; what only looks like a placeholder is text.
func parseTemplate(text string) (template, error) {
	var t template
	rest := 0
	for _, at := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		if at[0] > rest {
			t = append(t, part{text: text[rest:at[0]]})
		}
		rest = at[1]
		if at[4] >= 0 {
			t = append(t, part{argument: text[at[4]:at[5]]})
			continue
		}
		word := text[at[2]:at[3]]
		name, isEnv := strings.CutPrefix(word, envPrefix)
		switch {
		case word == keyWord:
			t = append(t, part{key: true})
		case isEnv && name != "":
			t = append(t, part{env: name})
		default:
			return nil, fmt.Errorf("${%s} is neither ${key} nor ${env:NAME}", word)
		}
	}
	if rest < len(text) {
		t = append(t, part{text: text[rest:]})
	}
	return t, nil
}

// whole is the argument that t is nothing but, or "".
func (t template) whole() string {
	if len(t) == 1 {
		return t[0].argument
	}
	return ""
}

// place says where a template stands, and so what it may hold.
type place struct {
	arguments bool // {name}
	shown     bool // in logs and records on the way, so no secret argument
	optional  bool // an argument that is all of it may be absent
	key, env  bool
}

// check says what is wrong with t at a place, in view of the arguments.
func (t template) check(at place, in *sandbox.Input) error {
	for _, p := range t {
		switch {
		case p.env != "" && !at.env:
			return errors.New("secrets stand only in headers: ${env:" + p.env + "} cannot stand here")
		case p.key && !at.key:
			return errors.New("${key} cannot stand here")
		case p.argument == "":
		case !at.arguments:
			return fmt.Errorf("arguments such as {%s} cannot stand here", p.argument)
		case !in.Declares(p.argument):
			return fmt.Errorf("the input schema has no {%s}", p.argument)
		case at.shown && in.Hides(p.argument):
			return fmt.Errorf("{%s} is a secret, and an address is shown in many a log", p.argument)
		case !in.Requires(p.argument) && (!at.optional || t.whole() == ""):
			return fmt.Errorf("{%s} is not a required argument, so it could be absent here", p.argument)
		}
	}
	return nil
}

// values are what a template is filled with.
type values struct {
	args schema.Value
	key  string
	env  func(name string) (string, bool)
}

// errAbsent says that an argument that may be left out is.
var errAbsent = errors.New("is absent")

// fill writes t, each value as encode has it. Its texts stand as they are.
func (t template) fill(v values, encode func(string) string) (string, error) {
	var b strings.Builder
	for _, p := range t {
		switch {
		case p.argument != "":
			arg, ok := v.args.Get(p.argument)
			if !ok {
				return "", fmt.Errorf("argument %s %w", p.argument, errAbsent)
			}
			text, err := plainText(arg)
			if err != nil {
				return "", fmt.Errorf("argument %s %w", p.argument, err)
			}
			b.WriteString(encode(text))
		case p.key:
			if v.key == "" {
				return "", errors.New("the call has no idempotency key")
			}
			b.WriteString(encode(v.key))
		case p.env != "":
			value, ok := v.env(p.env)
			if !ok || value == "" {
				return "", fmt.Errorf("the environment variable %s is not set", p.env)
			}
			b.WriteString(encode(value))
		default:
			b.WriteString(p.text)
		}
	}
	return b.String(), nil
}

// plainText is a value within a text: a string as it is, a number with its
// digits, a list or an object as JSON. A null has no such form.
func plainText(v schema.Value) (string, error) {
	switch v.Kind() {
	case schema.String, schema.Number:
		return v.Text(), nil
	case schema.Null:
		return "", errors.New("is null, which has no place in a text")
	}
	return string(v.Canonical()), nil
}

// asIs leaves a value as it is.
func asIs(s string) string { return s }

// percent encodes all but what RFC 3986 leaves unreserved.
func percent(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}
