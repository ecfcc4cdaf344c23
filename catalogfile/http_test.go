package catalogfile

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
)

const httpTool = `tools:
  - name: book
    description: Book a pickup.
    effect: EFFECT
    timeout: 5s
    input: {type: object, required: [id, n], properties: {id: {type: string}, n: {type: number}, tags: {type: array}, pin: {type: string, writeOnly: true}}}
`

// parseHTTP parses a catalog of one http tool of an effect and its further fields.
func parseHTTP(t *testing.T, effect, fields string) (*holdfast.Tool, error) {
	t.Helper()
	var src strings.Builder
	src.WriteString(strings.Replace(httpTool, "EFFECT", effect, 1))
	for line := range strings.Lines(strings.TrimSpace(fields)) {
		src.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
	}
	c, err := Parse("a.yaml", []byte(src.String()), nil)
	if err != nil {
		return nil, err
	}
	return c.Tools()[0], nil
}

func TestHTTP_sends_what_the_file_says(t *testing.T) {
	t.Setenv("BOOKING_TOKEN", "sesame-42")
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = strings.Join([]string{r.Method, r.RequestURI, r.Header.Get("X-Key"), r.Header.Get("Authorization"), string(body)}, " ")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"booked":9007199254740993}`))
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	tool, err := parseHTTP(t, "write", `
run:
  http:
    method: PUT
    url: "`+server.URL+`/pickups/{id}"
    query: {tag: "{tags}", dry: false}
    headers: {Authorization: "Bearer ${env:BOOKING_TOKEN}"}
    key_header: X-Key
    body: {"who":{"id":"{id}"},"n":"{n}","tags":"{tags}","note":"for-{id}"}
sandbox: {hosts: ["`+host+`"]}`)
	if err != nil {
		t.Fatalf("Parse = %v", err)
	}
	ctx := holdfast.WithCallInfo(t.Context(), holdfast.CallInfo{Key: "k-1"})
	r, err := tool.Handle(ctx, args(t, `{"id":"a/b ü","n":1.50,"tags":["x","y&z"]}`))
	if err != nil {
		t.Fatalf("Handle = %v", err)
	}
	want := `PUT /pickups/a%2Fb%20%C3%BC?tag=x&tag=y%26z&dry=false k-1 Bearer sesame-42 {"who":{"id":"a/b ü"},"n":1.50,"tags":["x","y&z"],"note":"for-a/b ü"}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
	if string(r.JSON) != `{"booked":9007199254740993}` {
		t.Errorf("result = %+v, want the digits as they came", r)
	}
}

