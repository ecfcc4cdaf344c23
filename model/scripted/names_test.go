package scripted

import (
	"strings"
	"testing"
)

func TestAProviderTakesNamesUpToItsLength(t *testing.T) {
	for _, row := range []struct {
		rule  string
		names names
		name  string
		takes bool
	}{
		{"OpenAI's", sentName, strings.Repeat("a", 64), true},
		{"OpenAI's", sentName, strings.Repeat("a", 65), false},
		{"OpenAI's", sentName, "", false},
		{"OpenAI's", sentName, "a.b", false},
		{"Gemini's", geminiName, "a" + strings.Repeat(".", 127), true},
		{"Gemini's", geminiName, "a" + strings.Repeat(".", 128), false},
		{"Gemini's", geminiName, "", false},
		{"Gemini's", geminiName, "1a", false},
	} {
		if got := row.names.MatchString(row.name); got != row.takes {
			t.Errorf("%s rule takes %q: %v, want %v", row.rule, row.name, got, row.takes)
		}
	}
}
