package grammar

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
)

// SampleOptions of Sample; nil means defaults, and so does each zero field.
type SampleOptions struct {
	// Budget is how many tokens are chosen freely; behind it what leads to an end is
	// preferred. 0 means 256.
	Budget int
	// Temperature divides the logits; 0 means 1.
	Temperature float64
}

// Logits tell how likely each token is to come next, one number for each entry of
// the vocabulary or more; so is the tokens before, which it must not keep. It is not
// asked where only one token can come, so that several may be new to it.
type Logits func(so []tokenizer.ID) ([]float32, error)

// Sample lets a source of logits write a text from where the matcher stands to an
// end that the grammar admits, and gives its tokens, the end token among them. nil
// is noise: whatever is allowed is equally likely.
func Sample(m *Matcher, logits Logits, random *rand.Rand, o *SampleOptions) ([]tokenizer.ID, error) {
	if m == nil || m.v == nil || random == nil {
		return nil, errors.New("grammar: sampling needs a matcher with a vocabulary, and a source of randomness")
	}
	s := sampler{m: m, random: random}
	if o != nil {
		s.options = *o
	}
	if s.options.Budget <= 0 {
		s.options.Budget = 256
	}
	if s.options.Temperature <= 0 {
		s.options.Temperature = 1
	}
	for len(s.ids) < s.options.Budget && !m.Done() {
		id, err := s.choose(logits)
		if err != nil {
			return s.ids, err
		}
		if err := s.take(id); err != nil {
			return s.ids, err
		}
	}
	return s.ids, s.hurry()
}

type sampler struct {
	m       *Matcher
	random  *rand.Rand
	options SampleOptions
	ids     []tokenizer.ID
	weights []float64
}

// take goes on with a token that a mask allowed.
func (s *sampler) take(id tokenizer.ID) error {
	if !s.m.Accept(id) {
		return fmt.Errorf("grammar: token %d was allowed and is not taken", id)
	}
	s.ids = append(s.ids, id)
	return nil
}

// choose takes a token that is allowed.
func (s *sampler) choose(logits Logits) (tokenizer.ID, error) {
	mask := s.m.Mask()
	n := 0
	for _, w := range mask {
		n += bits.OnesCount64(w)
	}
	if n == 0 {
		return 0, errors.New("grammar: no token of the vocabulary can come next")
	}
	if logits == nil || n == 1 { // the only way on needs no asking
		return nth(mask, s.random.IntN(n)), nil
	}
	row, err := logits(s.ids)
	if err != nil {
		return 0, err
	}
	if len(row) < s.m.v.Size() {
		return 0, fmt.Errorf("grammar: %d logits for a vocabulary of %d", len(row), s.m.v.Size())
	}
	return s.weigh(mask, row), nil
}

// weigh chooses among the tokens of a mask by their logits.
func (s *sampler) weigh(mask []uint64, row []float32) tokenizer.ID {
	highest := float32(math.Inf(-1))
	each(mask, func(id tokenizer.ID) { highest = max(highest, row[id]) })
	total := 0.0
	s.weights = s.weights[:0]
	last := tokenizer.ID(-1)
	each(mask, func(id tokenizer.ID) {
		w := math.Exp(float64(row[id]-highest) / s.options.Temperature)
		if math.IsNaN(w) {
			w = 0
		}
		total += w
		s.weights = append(s.weights, total)
		last = id
	})
	at, chosen := s.random.Float64()*total, last
	i := 0
	each(mask, func(id tokenizer.ID) {
		if chosen == last && s.weights[i] > at {
			chosen, at = id, math.Inf(1)
		}
		i++
	})
	return chosen
}

// each calls f with every token of a mask.
func each(mask []uint64, f func(tokenizer.ID)) {
	for i, w := range mask {
		for ; w != 0; w &= w - 1 {
			f(tokenizer.ID(i<<6 + bits.TrailingZeros64(w)))
		}
	}
}

