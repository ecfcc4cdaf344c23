package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/holdfast-go/holdfast/wire"
)

// vendor is where a format's own provider is and how it authorises.
type vendor struct {
	base     string
	baseEnv  []string
	keyEnv   []string
	keyField string // "Authorization" carries "Bearer KEY"
}

func vendorOf(api string) vendor {
	switch api {
	case "openai-chat", "openai-responses":
		return vendor{"https://api.openai.com", []string{"OPENAI_BASE_URL"}, []string{"OPENAI_API_KEY"}, "Authorization"}
	case "anthropic":
		return vendor{"https://api.anthropic.com", []string{"ANTHROPIC_BASE_URL"}, []string{"ANTHROPIC_API_KEY"}, "X-Api-Key"}
	case "gemini", "interactions":
		return vendor{
			"https://generativelanguage.googleapis.com",
			[]string{"GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"},
			[]string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
			"X-Goog-Api-Key",
		}
	case "ollama":
		return vendor{"http://localhost:11434", []string{"OLLAMA_HOST"}, nil, "Authorization"}
	case "bedrock-converse", "bedrock-invoke":
		return vendor{"", []string{"AWS_ENDPOINT_URL_BEDROCK_RUNTIME"}, []string{"AWS_BEARER_TOKEN_BEDROCK"}, "Authorization"}
	}
	return vendor{keyField: "Authorization"}
}

// address sets the base address and returns the key that may go there.
func (c *Client) address() (key string, err error) {
	v := vendorOf(c.codec.API())
	c.base, key = c.options.BaseURL, c.options.Key
	own := c.base == "" // the vendor's, or the environment's for it
	if own {
		c.base = c.first(v.baseEnv)
	}
	fromEnv := c.base != "" && own
	if c.base == "" {
		c.base = v.base
	}
	if c.base == "" && len(v.baseEnv) > 0 {
		return "", fmt.Errorf("no address: set %s", v.baseEnv[0])
	}
	if !strings.Contains(c.base, "://") {
		c.base = "http://" + c.base // OLLAMA_HOST is a bare host and port
	}
	u, err := url.Parse(c.base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", errors.New("the base address is no http or https URL")
	}
	c.base = strings.TrimRight(c.base, "/")
	if key == "" && own {
		key = c.first(v.keyEnv)
	}
	if key == "" && own && !fromEnv && len(v.keyEnv) > 0 {
		return "", fmt.Errorf("no key: set %s", strings.Join(v.keyEnv, " or "))
	}
	return key, nil
}

func (c *Client) first(names []string) string {
	for _, name := range names {
		if v := c.options.Env(name); v != "" {
			return v
		}
	}
	return ""
}

func authorisation(api, key string) http.Header {
	h := http.Header{}
	if key == "" {
		return h
	}
	field := vendorOf(api).keyField
	if field == "Authorization" {
		key = "Bearer " + key
	}
	h.Set(field, key)
	return h
}

func (c *Client) request(ctx context.Context, sent wire.Encoded) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, join(c.base, sent.Path), bytes.NewReader(sent.Body))
	if err != nil {
		return nil, errors.New("the base address and the path make no URL")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "holdfast")
	for _, from := range []http.Header{sent.Header, c.header} {
		for field, values := range from {
			req.Header[http.CanonicalHeaderKey(field)] = values
		}
	}
	return req, nil
}

// join puts a path behind a base address, once where both hold the version:
// https://host/v1 and /v1/responses.
func join(base, path string) string {
	version := base[strings.LastIndexByte(base, '/')+1:]
	if strings.HasPrefix(version, "v1") && strings.HasPrefix(path, "/"+version+"/") {
		path = strings.TrimPrefix(path, "/"+version)
	}
	return base + path
}

// refused reads an error that the provider tells by its status.
func (c *Client) refused(ctx context.Context, resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err != nil {
		err = cause(ctx, err)
	}
	told := plainError(resp, body)
	if json.Valid(body) {
		dec := c.codec.NewDecoder()
		dec.Feed(body)
		if own := dec.Close().Err; own != nil {
			told = own
		}
	}
	return &StatusError{Status: resp.StatusCode, Provider: told, header: resp.Header, reading: err}
}
