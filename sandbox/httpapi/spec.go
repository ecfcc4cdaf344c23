package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/sandbox"
	"github.com/holdfast-go/holdfast/schema"
)

// Spec is the request of one tool, as its author declares it.
type Spec struct {
	// Method is GET, HEAD, POST, PUT, PATCH or DELETE; "" is GET for what only
	// looks, and POST for a write.
	Method string
	// URL is http or https; its path and query may hold {name}.
	URL string
	// Query is put behind the URL's own. An argument that is a list is sent once
	// for each of its items; an optional one that is absent is left out.
	Query []Field
	// Headers hold fixed texts and ${env:NAME}.
	Headers []Field
	// Body is nil for none, "arguments" (a JSON string) for the arguments exactly
	// as validated, or JSON with {name} in its strings.
	Body json.RawMessage
	// Form is a body of fields as a web form sends them, in the place of Body.
	Form []Field
	// KeyHeader is the header that a write's idempotency key goes in; "" is
	// Idempotency-Key.
	KeyHeader string
	// Status says what statuses mean, where the defaults are not right.
	Status []StatusRule
}

// Field is a name and the template of its value.
type Field struct{ Name, Value string }

// StatusRule is the meaning of a status, such as 404, or of a class, such as 4xx.
// The status stands above its class, and both above the defaults.
type StatusRule struct {
	Match string
	Means Meaning
	// Result is handed back in the place of the reply, for a read that OK means.
	Result json.RawMessage
}

// Meaning of a status.
type Meaning string

// The meanings. A write has the first three, a read the others; of a confirm
// request Effect says that the write happened, and NoEffect that it did not.
const (
	Effect   Meaning = "effect"
	NoEffect Meaning = "no_effect"
	Unknown  Meaning = "unknown"
	OK       Meaning = "ok"
	Failed   Meaning = "failed"
	Retry    Meaning = "retry" // failed, and may be tried again
)

// Options of New and NewProbe; nil means defaults, and so does each zero field.
type Options struct {
	// Bytes is how large a reply may be; 16 MiB.
	Bytes int
	// Env finds environment variables; os.LookupEnv.
	Env func(name string) (string, bool)
	// Resolve finds the addresses of a host; the system's resolver.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
}

// usage is what a request is for; it says which meanings a status may have.
type usage int

const (
	reading usage = iota
	writing
	probing
)

// request is a Spec that was checked.
type request struct {
	usage     usage
	method    string
	origin    string // scheme and host
	path      template
	query     []field
	headers   []field
	body      *body
	form      []field
	verbatim  bool // the body is the arguments
	keyHeader string
	rules     []StatusRule

	hosts hosts
	bytes int
	env   func(name string) (string, bool)
}

type field struct {
	name  string
	value template
}

// compiler checks a Spec and collects what is wrong with it.
type compiler struct {
	input  *sandbox.Input
	faults []sandbox.Fault
}

func (c *compiler) fault(path string, err error) {
	c.faults = append(c.faults, sandbox.Fault{Path: path, Message: err.Error()})
}

func compile(s Spec, input *schema.Schema, use usage, limits sandbox.Limits, o *Options) (*request, error) {
	c := &compiler{input: sandbox.InputOf(input)}
	r := &request{usage: use, rules: slices.Clone(s.Status)}
	r.complete(o)
	r.method = c.method(s.Method, use)
	c.address(r, s.URL)
	c.limits(r, limits)
	r.query = c.fields("/query", s.Query, place{arguments: true, shown: true, optional: true, key: use != reading})
	r.headers = c.headers(s.Headers)
	c.body(r, s)
	r.keyHeader = c.keyHeader(s.KeyHeader, use)
	c.rules(r)
	if len(c.faults) > 0 {
		return nil, &sandbox.SpecError{Faults: c.faults}
	}
	return r, nil
}

const defaultBytes = 16 << 20

func (r *request) complete(o *Options) {
	r.bytes, r.env, r.hosts.resolve = defaultBytes, os.LookupEnv, lookup
	if o == nil {
		return
	}
	if o.Bytes > 0 {
		r.bytes = o.Bytes
	}
	if o.Env != nil {
		r.env = o.Env
	}
	if o.Resolve != nil {
		r.hosts.resolve = o.Resolve
	}
}

var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}

func (c *compiler) method(method string, use usage) string {
	switch {
	case method == "" && use == writing:
		return "POST"
	case method == "":
		return "GET"
	case !slices.Contains(methods, method):
		c.fault("/method", fmt.Errorf("%q is none of %s", method, strings.Join(methods, ", ")))
	}
	return method
}

// address splits the URL into what is fixed and what may hold arguments.
func (c *compiler) address(r *request, text string) {
	scheme, rest, ok := strings.Cut(text, "://")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority, tail := rest[:end], rest[end:]
	u, err := url.Parse(scheme + "://" + authority)
	switch {
	case placeholder.MatchString(scheme + authority):
		err = errors.New("arguments and secrets are never part of the scheme or the host")
	case !ok || scheme != "https" && scheme != "http":
		err = errors.New("must begin with https:// or http://")
	case err != nil || u.Host == "":
		err = fmt.Errorf("%q is no host", authority)
	case u.User != nil:
		err = errors.New("holds a user or a password: send such a secret in a header, as ${env:NAME}")
	case strings.Contains(tail, "#"):
		err = errors.New("has a fragment (#…), which is never sent")
	default:
		err = checkHost(u.Hostname())
	}
	if err == nil {
		r.path, err = parseTemplate(tail)
	}
	if err == nil {
		err = r.path.check(place{arguments: true, shown: true, key: r.usage != reading}, c.input)
	}
	if err == nil {
		r.origin = u.String()
		_, err = url.Parse(r.origin + placeholder.ReplaceAllString(tail, "x"))
		if strings.ContainsAny(placeholder.ReplaceAllString(tail, "x"), "{} \t\r\n") {
			err = errors.New("has braces or spaces that are no {name}")
		}
	}
	if err != nil {
		c.fault("/url", err)
	}
}

