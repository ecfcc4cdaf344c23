package model

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"unicode/utf8"
)

// exchange is one line of a cassette. Fields are only ever added.
type exchange struct {
	Method string            `json:"method"`
	URL    string            `json:"url"`
	Header map[string]string `json:"header,omitempty"` // of the request
	Body   *recorded         `json:"body,omitempty"`
	Status int               `json:"status"`
	Back   map[string]string `json:"response_header,omitempty"`
	Reply  *recorded         `json:"reply,omitempty"`
}

// recorded is a body: text where it is text, for people to read.
type recorded struct {
	Text   string `json:"text,omitempty"`
	Binary []byte `json:"binary,omitempty"`
}

// keptHeaders are the only ones that a cassette holds; whatever authorises is
// none of them.
func keptHeaders() []string {
	return []string{"Content-Type", "Anthropic-Version", "Anthropic-Beta", "Api-Revision", "Retry-After", "Retry-After-Ms", "X-Should-Retry"}
}

// scrubbed stands where a secret stood.
const scrubbed = "[scrubbed]"

// shortestSecret is what is taken for a key worth looking for in a body.
const shortestSecret = 6

// Record passes requests on to next and writes each exchange to w, a line of
// JSON each, once its reply was read. Keys are not written, wherever they stand:
// not in headers, not in addresses, and not where a body repeats them. Nil next
// means the default transport. An error of w fails the reply that is being read.
// What a person or a tool said stands in the bodies: a cassette is as private as
// the conversation.
func Record(w io.Writer, next http.RoundTripper) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return &recorder{to: w, next: next}
}

type recorder struct {
	next http.RoundTripper

	mu sync.Mutex
	to io.Writer
}

// RoundTrip passes the request on and records what it reads of the reply.
func (c *recorder) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		_ = r.Body.Close()
	}
	sent := r.Clone(r.Context())
	sent.Body = io.NopCloser(bytes.NewReader(body))
	resp, err := c.next.RoundTrip(sent)
	if err != nil {
		return nil, err
	}
	hide := scrubber(r)
	e := exchange{
		Method: r.Method, URL: hide.Replace(bareURL(r.URL)), Header: kept(r.Header), Body: keep(body, hide),
		Status: resp.StatusCode, Back: kept(resp.Header),
	}
	resp.Body = &recordedBody{from: resp.Body, done: func(read []byte) error {
		e.Reply = keep(read, hide)
		return c.write(&e)
	}}
	return resp, nil
}

func (c *recorder) write(e *exchange) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.to.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("recording an exchange: %w", err)
	}
	return nil
}

// recordedBody hands what was read to done when it is closed.
type recordedBody struct {
	from io.ReadCloser
	read bytes.Buffer
	done func(read []byte) error
}

// Read reads and remembers.
func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	b.read.Write(p[:n])
	return n, err
}

// Close records what was read.
func (b *recordedBody) Close() error {
	err := b.from.Close()
	if b.done == nil {
		return err
	}
	done := b.done
	b.done = nil
	return errors.Join(err, done(b.read.Bytes()))
}

func kept(h http.Header) map[string]string {
	out := map[string]string{}
	for _, field := range keptHeaders() {
		if v := h.Get(field); v != "" {
			out[field] = v
		}
	}
	return out
}

func keep(body []byte, hide *strings.Replacer) *recorded {
	if len(body) == 0 {
		return nil
	}
	if !utf8.Valid(body) {
		return &recorded{Binary: body}
	}
	return &recorded{Text: hide.Replace(string(body))}
}

func (r *recorded) bytes() []byte {
	switch {
	case r == nil:
		return nil
	case r.Binary != nil:
		return r.Binary
	}
	return []byte(r.Text)
}

// scrubber replaces the secrets of a request.
func scrubber(r *http.Request) *strings.Replacer {
	var pairs []string
	for field, values := range r.Header {
		if _, ok := kept(http.Header{field: values})[field]; ok {
			continue
		}
		for _, v := range values {
			for _, secret := range []string{v, strings.TrimPrefix(v, "Bearer ")} {
				if isSecretField(field) && len(secret) >= shortestSecret {
					pairs = append(pairs, secret, scrubbed)
				}
			}
		}
	}
	return strings.NewReplacer(pairs...)
}

func isSecretField(field string) bool {
	field = strings.ToLower(field)
	for _, word := range []string{"auth", "key", "token", "secret", "cookie"} {
		if strings.Contains(field, word) {
			return true
		}
	}
	return false
}

// bareURL is an address without what may authorise in it.
func bareURL(u *url.URL) string {
	bare := *u
	bare.User = nil
	query := bare.Query()
	for name := range query {
		if isSecretField(name) {
			query.Set(name, scrubbed)
		}
	}
	bare.RawQuery = query.Encode()
	return bare.String()
}

// Play answers requests from what [Record] wrote, in order, and never asks
// anyone. A request that is not the next one recorded (method, path, and body
// as JSON) is an error that says so.
func Play(r io.Reader) (http.RoundTripper, error) {
	p := &player{}
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var e exchange
			if err := json.Unmarshal(line, &e); err != nil {
				return nil, fmt.Errorf("reading cassette: line %d: %w", n, err)
			}
			p.left = append(p.left, e)
		}
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading cassette: %w", err)
		}
	}
}

type player struct {
	mu     sync.Mutex
	left   []exchange
	played int
}

// RoundTrip answers with the next recorded reply.
func (p *player) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		_ = r.Body.Close()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.played++
	if len(p.left) == 0 {
		return nil, fmt.Errorf("cassette: request %d was not recorded", p.played)
	}
	e := p.left[0]
	if err := e.matches(r, body); err != nil {
		return nil, fmt.Errorf("cassette: request %d: %w", p.played, err)
	}
	p.left = p.left[1:]
	h := http.Header{}
	for field, v := range e.Back {
		h.Set(field, v)
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status)), StatusCode: e.Status, Header: h,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1, Request: r,
		Body: io.NopCloser(bytes.NewReader(e.Reply.bytes())),
	}, nil
}

func (e *exchange) matches(r *http.Request, body []byte) error {
	recordedAt, err := url.Parse(e.URL)
	if err != nil {
		return errors.New("its recorded address is unreadable")
	}
	if r.Method != e.Method || r.URL.Path != recordedAt.Path {
		return fmt.Errorf("is %s %s, recorded was %s %s", r.Method, r.URL.Path, e.Method, recordedAt.Path)
	}
	if got, want := keep(body, scrubber(r)).bytes(), e.Body.bytes(); !sameJSON(got, want) {
		return errors.New("its body differs from the recorded one")
	}
	return nil
}

// sameJSON compares bodies but for the order of names and the space between.
func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, okX := ordered(a)
	y, okY := ordered(b)
	return okX && okY && bytes.Equal(x, y)
}

func ordered(text []byte) ([]byte, bool) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, false
	}
	out, err := json.Marshal(v)
	return out, err == nil
}
