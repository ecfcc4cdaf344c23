package bedrock_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/internal/bedrockfake"
	"github.com/holdfast-go/holdfast/model"
	"github.com/holdfast-go/holdfast/model/bedrock"
	"github.com/holdfast-go/holdfast/wire"
	wirebedrock "github.com/holdfast-go/holdfast/wire/bedrock"
)

const name = "arn:aws:bedrock:eu-west-1:1:inference-profile/eu.model-v1:0"

var account = bedrockfake.Account{AccessKey: "AKIDEXAMPLE", Secret: "s3cret/+", Token: "t0ken==", Region: "eu-west-1", Bearer: "b3arer"}

func environment(base string, changes ...string) func(string) string {
	env := map[string]string{
		"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": base, "AWS_REGION": account.Region,
		"AWS_ACCESS_KEY_ID": account.AccessKey, "AWS_SECRET_ACCESS_KEY": account.Secret, "AWS_SESSION_TOKEN": account.Token,
	}
	for i := 0; i+1 < len(changes); i += 2 {
		env[changes[i]] = changes[i+1]
	}
	return func(name string) string { return env[name] }
}

func TestReply_is_asked_with_a_signature_or_a_key(t *testing.T) {
	fake := bedrockfake.New(account, bedrockfake.Call{Tool: "look", Arguments: `{"q":"rice"}`, Text: "Hello."})
	server := httptest.NewServer(fake)
	defer server.Close()
	for _, row := range []struct {
		name    string
		changes []string
		region  string // of the account, where it is another
		refused string
	}{
		{name: "signed"},
		{name: "an API key", changes: []string{"AWS_BEARER_TOKEN_BEDROCK", account.Bearer}},
		{name: "an API key needs no region at an address", changes: []string{"AWS_BEARER_TOKEN_BEDROCK", account.Bearer, "AWS_REGION", ""}},
		{name: "the default region", changes: []string{"AWS_REGION", "", "AWS_DEFAULT_REGION", account.Region}},
		{name: "another secret", changes: []string{"AWS_SECRET_ACCESS_KEY", "other"}, refused: "the signature is wrong"},
		{name: "another region", changes: []string{"AWS_REGION", "us-east-1"}, refused: "is not AKIDEXAMPLE's"},
		{name: "no session token", changes: []string{"AWS_SESSION_TOKEN", ""}, refused: "the session token is wrong"},
		{name: "another API key", changes: []string{"AWS_BEARER_TOKEN_BEDROCK", "x"}, refused: "the API key is wrong"},
	} {
		for _, stream := range []bool{false, true} {
			client, err := bedrock.New(wirebedrock.Converse{}, name, &model.Options{Env: environment(server.URL, row.changes...), Retries: -1})
			if err != nil {
				t.Fatalf("%s: New = %v", row.name, err)
			}
			reply, err := client.Reply(t.Context(), &wire.Request{Items: []wire.Item{{User: "hi"}}, Stream: stream}, nil)
			if row.refused != "" {
				refused, ok := errors.AsType[*model.StatusError](err)
				if !ok || refused.Status != http.StatusForbidden || !strings.Contains(err.Error(), row.refused) {
					t.Errorf("%s: Reply = %v, want to be refused with %q", row.name, err, row.refused)
				}
				continue
			}
			if err != nil || !reply.Complete || len(reply.Calls) != 1 || reply.Calls[0].Arguments != `{"q":"rice"}` {
				t.Errorf("%s, streamed %t: Reply = %+v, %v, want a call", row.name, stream, reply, err)
			}
		}
	}
	path := "/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A1%3Ainference-profile%2Feu.model-v1%3A0/converse"
	if asked := fake.Asked(); asked[0] != path || !slices.Contains(asked, path+"-stream") {
		t.Errorf("asked %q, want %s first, as AWS's own clients escape it", asked, path)
	}
}

