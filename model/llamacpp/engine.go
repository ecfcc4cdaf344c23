//go:build llamacpp

package llamacpp

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/hybridgroup/yzma/pkg/llama"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
)

// libraries are the process's: they can be loaded once, from one folder.
var libraries struct {
	sync.Mutex
	folder string
}

// load loads llama.cpp.
func load(folder string) error {
	if folder == "" {
		folder = os.Getenv("YZMA_LIB")
	}
	if folder == "" {
		return errors.New("llama.cpp's libraries are not named: set Options.Libraries or YZMA_LIB to their folder")
	}
	libraries.Lock()
	defer libraries.Unlock()
	switch libraries.folder {
	case folder:
		return nil
	case "":
	default:
		return fmt.Errorf("llama.cpp was loaded from %s; a process can load it once", libraries.folder)
	}
	if err := llama.Load(folder); err != nil {
		return fmt.Errorf("loading llama.cpp from %s: %w", folder, err)
	}
	llama.LogSet(llama.LogSilent())
	llama.Init()
	libraries.folder = folder
	return nil
}

// engine is a model in memory, and one text on its way. It is used by one
// goroutine at a time.
type engine struct {
	model   llama.Model
	context llama.Context
	size    int // of the vocabulary
	room    int // tokens that the context holds
	batch   int
	text    []tokenizer.ID // that was fed
}

func newEngine(file string, room, threads int) (*engine, error) {
	model, err := llama.ModelLoadFromFile(file, llama.ModelDefaultParams())
	if err != nil {
		return nil, fmt.Errorf("loading the model %s: %w", file, err)
	}
	e := &engine{model: model, size: int(llama.VocabNTokens(llama.ModelGetVocab(model)))}
	p := llama.ContextDefaultParams()
	p.NCtx, p.NThreads, p.NThreadsBatch = uint32(room), int32(threads), int32(threads)
	if e.context, err = llama.InitFromModel(model, p); err != nil {
		return nil, errors.Join(fmt.Errorf("making a context of %d tokens: %w", room, err), llama.ModelFree(model))
	}
	e.room, e.batch = int(llama.NCtx(e.context)), int(llama.NBatch(e.context))
	return e, nil
}

func (e *engine) close() error {
	return errors.Join(llama.Free(e.context), llama.ModelFree(e.model))
}

// begin starts a new text with a prompt and gives what of it must be fed: what it
// has in common with the text before is still in the context. That is most of a
// conversation's next request.
func (e *engine) begin(prompt []tokenizer.ID) ([]tokenizer.ID, error) {
	same := 0
	for same < min(len(e.text), len(prompt)-1) && e.text[same] == prompt[same] {
		same++
	}
	memory, err := llama.GetMemory(e.context)
	if err != nil {
		return nil, err
	}
	ok, err := llama.MemorySeqRm(memory, 0, llama.Pos(same), -1)
	if err != nil {
		return nil, err
	}
	if !ok { // a context that cannot forget a part forgets all
		same = 0
		if err := llama.MemoryClear(memory, true); err != nil {
			return nil, err
		}
	}
	e.text = e.text[:same]
	return prompt[same:], nil
}

// feed takes the next tokens of the text, all of them in as few batches as can be,
// and gives the logits behind the last, valid until the next call.
func (e *engine) feed(ids []tokenizer.ID) ([]float32, error) {
	if len(e.text)+len(ids) > e.room {
		return nil, fmt.Errorf("the text has more than the %d tokens of the context", e.room)
	}
	e.text = append(e.text, ids...)
	for len(ids) > 0 {
		n := min(len(ids), e.batch)
		tokens := make([]llama.Token, n)
		for i, id := range ids[:n] {
			tokens[i] = llama.Token(id)
		}
		if code, err := llama.Decode(e.context, llama.BatchGetOne(tokens)); err != nil || code != 0 {
			return nil, fmt.Errorf("llama.cpp: decoding %d tokens: code %d, %w", n, code, err)
		}
		ids = ids[n:]
	}
	return llama.GetLogitsIth(e.context, -1, e.size)
}
