package wirebench

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicstream "github.com/anthropics/anthropic-sdk-go/packages/ssestream"
	"github.com/openai/openai-go/v3"
	openaistream "github.com/openai/openai-go/v3/packages/ssestream"
	openairesponses "github.com/openai/openai-go/v3/responses"

	"github.com/holdfast-go/holdfast/internal/shared"
	"github.com/holdfast-go/holdfast/wire"
	ouranthropic "github.com/holdfast-go/holdfast/wire/anthropic"
	ouropenai "github.com/holdfast-go/holdfast/wire/openai"
)

// rounds of the two decoders in turn; slice is how long each runs in a round.
const (
	rounds = 11
	slice  = 3 * time.Millisecond
	chunk  = 4 << 10 // what a network read gives
)

// peer is a format with our codec and the SDK's way.
type peer struct {
	name, api string
	codec     wire.Codec
	sdk       func(*http.Response) (calls int, err error)
	// accumulates says that the SDK has an accumulator; without one its events are
	// decoded and dropped.
	accumulates bool
}

var peers = []peer{
	{"Chat", "chat", ouropenai.Chat{}, sdkChat, true},
	{"Messages", "anthropic", ouranthropic.Messages{}, sdkMessages, true},
	{"Responses", "responses", ouropenai.Responses{}, sdkResponses, false},
}

func sdkChat(r *http.Response) (int, error) {
	stream := openaistream.NewStream[openai.ChatCompletionChunk](openaistream.NewDecoder(r), nil)
	var acc openai.ChatCompletionAccumulator
	for stream.Next() {
		acc.AddChunk(stream.Current())
	}
	calls := 0
	if len(acc.Choices) > 0 {
		calls = len(acc.Choices[0].Message.ToolCalls)
	}
	return calls, stream.Err()
}

func sdkMessages(r *http.Response) (int, error) {
	stream := anthropicstream.NewStream[anthropic.MessageStreamEventUnion](anthropicstream.NewDecoder(r), nil)
	var message anthropic.Message
	for stream.Next() {
		if err := message.Accumulate(stream.Current()); err != nil {
			return 0, err
		}
	}
	return len(message.Content), stream.Err()
}

func sdkResponses(r *http.Response) (int, error) {
	stream := openaistream.NewStream[openairesponses.ResponseStreamEventUnion](openaistream.NewDecoder(r), nil)
	calls := 0
	for stream.Next() {
		if e := stream.Current(); e.Type == "response.completed" {
			calls = len(e.Response.Output)
		}
	}
	return calls, stream.Err()
}

func response(b []byte) *http.Response {
	return &http.Response{Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(bytes.NewReader(b))}
}

func ours(c wire.Codec, b []byte) *wire.Reply {
	d := c.NewDecoder()
	for len(b) > 0 {
		n := min(len(b), chunk)
		d.Feed(b[:n])
		b = b[n:]
	}
	return d.Close()
}

// timed gives the nanoseconds of one run.
func timed(count int, f func()) float64 {
	start := time.Now()
	for range count {
		f()
	}
	return float64(time.Since(start)) / float64(count)
}

// countFor is how often f fits the slice.
func countFor(f func()) int {
	for n := 1; ; n *= 2 {
		if timed(n, f)*float64(n) > float64(slice)/2 {
			return n
		}
	}
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// TestSpeed decodes every recorded stream by turns, and holds the ratios to the
// bars: three times as fast in the geometric mean, none slower, fewer allocations.
func TestSpeed(t *testing.T) {
	for _, p := range peers {
		t.Run(p.name, func(t *testing.T) { p.compare(t) })
	}
}

func (p *peer) compare(t *testing.T) {
	logs, n := 0.0, 0
	least, slowest := math.Inf(1), ""
	for name, b := range streams(t, p.api) {
		run := func() { ours(p.codec, b) }
		other := func() { _, _ = p.sdk(response(b)) }
		if _, err := p.sdk(response(b)); err != nil {
			t.Logf("%s: the SDK reads it with an error: %v", name, err)
		}
		k, m := countFor(run), countFor(other)
		var ratios []float64
		for range rounds {
			x := timed(k, run)
			ratios = append(ratios, timed(m, other)/x)
		}
		ratio := median(ratios)
		a, o := testing.AllocsPerRun(3, run), testing.AllocsPerRun(3, other)
		if a >= o {
			t.Errorf("%s: %.0f allocations, the SDK has %.0f", name, a, o)
		}
		if ratio < least {
			least, slowest = ratio, name
		}
		logs += math.Log(ratio)
		n++
	}
	mean := math.Exp(logs / float64(n))
	t.Logf("%s: %d streams, the SDK takes %.1f times our time in the geometric mean, %.1f at least (%s)", p.name, n, mean, least, slowest)
	if p.accumulates && (mean < 3 || least < 1) {
		t.Errorf("%s: the SDK takes %.2f times our time, %.2f at least; want 3 and 1", p.name, mean, least)
	}
}

// streams are the recorded event streams of an API.
func streams(t *testing.T, api string) map[string][]byte {
	t.Helper()
	root := shared.Dir(t, "recordings")
	paths, err := filepath.Glob(filepath.Join(root, "*", "*.sse"))
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string][]byte)
	for _, path := range paths {
		expectation, err := os.ReadFile(strings.TrimSuffix(path, ".sse") + ".expected.json")
		if err != nil {
			t.Fatal(err)
		}
		var e struct {
			API string `json:"api"`
		}
		if err := json.Unmarshal(expectation, &e); err != nil {
			t.Fatal(err)
		}
		if e.API != api {
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Base(path)] = b
	}
	return found
}
