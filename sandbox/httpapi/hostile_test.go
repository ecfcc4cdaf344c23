package httpapi

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/sandbox"
)

func TestEndlessBodyEndsAtTheLimit(t *testing.T) {
	zeros := make([]byte, 1<<20)
	for _, row := range []struct {
		name  string
		write func(w http.ResponseWriter)
	}{
		{"endless", func(w http.ResponseWriter) {
			for {
				if _, err := w.Write(zeros); err != nil {
					return
				}
			}
		}},
		{"gzip bomb", func(w http.ResponseWriter) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for range 2000 {
				if _, err := z.Write(zeros); err != nil {
					return
				}
			}
			_ = z.Close()
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			url, limits := serve(t, func(w http.ResponseWriter, _ *http.Request) { row.write(w) })
			const most = 1 << 20
			r := runner(t, Spec{URL: url}, holdfast.Read, limits, &Options{Bytes: most})
			before := allocated()
			result, err := run(t, r)
			if err != nil || result.Size() <= most || result.Size() > most+16 {
				t.Errorf("Run = %d bytes, %v; want just more than the limit, for the gate to tell", result.Size(), err)
			}
			if used := allocated() - before; used > 32<<20 {
				t.Errorf("used %d MiB for a limit of 1 MiB", used>>20)
			}
		})
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// A server that takes its time does not get more than the call has.
func TestSlowServersEndWithTheCall(t *testing.T) {
	drip := func(head string) func(net.Conn) {
		return func(c net.Conn) {
			_, _ = c.Write([]byte(head))
			for {
				if _, err := c.Write([]byte("x")); err != nil {
					return
				}
				time.Sleep(5 * time.Millisecond)
			}
		}
	}
	for _, row := range []struct {
		name   string
		answer func(net.Conn)
	}{
		{"never answers", func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }},
		{"drips its head", drip("HTTP/1.1 200 OK\r\nX-Slow: ")},
		{"drips its body", drip("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")},
	} {
		for _, effect := range []holdfast.Effect{holdfast.Read, holdfast.Write} {
			t.Run(row.name+" "+string(effect), func(t *testing.T) {
				url, limits := raw(t, row.answer)
				r := runner(t, Spec{URL: url}, effect, limits, nil)
				ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
				defer cancel()
				begin := time.Now()
				_, err := r.Run(ctx, value(t, `{"id":"A7"}`))
				if took := time.Since(begin); took > 3*time.Second {
					t.Errorf("took %v after a timeout of 100ms", took)
				}
				if !errors.Is(err, context.DeadlineExceeded) || known(err) != "unknown" {
					t.Errorf("Run = %v, want the deadline and an unknown effect", err)
				}
			})
		}
	}
}

func TestHugeHeadIsRefused(t *testing.T) {
	line := "X-Large: " + strings.Repeat("x", 1000) + "\r\n"
	url, limits := raw(t, func(c net.Conn) {
		_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\n"))
		for range 1000 {
			if _, err := c.Write([]byte(line)); err != nil {
				return
			}
		}
	})
	if _, err := run(t, runner(t, Spec{URL: url}, holdfast.Read, limits, nil)); err == nil {
		t.Error("a head of 1 MB passed")
	}
}

func TestRedirects(t *testing.T) {
	var strayed int
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		strayed++
		if r.Header.Get("X-Token") != "" {
			t.Error("a secret went to another server")
		}
	}))
	defer other.Close()
	otherHost := strings.TrimPrefix(other.URL, "http://")
	hops := 0
	url, limits := serve(t, func(w http.ResponseWriter, r *http.Request) {
		hops++
		switch r.URL.Path {
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/away":
			http.Redirect(w, r, other.URL+"/", http.StatusFound)
		case "/inside":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		case "/file":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		case "/near":
			http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
		case "/there":
			_, _ = w.Write([]byte("here, with " + r.Header.Get("X-Token")))
		}
	})
	token := []Field{{Name: "X-Token", Value: "${env:T}"}}
	env := &Options{Env: func(string) (string, bool) { return "sesame", true }}
	for _, row := range []struct {
		path   string
		limits sandbox.Limits
		want   string
	}{
		{"/near", limits, "here, with [secret]"},
		{"/loop", limits, "redirects more than 5 times"},
		{"/away", limits, `host "` + otherHost + `" is not declared`},
		{"/inside", limits, "is not declared"},
		{"/file", limits, `scheme "file"`},
		{"/away", sandbox.Limits{Hosts: append([]string{otherHost}, limits.Hosts...)}, ""},
	} {
		r, err := run(t, runner(t, Spec{URL: url + row.path, Headers: token}, holdfast.Read, row.limits, env))
		said := r.Text
		if err != nil {
			said = err.Error()
		}
		if !strings.Contains(said, row.want) {
			t.Errorf("%s: %q, want %q", row.path, said, row.want)
		}
	}
	if strayed != 1 {
		t.Errorf("another server was asked %d times, want once, where it was declared", strayed)
	}
	hops = 0
	if _, err := run(t, runner(t, Spec{Method: "GET", URL: url + "/near"}, holdfast.Write, limits, nil)); known(err) != "unknown" || hops != 1 {
		t.Errorf("a write's redirect: %v after %d requests, want it unknown and not followed", err, hops)
	}
}

