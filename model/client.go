package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"time"

	"github.com/holdfast-go/holdfast/wire"
)

// Options of New; nil means defaults.
type Options struct {
	// BaseURL is the provider's address, with or without the /v1 that its paths
	// begin with. "" means the environment's (OPENAI_BASE_URL, …), else the
	// vendor's own.
	BaseURL string
	// Key authorises. "" means the environment's (OPENAI_API_KEY, …), which is
	// used only for an address that is not from BaseURL: a key goes to its own
	// vendor and nowhere else.
	Key string
	// Header is added to every request.
	Header http.Header
	// HTTPClient makes the requests; nil means one of our own, with the
	// environment's proxies. Redirects are never followed: they would carry the
	// key to another host.
	HTTPClient *http.Client
	// Timeout of a whole exchange, retries included; 0 means 10 minutes.
	Timeout time.Duration
	// Idle is the longest wait for the next byte; 0 means 5 minutes: a model may
	// think for long before it speaks. Of a whole reply the first byte comes when
	// the model is done, so only Timeout bounds that.
	Idle time.Duration
	// MaxBytes of a reply; 0 means 64 MiB.
	MaxBytes int64
	// Retries after the first try; 0 means 3, less than 0 none.
	Retries int
	// Env looks up the environment; nil means os.Getenv.
	Env func(name string) string
	// Log is told when a request is sent again; nil: nobody. It gets no content.
	Log *slog.Logger
	// Random gives numbers in [0,1) for the jitter; nil means math/rand.
	Random func() float64
}

// Client speaks to one model. It is safe for concurrent use.
type Client struct {
	codec   wire.Codec
	name    string
	base    string
	header  http.Header
	http    http.Client
	options Options
}

// New makes a client of the model called name. It connects to nothing. It is an
// error where a vendor's own address needs a key and there is none.
func New(codec wire.Codec, name string, o *Options) (*Client, error) {
	c := &Client{codec: codec, name: name}
	if o != nil {
		c.options = *o
	}
	c.fill()
	if codec == nil || name == "" {
		return nil, errors.New("model needs a codec and a name")
	}
	key, err := c.address()
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", name, err)
	}
	c.header = authorisation(codec.API(), key)
	for field, values := range c.options.Header {
		c.header[http.CanonicalHeaderKey(field)] = values
	}
	if c.options.HTTPClient != nil {
		c.http = *c.options.HTTPClient
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

func (c *Client) fill() {
	o := &c.options
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Minute
	}
	if o.Idle == 0 {
		o.Idle = 5 * time.Minute
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 64 << 20
	}
	switch {
	case o.Retries == 0:
		o.Retries = 3
	case o.Retries < 0:
		o.Retries = 0
	}
	if o.Env == nil {
		o.Env = os.Getenv
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
}

// Name of the model.
func (c *Client) Name() string { return c.name }

// Codec that the client speaks.
func (c *Client) Codec() wire.Codec { return c.codec }

// Reply asks the model and returns its reply. show, if not nil, is told what of
// it may be shown while it comes; nothing may run because of that. r is not
// changed; where it names no model, it is asked of this client's.
//
// An error without a reply means that there is none: the provider refused (a
// *[StatusError]), or could not be reached. An error with a reply means that the
// reply broke off: nothing of it may run or enter the history.
func (c *Client) Reply(ctx context.Context, r *wire.Request, show func(wire.Event)) (*wire.Reply, error) {
	asked := *r
	if asked.Model == "" {
		asked.Model = c.name
	}
	sent, err := c.codec.Request(&asked)
	if err != nil {
		return nil, fmt.Errorf("asking %s: %w", c.name, err)
	}
	if show == nil {
		show = func(wire.Event) {}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.options.Timeout, fmt.Errorf("no whole reply within %v", c.options.Timeout))
	defer cancel()
	for try := 0; ; try++ {
		reply, err := c.exchange(ctx, sent, asked.Stream, show)
		if err == nil || reply != nil {
			return reply, wrap(c.name, err)
		}
		wait, again := c.retry(ctx, err, try)
		if !again {
			return nil, wrap(c.name, err)
		}
		c.options.Log.WarnContext(ctx, "asking the model again", "model", c.name, "try", try+1, "wait", wait, "status", statusOf(err))
		if !sleep(ctx, wait) {
			return nil, wrap(c.name, err)
		}
	}
}

func wrap(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("asking %s: %w", name, err)
}

// exchange is one try. Its reply is nil while nothing of one was received.
func (c *Client) exchange(ctx context.Context, sent wire.Encoded, stream bool, show func(wire.Event)) (*wire.Reply, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	first := c.options.Idle
	if !stream {
		first = max(first, c.options.Timeout)
	}
	idle := time.AfterFunc(first, func() { cancel(errIdle(c.options.Idle)) })
	defer idle.Stop()

	req, err := c.request(ctx, sent)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, &transportError{cause(ctx, err)}
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, c.refused(ctx, resp)
	}
	body := &lively{from: resp.Body, idle: idle, limit: c.options.Idle}
	reply, err := c.read(body, show)
	if err != nil {
		err = cause(ctx, err)
		if reply == nil {
			return nil, &transportError{err}
		}
	}
	return reply, err
}

// read decodes a reply from its bytes.
func (c *Client) read(body *lively, show func(wire.Event)) (*wire.Reply, error) {
	dec := c.codec.NewDecoder()
	buf := make([]byte, 32<<10)
	var total int64
	for {
		n, err := body.Read(buf)
		if n > 0 {
			total += int64(n)
			for _, e := range dec.Feed(buf[:n]) {
				show(e)
			}
			if dec.Whole() {
				body.soon()
			}
		}
		switch {
		case dec.Done():
			body.drain(buf)
			return finish(dec.Close())
		case errors.Is(err, io.EOF):
			if total == 0 {
				return nil, errors.New("the reply is empty")
			}
			return finish(dec.Close())
		case err != nil && total == 0:
			return nil, err
		case err != nil && dec.Whole():
			return finish(dec.Close())
		case err != nil:
			return dec.Close(), fmt.Errorf("reply broke off: %w", err)
		case total > c.options.MaxBytes:
			return dec.Close(), fmt.Errorf("reply is larger than %d bytes", c.options.MaxBytes)
		}
	}
}

// finish tells a reply that ended in the provider's error, or without its end
// sign, as what it is.
func finish(reply *wire.Reply) (*wire.Reply, error) {
	if reply.Ending != wire.Broken {
		return reply, nil
	}
	if reply.Err != nil {
		return reply, reply.Err
	}
	return reply, errors.New("reply ended without its end sign")
}

// lively is a body that is given up when no byte comes for too long.
type lively struct {
	from  io.Reader
	idle  *time.Timer
	limit time.Duration
}

// Read reads and starts the wait anew.
func (l *lively) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	if n > 0 {
		l.idle.Reset(l.limit)
	}
	return n, err
}

// soon waits no longer for what may follow a whole reply: usage comes at once, and
// some servers keep the connection open.
func (l *lively) soon() {
	l.limit = min(l.limit, afterWhole)
	l.idle.Reset(l.limit)
}

const afterWhole = 2 * time.Second

// drain reads what little may follow a reply's end sign, so that the connection
// can be used again; a server that keeps it open is not waited for.
func (l *lively) drain(buf []byte) {
	l.idle.Reset(20 * time.Millisecond)
	for range 4 {
		if _, err := l.from.Read(buf); err != nil {
			return
		}
	}
}
