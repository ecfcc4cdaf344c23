package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/holdfast-go/holdfast/wire/anthropic"
)

func TestNothingJumpsWhileAReplyStreams(t *testing.T) {
	needBrowser(t)
	h := open(t, anthropic.Messages{}, "")
	k := h.tab(t)
	k.open("/")
	k.wait(`document.querySelector("#message")`)
	k.say("¿Cuántos carbohidratos tiene el arroz?") // the suggestions give way to it
	js[bool](k, `(window.jumped = 0, new PerformanceObserver((list) => { for (const e of list.getEntries()) jumped += e.value; }).observe({type: "layout-shift"}), true)`)
	for _, message := range []string{"¿Qué he comido hoy?", "Hoy peso 75,5", "Haz tres a la vez"} {
		k.say(message)
	}
	// 0.1 is what counts as good for a whole visit.
	if jumped := js[float64](k, "jumped"); jumped > 0.1 {
		t.Errorf("what is on the page jumped by %.3f, want at most 0.1", jumped)
	}
}

func TestEverythingIsReachedWithTheKeyboard(t *testing.T) {
	h, k := parked(t)
	seen := map[string]bool{js[string](k, `(document.querySelector(".skip").focus(), document.activeElement.innerText)`): true}
	for range 60 {
		k.do(chromedp.KeyEvent(kb.Tab))
		what := js[string](k, `(document.activeElement.getAttribute("aria-label") || document.activeElement.innerText || document.activeElement.type || "").trim()`)
		seen[what] = true
		if outline := js[string](k, `getComputedStyle(document.activeElement).outlineStyle + getComputedStyle(document.activeElement.parentNode).outlineStyle`); outline == "nonenone" {
			t.Errorf("%q has the focus, and nothing shows it", what)
		}
		if what == "Approve" {
			break
		}
	}
	for _, want := range []string{"Skip to the content", "Ledger", "History", "What the model read", "Its story", "Exactly these arguments", "Approve"} {
		if !seen[want] {
			t.Errorf("the Tab key reached %v, want %q among them", seen, want)
		}
	}
	k.do(chromedp.KeyEvent(kb.Enter))
	k.waitText(".reply", "peso 80 kg")
	h.wantRows(weights, "75.5", "80")
}

func TestThePageAsksForFewThingsAndOnlyOfItsServer(t *testing.T) {
	needBrowser(t)
	h := open(t, anthropic.Messages{}, "")
	k := h.tab(t)
	k.open("/")
	k.wait(`document.querySelector(".tries")`)
	k.wait(`performance.getEntriesByType("resource").some(e => e.name.endsWith("/v1/approvals"))`)
	names := js[[]string](k, `performance.getEntriesByType("resource").map(e => new URL(e.name).origin === location.origin ? new URL(e.name).pathname : e.name)`)
	if len(names)+1 >= 10 {
		t.Errorf("the page asks for %v, want fewer than 10", names)
	}
	for _, name := range names {
		if name[0] != '/' {
			t.Errorf("the page asks for %s, which is not its server's", name)
		}
	}
}
