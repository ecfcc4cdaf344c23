//go:build llamacpp

package llamacpp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/grammar"
	"github.com/holdfast-go/holdfast/grammar/tokenizer"
	"github.com/holdfast-go/holdfast/wire"
)

// Options of Open; nil means defaults, and so does each zero field.
type Options struct {
	// Libraries is the folder of llama.cpp's shared libraries; "" means what the
	// environment's YZMA_LIB names.
	Libraries string
	// Context is how many tokens a conversation may have; 0 means 8192.
	Context int
	// Threads of llama.cpp; 0 means half the processors. They wait for each other
	// without sleeping, so more than are free makes all of them slow.
	Threads int
	// MaxTokens of a reply where the request names none; 0 means 1024.
	MaxTokens int
	// Temperature of the choice among what is allowed; 0 means 0.7.
	Temperature float64
	// Seed of the choice; 0 means a random one.
	Seed uint64
}

// Model is a GGUF file that can be asked. It is safe for concurrent use; replies
// are made one after the other.
type Model struct {
	name    string
	options Options
	codec   codec
	v       *tokenizer.Vocabulary

	mu       sync.Mutex // over the engine, which holds one text
	engine   *engine
	random   *rand.Rand
	grammars map[[sha256.Size]byte]*grammar.Grammar // by what they were made of
}

// Open loads llama.cpp, once in a process, and the model.
func Open(file string, o *Options) (*Model, error) {
	m := &Model{name: filepath.Base(file), grammars: map[[sha256.Size]byte]*grammar.Grammar{}}
	if o != nil {
		m.options = *o
	}
	m.options.Context = cmp.Or(m.options.Context, 8192)
	m.options.MaxTokens = cmp.Or(m.options.MaxTokens, 1024)
	m.options.Temperature = cmp.Or(m.options.Temperature, 0.7)
	seed := cmp.Or(m.options.Seed, rand.Uint64())
	m.random = rand.New(rand.NewPCG(seed, 1))
	var err error
	if m.codec, err = newCodec(); err != nil {
		return nil, err
	}
	if m.v, err = vocabulary(file); err != nil {
		return nil, err
	}
	if err := load(m.options.Libraries); err != nil {
		return nil, err
	}
	if m.engine, err = newEngine(file, m.options.Context, cmp.Or(m.options.Threads, max(1, runtime.NumCPU()/2))); err != nil {
		return nil, err
	}
	if m.engine.size != m.v.Size() {
		return nil, fmt.Errorf("llama.cpp tells %d tokens of %s, its metadata %d", m.engine.size, file, m.v.Size())
	}
	return m, nil
}

func vocabulary(file string) (*tokenizer.Vocabulary, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	v, err := tokenizer.ReadGGUF(f, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(v.EncodePrompt("<|im_start|>")) != 1 || len(v.End()) == 0 {
		return nil, fmt.Errorf("%s: its vocabulary has no <|im_start|>, or no token that ends a reply: only ChatML is spoken", file)
	}
	return v, nil
}

// Close frees the model.
func (m *Model) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.engine.close()
}

// Name of the model's file.
func (m *Model) Name() string { return m.name }

// Codec of the model's replies.
func (m *Model) Codec() wire.Codec { return m.codec }

// Reply writes a reply, every token of it one that the request's grammar allows.
func (m *Model) Reply(ctx context.Context, r *wire.Request, show func(wire.Event)) (*wire.Reply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	reply, err := m.reply(ctx, r, show)
	if err != nil {
		return nil, fmt.Errorf("asking %s: %w", m.name, err)
	}
	return reply, nil
}

