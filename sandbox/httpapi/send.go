package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/net/http/httpguts"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
)

const (
	maxHops        = 5
	maxHeaderBytes = 64 << 10
)

// exchange is one filled request on its way.
type exchange struct {
	*request
	ctx     context.Context
	url     *url.URL
	header  http.Header
	content []byte
	secrets []string
	sent    atomic.Bool // a byte may have left
}

// prepare fills the request. Its errors come before anything is sent.
func (r *request) prepare(ctx context.Context, v values) (*exchange, error) {
	v.env = r.env
	x := &exchange{request: r, ctx: ctx, header: http.Header{}}
	if err := x.fillAddress(v); err != nil {
		return nil, err
	}
	if err := x.fillBody(v); err != nil {
		return nil, err
	}
	x.header.Set("Accept", "application/json, text/*;q=0.9, */*;q=0.5")
	x.header.Set("User-Agent", "holdfast")
	if r.keyHeader != "" && v.key != "" {
		x.header.Set(r.keyHeader, v.key)
	}
	for _, f := range r.headers {
		if err := x.fillHeader(f, v); err != nil {
			return nil, err
		}
	}
	x.header.Set("Accept-Encoding", "gzip") // unpacked here, within the limit
	return x, nil
}

func (x *exchange) fillHeader(f field, v values) error {
	value, err := f.value.fill(v, func(secret string) string {
		x.secrets = append(x.secrets, secret)
		return secret
	})
	if err != nil {
		return fmt.Errorf("header %s: %w", f.name, err)
	}
	if !httpguts.ValidHeaderFieldValue(value) {
		return fmt.Errorf("header %s: the secret in it has characters that a header cannot hold", f.name)
	}
	x.header.Set(f.name, value)
	return nil
}

func (x *exchange) fillAddress(v values) error {
	tail, err := x.path.fill(v, percent)
	if err != nil {
		return err
	}
	path, query, asked := strings.Cut(tail, "?")
	if err := checkPath(path, x.path, v.args); err != nil {
		return err
	}
	more, err := encodeFields(x.query, v)
	if err != nil {
		return err
	}
	if asked && query != "" && more != "" {
		more = query + "&" + more
	} else if asked && query != "" {
		more = query
	}
	x.url, err = url.Parse(x.origin + path)
	if err != nil {
		return errors.New("the address cannot be made of these arguments")
	}
	x.url.RawQuery = more
	return nil
}

// checkPath refuses arguments that would lead elsewhere in the API: nothing, and
// the names of this and of the folder above.
func checkPath(path string, t template, args schema.Value) error {
	for _, p := range t {
		if v, ok := args.Get(p.argument); p.argument != "" && ok && v.Kind() == schema.String && v.Text() == "" {
			return fmt.Errorf("argument %s is empty, which an address cannot hold", p.argument)
		}
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return errors.New("an argument would be . or .. in the address, which leads elsewhere")
		}
	}
	return nil
}

func encodeFields(fields []field, v values) (string, error) {
	var pairs []string
	add := func(name, value string) { pairs = append(pairs, percent(name)+"="+percent(value)) }
	for _, f := range fields {
		arg, ok := v.args.Get(f.value.whole())
		switch {
		case f.value.whole() != "" && !ok:
		case ok && arg.Kind() == schema.Array:
			for _, item := range arg.Elements() {
				text, err := plainText(item)
				if err != nil {
					return "", fmt.Errorf("argument %s: an item %w", f.value.whole(), err)
				}
				add(f.name, text)
			}
		default:
			text, err := f.value.fill(v, asIs)
			if err != nil {
				return "", err
			}
			add(f.name, text)
		}
	}
	return strings.Join(pairs, "&"), nil
}

func (x *exchange) fillBody(v values) error {
	switch {
	case x.verbatim:
		x.content = v.args.Raw()
	case x.body != nil:
		var b bytes.Buffer
		if err := x.body.fill(&b, v); err != nil {
			return err
		}
		x.content = b.Bytes()
	case len(x.form) > 0:
		text, err := encodeFields(x.form, v)
		if err != nil {
			return err
		}
		x.content = []byte(text)
		x.header.Set("Content-Type", "application/x-www-form-urlencoded")
		return nil
	default:
		return nil
	}
	x.header.Set("Content-Type", "application/json")
	return nil
}

// send asks the server and, for a read, whom it points to. The caller closes the
// body of what it gets.
func (x *exchange) send() (*http.Response, error) {
	transport := &http.Transport{
		DialContext: x.hosts.dial,
		// One connection for one request: what was sent is known, and the transport
		// never repeats a request by itself.
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
	at, header := x.url, x.header
	for hop := 0; ; hop++ {
		if err := x.hosts.allows(at); err != nil {
			return nil, fmt.Errorf("asking: %w", err)
		}
		response, err := x.roundTrip(transport, at, header)
		if err != nil {
			return nil, err
		}
		next := x.redirect(response)
		if next == nil {
			return response, nil
		}
		_ = response.Body.Close()
		if hop == maxHops {
			return nil, fmt.Errorf("the server redirects more than %d times", maxHops)
		}
		if next.Scheme != at.Scheme || next.Host != at.Host {
			header = http.Header{"Accept": header["Accept"], "Accept-Encoding": header["Accept-Encoding"], "User-Agent": header["User-Agent"]}
		}
		at = next
	}
}

// redirect is where a response points to, for what may follow it. Headers go no
// further than the server that they are for, so a secret stays there.
func (x *exchange) redirect(response *http.Response) *url.URL {
	if x.usage == writing || x.method != http.MethodGet && x.method != http.MethodHead {
		return nil
	}
	if !slices.Contains([]int{301, 302, 303, 307, 308}, response.StatusCode) || x.ruled(response.StatusCode) {
		return nil
	}
	next, err := response.Location()
	if err != nil {
		return nil
	}
	next.Fragment, next.User = "", nil
	return next
}

func (x *exchange) roundTrip(transport *http.Transport, at *url.URL, header http.Header) (*http.Response, error) {
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { x.sent.Store(true) }}
	req := (&http.Request{
		Method: x.method, URL: at, Host: at.Host, Header: header, ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(httptrace.WithClientTrace(x.ctx, trace))
	if x.content != nil {
		req.Body, req.ContentLength = readCloser{bytes.NewReader(x.content)}, int64(len(x.content))
	}
	response, err := transport.RoundTrip(req)
	if err == nil {
		return response, nil
	}
	if x.ctx.Err() != nil {
		return nil, context.Cause(x.ctx)
	}
	if !x.sent.Load() {
		return nil, err
	}
	return nil, &holdfast.TransientError{Err: fmt.Errorf("the connection broke before an answer came: %w", cause(err))}
}

// readCloser is a body that the transport cannot read twice.
type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }
