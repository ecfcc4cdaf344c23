package browsertest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/examples/coach"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/server/token"
	"github.com/holdfast-go/holdfast/wire/anthropic"
)

// read records a call as another process over the same ledger would.
func (h *house) read(tool, run string, who holdfast.Principal, status holdfast.Status) string {
	h.t.Helper()
	e, err := h.ledger.Record(h.t.Context(), ledger.Entry{
		Run: run, Turn: 1, Round: 1, Tool: tool, Effect: holdfast.Read, Principal: who, Arguments: []byte(`{"query":"arroz"}`), Stage: "execute",
		Outcome: &holdfast.Outcome{Status: status, Message: "as it is", Result: &holdfast.Result{Text: "x"}},
	})
	h.must("Record", err)
	return e.ID
}

func TestTheLedgerShowsCallsAsTheyCome(t *testing.T) {
	needBrowser(t)
	h := open(t, anthropic.Messages{}, "")
	k := h.tab(t)
	k.open("/ledger")
	k.waitText(".head", "as it comes")
	k.wait(`!document.querySelector(".empty").hidden`)
	id := h.read("search_foods", "elsewhere", ana, holdfast.OK)
	k.wait(fmt.Sprintf(`document.querySelector("tbody tr:first-child")?.id === "row-%s"`, id))
	other := h.read("get_food", "elsewhere", ana, holdfast.Failed)
	k.wait(fmt.Sprintf(`document.querySelector("tbody tr:first-child")?.id === "row-%s"`, other))
	if n := js[int](k, `document.querySelectorAll("tbody tr").length`); n != 2 {
		t.Errorf("%d rows, want each call once", n)
	}
	// What does not fit the filter does not come; what is told twice stands once.
	js[bool](k, `(f => { f.outcome.value = "ok"; f.outcome.dispatchEvent(new Event("change", {bubbles: true})); return true; })(document.querySelector(".filters"))`)
	k.wait(`document.querySelectorAll("tbody tr").length === 1`)
	h.read("get_food", "elsewhere", ana, holdfast.Failed)
	last := h.read("search_foods", "elsewhere", ana, holdfast.OK)
	k.wait(fmt.Sprintf(`document.querySelector("tbody tr:first-child")?.id === "row-%s"`, last))
	if n := js[int](k, `document.querySelectorAll("tbody tr").length`); n != 2 {
		t.Errorf("%d rows are ok, want the two", n)
	}
	// Switched off, nothing comes until the page is loaded again.
	js[bool](k, `document.querySelector(".live input").click() || true`)
	h.read("search_foods", "elsewhere", ana, holdfast.OK)
	k.open("/ledger?principal=nobody")
	k.wait(`document.querySelector(".empty") && !document.querySelector(".empty").hidden`)
	k.open("/ledger?principal=gym/ana&outcome=ok")
	k.wait(`document.querySelectorAll("tbody tr").length === 3`)
}

// uncertain is a write of which nobody knows whether it happened.
func uncertain(h *house, k *tab) {
	h.fail(errors.New("the disk is gone"), coach.AfterCommit, coach.ReadingBack)
	k.open("/")
	k.wait(`document.querySelector("#message")`)
	k.say("Añade 200 g de arroz blanco cocido a la comida")
	h.fail(nil)
}

func TestAPersonSettlesAnUncertainWriteWithWhatTheySaw(t *testing.T) {
	needBrowser(t)
	h := open(t, anthropic.Messages{}, "")
	k := h.tab(t)
	uncertain(h, k)
	k.open("/ledger")
	k.click(".item.is-uncertain", "")
	k.wait(`document.querySelector(".story")`)
	k.click(".ask button", "It happened")
	k.waitText(".warn", "Say what you saw")
	k.do(chromedp.SendKeys(chromedp.CSS(".ask textarea"), "the meal lists it"))
	k.click(".ask summary", "Its result")
	k.do(chromedp.SendKeys(chromedp.CSS(".ask textarea.mono"), `{"seen":true}`))
	k.click(".ask button", "It happened")
	k.waitText(".story", ", by ana")
	k.waitText(".evidence", "the meal lists it")
	k.waitText(".part", `"seen":true`)
	if chain := js[string](k, `[...document.querySelectorAll(".chain")].map(e => e.innerText.trim().replace(/ .*/, "")).join(" ")`); len(chain) < 5 {
		t.Errorf("the story's places in the chain = %q, want one for each event", chain)
	}
	entries, err := h.ledger.Entries(t.Context(), ledger.Filter{Tool: "add_meal_food"})
	if err != nil || len(entries) == 0 || entries[0].State != ledger.StateOK {
		t.Errorf("Entries = %+v, %v, want the write settled as ok", entries, err)
	}
}

// signedIn is a page of somebody with a token of these scopes.
func (h *house) signedIn(t *testing.T, p holdfast.Principal, scopes ...token.Scope) *tab {
	t.Helper()
	secret := "the token of " + p.ID
	h.must("Give", h.tokens.Give(secret, token.Token{Principal: p, Scopes: scopes}))
	k := h.tab(t)
	k.open("/ledger")
	k.wait(`document.querySelector("#token")`)
	k.do(chromedp.SendKeys(chromedp.CSS("#token"), secret+"\r"))
	k.wait(`document.querySelector(".filters")`)
	return k
}

func TestWhoIsSignedInSeesAndDoesWhatTheTokenIsFor(t *testing.T) {
	needBrowser(t)
	h := open(t, anthropic.Messages{}, "")
	leo := holdfast.Principal{Tenant: "gym", ID: "leo"}
	h.read("search_foods", "a", ana, holdfast.OK)
	h.read("search_foods", "l", leo, holdfast.OK)
	looks := h.signedIn(t, leo, token.Read)
	looks.wait(`document.querySelectorAll("tbody tr").length === 1`)
	looks.waitText("#who", "gym/leo")
	if js[bool](looks, `document.querySelector("[name=principal]") !== null`) {
		t.Error("who sees only their own is asked whose calls to show")
	}
	looks.open("/")
	looks.waitText(".welcome h2", "Ask the gym coach")
	looks.waitText(".chat .note", "lacks the scope propose")
	if js[bool](looks, `[...document.querySelectorAll(".composer, .tries")].some(e => e.checkVisibility())`) {
		t.Error("who may only look is shown where to write")
	}
	boss := h.signedIn(t, holdfast.Principal{Tenant: "gym", ID: "boss"}, token.Read, token.Admin, token.Propose)
	boss.wait(`document.querySelectorAll("tbody tr").length === 2`)
	boss.waitText("tbody", "leo")
	run, err := h.ledger.CreateRun(t.Context(), ledger.Run{Catalog: "coach", Principal: leo})
	h.must("CreateRun", err)
	boss.open("/runs/" + run.ID)
	boss.waitText(".chat .note", "acts for gym/leo")
	boss.open("/ledger")
	boss.click("#who button", "Sign out")
	boss.wait(`document.querySelector("#token")`)
	boss.open("/ledger")
	boss.wait(`document.querySelector("#token")`)
}
