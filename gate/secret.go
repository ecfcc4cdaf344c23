package gate

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
)

// mayHoldSecrets reports whether a schema marks anything writeOnly. It errs on
// the careful side: the word may stand elsewhere.
func mayHoldSecrets(s *schema.Schema) bool {
	return bytes.Contains(s.Source(), []byte(`writeOnly`))
}

// hide keeps the arguments as others may see them, and what must not be told.
func (g *Gate) hide(c *call) {
	if !c.info.secrets {
		c.masked = c.text
		return
	}
	c.masked = c.tool.Input().Mask(c.args)
	if shown, err := schema.Read(c.masked, nil); err == nil {
		c.hidden = secretsOf(c.args, shown, nil)
	}
}

// minSecret is the shortest text that is looked for in what a tool says:
// shorter ones would blot out ordinary words.
const minSecret = 4

// secretsOf collects the texts of v that are not in its masked form.
func secretsOf(v, shown schema.Value, found []string) []string {
	if v.Kind() != shown.Kind() || v.Kind() != schema.Object && v.Kind() != schema.Array {
		if !v.Equal(shown) {
			return textsOf(v, found)
		}
		return found
	}
	if v.Kind() == schema.Array {
		masked := make([]schema.Value, 0, shown.Len())
		for _, e := range shown.Elements() {
			masked = append(masked, e)
		}
		for i, e := range v.Elements() {
			if i < len(masked) {
				found = secretsOf(e, masked[i], found)
			} else {
				found = textsOf(e, found)
			}
		}
		return found
	}
	for name, m := range v.Members() {
		if s, ok := shown.Get(name); ok {
			found = secretsOf(m, s, found)
		} else {
			found = textsOf(m, found)
		}
	}
	return found
}

func textsOf(v schema.Value, found []string) []string {
	switch v.Kind() {
	case schema.String, schema.Number:
		if text := v.Text(); len(text) >= minSecret {
			found = append(found, text)
		}
	case schema.Array:
		for _, e := range v.Elements() {
			found = textsOf(e, found)
		}
	case schema.Object:
		for _, m := range v.Members() {
			found = textsOf(m, found)
		}
	}
	return found
}

// maskText is what stands in a secret's place, as in masked arguments.
const maskText = "[hidden]"

// scrub takes the call's secrets out of a text.
func (c *call) scrub(text string) string {
	for _, s := range c.hidden {
		text = strings.ReplaceAll(text, s, maskText)
	}
	return text
}

// scrubJSON takes them out of the strings and numbers of a JSON text, member
// names aside.
func (c *call) scrubJSON(text json.RawMessage) json.RawMessage {
	if len(c.hidden) == 0 || len(text) == 0 {
		return text
	}
	var out []byte
	for i := 0; i < len(text); {
		switch {
		case text[i] == '"':
			end := stringEnd(text, i)
			isName := bytes.HasPrefix(bytes.TrimLeft(text[end:], " \t\r\n"), []byte(":"))
			out = append(out, c.scrubLiteral(text[i:end], isName)...)
			i = end
		case text[i] == '-' || text[i] >= '0' && text[i] <= '9':
			end := i + 1
			for end < len(text) && strings.IndexByte("+-.eE0123456789", text[end]) >= 0 {
				end++
			}
			if slices.Contains(c.hidden, string(text[i:end])) {
				out = append(out, `"`+maskText+`"`...)
			} else {
				out = append(out, text[i:end]...)
			}
			i = end
		default:
			out = append(out, text[i])
			i++
		}
	}
	return out
}

func (c *call) scrubLiteral(literal []byte, isName bool) []byte {
	var s string
	if isName || json.Unmarshal(literal, &s) != nil {
		return literal
	}
	clean := c.scrub(s)
	if clean == s {
		return literal
	}
	quoted, err := json.Marshal(clean)
	if err != nil {
		return []byte(`"` + maskText + `"`)
	}
	return quoted
}

// stringEnd is the offset after the string literal that starts at i.
func stringEnd(text []byte, i int) int {
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

// scrubResult takes them out of what a handler handed back.
func (c *call) scrubResult(r *holdfast.Result) *holdfast.Result {
	if r == nil || len(c.hidden) == 0 {
		return r
	}
	clean := *r
	clean.Text, clean.JSON = c.scrub(r.Text), c.scrubJSON(r.JSON)
	return &clean
}

// scrubProblems takes them out of what is wrong with a result.
func (c *call) scrubProblems(all []schema.Problem) []schema.Problem {
	if len(c.hidden) == 0 {
		return all
	}
	for i := range all {
		all[i].Path, all[i].Got, all[i].Message = c.scrub(all[i].Path), c.scrub(all[i].Got), c.scrub(all[i].Message)
	}
	return all
}

// maskCoercions hides what was changed of secret values.
func maskCoercions(s *schema.Schema, before, after schema.Value, all []schema.Coercion) []schema.Coercion {
	was, errWas := schema.Read(s.Mask(before), nil)
	is, errIs := schema.Read(s.Mask(after), nil)
	masked := json.RawMessage(`"` + maskText + `"`)
	for i := range all {
		if errWas != nil || !sameAt(before, was, all[i].Path) {
			all[i].From = masked
		}
		if errIs != nil || !sameAt(after, is, all[i].Path) {
			all[i].To = masked
		}
	}
	return all
}

// sameAt reports whether v is shown unmasked at pointer.
func sameAt(v, shown schema.Value, pointer string) bool {
	a, okA := v.At(pointer)
	b, okB := shown.At(pointer)
	return okA == okB && (!okA || a.Equal(b))
}
