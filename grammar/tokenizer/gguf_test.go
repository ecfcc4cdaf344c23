package tokenizer

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/holdfast-go/holdfast/internal/gguf"
	"github.com/holdfast-go/holdfast/internal/vocabularies"
)

func encodeGGUF(t testing.TB, entries ...gguf.Entry) []byte {
	t.Helper()
	file, err := gguf.Encode(entries, nil)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// asGGUF writes a vocabulary of tokenizer.json as a GGUF file has it.
func asGGUF(t testing.TB, text []byte, pre string) []byte {
	t.Helper()
	f, err := parseJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	names := append([]string(nil), f.Model.Vocab.names...)
	types := make([]int32, len(names))
	for i := range types {
		types[i] = ggufNormal
	}
	for _, a := range f.Added {
		for int(a.ID) >= len(names) {
			names, types = append(names, ""), append(types, ggufUnused)
		}
		if names[a.ID], types[a.ID] = a.Content, ggufUserDefined; a.Special {
			types[a.ID] = ggufControl
		}
	}
	var merges []string
	for _, m := range f.Model.Merges {
		merges = append(merges, m[0]+" "+m[1])
	}
	return encodeGGUF(t,
		gguf.Entry{Key: "general.architecture", Value: "none"},
		gguf.Entry{Key: "none.sizes", Value: []uint64{1, 2}},
		gguf.Entry{Key: "tokenizer.ggml.model", Value: "gpt2"},
		gguf.Entry{Key: "tokenizer.ggml.pre", Value: pre},
		gguf.Entry{Key: "tokenizer.ggml.tokens", Value: names},
		gguf.Entry{Key: "tokenizer.ggml.token_type", Value: types},
		gguf.Entry{Key: "tokenizer.ggml.merges", Value: merges},
		gguf.Entry{Key: "tokenizer.ggml.eos_token_id", Value: uint32(5)},
		gguf.Entry{Key: "tokenizer.chat_template", Value: "{{ messages }}"},
	)
}

func TestReadGGUFIsTokenizerJSON(t *testing.T) {
	tiny, err := os.ReadFile("testdata/bytelevel.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		file func(*testing.T) []byte
		pre  string
	}{
		"our own": {func(*testing.T) []byte { return tiny }, "qwen2"},
		"qwen":    {func(t *testing.T) []byte { return vocabularies.Read(t, vocabularies.Qwen) }, "qwen2"},
	} {
		t.Run(name, func(t *testing.T) {
			file := row.file(t)
			want, err := ReadJSON(file, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ReadGGUF(bytes.NewReader(asGGUF(t, file, row.pre)), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.tokens, got.tokens); diff != "" {
				t.Errorf("tokens (-tokenizer.json +GGUF):\n%s", diff)
			}
			if diff := cmp.Diff(append([]ID{5}, want.End()...), got.End()); diff != "" {
				t.Errorf("ends, and what the file names (-want +got):\n%s", diff)
			}
			for _, text := range ownTexts(t) {
				text = strings.ReplaceAll(text, "\u0301", "") // a GGUF file does not say that characters are composed
				text = strings.ReplaceAll(text, "\u0303", "")
				if diff := cmp.Diff(want.EncodePrompt(text), got.EncodePrompt(text)); diff != "" {
					t.Errorf("tokens of %.80q (-tokenizer.json +GGUF):\n%s", text, diff)
				}
			}
		})
	}
}

// sentencePiece is a GGUF file with scores.
func sentencePiece(t testing.TB, more ...gguf.Entry) []byte {
	names := []string{"<unk>", "<s>", "</s>", "▁", "h", "e", "l", "o", "▁he", "ll", "▁hell", "he", "▁▁", "<tool>", "lo"}
	types := []int32{ggufUnknown, ggufControl, ggufControl, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ggufUserDefined, 1}
	scores := []float32{0, 0, 0, -90, -90, -90, -90, -90, -2, -3, -4, -1, -5, 0, -3}
	for b := range 256 {
		names = append(names, "<0x"+strings.ToUpper(string("0123456789abcdef"[b>>4])+string("0123456789abcdef"[b&15]))+">")
		types, scores = append(types, ggufByte), append(scores, 0)
	}
	return encodeGGUF(t, append([]gguf.Entry{
		{Key: "tokenizer.ggml.model", Value: "llama"},
		{Key: "tokenizer.ggml.tokens", Value: names},
		{Key: "tokenizer.ggml.token_type", Value: types},
		{Key: "tokenizer.ggml.scores", Value: scores},
	}, more...)...)
}

func TestReadGGUFOfSentencePiece(t *testing.T) {
	for name, row := range map[string]struct {
		more []gguf.Entry
		text string
		want []string
	}{
		"the highest score first": {nil, "hello", []string{" hell", "o"}},
		"the left one of equals":  {nil, "llo", []string{" ", "ll", "o"}},
		"bytes to fall back on":   {nil, "né", []string{" ", "n", "\xc3", "\xa9"}},
		"no space before":         {[]gguf.Entry{{Key: "tokenizer.ggml.add_space_prefix", Value: false}}, "he", []string{"he"}},
		"a text by its name":      {[]gguf.Entry{{Key: "tokenizer.ggml.add_space_prefix", Value: false}}, "he<tool>", []string{"he", "<tool>"}},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := ReadGGUF(bytes.NewReader(sentencePiece(t, row.more...)), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, texts(v, v.Encode(row.text))); diff != "" {
				t.Errorf("tokens of %q (-want +got):\n%s", row.text, diff)
			}
		})
	}
}

