package browsertest

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/wire/openai"
)

// clock is a provider whose text says, piece by piece, when its bytes were sent.
type clock struct{ pieces int }

func (c clock) RoundTrip(r *http.Request) (*http.Response, error) {
	return stream(r, func(w io.Writer) {
		tick := time.NewTicker(5 * time.Millisecond) // a model's pace
		defer tick.Stop()
		for range c.pieces {
			chunk(w, fmt.Sprint(time.Now().UnixMicro(), " "))
			<-tick.C
		}
	}), nil
}

// stream is a reply of OpenAI's chat format, whose pieces say writes.
func stream(r *http.Request, say func(io.Writer)) *http.Response {
	body, w := io.Pipe()
	go func() {
		say(w)
		fmt.Fprint(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		_ = w.Close()
	}()
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body, Request: r,
	}
}

func chunk(w io.Writer, text string) {
	fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", text)
}

// BenchmarkBytesToPage measures from a provider's bytes to the text on the page.
func BenchmarkBytesToPage(b *testing.B) {
	needBrowser(b)
	h := open(b, openai.Chat{}, "rules: [{when: {message: x}, say: x}]\n")
	h.ended()
	h.provider = clock{300}
	h.start()
	k := h.tab(b)
	var took []float64
	for b.Loop() {
		k.open("/")
		k.wait(`document.querySelector("#message")`)
		js[bool](k, `(window.took = [], new MutationObserver((all) => {
			const now = performance.timeOrigin + performance.now();
			for (const m of all) for (const n of m.addedNodes) for (const t of (n.nodeType === 3 ? n.data : n.querySelector?.(".reply")?.textContent ?? (n.matches?.(".reply") ? n.textContent : "")).match(/\d{16}/g) || []) took.push(now - t / 1000);
		}).observe(document.querySelector(".log"), {childList: true, subtree: true}), true)`)
		k.say("x")
		took = append(took, js[[]float64](k, "took")...)
	}
	if len(took) < 250 {
		b.Fatalf("the page showed %d pieces, want about 300", len(took))
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2], "ms-median")
	b.ReportMetric(took[len(took)*99/100], "ms-p99")
	if took[len(took)/2] > 50 {
		b.Errorf("a piece takes %.1f ms to the page, median, want under 50", took[len(took)/2])
	}
}