// A name that points inside is not followed there, whenever it begins to.
func TestNamesThatPointInside(t *testing.T) {
	came := 0
	url, limits := serve(t, func(http.ResponseWriter, *http.Request) { came++ })
	loopback := netip.MustParseAddrPort(limits.Hosts[0])
	for _, row := range []struct {
		name  string
		hosts []string
		addrs []netip.Addr
		want  string
	}{
		{"loopback", nil, []netip.Addr{loopback.Addr()}, "no effect"},
		{"loopback in IPv6's clothes", nil, []netip.Addr{netip.MustParseAddr("::ffff:127.0.0.1")}, "no effect"},
		{"metadata", nil, []netip.Addr{netip.MustParseAddr("169.254.169.254")}, "no effect"},
		{"nothing", nil, nil, "no effect"},
		{"the address is named", limits.Hosts, []netip.Addr{loopback.Addr()}, "done"},
	} {
		host := net.JoinHostPort("api.example.com", strings.Split(url, ":")[2])
		o := &Options{Resolve: func(context.Context, string) ([]netip.Addr, error) { return row.addrs, nil }}
		r := runner(t, Spec{URL: "http://" + host}, holdfast.Write, sandbox.Limits{Hosts: append([]string{host}, row.hosts...)}, o)
		if _, err := run(t, r); known(err) != row.want {
			t.Errorf("%s: %v, want %s", row.name, err, row.want)
		}
	}
	if came != 1 {
		t.Errorf("the server inside was asked %d times, want once, where its address was named", came)
	}
}

func TestPublic(t *testing.T) {
	for text, want := range map[string]bool{
		"1.1.1.1": true, "93.184.216.34": true, "2606:2800:220:1::1": true, "172.15.255.255": true,
		"127.0.0.1": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false, "169.254.169.254": false,
		"100.64.0.1": false, "0.0.0.0": false, "255.255.255.255": false, "224.0.0.1": false, "198.18.0.1": false,
		"::1": false, "::": false, "fe80::1": false, "fd00::1": false, "ff02::1": false, "::ffff:10.0.0.1": false,
		"::127.0.0.1": false, "64:ff9b::7f00:1": false, "2002:7f00:1::": false, "2001:0:7f00:1::": false, "2001:db8::1": false,
		"fec0::1": false, "fe80::1%eth0": false,
	} {
		if got := public(netip.MustParseAddr(text)); got != want {
			t.Errorf("public(%s) = %t, want %t", text, got, want)
		}
	}
}

func TestArgumentsDoNotLeadElsewhere(t *testing.T) {
	var asked string
	url, limits := serve(t, func(_ http.ResponseWriter, r *http.Request) { asked = r.RequestURI })
	for id, want := range map[string]string{
		`"A7"`:           "/orders/A7/lines",
		`"a/../../b"`:    "/orders/a%2F..%2F..%2Fb/lines",
		`"?x=1#y"`:       "/orders/%3Fx%3D1%23y/lines",
		`"%2e%2e"`:       "/orders/%252e%252e/lines",
		`"a b\r\nX: 1"`:  "/orders/a%20b%0D%0AX%3A%201/lines",
		`"@evil.com:80"`: "/orders/%40evil.com%3A80/lines",
		`".."`:           "refused",
		`"."`:            "refused",
		`""`:             "refused",
	} {
		asked = "refused"
		r := runner(t, Spec{Method: "DELETE", URL: url + "/orders/{id}/lines"}, holdfast.Write, limits, nil)
		_, err := r.Run(t.Context(), value(t, `{"id":`+id+`}`))
		if asked != want || (want == "refused") != holdfast.HasNoEffect(err) {
			t.Errorf("id %s asked for %s (%v), want %s", id, asked, err, want)
		}
	}
}

func TestSecretsStayHidden(t *testing.T) {
	url, limits := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/no" {
			w.WriteHeader(http.StatusForbidden)
		}
		_, _ = w.Write([]byte(`{"you sent":"` + r.Header.Get("Authorization") + `"}`))
	})
	for _, row := range []struct {
		name, path, value string
		set               bool
	}{
		{"in a result", "/", "sesame-42", true},
		{"in an error", "/no", "sesame-42", true},
		{"not set", "/", "", false},
		{"with a line break", "/", "sesame\r\nX-Evil: 1", true},
	} {
		s := Spec{URL: url + row.path, Headers: []Field{{"Authorization", "Bearer ${env:T}"}}}
		r, err := run(t, runner(t, s, holdfast.Write, limits, &Options{Env: func(string) (string, bool) { return row.value, row.set }}))
		said := string(r.JSON) + r.Text
		if err != nil {
			said += err.Error()
		}
		if strings.Contains(said, "sesame") || said == "" {
			t.Errorf("%s: %q, want it without the secret", row.name, said)
		}
		if row.path == "/" && row.value != "sesame-42" && known(err) != "no effect" {
			t.Errorf("%s: %v, want nothing sent", row.name, err)
		}
	}
}