func TestReadGGUFSaysWhatIsWrong(t *testing.T) {
	good := sentencePiece(t)
	version := bytes.Clone(good)
	version[4] = 1
	many := bytes.Clone(good)
	binary.LittleEndian.PutUint64(many[16:], 1<<40)
	long := bytes.Clone(good)
	binary.LittleEndian.PutUint64(long[24:], 1<<40)
	for name, row := range map[string]struct {
		file []byte
		want string
	}{
		"nothing":              {nil, "ends within"},
		"another file":         {[]byte("PK\x03\x04 and more and more"), "no GGUF file does"},
		"an old version":       {version, "its version is 1"},
		"half a file":          {good[:200], "ends within"},
		"too many entries":     {many, "over the limit"},
		"a name of a tebibyte": {long, "a text of 1099511627776 bytes"},
		"no tokens":            {encodeGGUF(t, gguf.Entry{Key: "tokenizer.ggml.model", Value: "gpt2"}), "it has 0 tokens"},
		"another kind":         {encodeGGUF(t, gguf.Entry{Key: "tokenizer.ggml.model", Value: "t5"}, gguf.Entry{Key: "tokenizer.ggml.tokens", Value: []string{"a"}}), `the kind "t5"`},
		"an unknown split": {encodeGGUF(t, gguf.Entry{Key: "tokenizer.ggml.model", Value: "gpt2"}, gguf.Entry{Key: "tokenizer.ggml.pre", Value: "poro"},
			gguf.Entry{Key: "tokenizer.ggml.tokens", Value: []string{"a"}}), `the split "poro"`},
		"types of others": {encodeGGUF(t, gguf.Entry{Key: "tokenizer.ggml.tokens", Value: []string{"a"}}, gguf.Entry{Key: "tokenizer.ggml.token_type", Value: []int32{1, 1}}), "2 types of 1 tokens"},
		"no scores":       {encodeGGUF(t, gguf.Entry{Key: "tokenizer.ggml.model", Value: "llama"}, gguf.Entry{Key: "tokenizer.ggml.tokens", Value: []string{"a"}}), "0 scores of 1 tokens"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadGGUF(bytes.NewReader(row.file), nil)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("ReadGGUF = %v, want an error with %q", err, row.want)
			}
		})
	}
}

func FuzzReadGGUF(f *testing.F) {
	// Small ones: the fuzzer spends its time on the size of its seeds.
	f.Add(encodeGGUF(f,
		gguf.Entry{Key: "general.name", Value: "x"},
		gguf.Entry{Key: "tokenizer.ggml.model", Value: "gpt2"},
		gguf.Entry{Key: "tokenizer.ggml.tokens", Value: []string{"a", "b", "ab"}},
		gguf.Entry{Key: "tokenizer.ggml.token_type", Value: []int32{1, 1, 1}},
		gguf.Entry{Key: "tokenizer.ggml.merges", Value: []string{"a b"}}), "ab")
	f.Add(encodeGGUF(f,
		gguf.Entry{Key: "tokenizer.ggml.model", Value: "llama"},
		gguf.Entry{Key: "tokenizer.ggml.tokens", Value: []string{"?", "▁", "a", "▁a", "<0x62>"}},
		gguf.Entry{Key: "tokenizer.ggml.token_type", Value: []int32{2, 1, 1, 1, 6}},
		gguf.Entry{Key: "tokenizer.ggml.scores", Value: []float32{0, -3, -2, -1, 0}}), "a ab")
	f.Fuzz(func(t *testing.T, file []byte, text string) {
		if len(file) > 1<<16 || len(text) > 1<<12 {
			t.Skip("longer than this target looks at; limits have their own tests")
		}
		v, err := ReadGGUF(bytes.NewReader(file), nil)
		if err != nil {
			return
		}
		for _, id := range v.EncodePrompt(text) {
			if id < 0 || int(id) >= v.Size() {
				t.Fatalf("token %d of a vocabulary of %d", id, v.Size())
			}
		}
	})
}
