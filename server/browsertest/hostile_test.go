package browsertest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire/anthropic"
)

// hostile are texts that would act, hide or break a page, each with what a
// person must see of it.
var hostile = []struct{ name, text, shown string }{
	{"script", `<script>window.hit=1</script><img src=x onerror="window.hit=2">`, `<script>window.hit=1</script>`},
	{"terminal codes", "\x1b[31mred\x1b[0m\x07", `\u001b[31mred`},
	{"bidi", "pay \u202eyldneirf\u202c 1", `pay \u202eyldneirf\u202c 1`},
	{"zero width", "a\u200bb\ufeffc\u00add", `a\u200bb\ufeffc\u00add`},
	{"tags", "x\U000e0041\U000e007fy", `x\udb40\udc41\udb40\udc7fy`},
	{"line separators", "a\u2028b\u2029c", `a\u2028b\u2029c`},
	{"markup of ours", `</pre></article><div class="ask">`, `</pre></article><div class=`},
	{"number", "9007199254740993", "9007199254740993"},
}

const megabyte = 1 << 20

// mirror is a tool whose result is its argument, and one that asks a person.
func mirror(t *testing.T) *holdfast.Catalog {
	t.Helper()
	tool := func(name string, ask bool) *holdfast.Tool {
		input, err := schema.Compile([]byte(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`), nil)
		if err != nil {
			t.Fatalf("Compile = %v", err)
		}
		effect, options := holdfast.Read, &holdfast.ToolOptions{ResultBytes: 4 * megabyte}
		if ask {
			effect = holdfast.Write
			options.Precondition = func(_ context.Context, args schema.Value) (holdfast.Finding, error) {
				return holdfast.Finding{NeedsApproval: true, Why: "it is hostile"}, nil
			}
		}
		made, err := holdfast.NewTool(name, "Gives its text back.", input, effect, time.Minute,
			func(_ context.Context, args schema.Value) (holdfast.Result, error) {
				var in struct{ Text string }
				if err := json.Unmarshal(args.Raw(), &in); err != nil {
					return holdfast.Result{}, err
				}
				if in.Text == "large" {
					in.Text = strings.Repeat("0123456789abcdef", megabyte/16)
				}
				return holdfast.Result{Text: in.Text}, nil
			}, options)
		if err != nil {
			t.Fatalf("NewTool = %v", err)
		}
		return made
	}
	c, err := holdfast.NewCatalog("", tool("mirror", false), tool("ask", true))
	if err != nil {
		t.Fatalf("NewCatalog = %v", err)
	}
	return c
}

// openMirror serves the mirror; the model calls tool with the n-th hostile text
// when it is told "TOOL n", and says the text as well.
func openMirror(t *testing.T) *house {
	t.Helper()
	needBrowser(t)
	var rules strings.Builder
	rules.WriteString("rules:\n")
	quote := func(v any) string {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(b.String())
	}
	for i, h := range hostile {
		args := quote(map[string]string{"text": h.text})
		for _, tool := range []string{"mirror", "ask"} {
			fmt.Fprintf(&rules, "  - when: {message: '^%s %d$'}\n    say: %s\n    calls: [{name: %s, arguments: %s}]\n", tool, i, quote(h.text), tool, quote(args))
		}
	}
	rules.WriteString("  - when: {message: '^large$'}\n    calls: [{name: mirror, arguments: {text: large}}]\n")
	fmt.Fprintf(&rules, "  - when: {message: '^long$'}\n    calls: [{name: ask, arguments: {text: %s}}]\n", strings.Repeat("x", 100_000))
	rules.WriteString("  - when: {after: mirror}\n    say: done\n  - when: {after: ask}\n    say: done\n")
	h := open(t, anthropic.Messages{}, rules.String())
	h.ended()
	h.catalog = mirror(t)
	h.start()
	return h
}

// TestHostileTextIsShownHarmlessAndWhole shows each text as a message, as
// arguments, as a result, in an approval and in the ledger.
func TestHostileTextIsShownHarmlessAndWhole(t *testing.T) {
	h := openMirror(t)
	k := h.tab(t)
	for i, row := range hostile {
		t.Run(row.name, func(t *testing.T) {
			k.t = t
			k.open("/")
			k.wait(`document.querySelector("#message")`)
			k.say(fmt.Sprintf("mirror %d", i))
			k.click(".card .plain", "What the model read")
			k.wait(`document.querySelectorAll(".card .args").length === 2`)
			asShown := strings.NewReplacer(`"`, `\"`).Replace(row.shown)
			if text := js[string](k, `document.querySelector(".card .args").textContent`); !strings.Contains(text, asShown) {
				t.Errorf("arguments show %q, want %q in it", text, asShown)
			}
			k.say(fmt.Sprintf("ask %d", i))
			k.wait(`document.querySelector(".ask[data-state=waiting]")`)
			if text := js[string](k, `document.querySelector(".ask .args").textContent`); !strings.Contains(text, asShown) {
				t.Errorf("the approval shows %q, want %q in it", text, asShown)
			}
			k.click(".ask button", "Deny")
			k.wait(`document.querySelector(".ask[data-state=denied]")`)
			k.rests()
			k.harmless()
			k.open("/ledger")
			k.wait(`document.querySelector("tbody tr")`)
			k.harmless()
			k.click("tbody a", "")
			k.wait(`document.querySelector(".story")`)
			k.harmless()
		})
	}
}

// harmless fails where a text acts on the page, or hides on it.
func (k *tab) harmless() {
	k.t.Helper()
	if hit := js[int](k, `window.hit || document.querySelectorAll("main script, main img").length`); hit != 0 {
		k.t.Errorf("a text acts on the page: %d", hit)
	}
	if bad := js[string](k, `(document.querySelector("main").textContent.match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\udb40]/g) || []).map(c => c.codePointAt(0).toString(16)).join(" ")`); bad != "" {
		k.t.Errorf("the page holds hidden characters: %s", bad)
	}
}

func TestAMegabyteIsShownWhole(t *testing.T) {
	h := openMirror(t)
	k := h.tab(t)
	k.open("/")
	k.wait(`document.querySelector("#message")`)
	k.say("large")
	k.click(".card .plain", "What the model read")
	k.wait(`document.querySelectorAll(".card .args").length === 2`)
	if n := js[int](k, `document.querySelectorAll(".card .args")[1].textContent.length`); n != megabyte {
		t.Errorf("the result is shown with %d characters, want %d", n, megabyte)
	}
	k.say("long")
	k.wait(`document.querySelector(".ask[data-state=waiting]")`)
	if n := js[int](k, `document.querySelector(".ask .args").textContent.length`); n < 100_000 {
		t.Errorf("the approval shows %d characters of its arguments, want all 100000", n)
	}
	if n := js[int](k, `document.querySelectorAll(".card.is-pending .args")[0].textContent.length`); n > 20_000 {
		t.Errorf("a card shows %d characters, want it cut: the approval has them all", n)
	}
	k.look(360, 740, "light")
	if wide := js[int](k, `document.documentElement.scrollWidth`); wide > 360 {
		t.Errorf("the page is %d px wide on a phone, want 360", wide)
	}
}
