package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// browser is the one that all tests share; nil: there is none.
var browser context.Context

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	path := os.Getenv("HOLDFAST_BROWSER")
	if path == "" {
		return m.Run()
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	ctx, cancel := chromedp.NewContext(allocator)
	defer cancel()
	if err := chromedp.Do(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "starting the browser:", err)
		return 1
	}
	browser = ctx
	return m.Run()
}

// needBrowser skips a test that has no browser, in one line.
func needBrowser(t testing.TB) {
	t.Helper()
	if browser == nil {
		if os.Getenv("HOLDFAST_REQUIRE_BROWSER") == "1" {
			t.Fatal("HOLDFAST_BROWSER names no browser")
		}
		t.Skip("no browser: HOLDFAST_BROWSER names none (scripts/browser installs one)")
	}
}

// tab is one page of the browser, with cookies of its own.
type tab struct {
	t   testing.TB
	ctx context.Context
	h   *house
}

// patience is how long a page may take to show what is waited for.
const patience = 30 * time.Second

func (h *house) tab(t testing.TB) *tab {
	t.Helper()
	needBrowser(t)
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	// The page lives as long as the context of its first step.
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("opening a tab = %v", err)
	}
	k := &tab{t, ctx, h}
	k.look(1280, 900, "light")
	return k
}

// look sets the size and the colours.
func (k *tab) look(width, height int64, colours string) {
	k.t.Helper()
	k.do(chromedp.EmulateViewport(width, height))
	_, err := chromedp.Call(k.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: colours}, {Name: "prefers-reduced-motion", Value: "reduce"}},
	})
	if err != nil {
		k.t.Fatalf("SetEmulatedMedia = %v", err)
	}
}

func (k *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		k.t.Fatalf("the browser = %v", err)
	}
}

func (k *tab) open(path string) {
	k.t.Helper()
	k.do(chromedp.Navigate(k.h.url(path)))
}

func (k *tab) reload() {
	k.t.Helper()
	k.do(chromedp.Reload())
}

// js is the value of an expression; a promise is waited for.
func js[T any](k *tab, expression string) T {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		k.t.Fatalf("evaluating %s = %v\nthe page shows:\n%s", expression, err, k.seen())
	}
	return v
}

// seen is the page's text, for a failure.
func (k *tab) seen() string {
	ctx, cancel := context.WithTimeout(k.ctx, 5*time.Second)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body ? document.body.innerText : ""`))
	if err != nil {
		return err.Error()
	}
	return text
}

// wait waits until a condition holds.
func (k *tab) wait(condition string) {
	k.t.Helper()
	js[bool](k, fmt.Sprintf(`new Promise((done, fail) => {
		const ends = Date.now() + %d;
		const look = () => { if (%s) done(true); else if (Date.now() > ends) fail(new Error("it did not come")); else setTimeout(look, 15); };
		look();
	})`, (patience-5*time.Second).Milliseconds(), condition))
}

func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// waitText waits until an element's text holds s.
func (k *tab) waitText(selector, s string) {
	k.t.Helper()
	k.wait(fmt.Sprintf(`[...document.querySelectorAll(%s)].some(e => e.innerText.includes(%s))`, quoted(selector), quoted(s)))
}

func (k *tab) click(selector, text string) {
	k.t.Helper()
	k.wait(fmt.Sprintf(`[...document.querySelectorAll(%s)].some(e => e.checkVisibility() && e.innerText.trim().startsWith(%s))`, quoted(selector), quoted(text)))
	js[bool](k, fmt.Sprintf(`[...document.querySelectorAll(%s)].find(e => e.checkVisibility() && e.innerText.trim().startsWith(%s)).click() || true`, quoted(selector), quoted(text)))
}

// say sends a message with the keyboard and waits for the turn to end or park.
func (k *tab) say(message string) {
	k.t.Helper()
	k.begin(message)
	k.rests()
}

func (k *tab) begin(message string) {
	k.t.Helper()
	before := js[int](k, `document.querySelectorAll(".turn").length`)
	k.do(chromedp.SendKeys(chromedp.CSS("#message"), message+"\r"))
	k.wait(fmt.Sprintf(`document.querySelectorAll(".turn").length > %d`, before))
}

// rests waits until nothing goes on.
func (k *tab) rests() {
	k.t.Helper()
	k.wait(`app.view && app.view.run && !app.view.running && !app.view.sending`)
}

// page is what a conversation shows: each reply and each card, in order.
func (k *tab) page() []string {
	k.t.Helper()
	return js[[]string](k, `[...document.querySelectorAll(".log .said, .log .reply, .log .card, .log .turn > .note")].map(e =>
		e.matches(".card") ? "[" + e.dataset.tool + " " + e.dataset.outcome + (e.querySelector(".args") && !e.querySelector(".args").hidden ? " " + e.querySelector(".args").textContent.replace(/\s+/g, "") : "") + "] " + [...e.querySelectorAll(".means, .faults")].filter(x => !x.hidden).map(x => x.innerText).join(" ") : e.innerText)`)
}

// wantPage fails unless the page holds every part.
func (k *tab) wantPage(parts ...string) {
	k.t.Helper()
	all := strings.Join(k.page(), "\n")
	for _, p := range parts {
		if !strings.Contains(all, p) {
			k.t.Errorf("the page shows\n%s\nwant %q in it", all, p)
		}
	}
}

// sameAfterReload fails unless the page shows the same once it is loaded anew.
func (k *tab) sameAfterReload() {
	k.t.Helper()
	before := k.page()
	k.reload()
	k.wait(`app.view && app.view.run && document.querySelectorAll(".turn").length > 0`)
	after := k.page()
	if a, b := strings.Join(before, "\n"), strings.Join(after, "\n"); a != b {
		k.t.Errorf("after a reload the page shows\n%s\nwant, as before,\n%s", b, a)
	}
}

// shot writes what the page shows, where screenshots are asked for.
func (k *tab) shot(name string) {
	k.t.Helper()
	dir := os.Getenv("HOLDFAST_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(k.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		k.t.Fatalf("CaptureScreenshot = %v", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		k.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		k.t.Fatal(err)
	}
}
