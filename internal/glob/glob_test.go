package glob

import (
	"strings"
	"testing"
	"time"
)

func TestMatch(t *testing.T) {
	for _, row := range []struct {
		pattern, s string
		want       bool
	}{
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"mail.*", "mail.send", true},
		{"mail.*", "mail.", true},
		{"mail.*", "mailx.send", false},
		{"*.send", "mail.send", true},
		{"*.send", "mail.send_all", false},
		{"a*b*c", "aXbYbZc", true},
		{"a*b*c", "aXcYb", false},
		{"??", "né", true},
		{"?", "", false},
		{"[a]", "a", false},
		{"*", "line\nbreak/and.dot", true},
	} {
		if got := Match(row.pattern, row.s); got != row.want {
			t.Errorf("Match(%q, %q) = %t, want %t", row.pattern, row.s, got, row.want)
		}
	}
}

func TestMatch_takes_no_exponential_time(t *testing.T) {
	start := time.Now()
	if Match(strings.Repeat("a*", 200)+"b", strings.Repeat("a", 4000)) {
		t.Error("Match() = true, want false: there is no b")
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}