// A second try is signed anew, with its own time, and with the whole body.
func TestReply_is_signed_at_each_try(t *testing.T) {
	fake := bedrockfake.New(account, bedrockfake.Call{Tool: "look", Arguments: `{}`, Text: "Hello."})
	tries := 0
	transport := trip(func(r *http.Request) (*http.Response, error) {
		tries++
		if tries == 1 {
			return nil, errors.New("connection refused")
		}
		w := httptest.NewRecorder()
		in := httptest.NewRequest(r.Method, r.URL.String(), r.Body)
		in.Header, in.RequestURI, in.ContentLength = r.Header, r.URL.EscapedPath(), r.ContentLength
		fake.ServeHTTP(w, in)
		return w.Result(), nil
	})
	client, err := bedrock.New(wirebedrock.Converse{}, "m", &model.Options{
		Env: environment(""), HTTPClient: &http.Client{Transport: transport}, Random: func() float64 { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	items := []wire.Item{{User: "hi"}}
	reply, err := client.Reply(t.Context(), &wire.Request{Items: items}, nil)
	if err != nil || tries != 2 || len(reply.Calls) != 1 {
		t.Fatalf("Reply = %+v, %v after %d tries, want a call at the second", reply, err, tries)
	}
	items = append(items, wire.Item{Reply: reply}, wire.Item{Results: []holdfast.Observation{{CallID: reply.Calls[0].ID, Text: "seen"}}})
	if reply, err = client.Reply(t.Context(), &wire.Request{Items: items}, nil); err != nil || reply.Text != "Hello." {
		t.Errorf("Reply to the result = %+v, %v, want a text", reply, err)
	}
}

type trip func(r *http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestNew_addresses_and_what_may_go_there(t *testing.T) {
	for _, row := range []struct {
		name    string
		o       model.Options
		changes []string
		url     string // of the request, but for its path
		signed  bool
		key     string
		err     string
	}{
		{name: "the region's own", url: "https://bedrock-runtime.eu-west-1.amazonaws.com", signed: true},
		{name: "in China", changes: []string{"AWS_REGION", "cn-north-1"}, url: "https://bedrock-runtime.cn-north-1.amazonaws.com.cn", signed: true},
		{name: "no region", changes: []string{"AWS_REGION", ""}, err: "set AWS_REGION"},
		{name: "a region that is none", changes: []string{"AWS_REGION", "x.evil.example/"}, err: "no name of a region"},
		{name: "no credentials", changes: []string{"AWS_ACCESS_KEY_ID", ""}, err: "no credentials"},
		{name: "an API key goes first", changes: []string{"AWS_BEARER_TOKEN_BEDROCK", "k"}, url: "https://bedrock-runtime.eu-west-1.amazonaws.com", key: "Bearer k"},
		{name: "an address by option gets nothing of the environment's", o: model.Options{BaseURL: "http://elsewhere"}, changes: []string{"AWS_BEARER_TOKEN_BEDROCK", "k"}, url: "http://elsewhere"},
		{name: "an address by option and its key", o: model.Options{BaseURL: "http://elsewhere", Key: "mine"}, url: "http://elsewhere", key: "Bearer mine"},
		{name: "a key by option", o: model.Options{Key: "mine"}, url: "https://bedrock-runtime.eu-west-1.amazonaws.com", key: "Bearer mine"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var sent *http.Request
			row.o.Env = environment("", row.changes...)
			row.o.HTTPClient = &http.Client{Transport: trip(func(r *http.Request) (*http.Response, error) {
				sent = r
				return nil, errors.New("no network here")
			})}
			row.o.Retries = -1
			client, err := bedrock.New(wirebedrock.Converse{}, "m", &row.o)
			if row.err != "" {
				if err == nil || !strings.Contains(err.Error(), row.err) {
					t.Errorf("New = %v, want an error with %q", err, row.err)
				}
				return
			}
			if err != nil {
				t.Fatalf("New = %v", err)
			}
			_, _ = client.Reply(t.Context(), &wire.Request{Items: []wire.Item{{User: "hi"}}}, nil)
			given := sent.Header.Get("Authorization")
			if signed := strings.HasPrefix(given, "AWS4-HMAC-SHA256 "); signed != row.signed || !signed && given != row.key {
				t.Errorf("Authorization = %q, want signed: %t, or %q", given, row.signed, row.key)
			}
			if got := sent.URL.Scheme + "://" + sent.URL.Host; got != row.url {
				t.Errorf("asked %s, want %s", got, row.url)
			}
			if !row.signed && sent.Header.Get("X-Amz-Security-Token") != "" {
				t.Error("the session token went along")
			}
		})
	}
}
