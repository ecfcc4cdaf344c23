package scripted

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func FuzzParse(f *testing.F) {
	f.Add([]byte(kitchen))
	f.Add([]byte(stage))
	f.Add([]byte("scenario: x\nrules: [{say: '{{range .Results}}{{.}}{{end}}', calls: [{name: a, arguments: {b: '{{json .}}'}}]}]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		s.pace = 0
		v := New(s, nil)
		for _, d := range dialects {
			ask(t, v, d.path, d.header, strings.NewReplacer("%M", "hello", "%S", "true").Replace(d.body))
		}
	})
}

func FuzzServer(f *testing.F) {
	for i, d := range dialects {
		f.Add(i, []byte(strings.NewReplacer("%M", "look", "%S", "true").Replace(d.body)))
	}
	s, err := Parse([]byte(stage))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, i int, body []byte) {
		d := dialects[uint(i)%uint(len(dialects))]
		r := httptest.NewRequest(http.MethodPost, d.path, strings.NewReader(string(body)))
		for name := range d.header {
			r.Header.Set(name, d.header.Get(name))
		}
		w := httptest.NewRecorder()
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				panic(p)
			}
		}()
		New(s, nil).ServeHTTP(w, r)
		if w.Code != http.StatusOK && w.Code != http.StatusBadRequest && w.Code != http.StatusTooManyRequests {
			t.Errorf("%s %s = %d %s", d.api, body, w.Code, w.Body)
		}
	})
}
