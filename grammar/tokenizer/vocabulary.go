package tokenizer

import (
	"fmt"
	"slices"
)

// ID is a token's place in its vocabulary, which is also its bit in a mask.
type ID = int32

// Kind tells what an entry of a vocabulary is. Only text is ever put in a mask by
// its bytes.
type Kind uint8

// The kinds.
const (
	Text    Kind = iota // stands for its bytes
	Control             // marks something for the model, such as the end of a turn; it is no text
	Unused              // named by the vocabulary, or a hole in it, and never meant
	Padding             // past the vocabulary: the model's output is wider
)

// Token is one entry of a vocabulary. A control token's bytes are its name.
type Token struct {
	Bytes string
	Kind  Kind
}

// Limits of a vocabulary. What is over them is refused.
const (
	maxTokens     = 1 << 20
	maxTokenBytes = 1 << 16 // of one token; those over maxDepth bytes are left out of tries
	maxTextBytes  = 1 << 26 // of all tokens
)

// Options of the readers; nil means defaults, and so does each zero field.
type Options struct {
	// Size is how many entries the model's output has, where that is more than the
	// vocabulary; 0: as many as the vocabulary.
	Size int
	// End names the tokens that end a reply, by their text; nil: those that the file
	// names, and the control tokens that are known to (<|im_end|>, <|eot_id|>, </s>
	// and their like).
	End []string
}

// Vocabulary is the tokens of a model. It is immutable.
type Vocabulary struct {
	tokens   []Token
	size     int
	end      []ID
	trie     *Trie
	leftover *Trie
	safe     [][]uint64 // by code points; see Safe
	div      divisions  // see Body
	kinds    *Kinds
	encoder  encoder
	named    markers // text that is one token wherever it stands
	marks    markers // these and the control tokens
}

// encoder turns text without markers into tokens. first says that nothing stands
// before it.
type encoder interface {
	encode(dst []ID, text string, first bool) []ID
}

// New makes a vocabulary of tokens, each at the place of its ID. Its Encode takes
// the longest token at each place.
func New(tokens []Token, o *Options) (*Vocabulary, error) {
	v, err := build(tokens, nil, nil, o)
	if err != nil {
		return nil, err
	}
	v.encoder = greedy{v.trie}
	return v, nil
}

// build makes all but the encoder. named are text tokens that are known by their
// name, end what the file says to end a reply.
func build(tokens []Token, named []marker, end []ID, o *Options) (*Vocabulary, error) {
	if o == nil {
		o = &Options{}
	}
	if len(tokens) == 0 || len(tokens) > maxTokens {
		return nil, fmt.Errorf("vocabulary has %d entries, want 1 to %d", len(tokens), maxTokens)
	}
	if o.Size > maxTokens {
		return nil, fmt.Errorf("size %d is over the limit of %d", o.Size, maxTokens)
	}
	total := 0
	for id := range tokens {
		n := len(tokens[id].Bytes)
		if total += n; n > maxTokenBytes || total > maxTextBytes {
			return nil, fmt.Errorf("token %d: the text is over the limit (one token %d bytes, all of them %d)", id, maxTokenBytes, maxTextBytes)
		}
	}
	v := &Vocabulary{tokens: slices.Clone(tokens), size: max(o.Size, len(tokens))}
	var err error
	if v.end, err = ends(tokens, end, o.End); err != nil {
		return nil, err
	}
	v.trie = newTrie(v, func(string) bool { return true })
	v.divide()
	v.kinds = newKinds(v)
	v.named = newMarkers(named)
	for id, t := range tokens {
		if t.Kind == Control && !slices.ContainsFunc(named, func(m marker) bool { return m.id == ID(id) }) {
			named = append(named, marker{name: t.Bytes, id: ID(id)})
		}
	}
	v.marks = newMarkers(named)
	return v, nil
}

// knownEnds are the names of control tokens that end a reply.
var knownEnds = []string{
	"<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "</s>", "<eos>", "<end_of_turn>",
	"<|end|>", "<|return|>", "<|call|>", "<|END_OF_TURN_TOKEN|>", "<|end▁of▁sentence|>", "<｜end▁of▁sentence｜>",
}

func ends(tokens []Token, file []ID, asked []string) ([]ID, error) {
	var found []ID
	if asked == nil {
		found = slices.Clone(file)
		for id, t := range tokens {
			if t.Kind == Control && slices.Contains(knownEnds, t.Bytes) {
				found = append(found, ID(id))
			}
		}
	}
	for _, name := range asked {
		id := slices.IndexFunc(tokens, func(t Token) bool { return t.Bytes == name })
		if id < 0 {
			return nil, fmt.Errorf("no token %q to end a reply with", bounded(name))
		}
		found = append(found, ID(id))
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// Size is how many entries a mask has: the vocabulary's, and what the model's
// output has beyond them.
func (v *Vocabulary) Size() int { return v.size }

// Words is how many words a mask has. It has one bit more than the vocabulary, bit
// Size, which a walk sets at nodes where no token ends and which means nothing.
func (v *Vocabulary) Words() int { return v.size/64 + 1 }

// Token gives an entry. One that the vocabulary does not have is padding.
func (v *Vocabulary) Token(id ID) Token {
	if id < 0 || int(id) >= len(v.tokens) {
		return Token{Kind: Padding}
	}
	return v.tokens[id]
}

// Control is the control token of that name.
func (v *Vocabulary) Control(name string) (ID, bool) {
	if name == "" {
		return 0, false
	}
	for _, m := range v.marks[name[0]] {
		if m.name == name && v.tokens[m.id].Kind == Control {
			return m.id, true
		}
	}
	return 0, false
}

// End are the tokens that end a reply, in ascending order. The caller must not
// change it.
func (v *Vocabulary) End() []ID { return v.end }

// Trie is every token that is text. See [Trie].
func (v *Vocabulary) Trie() *Trie { return v.trie }

// Encode gives the tokens of a text, as the model was taught to read it. Control
// tokens are never among them: text that looks like one is text. Some vocabularies
// compose characters first, or put a space before the text, so Decode of what it
// gives may differ.
func (v *Vocabulary) Encode(text string) []ID { return v.read(text, v.named) }

// EncodePrompt is Encode, but where the text has the name of a control token, such
// as <|im_end|>, it is that token. It is for prompts that a program wrote, never
// for what a person or a tool said.
func (v *Vocabulary) EncodePrompt(text string) []ID { return v.read(text, v.marks) }

func (v *Vocabulary) read(text string, known markers) []ID {
	var ids []ID
	for first := true; text != ""; first = false {
		m, from, to := known.next(text)
		if from > 0 {
			ids = v.encoder.encode(ids, text[:from], first)
		}
		if m.name != "" {
			ids = append(ids, m.id)
		}
		text = text[to:]
	}
	return ids
}

// Decode gives the bytes of the tokens, one behind the other. Control tokens and
// padding have none.
func (v *Vocabulary) Decode(ids []ID) []byte {
	var b []byte
	for _, id := range ids {
		if t := v.Token(id); t.Kind == Text {
			b = append(b, t.Bytes...)
		}
	}
	return b
}

// bounded is outside text, short enough for a message.
func bounded(s string) string {
	if len(s) > 64 {
		return s[:64] + "…"
	}
	return s
}
