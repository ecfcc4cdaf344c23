package browsertest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/holdfast-go/holdfast/examples/coach"
	"github.com/holdfast-go/holdfast/wire/anthropic"
)

// state is something that a person may see: how the page comes to it.
type state struct {
	name     string
	scenario string // "": the coach's own
	token    string
	reach    func(h *house, k *tab)
}

// slow is a reply that is still being written when it is looked at.
const slow = `
pace: 250ms
hints: [añade arroz]
rules:
  - when: {message: arroz}
    reasoning: "Primero busco el alimento."
    say: "Voy a añadirlo a tu comida de hoy."
    calls: [{name: add_meal_food, arguments: {date: "{{.Today}}", meal: Comida, food_id: 1, grams: 200, why: "un texto que tarda en llegar porque es largo, muy largo, y sigue todavía un poco más, hasta que alguien lo mire"}}]
  - when: {after: add_meal_food}
    say: "Hecho."
`

func states() []state {
	chat := func(messages ...string) func(*house, *tab) {
		return func(h *house, k *tab) {
			k.open("/")
			k.wait(`document.querySelector("#message")`)
			for _, m := range messages {
				k.say(m)
			}
		}
	}
	unsure := func(h *house, k *tab) {
		h.fail(errors.New("the disk is gone"), coach.AfterCommit, coach.ReadingBack)
		chat("Añade 200 g de arroz blanco cocido a la comida")(h, k)
		h.fail(nil)
	}
	asked := func(h *house, k *tab) {
		chat("Hoy peso 75.5", "Hoy peso 80")(h, k)
		k.wait(`document.querySelector(".ask[data-state=waiting]")`)
	}
	return []state{
		{name: "welcome", reach: func(h *house, k *tab) { k.open("/"); k.wait(`document.querySelector(".tries")`) }},
		{name: "streaming", scenario: slow, reach: func(h *house, k *tab) {
			k.open("/")
			k.wait(`document.querySelector("#message")`)
			k.begin("añade arroz")
			k.wait(`document.querySelector(".card.is-proposed .args")?.textContent.length > 20`)
		}},
		{name: "answer", reach: chat("¿Cuántos carbohidratos tiene el arroz?")},
		{name: "corrected", reach: chat("Hoy peso 75,5")},
		{name: "unknown-tool", reach: chat("Llama a search_foodz")},
		{name: "three-calls", reach: chat("Haz tres a la vez")},
		{name: "cut", reach: chat("Córtate")},
		{name: "round-limit", reach: chat("Llama sin parar")},
		{name: "failed", reach: func(h *house, k *tab) {
			h.fail(errors.New("the disk is gone"), coach.Reading)
			chat("¿Cuántas calorías tiene el arroz?")(h, k)
			h.fail(nil)
		}},
		{name: "uncertain", reach: unsure},
		{name: "approval", reach: asked},
		{name: "approval-edit", reach: func(h *house, k *tab) {
			asked(h, k)
			k.click(".ask button", "Edit")
		}},
		{name: "approved", reach: func(h *house, k *tab) {
			asked(h, k)
			k.click(".ask button", "Approve")
			k.waitText(".reply", "peso 80 kg")
			k.rests()
		}},
		{name: "denied", reach: func(h *house, k *tab) {
			asked(h, k)
			k.click(".ask button", "Deny")
			k.waitText(".reply", "dejo el valor")
			k.rests()
		}},
		{name: "approvals", reach: func(h *house, k *tab) {
			asked(h, k)
			k.open("/approvals")
			k.wait(`document.querySelector(".ask")`)
		}},
		{name: "approvals-none", reach: func(h *house, k *tab) { k.open("/approvals"); k.wait(`document.querySelector(".empty")`) }},
		{name: "ledger", reach: func(h *house, k *tab) {
			unsure(h, k)
			chat("¿Qué he comido hoy?", "Hoy peso 75,5", "Haz tres a la vez")(h, k)
			k.open("/ledger")
			k.wait(`document.querySelectorAll("tbody tr").length > 8`)
		}},
		{name: "ledger-filtered", token: "open sesame", reach: func(h *house, k *tab) {
			k.open("/")
			k.wait(`document.querySelector("#token")`)
			k.do(chromedp.SendKeys(chromedp.CSS("#token"), "open sesame\r"))
			k.wait(`document.querySelector("#message")`)
			k.say("Hoy peso 75,5")
			k.open("/ledger?span=between&outcome=rejected&principal=ana")
			k.wait(`document.querySelector("tbody tr") && !document.querySelector("#who").hidden`)
		}},
		{name: "story-settled", reach: func(h *house, k *tab) {
			unsure(h, k)
			k.open("/ledger")
			k.click(".item.is-uncertain", "")
			k.wait(`document.querySelector(".story")`)
			k.do(chromedp.SendKeys(chromedp.CSS(".ask textarea"), "the meal of today lists 200 g of rice"))
			k.click(".ask button", "It happened")
			k.wait(`document.querySelector(".evidence")`)
		}},
		{name: "story-uncertain", reach: func(h *house, k *tab) {
			unsure(h, k)
			k.open("/ledger")
			k.click(".item.is-uncertain", "")
			k.wait(`document.querySelector(".story")`)
		}},
		{name: "story-rejected", reach: func(h *house, k *tab) {
			chat("Hoy peso 75,5")(h, k)
			k.open("/ledger?outcome=rejected")
			k.click("tbody a", "write_measurement")
			k.wait(`document.querySelector(".story")`)
		}},
		{name: "history", reach: func(h *house, k *tab) {
			chat("Hoy peso 75,5")(h, k)
			chat("¿Cuántos carbohidratos tiene el arroz?", "Haz tres a la vez")(h, k)
			k.open("/runs")
			k.wait(`document.querySelector(".item")`)
		}},
		{name: "left-open", reach: func(h *house, k *tab) {
			asked(h, k)
			id := js[string](k, "app.view.waits")
			if _, err := h.ledger.Approve(k.t.Context(), id, "eva", "by telephone"); err != nil {
				k.t.Fatalf("Approve = %v", err)
			}
			k.reload()
			k.wait(`document.querySelector(".note button")`)
		}},
		{name: "sign-in", token: "open sesame", reach: func(h *house, k *tab) { k.open("/"); k.wait(`document.querySelector("#token")`) }},
		{name: "nothing-here", reach: func(h *house, k *tab) { k.open("/calls/none"); k.wait(`document.querySelector(".warn")`) }},
	}
}

