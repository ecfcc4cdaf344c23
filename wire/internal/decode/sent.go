package decode

import "github.com/holdfast-go/holdfast/internal/rawjson"

// Add is the sum of two counts of which the first may not be there yet.
func Add(sum *int64, n int64) *int64 {
	if sum != nil {
		n += *sum
	}
	return &n
}

// IDs are ids whose results stand in a reply; none is "".
type IDs map[string]bool

// Add adds an id, unless it is "".
func (s *IDs) Add(id string) {
	if id == "" {
		return
	}
	if *s == nil {
		*s = IDs{}
	}
	(*s)[id] = true
}

// HoldsArguments tells arguments from null and from the empty object that stands
// in their place.
func HoldsArguments(raw []byte) bool {
	return !rawjson.IsNull(raw) && (rawjson.Kind(raw) != '{' || !rawjson.IsEmpty(raw))
}

// Fragment is a piece of argument text as a JSON string. Where a server sends a
// value instead, its source is the text: dropped, {} would run in its place.
func Fragment(raw []byte) []byte {
	if rawjson.Kind(raw) == '"' || rawjson.IsNull(raw) {
		return raw
	}
	return rawjson.Quote(string(raw))
}
