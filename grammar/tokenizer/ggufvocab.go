package tokenizer

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ReadGGUF reads the vocabulary of a GGUF file, which stands in its metadata: a BPE
// over bytes ("gpt2") or SentencePiece's ("llama"). It reads as far as the metadata
// goes, and not the tensors behind.
func ReadGGUF(r io.Reader, o *Options) (*Vocabulary, error) {
	m, err := readMetadata(r)
	if err != nil {
		return nil, fmt.Errorf("reading a GGUF file: %w", err)
	}
	v, err := m.vocabulary(o)
	if err != nil {
		return nil, fmt.Errorf("reading the vocabulary of a GGUF file: %w", err)
	}
	return v, nil
}

func (m *metadata) vocabulary(o *Options) (*Vocabulary, error) {
	names, kind := m.lists["tokens"], m.texts["model"]
	if len(names) == 0 || len(names) > maxTokens {
		return nil, fmt.Errorf("it has %d tokens, want 1 to %d", len(names), maxTokens)
	}
	if types := m.ints["token_type"]; types != nil && len(types) != len(names) {
		return nil, fmt.Errorf("it has %d types of %d tokens", len(types), len(names))
	}
	var r *reader
	var err error
	switch kind {
	case "gpt2":
		r, err = m.byteLevel(names)
	case "llama":
		r, err = m.sentencePiece(names)
	default:
		err = fmt.Errorf("the kind %q is not supported", bounded(kind))
	}
	if err != nil {
		return nil, err
	}
	tokens, named := m.tokens(names, kind == "gpt2")
	v, err := build(tokens, named, m.ends(len(names)), o)
	if err != nil {
		return nil, err
	}
	v.encoder = r
	return v, nil
}

// The types of tokens that a GGUF file tells.
const (
	ggufNormal = iota + 1
	ggufUnknown
	ggufControl
	ggufUserDefined
	ggufUnused
	ggufByte
)

func (m *metadata) typeOf(id int) int32 {
	if types := m.ints["token_type"]; types != nil {
		return types[id]
	}
	return ggufNormal
}

func (m *metadata) tokens(names []string, byteLevel bool) ([]Token, []marker) {
	tokens := make([]Token, len(names))
	var named []marker
	a := newAlphabet()
	for id, name := range names {
		switch m.typeOf(id) {
		case ggufUnknown, ggufControl:
			tokens[id] = Token{Bytes: name, Kind: Control}
		case ggufUnused:
			tokens[id] = Token{Bytes: name, Kind: Unused}
		case ggufUserDefined:
			tokens[id] = Token{Bytes: name}
			named = append(named, marker{name: name, id: ID(id)})
		default:
			if tokens[id] = (Token{Bytes: a.decode(name)}); !byteLevel {
				tokens[id].Bytes, _ = pieceText(name)
			}
		}
	}
	return tokens, named
}

// ends are the tokens that the file says to end a reply.
func (m *metadata) ends(tokens int) []ID {
	var ids []ID
	for _, key := range []string{"eos_token_id", "eot_token_id", "eom_token_id"} {
		if id, ok := m.numbers[key]; ok && id >= 0 && id < int64(tokens) {
			ids = append(ids, ID(id))
		}
	}
	return ids
}

func (m *metadata) byteLevel(names []string) (*reader, error) {
	pre := m.texts["pre"]
	if pre == "" || pre == "default" {
		pre = "gpt-2"
	}
	pieces, err := splitByName(pre)
	if err != nil {
		return nil, err
	}
	ids := m.ids(names)
	var merges mergeList
	for i, text := range m.lists["merges"] {
		left, right, ok := strings.Cut(text, " ")
		if !ok {
			return nil, fmt.Errorf("merge %d, %q, is not two tokens", i, bounded(text))
		}
		merges = append(merges, [2]string{left, right})
	}
	b := newBPE(true)
	if b.joins, err = merges.pairs(ids); err != nil {
		return nil, err
	}
	a := newAlphabet()
	for name, id := range ids {
		b.learn(name, a.decode(name), id)
	}
	if pre == "llama-bpe" || pre == "llama3" || pre == "llama-v3" {
		b.whole = make(map[string]ID, len(ids))
		for name, id := range ids {
			b.whole[a.decode(name)] = id
		}
	}
	return &reader{pieces: pieces, joins: b}, nil
}

// sentencePiece joins whatever makes a token, that of the highest score first.
func (m *metadata) sentencePiece(names []string) (*reader, error) {
	scores := m.floats["scores"]
	if len(scores) != len(names) {
		return nil, fmt.Errorf("it has %d scores of %d tokens", len(scores), len(names))
	}
	b := newBPE(false)
	ids := map[string]ID{}
	for id, name := range names {
		switch m.typeOf(id) {
		case ggufNormal, ggufByte:
			text, isByte := pieceText(name)
			b.learn(name, text, ID(id))
			if _, twice := ids[text]; !isByte && !twice {
				ids[text] = ID(id)
			}
		case ggufUnknown:
			b.unknown = ID(id)
		}
	}
	b.joins = byText{ids: ids, ranks: ranksOf(scores)}
	p := prefix{on: true, doubling: true}
	if on, told := m.numbers["add_space_prefix"]; told && on == 0 {
		p.on = false
	}
	return &reader{prefix: p, pieces: sequence{}, joins: b}, nil
}

// ids are the tokens that joins may make, by their name.
func (m *metadata) ids(names []string) map[string]ID {
	ids := make(map[string]ID, len(names))
	for id, name := range names {
		if _, twice := ids[name]; !twice && m.typeOf(id) == ggufNormal {
			ids[name] = ID(id)
		}
	}
	return ids
}

// ranksOf orders tokens by their score; equal ones have one rank.
func ranksOf(scores []float32) []uint32 {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	ranks := make([]uint32, len(scores))
	for place, id := range order {
		ranks[id] = uint32(place)
		if place > 0 && scores[order[place-1]] == scores[id] {
			ranks[id] = ranks[order[place-1]]
		}
	}
	return ranks
}
