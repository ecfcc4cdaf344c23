package grammar

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
	"github.com/holdfast-go/holdfast/internal/shared"
	"github.com/holdfast-go/holdfast/internal/vocabularies"
	"github.com/holdfast-go/holdfast/schema"
)

func tinyVocabulary(t testing.TB) *tokenizer.Vocabulary {
	t.Helper()
	file, err := os.ReadFile("tokenizer/testdata/bytelevel.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := tokenizer.ReadJSON(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func mustCompile(t testing.TB, source string) (*schema.Schema, *Grammar) {
	t.Helper()
	s, err := schema.Compile([]byte(source), nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := Compile(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, g
}

// sampled is a text that noise wrote, which must be valid.
func sampled(t testing.TB, s *schema.Schema, g *Grammar, v *tokenizer.Vocabulary, random *rand.Rand, budget int) {
	t.Helper()
	ids, err := Sample(g.Matcher(v), nil, random, &SampleOptions{Budget: budget})
	text := v.Decode(ids)
	if err != nil {
		t.Fatalf("Sample = %.200q, %v", text, err)
	}
	args, err := schema.Read(text, nil)
	if err != nil {
		t.Fatalf("noise wrote %q, which does not read: %v", text, err)
	}
	if r := s.Validate(args); !r.Valid() {
		t.Fatalf("noise wrote %q, which is not valid: %v", text, r.Problems)
	}
}

func TestNoiseWritesOnlyWhatIsValid(t *testing.T) {
	v := tinyVocabulary(t)
	for name, source := range map[string]string{
		"anything":           `{"type":"object"}`,
		"needed names":       `{"type":"object","properties":{"a":{"type":"integer","minimum":3},"b":{"enum":["x",{"y":[1]}]},"c":{"type":"boolean"}},"required":["a","b","zeta"]}`,
		"a long text":        `{"type":"object","properties":{"a":{"type":"string","minLength":300}},"required":["a"],"additionalProperties":false}`,
		"a pattern":          `{"type":"object","properties":{"a":{"type":"string","pattern":"^[A-Z]{3}-\\d{4}$"}},"required":["a"]}`,
		"a date":             `{"type":"object","properties":{"a":{"type":"string","format":"date"}},"required":["a"],"additionalProperties":false}`,
		"lists within lists": `{"type":"object","properties":{"a":{"type":"array","minItems":2,"items":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"number","multipleOf":5}}}},"required":["a"]}`,
		"a tree":             `{"type":"object","properties":{"v":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#"}}},"required":["v"],"additionalProperties":false}`,
		"either or":          `{"type":"object","oneOf":[{"properties":{"k":{"const":"a"},"n":{"type":"integer"}},"required":["k","n"]},{"properties":{"k":{"const":"b"}},"required":["k"]}]}`,
		"dependencies":       `{"type":"object","properties":{"a":{},"b":{},"c":{}},"dependentRequired":{"a":["b"],"b":["c"]},"minProperties":2}`,
	} {
		t.Run(name, func(t *testing.T) {
			s, g := mustCompile(t, source)
			random := rand.New(rand.NewPCG(1, 2))
			for i := range 12 {
				sampled(t, s, g, v, random, 1+i*7)
			}
		})
	}
}

// TestNoiseOverRealTools has noise call every sound real tool.
func TestNoiseOverRealTools(t *testing.T) {
	rounds, v := 1, tinyVocabulary(t)
	if os.Getenv("HOLDFAST_LONG") == "1" {
		file := vocabularies.Read(t, vocabularies.Qwen)
		var err error
		if v, err = tokenizer.ReadJSON(file, nil); err != nil {
			t.Fatal(err)
		}
		rounds = 77 // of 263 tools: over 20,000 calls
	}
	random := rand.New(rand.NewPCG(3, 4))
	calls, refused := 0, 0
	for _, tool := range realTools(t) {
		s, err := schema.Compile(tool.InputSchema, nil)
		if err != nil {
			continue // not sound
		}
		g, err := Compile(s, nil)
		if err != nil {
			refused++
			t.Logf("%s has no grammar: %v", tool.Name, err)
			continue
		}
		for range rounds {
			sampled(t, s, g, v, random, 20+random.IntN(80))
			calls++
		}
	}
	t.Logf("%d calls, all valid; %d tools have no grammar", calls, refused)
	if refused > 0 || calls < 200 {
		t.Errorf("%d calls, and %d sound tools without a grammar; want all of them called", calls, refused)
	}
}

type realTool struct {
	Name        string
	InputSchema json.RawMessage
}

func realTools(t testing.TB) []realTool {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(shared.Dir(t, "tools"), "real-tools.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var tools []realTool
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var x realTool
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			t.Fatal(err)
		}
		tools = append(tools, x)
	}
	return tools
}

// TestSampleFollowsTheLogits has a source that wants one text, and writes it.
func TestSampleFollowsTheLogits(t *testing.T) {
	v := tinyVocabulary(t)
	_, g := mustCompile(t, `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)
	want := `{"name": "rice and beans"}`
	ids := append(v.Encode(want), v.End()[0])
	row := make([]float32, v.Size())
	got, err := Sample(g.Matcher(v), func(so []tokenizer.ID) ([]float32, error) {
		clear(row)
		row[ids[len(so)]] = 100
		return row, nil
	}, rand.New(rand.NewPCG(5, 6)), nil)
	if err != nil || string(v.Decode(got)) != want || got[len(got)-1] != ids[len(ids)-1] {
		t.Errorf("Sample = %q, %v; want %q and its end", v.Decode(got), err, want)
	}
}
