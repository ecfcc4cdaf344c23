package tokenizer

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// ReadTiktoken reads a tiktoken file: a line has a token in base64 and its rank,
// which is also its ID. What such a file does not hold is given: the split, by the
// name of the encoding that it belongs to (cl100k_base, o200k_base, o200k_harmony,
// p50k_base, r50k_base, or those of GGUF files: llama-bpe, qwen2, tekken and
// others), and the control tokens with their IDs.
func ReadTiktoken(file []byte, split string, control map[string]ID, o *Options) (*Vocabulary, error) {
	v, err := readTiktoken(file, split, control, o)
	if err != nil {
		return nil, fmt.Errorf("reading a tiktoken file: %w", err)
	}
	return v, nil
}

func readTiktoken(file []byte, split string, control map[string]ID, o *Options) (*Vocabulary, error) {
	if len(file) > maxFile {
		return nil, fmt.Errorf("the file is over the limit of %d bytes", maxFile)
	}
	pieces, err := splitByName(split)
	if err != nil {
		return nil, err
	}
	e := entries{names: map[string]ID{}}
	number := 0
	for line := range bytes.Lines(file) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		text, id, err := readRank(line)
		if err == nil {
			err = e.put(id, Token{Bytes: text})
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	ids := maps.Clone(e.names)
	for _, name := range slices.Sorted(maps.Keys(control)) {
		if err := e.put(control[name], Token{Bytes: name, Kind: Control}); err != nil {
			return nil, err
		}
	}
	joins := newBPE(true)
	for text, id := range ids {
		joins.learn("", text, id)
	}
	joins.joins, joins.whole = byText{ids: ids}, ids
	v, err := build(e.tokens, nil, nil, o)
	if err != nil {
		return nil, err
	}
	v.encoder = &reader{pieces: pieces, joins: joins}
	return v, nil
}

func readRank(line []byte) (string, ID, error) {
	encoded, rank, _ := bytes.Cut(line, []byte(" "))
	text, err := base64.StdEncoding.AppendDecode(nil, encoded)
	if err != nil {
		return "", 0, fmt.Errorf("%q is not base64", bounded(string(encoded)))
	}
	id, err := strconv.ParseUint(string(bytes.TrimSpace(rank)), 10, 31)
	if err != nil {
		return "", 0, fmt.Errorf("%q is no rank", bounded(string(rank)))
	}
	return string(text), ID(id), nil
}

// entries are a vocabulary on its way, with holes where nothing was put.
type entries struct {
	tokens []Token
	names  map[string]ID
}

func (e *entries) put(id ID, t Token) error {
	if id < 0 || id >= maxTokens {
		return fmt.Errorf("token %q has the place %d, want 0 to %d", bounded(t.Bytes), id, maxTokens-1)
	}
	if t.Bytes == "" {
		return fmt.Errorf("token %d has no text", id)
	}
	for int(id) >= len(e.tokens) {
		e.tokens = append(e.tokens, Token{Kind: Unused})
	}
	if was := e.tokens[id]; was.Bytes != "" {
		return fmt.Errorf("tokens %q and %q have one place, %d", bounded(was.Bytes), bounded(t.Bytes), id)
	}
	if _, twice := e.names[t.Bytes]; twice {
		return fmt.Errorf("token %q stands twice", bounded(t.Bytes))
	}
	e.tokens[id], e.names[t.Bytes] = t, id
	return nil
}
