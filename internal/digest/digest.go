// Package digest is the one digest that calls are told apart by: of a write's key,
// of its arguments, of what an approval is bound to.
package digest

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Of is the SHA-256 of parts in hexadecimal, each with its length before it, so
// that no two lists of parts run together.
func Of(parts ...[]byte) string {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}
