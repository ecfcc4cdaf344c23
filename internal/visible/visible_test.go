package visible

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestLineShowsWhatWouldActOrHide(t *testing.T) {
	for _, row := range []struct{ name, in, want string }{
		{"plain text stays", "Arroz blanco (cocido), 28 g – añadido ✓", "Arroz blanco (cocido), 28 g – añadido ✓"},
		{"a colour sequence", "\x1b[31mred", "<U+001B>[31mred"},
		{"a one-byte control introducer", "a\u009b2Jb", "a<U+009B>2Jb"},
		{"a line break", "a\r\nb\tc", "a<U+000D><U+000A>b<U+0009>c"},
		{"a bidirectional override", "a\u202egnp.exe", "a<U+202E>gnp.exe"},
		{"an isolate", "\u2066x\u2069", "<U+2066>x<U+2069>"},
		{"a zero-width space", "pay\u200bpal", "pay<U+200B>pal"},
		{"a byte order mark", "\ufeffx", "<U+FEFF>x"},
		{"a blank that is no space", "a\u00a0b\u3000c", "a<U+00A0>b<U+3000>c"},
		{"a filler that shows nothing", "a\u3164b\u034fc", "a<U+3164>b<U+034F>c"},
		{"a tag character", "a\U000E0041b", "a<U+E0041>b"},
		{"a line separator", "a\u2028b", "a<U+2028>b"},
		{"broken UTF-8", "a\xffb", "a<0xFF>b"},
		{"a picture of several characters", "❤️ 👩‍💻", "❤️ 👩‍💻"},
		{"a joiner between letters", "a\u200db", "a<U+200D>b"},
	} {
		if got := Line(row.in); got != row.want {
			t.Errorf("%s: Line(%q) = %q, want %q", row.name, row.in, got, row.want)
		}
	}
}

func TestTextKeepsLinesAndStreams(t *testing.T) {
	in := "uno\n\tdos ❤️\x07"
	want := "uno\n\tdos ❤️<U+0007>"
	if got := Text(in); got != want {
		t.Errorf("Text(%q) = %q, want %q", in, got, want)
	}
	var s Stream
	var b strings.Builder
	for _, r := range in {
		b.WriteString(s.Text(string(r)))
	}
	if b.String() != want {
		t.Errorf("streamed Text(%q) = %q, want %q", in, b.String(), want)
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\x1b[2J\u202e\u200b\xff\U000E0041")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range Line(s) {
			if r == 0x1b || unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r) {
				t.Fatalf("Line(%q) lets %U through", s, r)
			}
		}
		if !utf8.ValidString(s) {
			return
		}
		j, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		shown := JSON(j)
		var back string
		if err := json.Unmarshal([]byte(shown), &back); err != nil || back != s {
			t.Fatalf("JSON(%q) = %s, which reads as %q (%v)", j, shown, back, err)
		}
		for _, r := range shown {
			if hidden(r) {
				t.Fatalf("JSON(%q) lets %U through", j, r)
			}
		}
	})
}
