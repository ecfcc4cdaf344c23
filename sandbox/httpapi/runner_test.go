package httpapi

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/sandbox"
	"github.com/holdfast-go/holdfast/sandbox/sandboxtest"
)

func TestRunner(t *testing.T) {
	sandboxtest.Runner(t, func(t *testing.T, m sandboxtest.Manner, effect holdfast.Effect) sandbox.Runner {
		url, limits := serve(t, func(w http.ResponseWriter, r *http.Request) {
			args, _ := io.ReadAll(r.Body)
			w.Header().Set("Content-Type", "application/json")
			switch m {
			case sandboxtest.Echo:
				fmt.Fprintf(w, `{"args":%s,"key":%q}`, args, r.Header.Get("Idempotency-Key"))
			case sandboxtest.Cut:
				_, _ = io.WriteString(w, `{"args":`)
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			case sandboxtest.Hang:
				<-r.Context().Done()
			case sandboxtest.Flood:
				for {
					if _, err := w.Write(make([]byte, 4096)); err != nil {
						return
					}
				}
			}
		})
		if m == sandboxtest.Absent {
			url, limits = "http://127.0.0.1:1", sandbox.Limits{Hosts: []string{"127.0.0.1:1"}}
		}
		r, err := New(Spec{Method: "POST", URL: url, Body: arguments}, nil, effect, limits, &Options{Bytes: sandboxtest.MostBytes})
		if err != nil {
			t.Fatal(err)
		}
		return r
	})
}
