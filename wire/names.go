package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast"
)

// NameRule says which tool names a provider takes.
type NameRule struct {
	Bytes int    // the longest name
	First string // characters that a name may begin with beside letters and _
	Rest  string // characters that it may hold beside letters, digits and _
}

// Encode makes the table from the names that the provider is sent to the
// catalog's qualified ones, and the names as sent in catalog order. A tool is
// sent under its bare name where the provider takes it. Else dots and slashes
// become underscores, and a stable hash of the qualified name is added where the
// result is too long or not one tool's alone. One catalog always gives one table.
func (r NameRule) Encode(c *holdfast.Catalog) (Names, []string, error) {
	tools := c.Tools()
	uses := make(map[string]int, len(tools))
	for _, t := range tools {
		uses[r.legal(t.Name())]++
	}
	names := make(Names, len(tools))
	sent := make([]string, len(tools))
	for i, t := range tools {
		name := r.legal(t.Name())
		if len(name) > r.Bytes || name != t.Name() && uses[name] > 1 {
			name = r.hashed(name, c.Qualify(t))
		}
		if other, taken := names[name]; taken {
			return nil, nil, fmt.Errorf("tools %q and %q would both be sent as %q", other, c.Qualify(t), name)
		}
		names[name], sent[i] = c.Qualify(t), name
	}
	return names, sent, nil
}

// Allows reports that the provider takes name as it stands.
func (r NameRule) Allows(name string) bool {
	return name != "" && len(name) <= r.Bytes && r.legal(name) == name
}

// legal is name with what the provider does not take replaced; it may be too long.
func (r NameRule) legal(name string) string {
	b := []byte(name)
	for i, x := range b {
		letter := x >= 'a' && x <= 'z' || x >= 'A' && x <= 'Z' || x == '_'
		digit := x >= '0' && x <= '9'
		switch {
		case letter, i > 0 && digit:
		case i == 0 && strings.IndexByte(r.First, x) >= 0, i > 0 && strings.IndexByte(r.Rest, x) >= 0:
		default:
			b[i] = '_'
		}
	}
	return string(b)
}

const hashChars = 8

// hashed is a prefix of name and a hash of what it stands for.
func (r NameRule) hashed(name, qualified string) string {
	suffix := hashSuffix(qualified)
	return name[:min(len(name), r.Bytes-len(suffix))] + suffix
}

func hashSuffix(qualified string) string {
	sum := sha256.Sum256([]byte(qualified))
	return "_" + hex.EncodeToString(sum[:])[:hashChars]
}

// find is the name in this table of the tool that another provider's table calls
// name, by what every table derives its names from.
func (n Names) find(name string) (sent string, ok bool) {
	fold := strings.NewReplacer(".", "_", "/", "_", "-", "_")
	for _, s := range slices.Sorted(maps.Keys(n)) {
		if qualified := n[s]; name == qualified || fold.Replace(name) == fold.Replace(s) || strings.HasSuffix(name, hashSuffix(qualified)) {
			return s, true
		}
	}
	return "", false
}

// nearest is the legal name for one that no tool has: a model made it up, or
// another provider's table did.
func (r NameRule) nearest(name string) string {
	legal := r.legal(name)
	switch {
	case legal == "":
		return "unnamed"
	case len(legal) > r.Bytes:
		return r.hashed(legal, name)
	}
	return legal
}
