package wiretest

import (
	"encoding/json"

	"github.com/holdfast-go/holdfast/wire"
)

// Object is JSON that a codec's test writes as its provider would.
type Object = map[string]any

// JSON is v as JSON.
func JSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// Decode is the reply of the bytes.
func Decode(c wire.Codec, b []byte) *wire.Reply {
	r, _ := decode(c, b)
	return r
}
