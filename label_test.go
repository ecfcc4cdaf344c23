package holdfast

import "testing"

func TestLabel_names_what_brought_it(t *testing.T) {
	l := Untrusted.Of("mail.read")
	if l != "untrusted:mail.read" || l.Name() != Untrusted || l.From() != "mail.read" || Untrusted.From() != "" {
		t.Errorf("label %q has name %q and comes from %q", l, l.Name(), l.From())
	}
	if again := l.Of("web.fetch"); again != "untrusted:web.fetch" {
		t.Errorf("Of() = %q, want one tool, the last", again)
	}
}
