package browsertest

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
	"github.com/holdfast-go/holdfast/wire/anthropic"
)

// till is a tool that strangers write into and one that a person is asked about.
func till(t *testing.T) *holdfast.Catalog {
	t.Helper()
	tool := func(name string, effect holdfast.Effect, o *holdfast.ToolOptions) *holdfast.Tool {
		input, err := schema.Compile([]byte(`{"type":"object"}`), nil)
		if err != nil {
			t.Fatalf("Compile = %v", err)
		}
		made, err := holdfast.NewTool(name, "A tool of the till.", input, effect, time.Minute,
			func(context.Context, schema.Value) (holdfast.Result, error) {
				return holdfast.Result{JSON: json.RawMessage(`"fine"`)}, nil
			}, o)
		if err != nil {
			t.Fatalf("NewTool = %v", err)
		}
		return made
	}
	c, err := holdfast.NewCatalog("", tool("inbox", holdfast.Read, &holdfast.ToolOptions{Untrusted: true}),
		tool("pay", holdfast.Write, &holdfast.ToolOptions{Repeats: true}))
	if err != nil {
		t.Fatalf("NewCatalog = %v", err)
	}
	return c
}

func TestAlwaysShowsTheRuleBeforeItSavesIt(t *testing.T) {
	needBrowser(t)
	h := open(t, anthropic.Messages{}, `rules:
  - when: {message: '^read$'}
    calls: [{name: inbox, arguments: {}}]
  - when: {message: '^pay (?P<n>\d+)$'}
    calls: [{name: pay, arguments: {to: bob, cents: 100, note: "{{.Group.n}}"}}]
  - when: {after: inbox}
    say: read
  - when: {after: pay, outcome: ok}
    say: paid
  - when: {after: pay}
    say: not paid
`)
	h.ended()
	h.catalog = till(t)
	h.start()
	k := h.tab(t)
	k.open("/")
	k.wait(`document.querySelector("#message")`)
	k.say("read")
	k.say("pay 1")
	k.waitText(".ask .warn", "Text of strangers is in this conversation (inbox)")
	k.click(".ask button", "Always")
	k.waitText(".always pre", `to == "bob"`)
	k.waitText(".always pre", "and no other argument is given")
	k.waitText(".always pre", "untrusted text from inbox")
	js[bool](k, `document.querySelector(".always input[value=note]").click() || true`)
	k.waitText(".always pre", "note is anything")
	for _, fault := range k.axe(axeSource(t)) {
		t.Errorf("a rule that would be saved: %s", fault)
	}
	k.shot("always")
	k.click(".always button", "Approve and save")
	k.waitText(".reply", "paid")
	k.rests()
	k.waitText(".ask.done", "a rule for calls like it")
	h.wantCalls("inbox ok", "pay ok")

	k.say("pay 2")
	k.wait(`document.querySelectorAll(".ask").length === 1`)
	h.wantCalls("inbox ok", "pay ok", "pay ok")
}
