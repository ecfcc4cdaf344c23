package tokenizer

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxFile is how large a file of JSON or of tiktoken may be; the largest in use
// have about 35 MB.
const maxFile = 128 << 20

// ReadJSON reads a model's tokenizer.json: a BPE over bytes (as of GPT-2, Llama 3,
// Qwen) or over characters with bytes to fall back on (SentencePiece's, as of
// Llama 2, Mistral, Gemma). A file that it cannot follow exactly is an error that
// names the part.
func ReadJSON(file []byte, o *Options) (*Vocabulary, error) {
	f, err := parseJSON(file)
	if err != nil {
		return nil, fmt.Errorf("reading tokenizer.json: %w", err)
	}
	v, err := f.vocabulary(o)
	if err != nil {
		return nil, fmt.Errorf("reading tokenizer.json: %w", err)
	}
	return v, nil
}

func parseJSON(file []byte) (*jsonFile, error) {
	if len(file) > maxFile {
		return nil, fmt.Errorf("the file is over the limit of %d bytes", maxFile)
	}
	f := &jsonFile{}
	err := json.Unmarshal(file, f, json.WithUnmarshalers(json.JoinUnmarshalers(
		json.UnmarshalFromFunc(readVocab), json.UnmarshalFromFunc(readMerges))))
	return f, err
}

// jsonFile is the part of the file that says how text becomes tokens.
type jsonFile struct {
	Added        []addedToken `json:"added_tokens"`
	Normalizer   *jsonStep    `json:"normalizer"`
	PreTokenizer *jsonStep    `json:"pre_tokenizer"`
	Decoder      *jsonStep    `json:"decoder"`
	Model        struct {
		Type         string    `json:"type"`
		Unknown      string    `json:"unk_token"`
		Prefix       string    `json:"continuing_subword_prefix"`
		Suffix       string    `json:"end_of_word_suffix"`
		Fuse         bool      `json:"fuse_unk"`
		ByteFallback bool      `json:"byte_fallback"`
		Whole        bool      `json:"ignore_merges"`
		Vocab        vocab     `json:"vocab"`
		Merges       mergeList `json:"merges"`
	} `json:"model"`
}

type addedToken struct {
	ID      ID     `json:"id"`
	Content string `json:"content"`
	Word    bool   `json:"single_word"`
	Left    bool   `json:"lstrip"`
	Right   bool   `json:"rstrip"`
	Special bool   `json:"special"`
}

// vocab are the tokens as the file writes them; a hole is named by nothing.
type vocab struct {
	names []string
	ids   map[string]ID
}

func readVocab(d *jsontext.Decoder, v *vocab) error {
	if d.PeekKind() != '{' {
		return fmt.Errorf("the vocabulary is no object of tokens and their places")
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	v.ids = map[string]ID{}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		text := name.String()
		if d.PeekKind() != '0' {
			return fmt.Errorf("token %q has no number", bounded(text))
		}
		number, err := d.ReadToken()
		if err != nil {
			return err
		}
		id, err := number.Int()
		if err != nil || id < 0 || id >= maxTokens {
			return fmt.Errorf("token %q has the place %s, want 0 to %d", bounded(text), bounded(number.String()), maxTokens-1)
		}
		for int(id) >= len(v.names) {
			v.names = append(v.names, "")
		}
		if v.names[id] != "" {
			return fmt.Errorf("tokens %q and %q have one place, %d", bounded(v.names[id]), bounded(text), id)
		}
		v.names[id], v.ids[text] = text, ID(id)
	}
	_, err := d.ReadToken()
	return err
}

// mergeList are the pairs that were learned, the first one first. Files write each
// as "a b" or as ["a", "b"].
type mergeList [][2]string

const maxMerges = 1 << 22

func readMerges(d *jsontext.Decoder, list *mergeList) error {
	if d.PeekKind() == 'n' {
		return d.SkipValue()
	}
	if d.PeekKind() != '[' {
		return fmt.Errorf("the merges are no list")
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		pair, err := readMerge(d)
		if err != nil {
			return err
		}
		if *list = append(*list, pair); len(*list) > maxMerges {
			return fmt.Errorf("more than %d merges", maxMerges)
		}
	}
	_, err := d.ReadToken()
	return err
}