func TestHTTP_faults_stand_at_their_lines(t *testing.T) {
	for _, row := range []struct{ name, effect, fields, want string }{
		{"argument in the host", "read", `run: {http: {url: "https://{id}.example.com/"}}`, "a.yaml:7:23: tool book: arguments and secrets are never part of the scheme or the host"},
		{"secret in the address", "read", `run: {http: {url: "https://example.com/?t=${env:T}"}}`, "secrets stand only in headers"},
		{"secret argument in the address", "read", `run: {http: {url: "https://example.com/{pin}"}}`, "{pin} is a secret"},
		{"optional argument in the path", "read", `run: {http: {url: "https://example.com/{tags}"}}`, "{tags} is not a required argument"},
		{"unknown argument", "read", `run: {http: {url: "https://example.com/{ids}"}}`, "the input schema has no {ids}"},
		{"argument in a header", "read", `run: {http: {url: "https://example.com/", headers: {X-A: "{id}"}}}`, "arguments such as {id} cannot stand here"},
		{"header of the connection", "read", `run: {http: {url: "https://example.com/", headers: {Host: evil}}}`, "is not for a tool to set"},
		{"private address unnamed", "read", `run: {http: {url: "http://127.0.0.1:8080/"}}`, "is a private address"},
		{"localhost unnamed", "read", `run: {http: {url: "http://localhost/"}}`, "localhost:80 is a private address"},
		{"host undeclared", "read", "run: {http: {url: \"https://example.com/\"}}\nsandbox: {hosts: [\"api.example.com:443\"]}", "host example.com:443 is not among the declared hosts"},
		{"host without a port", "read", "run: {http: {url: \"https://example.com/\"}}\nsandbox: {hosts: [\"example.com\"]}", "a.yaml:8:23: tool book: \"example.com\" is not host:port"},
		{"wildcard", "read", "run: {http: {url: \"https://example.com/\"}}\nsandbox: {hosts: [\"*.example.com:443\"]}", "without wildcards"},
		{"files", "read", "run: {http: {url: \"https://example.com/\"}}\nsandbox: {read: [/etc]}", "reads and writes no files"},
		{"user in the address", "read", `run: {http: {url: "https://a:b@example.com/"}}`, "holds a user or a password"},
		{"body of a GET", "read", `run: {http: {url: "https://example.com/", body: arguments}}`, "GET carries no body"},
		{"body that is no JSON", "write", `run: {http: {url: "https://example.com/", body: "id={id}"}}`, "is neither arguments nor JSON"},
		{"meaning of another effect", "write", `run: {http: {url: "https://example.com/", status: {404: ok}}}`, `"ok" is none of [effect no_effect unknown]`},
		{"meaning that there is not", "read", `run: {http: {url: "https://example.com/", status: {404: fine}}}`, "/status/404"},
		{"status that there is not", "read", `run: {http: {url: "https://example.com/", status: {9xx: ok}}}`, "a.yaml:7"},
		{"key of a read", "read", `run: {http: {url: "https://example.com/", key_header: X-Key}}`, "only a write has an idempotency key"},
		{"retry of a write", "write", "run: {static: 1}\nretry: {max: 1}", "belong to a read"},
		{"cache of a write", "write", "run: {static: 1}\ncache: 60s", "belong to a read"},
		{"confirm of a read", "read", "run: {static: 1}\nconfirm: {http: {url: \"https://example.com/\"}}", "belong to a write"},
		{"fault within confirm", "write", "run: {static: 1}\nconfirm: {http: {url: \"https://example.com/{nobody}\"}}", "a.yaml:8:27: tool book: the input schema has no {nobody}"},
		{"agent", "agent", `run: {http: {url: "https://example.com/"}}`, `effect "agent" cannot be one HTTP request`},
		{"sandbox of a fixed result", "read", "run: {static: 1}\nsandbox: {hosts: []}", "reaches nothing"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := parseHTTP(t, row.effect, row.fields)
			var faults *Error
			if !errors.As(err, &faults) {
				t.Fatalf("Parse = %v, want an *Error", err)
			}
			var said strings.Builder
			said.WriteString(err.Error())
			for _, f := range faults.Faults {
				said.WriteString("\n" + f.Path)
			}
			if !strings.Contains(said.String(), row.want) {
				t.Errorf("Parse = %s\nwant %q in it", said.String(), row.want)
			}
		})
	}
}

func TestHTTP_options_of_reads_and_writes(t *testing.T) {
	read, err := parseHTTP(t, "read", "run: {http: {url: \"https://example.com/{id}\"}}\nretry: {max: 0}\ncache: 60s")
	if err != nil {
		t.Fatalf("Parse = %v", err)
	}
	if o := read.Options(); o.Retries != -1 || o.CacheFor != time.Minute {
		t.Errorf("retries, cache = %d, %v; want none, and a minute", o.Retries, o.CacheFor)
	}
	plain, err := parseHTTP(t, "read", `run: {http: {url: "https://example.com/{id}"}}`)
	if err != nil {
		t.Fatalf("Parse = %v", err)
	}
	if o := plain.Options(); o.Retries != 2 || o.CacheFor != 0 {
		t.Errorf("retries, cache = %d, %v; want 2, and none", o.Retries, o.CacheFor)
	}
	const run = "run: {http: {url: \"https://example.com/\", body: arguments}}\n"
	write, err := parseHTTP(t, "write", run+"confirm: {in_flight: 30s, http: {url: \"https://example.com/by-key/${key}\"}}")
	if err != nil {
		t.Fatalf("Parse = %v", err)
	}
	if o := write.Options(); o.Confirm == nil || o.InFlight != 30*time.Second || o.Grade != holdfast.Confirms {
		t.Errorf("confirm, in flight, grade = %v, %v, %s; want them set", o.Confirm != nil, o.InFlight, o.Grade)
	}
	other, err := parseHTTP(t, "write", run+"confirm: {in_flight: 30s, http: {url: \"https://example.com/key/${key}\"}}")
	if err != nil {
		t.Fatalf("Parse = %v", err)
	}
	if other.Digest() == write.Digest() {
		t.Error("another confirm address has the same definition, want an approval of the one to be void for the other")
	}
}