// nth is a mask's token number n.
func nth(mask []uint64, n int) tokenizer.ID {
	for i, w := range mask {
		if c := bits.OnesCount64(w); n >= c {
			n -= c
			continue
		}
		for ; n > 0; n-- {
			w &= w - 1
		}
		return tokenizer.ID(i<<6 + bits.TrailingZeros64(w))
	}
	return -1
}

// maxHurry is how many steps lead to the end at most.
const maxHurry = 20_000

// hurry writes what leads to the end.
func (s *sampler) hurry() error {
	for range maxHurry {
		switch {
		case s.m.ended:
			return nil
		case s.m.CanEnd():
			s.end()
			return nil
		}
		if s.first(s.m.shortcuts()) {
			continue
		}
		id, err := s.choose(nil)
		if err != nil {
			return err
		}
		if err := s.take(id); err != nil {
			return err
		}
	}
	return fmt.Errorf("grammar: no end within %d tokens behind the budget", maxHurry)
}

// end writes a token that ends the reply, if there is one.
func (s *sampler) end() {
	for _, id := range s.m.v.End() {
		if !s.m.asText(id) && s.m.Accept(id) {
			s.ids = append(s.ids, id)
			return
		}
	}
}

// first writes the first of the texts that can come.
func (s *sampler) first(texts []string) bool {
	for _, text := range texts {
		if _, ok := s.m.AcceptBytes([]byte(text)); !ok || text == "" {
			continue
		}
		s.m.Rollback(1)
		if ids := s.m.Encode(text); s.write(ids, text) {
			return true
		}
	}
	return false
}

// write takes tokens that are known to be such a text.
func (s *sampler) write(ids []tokenizer.ID, text string) bool {
	if !s.m.spells(ids, text) {
		return false
	}
	for i, id := range ids {
		if !s.m.Accept(id) {
			s.m.Rollback(i)
			return false
		}
	}
	s.ids = append(s.ids, ids...)
	return true
}

// shortcuts are texts that lead to an end from where the matcher stands, the best
// first.
func (m *Matcher) shortcuts() []string {
	w := &m.at.ways[0]
	switch w.at {
	case inText, inKey, inSet:
		return []string{`"`}
	case inScript:
		return []string{m.g.script[w.state].text[w.word:]}
	case inNumber:
		return []string{"}", "]", ",", m.g.numberEnd(w)}
	case atFirst, atName:
		if w.in.object != nil {
			return append(wanted(w.in), "}")
		}
	}
	return []string{"}", "]", "null", "true", "false", "0", "1", `"`, ":", ",", "[", "{"}
}

// wanted are the members that an open object still needs, and then those that it
// may have, as text.
func wanted(in *frame) []string {
	o := in.object
	var list []string
	for _, needed := range []bool{true, false} {
		must := o.closure(merge(o.needed, in.seen))
		for i := range o.members {
			if in.seen.has(i) || must.has(i) != needed {
				continue
			}
			if text, err := json.Marshal(o.members[i].name); err == nil {
				list = append(list, string(text)+":")
			}
		}
		if needed && len(list) == 0 && in.mayClose() {
			return []string{"}"}
		}
	}
	return list
}

// numberEnd is the shortest text with which an open number may end.
func (m *machine) numberEnd(w *way) string {
	m.mu.Lock() // languages of numbers grow as they are walked
	defer m.mu.Unlock()
	type step struct {
		state int32
		text  string
	}
	seen := map[int32]bool{w.state: true}
	for list := []step{{w.state, ""}}; len(list) > 0 && len(seen) < maxHurry; list = list[1:] {
		s := list[0]
		if s.text != "" && w.num.Accept(s.state) {
			return s.text
		}
		for _, b := range []byte("0123456789e.-+") {
			if to := w.num.Step(s.state, b); to >= 0 && !seen[to] {
				seen[to] = true
				list = append(list, step{to, s.text + string(rune(b))})
			}
		}
	}
	return ""
}
