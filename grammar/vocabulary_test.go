package grammar

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
	"github.com/holdfast-go/holdfast/internal/vocabularies"
)

// TestMasksOfARealVocabulary compares whole masks with what the bytes of each of
// 150,000 tokens do, at random places of texts of real schemas: one of some, or with
// HOLDFAST_LONG=1 ten of every schema.
func TestMasksOfARealVocabulary(t *testing.T) {
	v, err := tokenizer.ReadJSON(vocabularies.Read(t, vocabularies.Qwen), nil)
	if err != nil {
		t.Fatal(err)
	}
	nth, places := 20, 1
	if os.Getenv("HOLDFAST_LONG") == "1" {
		nth, places = 1, 10
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, e := range examples(t, nth) {
		g, err := Compile(e.schema, nil)
		if err != nil || len(e.texts) == 0 {
			continue
		}
		for range places {
			ids := v.Encode(e.texts[r.IntN(len(e.texts))])
			m := g.Matcher(v)
			for _, id := range ids[:r.IntN(len(ids))] {
				m.Mask() // so that what it remembers is used
				if !m.Accept(id) {
					break
				}
			}
			checkTokens(t, e.name, m, v)
		}
	}
}

// checkTokens is checkMask without a clone for each token.
func checkTokens(t *testing.T, name string, m *Matcher, v *tokenizer.Vocabulary) {
	t.Helper()
	mask := append([]uint64(nil), m.Mask()...)
	for id := range tokenizer.ID(v.Size()) {
		got, want := mask[id>>6]>>(id&63)&1 != 0, m.Accept(id)
		if want {
			m.Rollback(1)
		}
		if got != want {
			t.Errorf("%s: behind %q token %d %q is allowed: %v, want %v", name, m.text, id, v.Token(id).Bytes, got, want)
			return
		}
	}
}
