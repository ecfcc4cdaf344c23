package gate_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
	"github.com/holdfast-go/holdfast/schema"
)

func TestCheckAnswer(t *testing.T) {
	s, err := schema.Compile([]byte(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	tool, err := holdfast.Func("look", "Looks.", holdfast.Read, 1, func(_ context.Context, _ struct{}) (string, error) { return "", nil }, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := holdfast.NewCatalog("", tool)
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.New(t.Context(), memory.New(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	g, err := gate.New(c, l, nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]holdfast.Status{
		` {"n": 9007199254740993} `: holdfast.OK, `{"n":1}{"n":2}`: holdfast.Rejected, "```json\n{\"n\":1}\n```": holdfast.Rejected,
		`{"n":"1"}`: holdfast.Rejected, `[]`: holdfast.Rejected, ``: holdfast.Rejected,
	} {
		got := g.CheckAnswer(s, text)
		if got.Status != want || want == holdfast.Rejected && (got.Code != holdfast.OutputInvalid || len(got.Problems) == 0) {
			t.Errorf("CheckAnswer(%q) = %s %s, want %s", text, got.Status, got.Code, want)
		}
		if want == holdfast.OK && string(got.Result.JSON) != `{"n": 9007199254740993}` {
			t.Errorf("CheckAnswer(%q) = %s, want the value as sent", text, got.Result.JSON)
		}
	}
}
