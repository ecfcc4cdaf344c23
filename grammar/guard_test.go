package grammar

import (
	"os"
	"slices"
	"testing"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
	"github.com/holdfast-go/holdfast/internal/vocabularies"
	"github.com/holdfast-go/holdfast/schema"
)

func TestGuardStopsAtTheFirstByteThatCannotBe(t *testing.T) {
	s, _ := mustCompile(t, `{"type":"object","properties":{"kg":{"type":"number","maximum":400},"on":{"type":"boolean"}},"required":["kg"],"additionalProperties":false}`)
	g := NewGuard(map[string]*schema.Schema{"gym.weigh": s})
	if g.Watch("gym.other") != nil {
		t.Error("a tool that is not known is watched")
	}
	for text, want := range map[string]int{
		`{"kg":75.5}`: 11,
		" \n\n\t  {  \"kg\"\r\n\r\n:\n\n 75.5 , }": 28,
		`{"kg":"75"}`:      6,
		`{"kg":4000}`:      10, // 4000e-1 may be meant
		`{"on":true}`:      10,
		`{"kilos":1}`:      3,
		`{"kg":1 2}`:       8,
		`{"kg":1, "kg":2}`: 10,
		`{"kg":1}  `:       10,
		`{"kg":1} x`:       9,
		"{\"kg\":1                                  }": 42,
	} {
		for _, size := range []int{1, 3, len(text)} {
			watch, got := g.Watch("gym.weigh"), 0
			for piece := range slices.Chunk([]byte(text), size) {
				n := watch(string(piece))
				got += n
				if n < len(piece) {
					break
				}
			}
			if got != want {
				t.Errorf("watching %q in pieces of %d took %d bytes, want %d", text, size, got, want)
			}
		}
	}
}

// TestGuardNoticesEarly measures how many tokens before its end a text with one
// fault is stopped, over instances of the real tools.
func TestGuardNoticesEarly(t *testing.T) {
	v, rounds := tinyVocabulary(t), uint64(1)
	if os.Getenv("HOLDFAST_LONG") == "1" {
		var err error
		if v, err = tokenizer.ReadJSON(vocabularies.Read(t, vocabularies.Qwen), nil); err != nil {
			t.Fatal(err)
		}
		rounds = 20
	}
	texts, early, all, saved := 0, 0, 0, 0
	for _, tool := range realTools(t) {
		s, err := schema.Compile(tool.InputSchema, nil)
		if err != nil {
			continue
		}
		g := NewGuard(map[string]*schema.Schema{"x": s})
		for seed := range rounds {
			text, err := s.GenerateFaulty(seed)
			if err != nil {
				continue
			}
			n := g.Watch("x")(string(text.JSON))
			whole, left := len(v.Encode(string(text.JSON))), len(v.Encode(string(text.JSON[n:])))
			texts, all = texts+1, all+whole
			if n == len(text.JSON) {
				t.Errorf("%s: %s is taken to its end, and has a fault at %q", tool.Name, text.JSON, text.Path)
			}
			if left > 1 {
				early++
			}
			saved += max(0, left-1)
		}
	}
	t.Logf("%d texts with one fault: %d stopped before their last token; %d of %d tokens never needed, %.1f a text",
		texts, early, saved, all, float64(saved)/float64(max(1, texts)))
	if texts < 100 || early*5 < texts*2 { // what is missing shows at the last brace alone
		t.Errorf("%d of %d texts with a fault were stopped early; want at least two of five", early, texts)
	}
}
