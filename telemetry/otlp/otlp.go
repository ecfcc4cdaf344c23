package otlp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// Exporter sends spans to one address. It is a sdktrace.SpanExporter, and safe
// for concurrent use.
type Exporter struct {
	address string
	options Options

	mu     sync.Mutex
	closed bool
}

// Options of New; nil means defaults, and so does each zero field.
type Options struct {
	Headers map[string]string // of every request: a key, mostly
	Timeout time.Duration     // of one export, its retries included; 10 s
	Client  *http.Client      // http.DefaultClient
}

// New makes an exporter to the address of a collector's traces.
func New(address string, o *Options) (*Exporter, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("a collector's address is an http or https URL") // it may hold a key
	}
	e := &Exporter{address: address}
	if o != nil {
		e.options = *o
	}
	if e.options.Timeout <= 0 {
		e.options.Timeout = 10 * time.Second
	}
	if e.options.Client == nil {
		e.options.Client = http.DefaultClient
	}
	return e, nil
}

// FromEnvironment makes the exporter that OpenTelemetry's variables name
// (OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_EXPORTER_OTLP_ENDPOINT and the
// _HEADERS and _TIMEOUT beside them); nil where none is named or
// OTEL_SDK_DISABLED or OTEL_TRACES_EXPORTER=none says so.
func FromEnvironment(env func(string) (string, bool)) (*Exporter, error) {
	first := func(names ...string) string {
		for _, name := range names {
			if v, ok := env(name); ok && v != "" {
				return v
			}
		}
		return ""
	}
	if strings.EqualFold(first("OTEL_SDK_DISABLED"), "true") || first("OTEL_TRACES_EXPORTER") == "none" {
		return nil, nil
	}
	address := first("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	if base := first("OTEL_EXPORTER_OTLP_ENDPOINT"); address == "" && base != "" {
		address = strings.TrimSuffix(base, "/") + "/v1/traces"
	}
	if address == "" {
		return nil, nil
	}
	if protocol := first("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"); protocol != "" && protocol != "http/json" {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %q; spans are sent as http/json", protocol)
	}
	headers, err := parseHeaders(first("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"))
	if err != nil {
		return nil, err
	}
	o := &Options{Headers: headers}
	if ms := first("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"); ms != "" {
		n, err := strconv.Atoi(ms)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_TIMEOUT is %q; it is a number of milliseconds", ms)
		}
		o.Timeout = time.Duration(n) * time.Millisecond
	}
	return New(address, o)
}

// parseHeaders reads "name=value,name=value", percent-encoded.
func parseHeaders(text string) (map[string]string, error) {
	headers := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		v, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil || strings.TrimSpace(name) == "" {
			return nil, errors.New("OTEL_EXPORTER_OTLP_HEADERS is not of the form name=value,name=value")
		}
		headers[strings.TrimSpace(name)] = v
	}
	return headers, nil
}

// ExportSpans sends spans. What a collector does not take in time is dropped,
// and the error says so.
func (e *Exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	e.mu.Lock()
	closed := e.closed
	e.mu.Unlock()
	if closed || len(spans) == 0 {
		return nil
	}
	body, err := json.Marshal(requestOf(spans))
	if err != nil {
		return fmt.Errorf("encoding %d spans: %w", len(spans), err)
	}
	ctx, cancel := context.WithTimeout(ctx, e.options.Timeout)
	defer cancel()
	for wait := 500 * time.Millisecond; ; wait *= 2 {
		again, err := e.send(ctx, body)
		if err == nil || !again {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}

// send sends once; again says whether it may be tried again.
func (e *Exporter) send(ctx context.Context, body []byte) (again bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.address, bytes.NewReader(body))
	if err != nil {
		return false, errors.New("sending spans: the collector's address is no URL")
	}
	r.Header.Set("Content-Type", "application/json")
	for name, value := range e.options.Headers {
		r.Header.Set(name, value)
	}
	resp, err := e.options.Client.Do(r)
	if err != nil {
		inner := (*url.Error)(nil)
		if errors.As(err, &inner) { // without the address, which may hold a key
			err = inner.Err
		}
		return true, fmt.Errorf("sending spans: %w", err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	switch resp.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return false, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		again = true
	}
	return again, fmt.Errorf("sending spans: the collector answered %d", resp.StatusCode)
}

// Shutdown ends it: spans that come later are dropped.
func (e *Exporter) Shutdown(context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	return nil
}