// TestEveryState looks at each state on a wide screen and on a phone, light and
// dark: axe finds nothing serious, nothing is wider than the screen, and with
// HOLDFAST_SCREENSHOTS a picture is written.
func TestEveryState(t *testing.T) {
	needBrowser(t)
	axe := axeSource(t)
	for _, s := range states() {
		t.Run(s.name, func(t *testing.T) {
			h := openWith(t, s)
			k := h.tab(t)
			s.reach(h, k)
			for _, size := range []struct {
				name          string
				width, height int64
			}{{"wide", 1280, 900}, {"phone", 360, 740}} {
				for _, colours := range []string{"light", "dark"} {
					k.look(size.width, size.height, colours)
					k.shot(fmt.Sprintf("%s-%s-%s", s.name, size.name, colours))
					if wide := js[int](k, `document.documentElement.scrollWidth`); int64(wide) > size.width {
						t.Errorf("%s %s is %d px wide, want at most %d; too wide: %s", s.name, size.name, wide, size.width, js[string](k,
							`[...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + "." + e.className).slice(0, 8).join(" ")`))
					}
					for _, fault := range k.axe(axe) {
						t.Errorf("%s %s %s: %s", s.name, size.name, colours, fault)
					}
				}
			}
		})
	}
}

func openWith(t *testing.T, s state) *house {
	t.Helper()
	h := open(t, anthropic.Messages{}, s.scenario)
	if s.token != "" {
		h.ended()
		h.token = s.token
		h.start()
	}
	return h
}

// axeSource is the checker's script, as npm installed it.
func axeSource(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		if os.Getenv("HOLDFAST_REQUIRE_BROWSER") == "1" {
			t.Fatalf("axe-core is not installed (scripts/browser does): %v", err)
		}
		t.Log("axe-core is not installed (scripts/browser does); its checks are left out")
	}
	return string(text)
}

// axe lists what the checker finds serious or critical.
func (k *tab) axe(source string) []string {
	k.t.Helper()
	if source == "" {
		return nil
	}
	js[bool](k, source+"; true")
	return js[[]string](k, `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations
		.filter(v => v.impact === "serious" || v.impact === "critical")
		.map(v => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + " " + (n.any[0]?.message || "")).join(" | ")))`)
}
