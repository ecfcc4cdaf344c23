package httpapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/holdfast-go/holdfast"
)

// refusals are the statuses by which a server says that it did not do what was
// asked, in the words of RFC 9110 and 6585. Others, such as 402, 408 and 409, are used for
// more than that.
var refusals = []int{400, 401, 403, 404, 405, 406, 411, 413, 414, 415, 422, 428, 429, 431}

// passing are the statuses after which a read may be tried again.
var passing = []int{408, 429, 500, 502, 503, 504}

// ruleOf is the meaning of a status: its own, its class's, or the default.
func (r *request) ruleOf(status int) StatusRule {
	text := strconv.Itoa(status)
	for _, match := range []string{text, text[:1] + "xx"} {
		for _, rule := range r.rules {
			if rule.Match == match {
				return rule
			}
		}
	}
	good := status >= 200 && status <= 299
	means := Failed
	switch {
	case r.usage == reading && good:
		means = OK
	case r.usage == reading && slices.Contains(passing, status):
		means = Retry
	case r.usage == reading:
	case good:
		means = Effect
	case r.usage == writing && slices.Contains(refusals, status), r.usage == probing && status == http.StatusNotFound:
		means = NoEffect
	default:
		means = Unknown
	}
	return StatusRule{Match: text, Means: means}
}

// ruled reports whether the declaration says what a status means.
func (r *request) ruled(status int) bool {
	text := strconv.Itoa(status)
	return slices.ContainsFunc(r.rules, func(rule StatusRule) bool { return rule.Match == text || rule.Match == text[:1]+"xx" })
}

// errCut says that an answer began and did not come to its end.
var errCut = errors.New("the connection broke within the answer")

// read reads the body, unpacked, up to a little more than the limit.
func (x *exchange) read(response *http.Response, limit int) ([]byte, error) {
	var from io.Reader = response.Body
	switch encoding := strings.ToLower(response.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
	case "gzip", "x-gzip":
		// What comes off the wire is bounded too: endless padding unpacks to nothing.
		packed, err := gzip.NewReader(io.LimitReader(from, int64(limit)+maxHeaderBytes))
		if errors.Is(err, io.EOF) {
			return nil, nil // an empty body has no header of its packing either
		}
		if err != nil {
			return nil, x.cut(err)
		}
		from = packed
	default:
		return nil, fmt.Errorf("the answer is packed as %q, which was not asked for", encoding)
	}
	text, err := io.ReadAll(io.LimitReader(from, int64(limit)+1))
	if err != nil {
		return text, x.cut(err)
	}
	return text, nil
}

func (x *exchange) cut(err error) error {
	if x.ctx.Err() != nil {
		return context.Cause(x.ctx)
	}
	return &holdfast.TransientError{Err: fmt.Errorf("%w: %w", errCut, cause(err))}
}

// result makes a result of a reply by its content type.
func (x *exchange) result(response *http.Response, text []byte) (holdfast.Result, error) {
	if len(text) == 0 {
		return holdfast.Result{JSON: fmt.Appendf(nil, `{"status":%d}`, response.StatusCode)}, nil
	}
	kind, params, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil && kind == "" {
		kind = "text/plain"
		if json.Valid(text) {
			kind = "application/json"
		}
	}
	switch {
	case kind == "application/json" || strings.HasSuffix(kind, "+json"):
		return holdfast.Result{JSON: x.mask(bytes.TrimPrefix(text, []byte("\ufeff")))}, nil
	case strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "xml") || kind == "application/x-ndjson" || kind == "application/yaml":
		said, err := decode(text, params["charset"])
		return holdfast.Result{Text: string(x.mask([]byte(said)))}, err
	case slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, kind):
		return holdfast.Result{Images: []holdfast.Image{{MediaType: kind, Data: text}}}, nil
	}
	return holdfast.Result{}, fmt.Errorf("the answer is of type %q, which is no text, JSON or picture", kind)
}

// decode reads the two encodings of text that need no table.
func decode(text []byte, charset string) (string, error) {
	switch strings.ToLower(charset) {
	case "", "utf-8", "utf8", "us-ascii":
		return string(text), nil
	case "iso-8859-1":
		runes := make([]rune, len(text))
		for i, c := range text {
			runes[i] = rune(c)
		}
		return string(runes), nil
	}
	return "", fmt.Errorf("the answer is in charset %q, which is not read", charset)
}

const (
	maskedSecret   = "[secret]"
	shortestSecret = 4 // shorter ones stand in any text
)

// mask takes out the secrets of the request's headers, where a server repeats them.
func (x *exchange) mask(text []byte) []byte {
	for _, secret := range x.secrets {
		if len(secret) >= shortestSecret {
			text = bytes.ReplaceAll(text, []byte(secret), []byte(maskedSecret))
		}
	}
	return text
}

const maxExcerpt = 300

// refused says in words what a server answered, with the beginning of its own.
func (x *exchange) refused(response *http.Response) error {
	text, _ := x.read(response, 4*maxExcerpt)
	said := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(x.mask(text)), ""))
	said = strings.Join(strings.Fields(said), " ")
	if len(said) > maxExcerpt {
		said = strings.ToValidUTF8(said[:maxExcerpt], "") + "…"
	}
	status := strconv.Itoa(response.StatusCode)
	if words := http.StatusText(response.StatusCode); words != "" {
		status += " " + words
	}
	if said == "" {
		return fmt.Errorf("the server answered %s", status)
	}
	return fmt.Errorf("the server answered %s: %s", status, said)
}

// maxRetryAfter is the longest wait that a server's word is taken for.
const maxRetryAfter = time.Hour

// retryAfter is how long a server asks to wait, or 0.
func retryAfter(response *http.Response) time.Duration {
	text := response.Header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(time.Until(at), 0), maxRetryAfter)
	}
	return 0
}
