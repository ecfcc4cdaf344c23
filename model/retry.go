package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/wire"
)

// maxErrorBody is how much of an error's body is read, maxErrorText how much of
// one without the provider's form is told.
const (
	maxErrorBody = 1 << 20
	maxErrorText = 300
)

// StatusError says that a provider refused a request.
type StatusError struct {
	Status   int
	Provider *wire.Error // what it said
	header   http.Header
	reading  error // what went wrong while its words were read
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("status %d: %s", e.Status, e.Provider.Error())
}

// Unwrap gives the provider's own error.
func (e *StatusError) Unwrap() []error {
	if e.reading != nil {
		return []error{e.Provider, e.reading}
	}
	return []error{e.Provider}
}

// plainError is an error whose body is not in the provider's form: a proxy's
// page, or nothing.
func plainError(resp *http.Response, body []byte) *wire.Error {
	e := &wire.Error{Code: "http_" + strconv.Itoa(resp.StatusCode), Message: http.StatusText(resp.StatusCode)}
	if json.Valid(body) {
		e.Raw = body
	}
	text := strings.TrimSpace(strings.ToValidUTF8(string(body), "\uFFFD"))
	if len(text) > maxErrorText {
		text = text[:maxErrorText]
		for !utf8.ValidString(text) {
			text = text[:len(text)-1]
		}
		text += "…"
	}
	if text != "" {
		e.Message += ": " + strconv.Quote(text)
	}
	return e
}

// statusOf is a refusal's status, 0 where nobody answered.
func statusOf(err error) int {
	if e, ok := errors.AsType[*StatusError](err); ok {
		return e.Status
	}
	return 0
}

// transportError is a failure before anything of a reply was received.
type transportError struct{ err error }

func (e *transportError) Error() string { return e.err.Error() }
func (e *transportError) Unwrap() error { return e.err }

// idleError says that nothing came for too long.
type idleError struct{ after time.Duration }

func errIdle(d time.Duration) error { return &idleError{d} }

func (e *idleError) Error() string { return fmt.Sprintf("nothing was received for %v", e.after) }

// Timeout tells callers that ask errors for it.
func (e *idleError) Timeout() bool { return true }

// cause is why a request ended: the context's reason where it ended it.
func cause(ctx context.Context, err error) error {
	if c := context.Cause(ctx); c != nil {
		return c
	}
	return err
}

// Waits before a try: the first, and the longest that we, or a provider's
// Retry-After, may ask for. A provider that asks for more is not asked again.
const (
	firstWait   = 500 * time.Millisecond
	longestWait = 8 * time.Second
	longestAsk  = time.Minute
)

// retry tells whether a try that gave nothing may be made again, and when.
func (c *Client) retry(ctx context.Context, err error, try int) (time.Duration, bool) {
	if try >= c.options.Retries || ctx.Err() != nil {
		return 0, false
	}
	wait := min(firstWait<<min(try, 10), longestWait)
	wait = wait/2 + time.Duration(c.options.Random()*float64(wait/2))
	if refused, ok := errors.AsType[*StatusError](err); ok {
		if !passing(refused) {
			return 0, false
		}
		if asked, ok := retryAfter(refused.header); ok {
			return max(asked, wait/4), asked <= longestAsk
		}
		return wait, true
	}
	_, lost := errors.AsType[*transportError](err)
	return wait, lost
}

// passing reports whether a refusal may go away by itself.
func passing(e *StatusError) bool {
	switch e.header.Get("X-Should-Retry") {
	case "false":
		return false
	case "true":
		return true
	}
	if strings.Contains(e.Provider.Code, "insufficient_quota") {
		return false
	}
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return e.Status >= 500 && e.Status != http.StatusNotImplemented
}

// retryAfter reads how long a provider asks to be left alone.
func retryAfter(h http.Header) (time.Duration, bool) {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond)), true
	}
	text := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(text, 64); err == nil && s >= 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second)), true
	}
	if at, err := http.ParseTime(text); err == nil {
		// The provider's own clock tells how far off its date is.
		now, err := http.ParseTime(h.Get("Date"))
		if err != nil {
			now = time.Now()
		}
		return max(0, at.Sub(now)), true
	}
	return 0, false
}

// sleep reports whether d passed before ctx ended.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