// limits takes the declared hosts; without any, the URL's own is the one.
func (c *compiler) limits(r *request, l sandbox.Limits) {
	if len(l.Read) > 0 || len(l.Write) > 0 {
		c.fault("/limits", errors.New("an http tool reads and writes no files"))
	}
	if l.Memory != 0 && l.Memory < int64(r.bytes) {
		c.fault("/limits/memory", fmt.Errorf("a reply may have %d bytes, which is more than the memory: lower the limit of what is handed back", r.bytes))
	}
	for i, declared := range l.Hosts {
		host, err := parseHost(declared)
		if err != nil {
			c.fault(fmt.Sprintf("/limits/hosts/%d", i), err)
		}
		r.hosts.named = append(r.hosts.named, host)
	}
	if r.origin == "" {
		return
	}
	u, err := url.Parse(r.origin)
	if err != nil {
		c.fault("/url", err)
		return
	}
	to := target(u)
	switch named := slices.Contains(r.hosts.named, to); {
	case !named && needsName(u.Hostname()):
		c.fault("/url", fmt.Errorf("%s is a private address, which must be named among the declared hosts", to))
	case !named && len(l.Hosts) > 0:
		c.fault("/url", fmt.Errorf("host %s is not among the declared hosts", to))
	case !named:
		r.hosts.named = []string{to}
	}
}

func (c *compiler) fields(path string, declared []Field, at place) []field {
	var made []field
	for _, f := range declared {
		t, err := parseTemplate(f.Value)
		if err == nil {
			err = t.check(at, c.input)
		}
		if err != nil {
			c.fault(path+pointer(f.Name), err)
		}
		made = append(made, field{f.Name, t})
	}
	return made
}

// pointer is a name as a step of a JSON Pointer.
func pointer(name string) string {
	return "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// ownHeaders are made by the connection itself.
var ownHeaders = []string{"host", "content-length", "transfer-encoding", "connection", "te", "trailer", "upgrade", "expect", "accept-encoding", "cookie2", "keep-alive", "proxy-connection"}

func (c *compiler) headers(declared []Field) []field {
	for _, f := range declared {
		switch {
		case !httpguts.ValidHeaderFieldName(f.Name):
			c.fault("/headers"+pointer(f.Name), errors.New("is no name of a header"))
		case slices.Contains(ownHeaders, strings.ToLower(f.Name)):
			c.fault("/headers"+pointer(f.Name), errors.New("is not for a tool to set"))
		case !httpguts.ValidHeaderFieldValue(f.Value):
			c.fault("/headers"+pointer(f.Name), errors.New("has characters that a header cannot hold"))
		}
	}
	return c.fields("/headers", declared, place{env: true})
}

func (c *compiler) body(r *request, s Spec) {
	if len(s.Form) > 0 {
		r.form = c.fields("/form", s.Form, place{arguments: true, optional: true, key: r.usage != reading})
	}
	if s.Body == nil {
		return
	}
	var word string
	switch {
	case len(s.Form) > 0:
		c.fault("/body", errors.New("a request has a body or a form"))
		return
	case r.method == "GET" || r.method == "HEAD":
		c.fault("/body", fmt.Errorf("%s carries no body", r.method))
		return
	case json.Unmarshal(s.Body, &word) == nil && word == wholeArguments:
		r.verbatim = true
		return
	}
	b, err := parseBody(s.Body)
	if err == nil {
		err = b.check(c.input, false)
	}
	if err != nil {
		c.fault("/body", err)
		return
	}
	r.body = &b
}

const defaultKeyHeader = "Idempotency-Key"

func (c *compiler) keyHeader(name string, use usage) string {
	switch {
	case use != writing && name != "":
		c.fault("/key_header", errors.New("only a write has an idempotency key"))
	case use != writing:
		return ""
	case name == "":
		return defaultKeyHeader
	case !httpguts.ValidHeaderFieldName(name) || slices.Contains(ownHeaders, strings.ToLower(name)):
		c.fault("/key_header", fmt.Errorf("%q is no header for a key", name))
	}
	return name
}

func (c *compiler) rules(r *request) {
	meanings := []Meaning{Effect, NoEffect, Unknown}
	if r.usage == reading {
		meanings = []Meaning{OK, Failed, Retry}
	}
	for _, rule := range r.rules {
		path := "/status/" + rule.Match
		switch {
		case !isStatus(rule.Match):
			c.fault(path, fmt.Errorf("%q is neither a status such as 404 nor a class such as 4xx", rule.Match))
		case !slices.Contains(meanings, rule.Means):
			c.fault(path, fmt.Errorf("%q is none of %v", string(rule.Means), meanings))
		case rule.Result != nil && rule.Means != OK:
			c.fault(path, errors.New("only a read that is ok has a result of its own"))
		}
	}
}

func isStatus(s string) bool {
	return len(s) == 3 && s[0] >= '2' && s[0] <= '5' &&
		(s[1:] == "xx" || s[1] >= '0' && s[1] <= '9' && s[2] >= '0' && s[2] <= '9')
}

// usageOf an effect. An agent call does not run here.
func usageOf(e holdfast.Effect) (usage, error) {
	switch e {
	case holdfast.Read:
		return reading, nil
	case holdfast.Write:
		return writing, nil
	}
	return 0, &sandbox.SpecError{Faults: []sandbox.Fault{{Message: fmt.Sprintf("effect %q cannot be one HTTP request", string(e))}}}
}
