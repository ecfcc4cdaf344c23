package holdfast

import (
	"encoding/json"
	"errors"
	"time"
)

// Result is what a handler hands back: JSON or text, and images where the
// provider takes them. "Nothing found" is a Result; "could not look" an error.
type Result struct {
	JSON   json.RawMessage `json:"json,omitempty"` // one JSON value; wins over Text
	Text   string          `json:"text,omitempty"`
	Images []Image         `json:"images,omitempty"`
}

// Image is a picture in a result.
type Image struct {
	MediaType string `json:"media_type"` // "image/png"
	Data      []byte `json:"data"`
}

// Size is the number of bytes that r holds.
func (r *Result) Size() int {
	if r == nil {
		return 0
	}
	n := len(r.JSON) + len(r.Text)
	for _, im := range r.Images {
		n += len(im.Data)
	}
	return n
}

// NoEffectError is a handler's word that nothing happened: the one error that
// makes a write failed instead of uncertain and frees its key.
type NoEffectError struct {
	Err error
}

func (e *NoEffectError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *NoEffectError) Unwrap() error { return e.Err }

// WithoutEffect marks err as [NoEffectError]. A nil err stays nil.
func WithoutEffect(err error) error {
	if err == nil {
		return nil
	}
	return &NoEffectError{Err: err}
}

// HasNoEffect reports whether err says that nothing happened.
func HasNoEffect(err error) bool {
	var e *NoEffectError
	return errors.As(err, &e)
}

// TransientError is a read's word that the same may succeed a little later: the
// gate may run it again, within its timeout and [ToolOptions.Retries]. A write is
// never run again by itself, whatever it says.
type TransientError struct {
	Err error
	// After is the least time to wait before the next try; 0 leaves it to the gate.
	After time.Duration
}

func (e *TransientError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *TransientError) Unwrap() error { return e.Err }
