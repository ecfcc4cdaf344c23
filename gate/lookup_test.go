package gate_test

import (
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
)

func TestCode_unknown_tool(t *testing.T) {
	var e entered
	h := open(t, nil, tool(t, "search_foods", holdfast.Read, "", e.answers(`[]`), nil))
	v := h.one("search_foodz", `{"query":"arroz"}`)
	want(t, v, holdfast.Rejected, holdfast.UnknownTool, gate.Lookup)
	contains(t, "next", v.Outcome.Next, "Did you mean search_foods?")
	if v.Tool != "search_foodz" || v.Observation.Name != "search_foodz" {
		t.Errorf("tool = %q, name = %q, want as sent", v.Tool, v.Observation.Name)
	}
	want(t, h.one("SEARCH_FOODS", `{}`), holdfast.Rejected, holdfast.UnknownTool, gate.Lookup)
	want(t, h.one("", `{}`), holdfast.Rejected, holdfast.UnknownTool, gate.Lookup)
	if e.times() != 0 {
		t.Errorf("handler entered %d times", e.times())
	}
}

func TestNamesAreFoundAsSent(t *testing.T) {
	var e entered
	catalog, err := holdfast.NewCatalog("coach", lookTool(t, &e), putTool(t, &e, nil))
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.New(t.Context(), memory.New(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := gate.New(catalog, l, nil)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{"coach_look": "coach.look", "put": "coach.look"}
	for _, row := range []struct {
		namespace, sent, found string
		names                  map[string]string
	}{
		{"", "look", "coach.look", nil},
		{"", "coach.look", "coach.look", nil},
		{"coach", "look", "coach.look", nil},
		{"other", "look", "", nil},
		{"", "coach_look", "coach.look", names},
		{"", "put", "coach.look", names}, // the table stands over the bare name
		{"", "coach.put", "coach.put", names},
		{"", "coach_put", "", names},
	} {
		c := call(row.sent, `{}`)
		c.Namespace = row.namespace
		vs, err := g.Round(t.Context(), gate.Round{
			Run: "r", Turn: 1, Number: 1, Calls: []holdfast.Call{c}, Complete: true, Names: row.names, Principal: me,
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if v := vs[0]; row.found == "" && v.Outcome.Code != holdfast.UnknownTool || row.found != "" && v.Tool != row.found {
			t.Errorf("%q %q with names %v = %q %q, want %q", row.namespace, row.sent, row.names, v.Tool, v.Outcome.Code, row.found)
		}
	}
	vs, err := g.Round(t.Context(), gate.Round{
		Run: "r", Turn: 1, Number: 2, Calls: []holdfast.Call{call("coach_lok", `{}`)}, Complete: true,
		Names: map[string]string{"coach_look": "coach.look"}, Principal: me,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if near := vs[0].Outcome.Next; near == "" {
		t.Error("no nearest names")
	}
}

func TestACallThatWasNotLookedUpIsKnownByTheTable(t *testing.T) {
	var e entered
	h := open(t, nil, lookTool(t, &e))
	r := h.round(call("shop_look", `{}`), call("other", `{}`))
	r.Complete, r.Ending, r.Names = false, "cut", map[string]string{"shop_look": "shop.look"}
	vs := h.put(r, nil)
	if vs[0].Tool != "shop.look" || vs[1].Tool != "other" {
		t.Errorf("tools of a cut reply = %q, %q, want shop.look, other", vs[0].Tool, vs[1].Tool)
	}
	contains(t, "message", vs[0].Outcome.Message, "shop_look did not run")
}
