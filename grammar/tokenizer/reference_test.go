package tokenizer

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-go/holdfast/internal/shared"
	"github.com/holdfast-go/holdfast/internal/vocabularies"
	"golang.org/x/text/unicode/norm"
)

var update = flag.Bool("update", false, "ask the reference tokenizers anew")

// read are the real vocabularies that a test has asked for; they take a while.
var read = struct {
	sync.Mutex
	by map[string]*Vocabulary
}{by: map[string]*Vocabulary{}}

func real(t testing.TB, name string) *Vocabulary {
	t.Helper()
	read.Lock()
	defer read.Unlock()
	if read.by[name] == nil {
		v, err := ReadJSON(vocabularies.Read(t, name), nil)
		if err != nil {
			t.Fatal(err)
		}
		read.by[name] = v
	}
	return read.by[name]
}

// TestEncodeIsTheReference holds the tokens of our own texts to those that the
// vocabularies' own tokenizer gave.
func TestEncodeIsTheReference(t *testing.T) {
	texts := ownTexts(t)
	for _, name := range []string{vocabularies.Qwen, vocabularies.Llama} {
		t.Run(name, func(t *testing.T) {
			v := real(t, name)
			golden := filepath.Join("testdata", name+".jsonl")
			if *update {
				if err := os.WriteFile(golden, askReference(t, name, texts), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			answers, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, v, texts, answers)
		})
	}
}

// ownTexts are JSON strings, a line each.
func ownTexts(t testing.TB) []string {
	file, err := os.ReadFile("testdata/texts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for line := range bytes.Lines(file) {
		var text string
		if err := json.Unmarshal(line, &text); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	return texts
}

// TestEncodeIsTheReferenceOnShared does the same for every instance of maskbench.
func TestEncodeIsTheReferenceOnShared(t *testing.T) {
	if os.Getenv("HOLDFAST_LONG") != "1" {
		t.Skip("skipped: HOLDFAST_LONG=1 compares every instance of maskbench")
	}
	texts := instances(t)
	for _, name := range []string{vocabularies.Qwen, vocabularies.Llama} {
		t.Run(name, func(t *testing.T) {
			compare(t, real(t, name), texts, askReference(t, name, texts))
		})
	}
}

// compare wants each text's tokens as answered, a JSON list a line.
func compare(t *testing.T, v *Vocabulary, texts []string, answers []byte) {
	t.Helper()
	lines := bytes.Split(bytes.TrimSpace(answers), []byte("\n"))
	if len(lines) != len(texts) {
		t.Fatalf("%d answers to %d texts", len(lines), len(texts))
	}
	for i, text := range texts {
		var want []ID
		if err := json.Unmarshal(lines[i], &want); err != nil {
			t.Fatal(err)
		}
		got := v.EncodePrompt(text)
		if !slices.Equal(got, want) {
			t.Errorf("tokens of %.80q = %v, want the reference's %v", text, got, want)
		}
		if plain := v.Encode(text); norm.NFC.IsNormalString(text) && string(v.Decode(plain)) != text {
			t.Errorf("Decode(Encode(%.80q)) = %.80q", text, v.Decode(plain))
		}
	}
}

// instances are maskbench's, as its tests have them.
func instances(t *testing.T) []string {
	files, err := filepath.Glob(filepath.Join(shared.Dir(t, "maskbench"), "files", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var f struct {
			Tests []struct{ Data json.RawMessage }
		}
		if err := json.Unmarshal(file, &f); err != nil {
			t.Fatal(err)
		}
		for _, test := range f.Tests {
			var text bytes.Buffer
			if err := json.Compact(&text, test.Data); err != nil {
				t.Fatal(err)
			}
			// The reference runs in JavaScript, where U+FEFF is a space; to the models'
			// own tokenizers it is none.
			if !strings.Contains(text.String(), "\ufeff") {
				texts = append(texts, text.String())
			}
		}
	}
	return texts
}

func askReference(t *testing.T, name string, texts []string) []byte {
	t.Helper()
	var in bytes.Buffer
	e := json.NewEncoder(&in)
	for _, text := range texts {
		if err := e.Encode(text); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command("node", "reference.mjs", name)
	c.Dir, c.Stdin, c.Stderr = vocabularies.Folder(t), &in, os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRealVocabularies(t *testing.T) {
	for name, want := range map[string]struct {
		size, text, leftover int
		end                  []string
	}{
		vocabularies.Qwen:  {151665, 151651, 6192, []string{"<|endoftext|>", "<|im_end|>"}},
		vocabularies.Llama: {128256, 128000, 6175, []string{"<|end_of_text|>", "<|eot_id|>"}},
	} {
		t.Run(name, func(t *testing.T) {
			v := real(t, name)
			var end []string
			for _, id := range v.End() {
				end = append(end, v.Token(id).Bytes)
			}
			if v.Size() != want.size || v.Trie().Len() != want.text || v.Leftover().Len() != want.leftover || !slices.Equal(end, want.end) {
				t.Errorf("size %d, text %d, leftover %d, end %q; want %+v", v.Size(), v.Trie().Len(), v.Leftover().Len(), end, want)
			}
		})
	}
}
