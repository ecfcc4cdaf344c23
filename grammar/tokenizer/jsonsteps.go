package tokenizer

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// jsonStep is a normalizer, a pre-tokenizer or a decoder of tokenizer.json. Which
// fields count depends on its type.
type jsonStep struct {
	Type          string      `json:"type"`
	Normalizers   []*jsonStep `json:"normalizers"`
	PreTokenizers []*jsonStep `json:"pretokenizers"`
	Decoders      []*jsonStep `json:"decoders"`
	Pattern       jsonPattern `json:"pattern"`
	Behavior      string      `json:"behavior"`
	Invert        bool        `json:"invert"`
	Content       string      `json:"content"`
	Prepend       string      `json:"prepend"`
	AddPrefix     bool        `json:"add_prefix_space"`
	UseRegex      *bool       `json:"use_regex"`
	Individual    bool        `json:"individual_digits"`
	Replacement   string      `json:"replacement"`
	Scheme        string      `json:"prepend_scheme"`
	Split         *bool       `json:"split"`
}

// jsonPattern is a text to find or an expression.
type jsonPattern struct {
	String string `json:"String"`
	Regex  string `json:"Regex"`
}

// UnmarshalJSONFrom takes what is no such object for a text: some steps have
// another field of that name.
func (p *jsonPattern) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() != '{' {
		return d.SkipValue()
	}
	type plain jsonPattern
	return json.UnmarshalDecode(d, (*plain)(p))
}

// steps are what becomes of a text before its pieces are joined.
type steps struct {
	byteLevel bool
	compose   bool
	prefix    prefix
	pieces    sequence
}

func (f *jsonFile) steps() (*steps, error) {
	s := &steps{byteLevel: f.PreTokenizer.has("ByteLevel") || f.Decoder.has("ByteLevel")}
	spaced := f.Model.ByteFallback || f.Decoder.has("ByteFallback") || f.Decoder.has("Metaspace") || f.PreTokenizer.has("Metaspace")
	if !s.byteLevel && !spaced {
		return nil, fmt.Errorf("the tokens are neither bytes nor SentencePiece's")
	}
	if err := s.normalize(f.Normalizer); err != nil {
		return nil, fmt.Errorf("normalizer: %w", err)
	}
	if err := s.cut(f.PreTokenizer); err != nil {
		return nil, fmt.Errorf("pre_tokenizer: %w", err)
	}
	return s, nil
}

// has says whether a step, or one within it, is of a type.
func (j *jsonStep) has(kind string) bool {
	if j == nil {
		return false
	}
	for _, list := range [][]*jsonStep{j.Normalizers, j.PreTokenizers, j.Decoders} {
		for _, inner := range list {
			if inner.has(kind) {
				return true
			}
		}
	}
	return j.Type == kind
}

func (s *steps) normalize(j *jsonStep) error {
	switch {
	case j == nil:
		return nil
	case j.Type == "Sequence":
		for _, inner := range j.Normalizers {
			if err := s.normalize(inner); err != nil {
				return err
			}
		}
		return nil
	case j.Type == "NFC":
		s.compose = true
		return nil
	case j.Type == "Prepend" && j.Prepend == space:
		s.prefix = prefix{on: true, doubling: true}
		return nil
	case j.Type == "Replace" && j.Pattern.String == " " && j.Content == space:
		return nil // that is how a space is written
	}
	return fmt.Errorf("%q is not supported", bounded(j.Type))
}

func (s *steps) cut(j *jsonStep) error {
	if j == nil {
		return nil
	}
	switch j.Type {
	case "Sequence":
		for _, inner := range j.PreTokenizers {
			if err := s.cut(inner); err != nil {
				return err
			}
		}
		return nil
	case "Split":
		return s.cutSplit(j)
	case "ByteLevel":
		if j.AddPrefix {
			s.prefix = prefix{on: true}
		}
		if j.UseRegex == nil || *j.UseRegex {
			return s.cutBy(wordsGPT2)
		}
		return nil
	case "Digits":
		if j.Individual {
			return s.cutBy(digits)
		}
		return s.cutBy(digits + "+")
	case "Metaspace":
		return s.cutSpaces(j)
	}
	return fmt.Errorf("%q is not supported", bounded(j.Type))
}

func (s *steps) cutBy(source string) error {
	p, err := newPattern(source)
	if err != nil {
		return err
	}
	s.pieces = append(s.pieces, p)
	return nil
}

func (s *steps) cutSplit(j *jsonStep) error {
	switch {
	case j.Behavior == "Isolated" && j.Pattern.Regex != "":
		return s.cutBy(j.Pattern.Regex)
	case j.Behavior == "Removed" && j.Invert && j.Pattern.Regex != "":
		return s.cutBy(j.Pattern.Regex) // what is between matches would be dropped; a pattern of words leaves nothing
	case j.Behavior == "MergedWithPrevious" && !j.Invert && j.Pattern.String != "":
		s.pieces = append(s.pieces, afterEach(strings.ReplaceAll(j.Pattern.String, space, " ")))
		return nil
	}
	return fmt.Errorf("a split with the behavior %q is not supported", bounded(j.Behavior))
}

func (s *steps) cutSpaces(j *jsonStep) error {
	if j.Replacement != space {
		return fmt.Errorf("a space written as %q is not supported", bounded(j.Replacement))
	}
	switch j.Scheme {
	case "always", "":
		s.prefix = prefix{on: j.Scheme != "" || j.AddPrefix}
	case "first":
		s.prefix = prefix{on: true, first: true}
	case "never":
	default:
		return fmt.Errorf("the prepend_scheme %q is not known", bounded(j.Scheme))
	}
	if j.Split == nil || *j.Split {
		s.pieces = append(s.pieces, beforeEach(" "))
	}
	return nil
}
