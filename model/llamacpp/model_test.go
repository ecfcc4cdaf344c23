//go:build llamacpp

package llamacpp_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	gym "github.com/holdfast-go/holdfast/examples/coach"
	"github.com/holdfast-go/holdfast/internal/gguf"
	"github.com/holdfast-go/holdfast/model/llamacpp"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire"
)

// tinyModel writes a GGUF file of random weights: the shape of qwen2 with two
// layers, over our own vocabulary.
func tinyModel(t *testing.T) string {
	t.Helper()
	const width, heads, keys, inner, layers = 64, 4, 2, 128, 2
	entries, size := tinyVocabulary(t)
	entries = append(entries,
		gguf.Entry{Key: "general.architecture", Value: "qwen2"},
		gguf.Entry{Key: "qwen2.context_length", Value: uint32(32768)},
		gguf.Entry{Key: "qwen2.embedding_length", Value: uint32(width)},
		gguf.Entry{Key: "qwen2.block_count", Value: uint32(layers)},
		gguf.Entry{Key: "qwen2.feed_forward_length", Value: uint32(inner)},
		gguf.Entry{Key: "qwen2.attention.head_count", Value: uint32(heads)},
		gguf.Entry{Key: "qwen2.attention.head_count_kv", Value: uint32(keys)},
		gguf.Entry{Key: "qwen2.attention.layer_norm_rms_epsilon", Value: float32(1e-6)},
		gguf.Entry{Key: "qwen2.rope.freq_base", Value: float32(1e6)},
	)
	random := rand.New(rand.NewPCG(7, 8))
	var tensors []gguf.Tensor
	add := func(name string, shape ...uint64) {
		n := uint64(1)
		for _, d := range shape {
			n *= d
		}
		data := make([]float32, n)
		for i := range data {
			data[i] = float32(random.NormFloat64()) * 0.3
			if strings.HasSuffix(name, "norm.weight") {
				data[i] = 1
			}
		}
		tensors = append(tensors, gguf.Tensor{Name: name, Shape: shape, Data: data})
	}
	const kv = width / heads * keys
	add("token_embd.weight", width, uint64(size))
	for _, b := range []string{"blk.0.", "blk.1."} {
		add(b+"attn_norm.weight", width)
		add(b+"attn_q.weight", width, width)
		add(b+"attn_q.bias", width)
		add(b+"attn_k.weight", width, kv)
		add(b+"attn_k.bias", kv)
		add(b+"attn_v.weight", width, kv)
		add(b+"attn_v.bias", kv)
		add(b+"attn_output.weight", width, width)
		add(b+"ffn_norm.weight", width)
		add(b+"ffn_gate.weight", width, inner)
		add(b+"ffn_up.weight", width, inner)
		add(b+"ffn_down.weight", inner, width)
	}
	add("output_norm.weight", width)
	file, err := gguf.Encode(entries, tensors)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "tiny.gguf")
	if err := os.WriteFile(name, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// tinyVocabulary is package tokenizer's own test vocabulary, as a GGUF file has it.
func tinyVocabulary(t *testing.T) ([]gguf.Entry, int) {
	t.Helper()
	text, err := os.ReadFile("../../grammar/tokenizer/testdata/bytelevel.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Added []struct {
			ID      int
			Content string
			Special bool
		} `json:"added_tokens"`
		Model struct {
			Vocab  map[string]int
			Merges []string
		}
	}
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(f.Model.Vocab)+len(f.Added))
	types := make([]int32, len(names))
	for name, id := range f.Model.Vocab {
		names[id], types[id] = name, 1
	}
	end := 0
	for _, a := range f.Added {
		if names[a.ID], types[a.ID] = a.Content, 4; a.Special {
			types[a.ID] = 3
		}
		if a.Content == "<|im_end|>" {
			end = a.ID
		}
	}
	return []gguf.Entry{
		{Key: "tokenizer.ggml.model", Value: "gpt2"},
		{Key: "tokenizer.ggml.pre", Value: "qwen2"},
		{Key: "tokenizer.ggml.tokens", Value: names},
		{Key: "tokenizer.ggml.token_type", Value: types},
		{Key: "tokenizer.ggml.merges", Value: f.Model.Merges},
		{Key: "tokenizer.ggml.eos_token_id", Value: uint32(end)},
	}, len(names)
}

// open opens the tiny model. Without llama.cpp the test is skipped in one line,
// unless HOLDFAST_REQUIRE_LLAMACPP=1 makes that a failure.
func open(t *testing.T) *llamacpp.Model {
	t.Helper()
	if os.Getenv("YZMA_LIB") == "" {
		if os.Getenv("HOLDFAST_REQUIRE_LLAMACPP") == "1" {
			t.Fatal("YZMA_LIB names no llama.cpp and HOLDFAST_REQUIRE_LLAMACPP=1")
		}
		t.Skip("skipped: YZMA_LIB names no llama.cpp (scripts/llamacpp fetches it)")
	}
	m, err := llamacpp.Open(tinyModel(t), &llamacpp.Options{Seed: 9, Temperature: 2, MaxTokens: 150, Context: 16384, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// TestNoiseCallsTheCoachInPerfectForm has random weights call the coach's tools:
// every call must be parsed and valid.
func TestNoiseCallsTheCoachInPerfectForm(t *testing.T) {
	m := open(t)
	calls := 12
	if os.Getenv("HOLDFAST_LONG") == "1" {
		calls = 300
	}
	catalog := coach(t)
	tools, err := m.Codec().Tools(catalog, nil)
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]int{}
	for n := 0; n < calls; {
		var shown strings.Builder
		reply, err := m.Reply(t.Context(), &wire.Request{
			System: "You are a coach.", Items: []wire.Item{{User: "Call something. <|im_end|>"}}, Tools: tools,
			Choice: wire.ToolChoice{Mode: "required"},
		}, func(e wire.Event) { shown.WriteString(e.Text) })
		if err != nil {
			t.Fatal(err)
		}
		if !reply.Complete || len(reply.Calls) == 0 {
			t.Fatalf("reply = %+v, want calls in a complete reply", reply)
		}
		for _, c := range reply.Calls {
			valid(t, catalog, tools.Names, c)
			used[c.Name]++
			n++
		}
	}
	t.Logf("%d calls and more, all parsed and valid: %v", calls, used)
	if len(used) < 2 {
		t.Errorf("only %v was called, want a choice among the tools", used)
	}
}

func valid(t *testing.T, catalog *holdfast.Catalog, names wire.Names, c holdfast.Call) {
	t.Helper()
	tool, ok := catalog.Lookup(names[c.Name])
	if !ok || c.Problem != "" || !c.Complete {
		t.Fatalf("call %+v, want a whole call of a tool of the catalog", c)
	}
	args, err := schema.Read([]byte(c.Arguments), nil)
	if err != nil {
		t.Fatalf("%s was called with %.300q: %v", c.Name, c.Arguments, err)
	}
	if r := tool.Input().Validate(args); !r.Valid() {
		t.Fatalf("%s was called with %.300q: %v", c.Name, c.Arguments, r.Problems)
	}
}

func coach(t *testing.T) *holdfast.Catalog {
	t.Helper()
	c, err := gym.Open(t.Context(), filepath.Join(t.TempDir(), "coach.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c.Catalog()
}
