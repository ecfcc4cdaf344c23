package wiretest

import (
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/holdfast-go/holdfast/wire"
)

// Fuzz is the fuzz target of every codec: bytes of any kind, fed in pieces of any
// size, never panic, mean the same however they are split, and leave a reply that
// can be shown and sent back. Its first inputs are the scenarios in testdata and
// seeds.
func Fuzz(f *testing.F, c wire.Codec, seeds ...[]byte) {
	f.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", c.API()+"*.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		f.Add(readArchive(f, path).reply(f), uint64(1))
	}
	for _, s := range seeds {
		f.Add(s, uint64(1))
		f.Add(s[:len(s)*2/3], uint64(2))
	}
	f.Fuzz(func(t *testing.T, in []byte, seed uint64) {
		whole, _ := decode(c, in)
		rng := rand.New(rand.NewPCG(seed, 0))
		var pieces [][]byte
		for rest := in; len(rest) > 0; {
			n := 1 + rng.IntN(len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		split, p := decode(c, pieces...)
		for _, r := range []*wire.Reply{whole, split} {
			if r.Err != nil && r.Err.Code == "unreadable_reply" {
				r.Err.Raw = nil // an excerpt of what was no reply
			}
		}
		if !reflect.DeepEqual(whole, split) {
			t.Errorf("split: %s, whole: %s", wire.ParseJSON(split), wire.ParseJSON(whole))
		}
		if p.problem != "" {
			t.Errorf("preview: %s", p.problem)
		}
		checkBroken(t, "reply", split)
		if !json.Valid(wire.ParseJSON(split)) {
			t.Errorf("ParseJSON = %s, want JSON", wire.ParseJSON(split))
		}
		history, err := c.History(answered(split), nil)
		if err != nil {
			t.Fatalf("History: %v", err)
		}
		for _, m := range history {
			if !json.Valid(m) {
				t.Errorf("History holds %q, want JSON", m)
			}
		}
	})
}
