package tokenizer

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/holdfast-go/holdfast/internal/vocabularies"
)

// tiktoken writes a file of tokens, the first with rank 0.
func tiktoken(tokens ...string) []byte {
	var b strings.Builder
	for rank, token := range tokens {
		fmt.Fprintf(&b, "%s %d\n", base64.StdEncoding.EncodeToString([]byte(token)), rank)
	}
	return []byte(b.String())
}

func everyByte() []string {
	var list []string
	for b := range 256 {
		list = append(list, string([]byte{byte(b)}))
	}
	return list
}

func TestReadTiktoken(t *testing.T) {
	file := tiktoken(append(everyByte(), "he", "ll", "hell", "lo", "hello", " w", `{"`)...)
	v, err := ReadTiktoken(file, "cl100k_base", map[string]ID{"<|endoftext|>": 300}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"hello", " w", "o", " ", `{"`, "hell", `"`}, texts(v, v.Encode(`hello wo {"hell"`))); diff != "" {
		t.Errorf("tokens (-want +got):\n%s", diff)
	}
	if v.Size() != 301 || v.Token(300).Kind != Control || v.Token(299).Kind != Unused || len(v.End()) != 1 {
		t.Errorf("size %d, token 300 %v, token 299 %v, ends %v; want the control token behind a hole", v.Size(), v.Token(300), v.Token(299), v.End())
	}
}

// TestTiktokenIsTheReference reads Llama 3's tokens as the tiktoken file that they
// come from: there a pair's rank is its token's ID.
func TestTiktokenIsTheReference(t *testing.T) {
	llama := real(t, vocabularies.Llama)
	var tokens []string
	for id := range ID(128000) {
		tokens = append(tokens, llama.Token(id).Bytes)
	}
	v, err := ReadTiktoken(tiktoken(tokens...), "llama-bpe", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range ownTexts(t) {
		if diff := cmp.Diff(llama.Encode(text), v.Encode(text)); diff != "" {
			t.Errorf("tokens of %.80q (-tokenizer.json +tiktoken):\n%s", text, diff)
		}
	}
}

func TestReadTiktokenSaysWhatIsWrong(t *testing.T) {
	for name, row := range map[string]struct{ file, split, want string }{
		"an unknown split":  {"YQ== 0", "words", `the split "words" is not known`},
		"no base64":         {"YQ== 0\n??? 1", "gpt-2", `line 2: "???" is not base64`},
		"no rank":           {"YQ==", "gpt-2", `"" is no rank`},
		"a rank below zero": {"YQ== -1", "gpt-2", `"-1" is no rank`},
		"a far rank":        {"YQ== 2000000", "gpt-2", "want 0 to 1048575"},
		"a rank twice":      {"YQ== 0\nYg== 0", "gpt-2", `tokens "a" and "b" have one place, 0`},
		"a token twice":     {"YQ== 0\nYQ== 1", "gpt-2", `token "a" stands twice`},
		"no text":           {" 0", "gpt-2", "is not base64"},
		"nothing":           {"", "gpt-2", "0 entries"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadTiktoken([]byte(row.file), row.split, nil, nil)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("ReadTiktoken = %v, want an error with %q", err, row.want)
			}
		})
	}
}

func TestEveryNamedSplitCanBeRun(t *testing.T) {
	for _, name := range []string{
		"gpt-2", "r50k_base", "p50k_base", "cl100k_base", "o200k_base", "o200k_harmony", "llama-bpe", "llama3",
		"llama-v3", "gpt-4o", "qwen2", "deepseek-r1-qwen", "tekken", "smollm", "starcoder", "refact", "command-r", "codeshell",
	} {
		pieces, err := splitByName(name)
		if err != nil {
			t.Errorf("split %q: %v", name, err)
			continue
		}
		for _, text := range ownTexts(t) {
			var joined strings.Builder
			pieces.split(text, func(piece string) {
				if piece == "" {
					t.Errorf("split %q of %q has an empty piece", name, text)
				}
				joined.WriteString(piece)
			})
			if joined.String() != text {
				t.Errorf("split %q of %q loses text: %q", name, text, joined.String())
			}
		}
	}
}

func FuzzReadTiktoken(f *testing.F) {
	f.Add(tiktoken("a", "b", "ab"), "aab")
	f.Add([]byte("YQ== 0\n\nYQ=="), "")
	f.Fuzz(func(t *testing.T, file []byte, text string) {
		if len(file) > 1<<14 || len(text) > 1<<12 {
			t.Skip()
		}
		v, err := ReadTiktoken(file, "o200k_base", map[string]ID{"<|end|>": 1000}, nil)
		if err != nil {
			return
		}
		if decoded := v.Decode(v.Encode(text)); len(decoded) > len(text) {
			t.Fatalf("%q became %q", text, decoded)
		}
	})
}