func (m *Model) reply(ctx context.Context, r *wire.Request, show func(wire.Event)) (*wire.Reply, error) {
	g, err := m.grammar(r)
	if err != nil {
		return nil, err
	}
	p := prompt{v: m.v}
	asked := p.conversation(r)
	fresh, err := m.engine.begin(asked)
	if err != nil {
		return nil, err
	}
	w := writer{ctx: ctx, model: m, pending: fresh, decoder: m.codec.NewDecoder(), show: show}
	ids, err := grammar.Sample(g.Matcher(m.v), w.logits, m.random, &grammar.SampleOptions{
		Budget: cmp.Or(r.MaxTokens, m.options.MaxTokens), Temperature: m.options.Temperature,
	})
	if err != nil {
		return nil, err
	}
	w.tell(ids)
	return w.close(len(asked), len(ids))
}

// grammar is the request's, made once.
func (m *Model) grammar(r *wire.Request) (*grammar.Grammar, error) {
	h := sha256.New()
	for _, t := range r.Tools.Tools {
		h.Write(append(t, 0))
	}
	if r.Output != nil {
		h.Write(r.Output.Source())
	}
	fmt.Fprint(h, r.Choice, r.Serial)
	key := [sha256.Size]byte(h.Sum(nil))
	if g, ok := m.grammars[key]; ok {
		return g, nil
	}
	g, err := grammarOf(r, callFormat(m.codec.Format))
	if err != nil {
		return nil, err
	}
	if len(m.grammars) >= maxGrammars {
		clear(m.grammars)
	}
	m.grammars[key] = g
	return g, nil
}

// maxGrammars bounds what is kept of requests with other tools.
const maxGrammars = 32

// writer is a reply on its way. What it says goes through the decoder as a stream
// of Chat Completions, as from a server.
type writer struct {
	ctx     context.Context
	model   *Model
	decoder wire.Decoder
	show    func(wire.Event)
	pending []tokenizer.ID // not fed yet
	told    int            // tokens of the reply
	text    []byte         // told in part: a character may be cut
}

// logits feeds what has come since, forced tokens and the prompt in one batch.
func (w *writer) logits(so []tokenizer.ID) ([]float32, error) {
	if err := w.ctx.Err(); err != nil {
		return nil, context.Cause(w.ctx)
	}
	w.pending = append(w.pending, so[w.told:]...)
	w.tell(so)
	row, err := w.model.engine.feed(w.pending)
	w.pending = w.pending[:0]
	return row, err
}

// tell shows the tokens that were not shown yet, whole characters of them.
func (w *writer) tell(so []tokenizer.ID) {
	w.text = append(w.text, w.model.v.Decode(so[w.told:])...)
	w.told = len(so)
	n := len(w.text)
	for cut := 1; cut < utf8.UTFMax && cut <= n; cut++ {
		if utf8.RuneStart(w.text[n-cut]) && !utf8.FullRune(w.text[n-cut:]) {
			n -= cut
			break
		}
	}
	if n > 0 {
		w.event(chunk{Choices: []choice{{Delta: delta{Content: string(w.text[:n])}}}})
		w.text = append(w.text[:0], w.text[n:]...)
	}
}

type chunk struct {
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

type choice struct {
	Index  int     `json:"index"`
	Delta  delta   `json:"delta"`
	Finish *string `json:"finish_reason"`
}

type delta struct {
	Content string `json:"content,omitempty"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
}

func (w *writer) event(c chunk) {
	text, err := json.Marshal(c)
	if err != nil { // plain text and numbers always can be
		panic(err)
	}
	w.feed("data: " + string(text) + "\n\n")
}

func (w *writer) feed(text string) {
	for _, e := range w.decoder.Feed([]byte(text)) {
		if w.show != nil {
			w.show(e)
		}
	}
}

func (w *writer) close(asked, written int) (*wire.Reply, error) {
	stop := "stop"
	w.event(chunk{Choices: []choice{{Finish: &stop}}, Usage: &usage{asked, written}})
	w.feed("data: [DONE]\n\n")
	reply := w.decoder.Close()
	if reply.Ending == wire.Broken {
		return reply, fmt.Errorf("the reply could not be read: %v", reply.Err)
	}
	reply.Model = w.model.name
	return reply, nil
}
