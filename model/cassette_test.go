package model_test

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/model"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/anthropic"
)

func cassetteClient(t *testing.T, rt http.RoundTripper) *model.Client {
	t.Helper()
	c, err := model.New(anthropic.Messages{}, "m", &model.Options{
		BaseURL: "https://user:password@host?key=in-the-address", Key: "sk-secret-1", Header: http.Header{"X-Extra-Token": {"token-2"}},
		Retries: -1, HTTPClient: &http.Client{Transport: rt},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRecord_and_Play(t *testing.T) {
	var tape bytes.Buffer
	leaky := strings.Replace(whole, `"text":"hi"`, `"text":"hi sk-secret-1"`, 1)
	f := &trip{tries: []func(*http.Request) (*http.Response, error){
		says(200, http.Header{"Set-Cookie": {"session=3"}, "Content-Type": {"text/event-stream"}}, strings.NewReader(leaky)),
		says(400, nil, strings.NewReader(`{"type":"error","error":{"type":"invalid_request_error","message":"bad"}}`)),
	}}
	c := cassetteClient(t, model.Record(&tape, f))
	messages := []string{"what is sk-secret-1 for?", "and token-2?"}
	first, err := c.Reply(t.Context(), &wire.Request{Items: []wire.Item{{User: messages[0]}}, Stream: true}, nil)
	if err != nil || first.Text != "hi sk-secret-1" {
		t.Fatalf("recorded reply = %+v, %v", first, err)
	}
	if _, err := c.Reply(t.Context(), &wire.Request{Items: []wire.Item{{User: messages[1]}}}, nil); err == nil {
		t.Fatal("the second reply is no error")
	}
	for _, secret := range []string{"sk-secret-1", "token-2", "password", "in-the-address", "session=3"} {
		if strings.Contains(tape.String(), secret) {
			t.Errorf("the cassette holds %q: %s", secret, tape.String())
		}
	}

	p, err := model.Play(bytes.NewReader(tape.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	c = cassetteClient(t, p)
	again, err := c.Reply(t.Context(), &wire.Request{Items: []wire.Item{{User: messages[0]}}, Stream: true}, nil)
	if err != nil || again.Text != "hi [scrubbed]" || !again.Complete {
		t.Errorf("played reply = %+v, %v", again, err)
	}
	if _, err := c.Reply(t.Context(), &wire.Request{Items: []wire.Item{{User: "something else"}}}, nil); err == nil || !strings.Contains(err.Error(), "request 2: its body differs") {
		t.Errorf("another request = %v, want that its body differs", err)
	}
	var refused *model.StatusError
	if _, err := c.Reply(t.Context(), &wire.Request{Items: []wire.Item{{User: messages[1]}}}, nil); !errors.As(err, &refused) || refused.Status != 400 {
		t.Errorf("played refusal = %v, want status 400", err)
	}
	if _, err := c.Reply(t.Context(), &wire.Request{Items: []wire.Item{{User: messages[1]}}}, nil); err == nil || !strings.Contains(err.Error(), "was not recorded") {
		t.Errorf("a request past the end = %v, want that it was not recorded", err)
	}
}

func TestPlay_refuses_what_is_no_cassette(t *testing.T) {
	if _, err := model.Play(strings.NewReader("{}\nnot json\n")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("Play = %v, want an error about line 2", err)
	}
}