func TestResultsByContentType(t *testing.T) {
	for _, row := range []struct{ kind, body, want string }{
		{"application/json", `{"n":9007199254740993}`, `json {"n":9007199254740993}`},
		{"application/problem+json; charset=utf-8", `[1]`, "json [1]"},
		{"text/plain", "hello", "text hello"},
		{"text/plain; charset=iso-8859-1", "caf\xe9", "text café"},
		{"text/html", "<p>", "text <p>"},
		{"image/png", "\x89PNG", "image 4"},
		{"", `{"a":1}`, `json {"a":1}`},
		{"", "hello", "text hello"},
		{"application/json", "", `json {"status":200}`},
		{"application/pdf", "%PDF", "failed"},
		{"text/plain; charset=koi8-r", "\xf0", "failed"},
	} {
		url, limits := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			if row.kind != "" {
				w.Header().Set("Content-Type", row.kind)
			}
			_, _ = w.Write([]byte(row.body))
		})
		for _, effect := range []holdfast.Effect{holdfast.Read, holdfast.Write} {
			r, err := run(t, runner(t, Spec{URL: url}, effect, limits, nil))
			got := "text " + r.Text
			switch {
			case err != nil:
				got = "failed"
			case r.JSON != nil:
				got = "json " + string(r.JSON)
			case r.Images != nil:
				got = "image " + string('0'+rune(len(r.Images[0].Data)))
			}
			want := row.want
			if want == "failed" && effect == holdfast.Write {
				if !strings.HasPrefix(got, "text [done; ") {
					t.Errorf("%s of a write: %s (%v), want it done, with a note", row.kind, got, err)
				}
				continue
			}
			if got != want {
				t.Errorf("%s %q of a %s: %s (%v), want %s", row.kind, row.body, effect, got, err, want)
			}
		}
	}
}

func TestBodies(t *testing.T) {
	var got string
	url, limits := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got = r.Header.Get("Content-Type") + " " + string(b)
	})
	const full = `{"id":"say \"hi\" </b>","n":1.50,"tags":["a",{"b":9007199254740993}]}`
	for _, row := range []struct{ name, body, args, want string }{
		{"verbatim", `"arguments"`, `{ "id" : "x" }`, `application/json { "id" : "x" }`},
		{"values keep type and digits", `{"a":"{id}","b":{"n":"{n}","t":"{tags}"},"c":[1.0,true,null]}`, full, `application/json {"a":"say \"hi\" </b>","b":{"n":1.50,"t":["a",{"b":9007199254740993}]},"c":[1.0,true,null]}`},
		{"within a text", `{"a":"no. {id}, key ${key}"}`, full, `application/json {"a":"no. say \"hi\" </b>, key key-1"}`},
		{"absent is left out", `{"a":"{id}","n":"{n}"}`, `{"id":"x"}`, `application/json {"a":"x"}`},
		{"null stays null", `{"a":"{id}","n":"{n}"}`, `{"id":"x","n":null}`, `application/json {"a":"x","n":null}`},
		{"as a text", `"{\"a\": {id}, \"q\": \"{ total } of {id}\"}"`, `{"id":"x\"y"}`, `application/json {"a":"x\"y","q":"{ total } of x\"y"}`},
		{"braces that are none", `{"q":"query { order { total } }"}`, `{"id":"x"}`, `application/json {"q":"query { order { total } }"}`},
	} {
		r := runner(t, Spec{URL: url, Body: json.RawMessage(row.body)}, holdfast.Write, limits, nil)
		_, err := r.Run(holdfast.WithCallInfo(t.Context(), holdfast.CallInfo{Key: "key-1"}), value(t, row.args))
		if err != nil || got != row.want {
			t.Errorf("%s: sent %s (%v)\nwant %s", row.name, got, err, row.want)
		}
	}
	form := Spec{URL: url, Form: []Field{{"a[b]", "{id}"}, {"t", "{tags}"}, {"n", "{n}"}}}
	if _, err := runner(t, form, holdfast.Write, limits, nil).Run(t.Context(), value(t, `{"id":"x&y=z","tags":[1,"b"]}`)); err != nil {
		t.Fatalf("Run = %v", err)
	}
	if want := "application/x-www-form-urlencoded a%5Bb%5D=x%26y%3Dz&t=1&t=b"; got != want {
		t.Errorf("form: sent %s, want %s", got, want)
	}
	asked := Spec{URL: url + "/?v={n}"}
	if _, err := New(asked, input(t), holdfast.Write, limits, nil); err == nil {
		t.Error("an optional argument within a fixed query passed, want it refused")
	}
	r := runner(t, Spec{URL: url, Form: []Field{{"n", "{n}"}}}, holdfast.Write, limits, nil)
	if _, err := r.Run(t.Context(), value(t, `{"id":"x","n":null}`)); !holdfast.HasNoEffect(err) {
		t.Errorf("a null in a form: %v, want nothing sent", err)
	}
}
