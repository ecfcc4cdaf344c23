package tokenizer

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// walk sets the tokens whose every byte allowed takes, as the comment of Trie
// has it.
func walk(t *Trie, words int, allowed func(depth int, prefix string) bool) []uint64 {
	mask := make([]uint64, words)
	var stack [maxDepth + 1]string
	nodes := t.Nodes()
	for p := 0; p < len(nodes); {
		n := nodes[p]
		s := stack[n.Depth()-1] + string([]byte{n.Byte()})
		if !allowed(n.Depth(), s) {
			p += n.Size()
			continue
		}
		stack[n.Depth()] = s
		mask[n.Token()>>6] |= 1 << (n.Token() & 63)
		p++
	}
	for _, twin := range t.Twins() {
		if mask[twin[0]>>6]>>(twin[0]&63)&1 == 1 {
			mask[twin[1]>>6] |= 1 << (twin[1] & 63)
		}
	}
	return mask
}

func has(mask []uint64, id ID) bool { return mask[id>>6]>>(id&63)&1 == 1 }

// text makes a vocabulary of text tokens.
func text(t testing.TB, size int, tokens ...string) *Vocabulary {
	t.Helper()
	var list []Token
	for _, s := range tokens {
		list = append(list, Token{Bytes: s})
	}
	v, err := New(list, &Options{Size: size})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestWalkFindsEveryToken(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	tokens := []string{"", "a", "ab", "abc", "b", "a", "\xff", "\x00", strings.Repeat("x", maxDepth), strings.Repeat("x", maxDepth+1)}
	for range 400 {
		b := make([]byte, 1+random.IntN(6))
		for i := range b {
			b[i] = "ab\"\\é \n\x80"[random.IntN(9)]
		}
		tokens = append(tokens, string(b))
	}
	v := text(t, 500, tokens...)
	for _, beginning := range []string{"", "a", "ab", "\"", "x", "é"} {
		got := walk(v.Trie(), v.Words(), func(depth int, prefix string) bool {
			n := min(len(prefix), len(beginning))
			return prefix[:n] == beginning[:n]
		})
		for id, token := range tokens {
			n := min(len(token), len(beginning))
			want := token != "" && len(token) <= maxDepth && token[:n] == beginning[:n]
			if has(got, ID(id)) != want {
				t.Errorf("walking with beginning %q: token %d %q allowed: %v, want %v", beginning, id, token, !want, want)
			}
		}
	}
}

func TestTrieIsInTextOrder(t *testing.T) {
	v := text(t, 0, "b", "abc", "a", "ab")
	var order []uint32
	for _, n := range v.Trie().Nodes() {
		order = append(order, n.Token())
	}
	if diff := cmp.Diff([]uint32{2, 3, 1, 0}, order); diff != "" {
		t.Errorf("tokens in depth-first order (-want +got):\n%s", diff)
	}
}

func TestTwinsStandForTheSameBytes(t *testing.T) {
	v := text(t, 0, "a", "b", "a", "a")
	if diff := cmp.Diff([][2]ID{{0, 2}, {0, 3}}, v.Trie().Twins()); diff != "" {
		t.Errorf("twins (-want +got):\n%s", diff)
	}
	if got := v.Trie().Len(); got != 4 {
		t.Errorf("Len() = %d, want 4: twins are tokens too", got)
	}
}

func TestSafeAndLeftoverShareTheText(t *testing.T) {
	tokens := []string{"a", "é", "éé", "a\"", "\\", "\n", "\xc3", "\x7f", "", "😀 b", `":`, " "}
	v := text(t, 0, tokens...)
	if got := v.SafeLength(); got != 3 {
		t.Errorf("SafeLength() = %d, want 3, of \"😀 b\"", got)
	}
	left := walk(v.Leftover(), v.Words(), func(int, string) bool { return true })
	for id, token := range tokens {
		length := utf8.RuneCountInString(token)
		safe := token != "" && utf8.ValidString(token) && !strings.ContainsAny(token, "\"\\\n")
		if has(left, ID(id)) == safe && token != "" {
			t.Errorf("token %q in the leftover trie: %v, want %v", token, safe, !safe)
		}
		for runes := range 6 {
			if got, want := has(v.Safe(runes), ID(id)), safe && length <= runes; got != want {
				t.Errorf("Safe(%d) has %q: %v, want %v", runes, token, got, want)
			}
		}
	}
}

func TestControlTokensAreNoText(t *testing.T) {
	v, err := New([]Token{{Bytes: "<|im_end|>", Kind: Control}, {Bytes: "<"}, {Bytes: "x", Kind: Unused}}, &Options{Size: 70})
	if err != nil {
		t.Fatal(err)
	}
	all := walk(v.Trie(), v.Words(), func(int, string) bool { return true })
	if has(all, 0) || has(all, 2) || !has(all, 1) {
		t.Errorf("the trie holds %b, want text alone", all)
	}
	if !slices.Equal(v.End(), []ID{0}) {
		t.Errorf("End() = %v, want the control token that is known to end a reply", v.End())
	}
	if v.Size() != 70 || v.Words() != 2 || v.Token(69).Kind != Padding {
		t.Errorf("Size, Words, Token(69) = %d, %d, %v, want 70, 2 and padding", v.Size(), v.Words(), v.Token(69))
	}
}
