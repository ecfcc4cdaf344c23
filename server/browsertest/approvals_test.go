package browsertest

import (
	"io"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/holdfast-go/holdfast/wire/anthropic"
	"github.com/holdfast-go/holdfast/wire/openai"
)

const weights = "SELECT value FROM measurements WHERE measure = 'weight_kg' ORDER BY rowid"

// parked is a conversation that waits for a person to agree to a new weight.
func parked(t *testing.T) (*house, *tab) {
	t.Helper()
	needBrowser(t)
	h := open(t, anthropic.Messages{}, "")
	k := h.tab(t)
	k.open("/")
	k.wait(`document.querySelector("#message")`)
	k.say("Hoy peso 75.5")
	k.say("Hoy peso 80")
	k.wait(`document.querySelector(".ask[data-state=waiting]")`)
	return h, k
}

func TestAnApprovalShowsOldAgainstNewAndRunsOnceAfterARestart(t *testing.T) {
	h, k := parked(t)
	k.waitText(".ask .change", "75.5")
	k.waitText(".ask .args", `"weight_kg": 80`)
	h.wantRows(weights, "75.5")
	h.restart()
	k.reload()
	k.wait(`document.querySelector(".ask[data-state=waiting]")`)
	h.wantRows(weights, "75.5")
	k.click(".ask button", "Approve")
	k.waitText(".reply", "peso 80 kg")
	k.rests()
	h.wantRows(weights, "75.5", "80")
	h.wantCalls("write_measurement ok", "write_measurement ok")
	k.reload()
	k.waitText(".reply", "peso 80 kg")
	k.waitText(".card", "ok")
}

func TestADenialRunsNothingAndItsReasonIsKept(t *testing.T) {
	h, k := parked(t)
	k.do(chromedp.SendKeys(chromedp.CSS(".ask input"), "no es mi peso"))
	k.click(".ask button", "Deny")
	k.waitText(".reply", "dejo el valor como estaba")
	k.rests()
	k.waitText(".ask.done", "no es mi peso")
	h.wantRows(weights, "75.5")
	h.wantCalls("write_measurement ok", "write_measurement rejected approval_denied")
	k.reload()
	k.waitText(".ask.done", "no es mi peso")
	k.waitText(".card", "A person said no. Nothing ran.")
}

func TestASecondDecisionIsShownAndNotTaken(t *testing.T) {
	h, k := parked(t)
	other := h.tab(t)
	other.open("/approvals")
	other.wait(`document.querySelector(".ask[data-state=waiting]")`)
	// The page that is open does not know yet of what the phone decides.
	js[bool](k, `clearInterval(app.view.poll) || true`)
	other.look(360, 740, "light")
	other.click(".ask button", "Deny")
	other.wait(`document.querySelector(".ask[data-state=denied]")`)
	js[bool](k, `app.view.source.close() || true`)
	k.click(".ask button", "Approve")
	k.waitText(".ask .warn", "decided before you")
	h.wantRows(weights, "75.5")
}

func TestAnEditIsACallOfItsOwn(t *testing.T) {
	h, k := parked(t)
	k.click(".ask button", "Edit")
	js[bool](k, `(document.querySelector(".ask textarea").value = document.querySelector(".ask textarea").value.replace("80", "\"80\"")) && true`)
	k.click(".ask button", "Make this call instead")
	k.waitText(".ask .warn", "/data/weight_kg")
	h.wantRows(weights, "75.5")
	js[bool](k, `(document.querySelector(".ask textarea").value = document.querySelector(".ask textarea").value.replace("\"80\"", "76")) && true`)
	k.click(".ask button", "Make this call instead")
	k.waitText(".ask.done", "the call that was made with other arguments")
	k.waitText(".reply", "dejo el valor como estaba")
	h.wantRows(weights, "75.5", "76")
	h.wantCalls("write_measurement ok", "write_measurement rejected approval_denied", "write_measurement ok")
}

func TestTwoTabsOnOneRunStartOneTurn(t *testing.T) {
	needBrowser(t)
	h := open(t, openai.Chat{}, "rules: [{when: {message: x}, say: x}]\n")
	h.ended()
	held := make(held)
	h.provider = held
	h.start()
	k := h.tab(t)
	k.open("/")
	k.wait(`document.querySelector("#message")`)
	k.begin("uno")
	k.waitText(".reply", "uno dos")
	other := h.tab(t)
	other.open(js[string](k, "location.pathname"))
	other.wait(`app.view && app.view.running`)
	status := js[int](other, `fetch("/v1/runs/" + app.view.run + "/turns", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({message: "uno"})}).then(r => r.status)`)
	if status != 409 {
		t.Errorf("a second turn = %d, want 409", status)
	}
	close(held)
	for _, page := range []*tab{k, other} {
		page.rests()
		page.waitText(".reply", "uno dos tres")
		if n := js[int](page, `document.querySelectorAll(".turn").length`); n != 1 {
			t.Errorf("a tab shows %d turns, want 1", n)
		}
	}
}

// held is a provider that pauses within its reply until it is closed.
type held chan struct{}

func (c held) RoundTrip(r *http.Request) (*http.Response, error) {
	return stream(r, func(w io.Writer) {
		chunk(w, "uno dos ")
		<-c
		chunk(w, "tres")
	}), nil
}