func readMerge(d *jsontext.Decoder) (pair [2]string, err error) {
	if d.PeekKind() != '"' {
		var both []string
		if err := json.UnmarshalDecode(d, &both); err != nil {
			return pair, err
		}
		if len(both) != 2 {
			return pair, fmt.Errorf("a merge of %d tokens, want 2", len(both))
		}
		return [2]string(both), nil
	}
	token, err := d.ReadToken()
	if err != nil {
		return pair, err
	}
	left, right, ok := strings.Cut(token.String(), " ")
	if !ok || strings.Contains(right, " ") {
		return pair, fmt.Errorf("merge %q is not two tokens", bounded(token.String()))
	}
	return [2]string{left, right}, nil
}

// vocabulary puts the parts together.
func (f *jsonFile) vocabulary(o *Options) (*Vocabulary, error) {
	if f.Model.Type != "BPE" && (f.Model.Type != "" || f.Model.Merges == nil) { // old files leave the type out
		return nil, fmt.Errorf("the model is %q; only BPE is read", bounded(f.Model.Type))
	}
	if f.Model.Prefix != "" || f.Model.Suffix != "" {
		return nil, fmt.Errorf("the model marks the parts of words (%q, %q), which is not supported", bounded(f.Model.Prefix), bounded(f.Model.Suffix))
	}
	steps, err := f.steps()
	if err != nil {
		return nil, err
	}
	tokens, named, err := f.tokens(steps.byteLevel)
	if err != nil {
		return nil, err
	}
	joins, err := f.joins(steps.byteLevel, tokens)
	if err != nil {
		return nil, err
	}
	v, err := build(tokens, named, nil, o)
	if err != nil {
		return nil, err
	}
	v.encoder = &reader{compose: steps.compose, prefix: steps.prefix, pieces: steps.pieces, joins: joins}
	return v, nil
}

// tokens are the vocabulary's entries with the bytes that they stand for, and the
// added ones, which stand for what they are named.
func (f *jsonFile) tokens(byteLevel bool) ([]Token, []marker, error) {
	tokens := make([]Token, len(f.Model.Vocab.names))
	a := newAlphabet()
	for id, name := range f.Model.Vocab.names {
		tokens[id] = Token{Kind: Unused}
		if name == "" {
			continue
		}
		if tokens[id] = (Token{Bytes: a.decode(name)}); !byteLevel {
			tokens[id].Bytes, _ = pieceText(name)
		}
	}
	var named []marker
	for _, t := range f.Added {
		if t.ID < 0 || t.ID >= maxTokens {
			return nil, nil, fmt.Errorf("added token %q has the place %d, want 0 to %d", bounded(t.Content), t.ID, maxTokens-1)
		}
		if t.Word {
			return nil, nil, fmt.Errorf("added token %q stands for whole words only, which is not supported", bounded(t.Content))
		}
		for int(t.ID) >= len(tokens) {
			tokens = append(tokens, Token{Kind: Unused})
		}
		tokens[t.ID] = Token{Bytes: t.Content}
		if t.Special {
			tokens[t.ID].Kind = Control
			continue
		}
		named = append(named, marker{name: t.Content, id: t.ID, left: t.Left, right: t.Right})
	}
	return tokens, named, nil
}

func (f *jsonFile) joins(byteLevel bool, tokens []Token) (*bpe, error) {
	b := newBPE(byteLevel)
	ids := f.Model.Vocab.ids
	for name, id := range ids {
		b.learn(name, tokens[id].Bytes, id)
	}
	if f.Model.Whole {
		b.whole = make(map[string]ID, len(ids))
		for _, id := range ids {
			b.whole[tokens[id].Bytes] = id
		}
	}
	if !byteLevel && !f.Model.ByteFallback {
		b.bytes = noBytes()
	}
	if id, ok := ids[f.Model.Unknown]; ok && f.Model.Unknown != "" {
		b.unknown, b.fuse = id, f.Model.Fuse
	}
	var err error
	b.joins, err = f.Model.Merges.pairs(ids)
	return b, err
}

// pairs finds the tokens of the merges.
func (list mergeList) pairs(ids map[string]ID) (byPair, error) {
	pairs := make(byPair, len(list))
	var joined []byte
	for rank, m := range list {
		joined = append(append(joined[:0], m[0]...), m[1]...)
		left, isLeft := ids[m[0]]
		right, isRight := ids[m[1]]
		id, isToken := ids[string(joined)]
		if !isLeft || !isRight || !isToken {
			return nil, fmt.Errorf("merge %d joins %q and %q, and not all three are tokens", rank, bounded(m[0]), bounded(m[1]))
		}
		if _, twice := pairs[[2]ID{left, right}]; !twice {
			pairs[[2]ID{left, right}] = pairJoin{id, uint32(rank)}
		}
	}
	return pairs, nil
}
