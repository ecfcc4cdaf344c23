package sandboxtest

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/sandbox"
	"github.com/holdfast-go/holdfast/schema"
)

// Manner is how the tool behind a runner behaves.
type Manner string

// The manners that a kind of runner must be able to show.
const (
	// Echo hands back the arguments as JSON, and the key: {"args":…,"key":"…"}.
	Echo Manner = "echo"
	// Absent cannot be reached or started at all.
	Absent Manner = "absent"
	// Cut ends in the middle of its answer, after it began its work.
	Cut Manner = "cut"
	// Hang never answers.
	Hang Manner = "hang"
	// Flood answers without an end.
	Flood Manner = "flood"
)

// MostBytes is what a runner under test may hand back.
const MostBytes = 64 << 10

// Runner runs every promise of sandbox.Runner. open makes a runner for a tool of
// that manner and effect, which may hand back MostBytes.
func Runner(t *testing.T, open func(t *testing.T, m Manner, effect holdfast.Effect) sandbox.Runner) {
	t.Run("arguments and key arrive as they are", func(t *testing.T) { echo(t, open(t, Echo, holdfast.Write)) })
	t.Run("calls run beside each other", func(t *testing.T) { beside(t, open(t, Echo, holdfast.Write)) })
	t.Run("what could not start had no effect", func(t *testing.T) {
		for _, effect := range []holdfast.Effect{holdfast.Read, holdfast.Write} {
			if _, err := call(t, open(t, Absent, effect), `{}`); !holdfast.HasNoEffect(err) {
				t.Errorf("%s: Run() = %v, want an error that says that nothing happened", effect, err)
			}
		}
	})
	t.Run("what was cut may have had one", func(t *testing.T) {
		if _, err := call(t, open(t, Cut, holdfast.Write), `{}`); err == nil || holdfast.HasNoEffect(err) {
			t.Errorf("Run() = %v, want an error that claims nothing", err)
		}
	})
	t.Run("it ends with its context", func(t *testing.T) { ends(t, open(t, Hang, holdfast.Write)) })
	t.Run("an endless result is cut above the limit", func(t *testing.T) {
		r, err := call(t, open(t, Flood, holdfast.Read), `{}`)
		if size := r.Size(); err == nil && (size <= MostBytes || size > 2*MostBytes) {
			t.Errorf("Run() = %d bytes, want a little more than %d, or an error", size, MostBytes)
		}
	})
	t.Run("its limits are stated", func(t *testing.T) {
		if l := open(t, Echo, holdfast.Read).Limits(); l.Memory <= 0 {
			t.Errorf("Limits() = %+v, want the memory that holds every run", l)
		}
	})
}

// call runs r with time enough.
func call(t *testing.T, r sandbox.Runner, args string) (holdfast.Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	return r.Run(holdfast.WithCallInfo(ctx, holdfast.CallInfo{Key: "key-1"}), read(t, args))
}

func read(t *testing.T, text string) schema.Value {
	t.Helper()
	v, err := schema.Read([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func echo(t *testing.T, r sandbox.Runner) {
	const args = `{"n":9007199254740993,"x":1.50,"s":"\u00e9\u0000\" </b>","deep":[[{"a":null}]]}`
	got, err := call(t, r, args)
	if err != nil {
		t.Fatalf("Run() = %v", err)
	}
	var said struct {
		Args json.RawMessage `json:"args"`
		Key  string          `json:"key"`
	}
	if err := json.Unmarshal(got.JSON, &said); err != nil {
		t.Fatalf("result %s: %v", got.JSON, err)
	}
	if said.Key != "key-1" {
		t.Errorf("key = %q, want that of the call", said.Key)
	}
	if !read(t, string(said.Args)).Equal(read(t, args)) {
		t.Errorf("arguments arrived as %s, want %s", said.Args, args)
	}
}

func beside(t *testing.T, r sandbox.Runner) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			args := fmt.Sprintf(`{"n":%d}`, i)
			if got, err := call(t, r, args); err != nil || !json.Valid(got.JSON) {
				t.Errorf("call %d: Run() = %s, %v", i, got.JSON, err)
			}
		})
	}
	wg.Wait()
}

func ends(t *testing.T, r sandbox.Runner) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begin := time.Now()
	_, err := r.Run(ctx, read(t, `{}`))
	if err == nil || holdfast.HasNoEffect(err) {
		t.Errorf("Run() = %v, want an error that claims nothing", err)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("Run() took %v, want it to end with its context after 100ms", took)
	}
}
