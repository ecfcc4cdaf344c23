package tokenizer

import (
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func readTiny(t testing.TB, name string) *Vocabulary {
	t.Helper()
	file, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	v, err := ReadJSON(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// texts are the bytes of tokens, told apart.
func texts(v *Vocabulary, ids []ID) []string {
	var list []string
	for _, id := range ids {
		list = append(list, v.Token(id).Bytes)
	}
	return list
}

func TestByteLevelPieces(t *testing.T) {
	v := readTiny(t, "bytelevel.json")
	for text, want := range map[string][]string{
		"":                    nil,
		`{"name": true}`:      {`{"`, "name", `":`, " t", "r", "u", "e", "}"},
		"and and":             {"an", "d", " and"},
		"   x":                {"  ", " ", "x"}, // the last space belongs to the word
		"x   ":                {"x", "   "},
		"a\n\nb":              {"a", "\n\n", "b"},
		"\xff\xfe":            {"\xff", "\xfe"}, // no text, and still bytes
		"cafe\u0301":          {"c", "a", "f", "é"},
		"日本":                  {"日本"},
		"<|im_end|>":          {"<", "|", "i", "m", "_", "en", "d", "|", ">"},
		"<tool_call></tool_c": {"<tool_call>", "<", "/", "t", "oo", "l", "_", "c"},
	} {
		if diff := cmp.Diff(want, texts(v, v.Encode(text))); diff != "" {
			t.Errorf("Encode(%q) (-want +got):\n%s", text, diff)
		}
	}
}

func TestEncodePromptTakesControlTokensByName(t *testing.T) {
	v := readTiny(t, "bytelevel.json")
	got := texts(v, v.EncodePrompt("<|im_start|>a<|im_end|><|im_"))
	if diff := cmp.Diff([]string{"<|im_start|>", "a", "<|im_end|>", "<", "|", "i", "m", "_"}, got); diff != "" {
		t.Errorf("tokens (-want +got):\n%s", diff)
	}
	if got := string(v.Decode(v.EncodePrompt("a<|im_end|>"))); got != "a" {
		t.Errorf("Decode = %q, want a: a control token is no text", got)
	}
}

func TestSentencePiecePieces(t *testing.T) {
	v := readTiny(t, "sentencepiece.json")
	for text, want := range map[string][]string{
		"":         nil,
		"the and":  {" the", " ", "an", "d"},
		" the":     {" ", " the"},
		"a\nZ":     {" a", "\n", "Z"}, // by their bytes
		"日":        {" ", "\xe6", "\x97", "\xa5"},
		`{"a": 1}`: {" ", `{"`, "a", `":`, " ", "1", "}"},
		"inin":     {" ", "in", "in"},
		"</s>":     {" ", "<", "/", "s", ">"},
	} {
		got := texts(v, v.Encode(text))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Encode(%q) (-want +got):\n%s", text, diff)
		}
	}
	if id := v.Encode("\n")[1]; v.Token(id).Bytes != "\n" || v.Token(id).Kind != Text {
		t.Errorf("the byte token of a line's end is %+v, want text", v.Token(id))
	}
}

func TestReadJSONSaysWhatItCannotFollow(t *testing.T) {
	file, err := os.ReadFile("testdata/bytelevel.json")
	if err != nil {
		t.Fatal(err)
	}
	var whole map[string]any
	if err := json.Unmarshal(file, &whole); err != nil {
		t.Fatal(err)
	}
	with := func(section, field string, value any) string {
		changed := maps.Clone(whole)
		if field != "" {
			inner := maps.Clone(whole[section].(map[string]any))
			inner[field] = value
			value = inner
		}
		changed[section] = value
		text, err := json.Marshal(changed)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for name, row := range map[string]struct{ file, want string }{
		"no JSON":                {"{", "EOF"},
		"nothing in it":          {"{}", "only BPE is read"},
		"another model":          {with("model", "type", "Unigram"), `the model is "Unigram"`},
		"marked words":           {with("model", "end_of_word_suffix", "</w>"), "marks the parts of words"},
		"no vocabulary":          {with("model", "vocab", []int{1}), "no object of tokens"},
		"a far place":            {with("model", "vocab", map[string]int{"a": 1 << 30}), "want 0 to 1048575"},
		"a place that is shared": {with("model", "vocab", map[string]int{"a": 1, "b": 1}), "have one place, 1"},
		"a merge of one":         {with("model", "merges", []string{"a"}), "not two tokens"},
		"a merge of no tokens":   {with("model", "merges", []string{"a zzz"}), "not all three are tokens"},
		"another normalizer":     {with("normalizer", "", map[string]any{"type": "Lowercase"}), `normalizer: "Lowercase" is not supported`},
		"another splitter":       {with("pre_tokenizer", "pretokenizers", []any{map[string]any{"type": "BertPreTokenizer"}}), `pre_tokenizer: "BertPreTokenizer" is not supported`},
		"an odd lookahead":       {with("pre_tokenizer", "pretokenizers", []any{map[string]any{"type": "Split", "behavior": "Isolated", "pattern": map[string]any{"Regex": "a(?=b)"}}}), "not one that can be run"},
		"an empty match":         {with("pre_tokenizer", "pretokenizers", []any{map[string]any{"type": "Split", "behavior": "Isolated", "pattern": map[string]any{"Regex": "a*"}}}), "matches the empty text"},
		"whole words":            {with("added_tokens", "", []any{map[string]any{"id": 1, "content": "x", "single_word": true}}), "whole words only"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadJSON([]byte(row.file), nil)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("ReadJSON = %v, want an error with %q", err, row.want)
			}
		})
	}
}

func TestOptionsOfAVocabulary(t *testing.T) {
	file, err := os.ReadFile("testdata/bytelevel.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := ReadJSON(file, &Options{Size: 512, End: []string{"<|im_end|>"}})
	if err != nil {
		t.Fatal(err)
	}
	if v.Size() != 512 || len(v.End()) != 1 || v.Token(v.End()[0]).Bytes != "<|im_end|>" {
		t.Errorf("Size %d, End %q; want 512 and the one asked for", v.Size(), texts(v, v.End()))
	}
	if _, err := ReadJSON(file, &Options{End: []string{"<|nothing|>"}}); err == nil {
		t.Error("an end that is no token passed, want an error")
	}
	if _, err := ReadJSON(file, &Options{Size: maxTokens + 1}); err == nil {
		t.Error("a size over the limit passed, want an error")
	}
}

func FuzzReadJSON(f *testing.F) {
	// Small ones: the fuzzer spends its time on the size of its seeds.
	f.Add([]byte(`{"added_tokens":[{"id":4,"content":"<|im_end|>","special":true},{"id":5,"content":"<t>","rstrip":true}],`+
		`"normalizer":{"type":"NFC"},"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Digits","individual_digits":true},`+
		`{"type":"ByteLevel","use_regex":false}]},"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2,"Ġ":3},"merges":["a b"],"ignore_merges":true}}`), "ab a<|im_end|><t> ")
	f.Add([]byte(`{"normalizer":{"type":"Prepend","prepend":"▁"},"pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"first"},`+
		`"model":{"type":"BPE","byte_fallback":true,"unk_token":"?","vocab":{"?":0,"▁":1,"a":2,"▁a":3,"<0x62>":4},"merges":[["▁","a"]]}}`), "a ab\xff")
	f.Fuzz(func(t *testing.T, file []byte, text string) {
		if len(file) > 1<<16 || len(text) > 1<<12 {
			t.Skip("longer than this target looks at; limits have their own tests")
		}
		v, err := ReadJSON(file, nil)
		if err != nil {
			return
		}
		for _, id := range v.EncodePrompt(text) {
			if id < 0 || int(id) >= v.Size() {
				t.Fatalf("token %d of a vocabulary of %d", id, v.Size())
			}
		}
		v.Decode(v.Encode(text))
	})
}
