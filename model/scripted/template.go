package scripted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"text/template"
)

// scene is what templates see.
type scene struct {
	Message string
	Groups  []string
	Group   map[string]string
	System  string
	Step    int
	Turn    int
	Hints   []string
	Results []result
	Result  any
	Today   string
}

// result is the result of one call as the request holds it.
type result struct {
	Tool    string // as the provider was sent it
	ID      string
	Outcome string
	Code    string
	Text    string
	JSON    any  // nil where the text is no JSON
	Error   bool // the format's own mark
}

func parseTemplate(text string) (*template.Template, error) {
	if text == "" {
		return nil, nil
	}
	return template.New("").Option("missingkey=zero").Funcs(functions()).Parse(text)
}

func expand(t *template.Template, s *scene) (string, error) {
	if t == nil {
		return "", nil
	}
	var b strings.Builder
	if err := t.Execute(&b, s); err != nil {
		return "", err
	}
	return b.String(), nil
}

func functions() template.FuncMap {
	return template.FuncMap{
		"json": func(v any) (string, error) { b, err := encode(v); return string(b), err },
		"find": func(pattern, text string) (string, error) {
			re, err := regexp.Compile(pattern)
			if err != nil {
				return "", err
			}
			m := re.FindStringSubmatch(text)
			switch len(m) {
			case 0:
				return "", nil
			case 1:
				return m[0], nil
			}
			return m[1], nil
		},
		"join":  join,
		"pick":  pick,
		"lower": strings.ToLower,
		"num":   func(s string) string { return strings.ReplaceAll(s, ",", ".") },
	}
}

func join(separator string, list any) string {
	var parts []string
	switch l := list.(type) {
	case []any:
		for _, v := range l {
			parts = append(parts, fmt.Sprint(v))
		}
	case []string:
		parts = l
	}
	return strings.Join(parts, separator)
}

func pick(field string, list any) []any {
	var values []any
	l, _ := list.([]any)
	for _, v := range l {
		if m, ok := v.(map[string]any); ok {
			values = append(values, m[field])
		}
	}
	return values
}

// encode is JSON without HTML escapes.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// argumentText is a call's argument text with templates in it: pieces in order,
// each fixed or a template, whose expansion is quoted where it stood in a JSON
// string.
type argumentText []piece

type piece struct {
	fixed    string
	template *template.Template
	quote    bool
}

func (r *rawArgument) compile() (argumentText, error) {
	switch {
	case !r.given:
		return nil, nil
	case r.isText:
		t, err := parseTemplate(r.text)
		if err != nil || t == nil {
			return nil, err
		}
		return argumentText{{template: t}}, nil
	}
	return compileJSON(r.text)
}

// compileJSON makes a template of every string of a JSON text that holds one.
func compileJSON(text string) (argumentText, error) {
	var out argumentText
	fixed := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		end := stringEnd(text, i)
		var s string
		if err := json.Unmarshal([]byte(text[i:end]), &s); err != nil {
			return nil, err
		}
		if strings.Contains(s, "{{") {
			t, err := parseTemplate(s)
			if err != nil {
				return nil, err
			}
			out = append(out, piece{fixed: text[fixed:i]}, piece{template: t, quote: true})
			fixed = end
		}
		i = end - 1
	}
	return append(out, piece{fixed: text[fixed:]}), nil
}

// stringEnd is the index after the JSON string that starts at i.
func stringEnd(text string, i int) int {
	for j := i + 1; j < len(text); j++ {
		switch text[j] {
		case '\\':
			j++
		case '"':
			return j + 1
		}
	}
	return len(text)
}

func (a argumentText) expand(s *scene) (string, error) {
	var b strings.Builder
	for _, p := range a {
		b.WriteString(p.fixed)
		if p.template == nil {
			continue
		}
		text, err := expand(p.template, s)
		if err != nil {
			return "", err
		}
		if p.quote {
			quoted, err := encode(text)
			if err != nil {
				return "", err
			}
			text = string(quoted)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}
