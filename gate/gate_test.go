package gate_test

import (
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/gate"
	"github.com/holdfast-go/holdfast/ledger"
)

func TestReadAndWriteEndToEnd(t *testing.T) {
	var found, stored entered
	h := open(t, nil,
		tool(t, "search_foods", holdfast.Read, `{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`, found.answers(`{"foods":["Arroz"]}`), nil),
		tool(t, "add_food", holdfast.Write, `{"type":"object","properties":{"grams":{"type":"number"}},"required":["grams"]}`, stored.answers(`{"id":7}`), nil),
	)
	vs := h.put(h.round(call("search_foods", `{"query":"arroz"}`), call("add_food", `{"grams":200}`)), nil)
	want(t, vs[0], holdfast.OK, "", gate.Execute)
	want(t, vs[1], holdfast.OK, "", gate.Execute)
	if got := vs[0].Observation.Content(); got != `{"foods":["Arroz"]}` {
		t.Errorf("observation of a read = %s", got)
	}
	if e := h.entry(vs[1].LedgerID); e.State != ledger.StateOK || e.Key != vs[1].Key || string(e.Arguments) != `{"grams":200}` {
		t.Errorf("entry = %+v", e)
	}
	if e := h.entry(vs[0].LedgerID); e.State != ledger.StateOK || e.Key != "" {
		t.Errorf("entry of the read = %+v", e)
	}

	again := h.one("add_food", `{"grams":2e2}`)
	want(t, again, holdfast.OK, "", gate.Claim)
	if !again.Outcome.Replayed || again.LedgerID != vs[1].LedgerID || stored.times() != 1 {
		t.Errorf("the same write in a later round = %+v, handler entered %d times", again.Outcome, stored.times())
	}
	if got, wanted := again.Observation.Content(), `{"outcome":"ok","replayed":true,"message":"This call already ran; it was not run again.","result":{"id":7}}`; got != wanted {
		t.Errorf("observation of a replay = %s, want %s", got, wanted)
	}
}
