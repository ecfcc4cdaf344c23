package server

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/server/token"
)

// news is the next call that a feed tells of.
func (s *stream) news() (newsView, string) {
	s.t.Helper()
	e := s.until("call")
	var n newsView
	if err := json.Unmarshal([]byte(e[len(e)-1].data), &n); err != nil {
		s.t.Fatalf("news %s = %v", e[len(e)-1].data, err)
	}
	return n, e[len(e)-1].id
}

// wait reads news until a call stands so.
func (s *stream) wait(tool, state string) (newsView, string) {
	s.t.Helper()
	for {
		n, id := s.news()
		if n.Call.Tool == tool && n.Call.State != nil && *n.Call.State == state {
			return n, id
		}
	}
}

func TestTheFeedTellsWhatIsNewWhoeverRecordedIt(t *testing.T) {
	v, run, approval := parked(t)
	s := v.listenAt("/v1/events", "", "")
	s.until("ready")
	v.want(http.StatusOK, "POST", "/v1/approvals/"+approval+"/approve", "{}")
	done, id := s.wait("write_measurement", "ok")
	if done.Call.Run != run || done.Number == 0 || done.What == "" {
		t.Errorf("news = %+v, want what became of the call", done)
	}
	// As another process over the same ledger would.
	if _, err := v.ledger.Record(t.Context(), ledger.Entry{
		Run: "elsewhere", Turn: 1, Round: 1, Tool: "search_foods", Effect: holdfast.Read, Principal: ana, Arguments: []byte(`{}`), Stage: "execute",
		Outcome: &holdfast.Outcome{Status: holdfast.OK, Result: &holdfast.Result{Text: "x"}},
	}); err != nil {
		t.Fatalf("Record = %v", err)
	}
	if n, _ := s.wait("search_foods", "ok"); n.Call.Run != "elsewhere" {
		t.Errorf("news = %+v, want what another process recorded", n)
	}
	s.cancel()
	again := v.listenAt("/v1/events", "", id)
	again.until("ready")
	if n, _ := again.news(); n.Call.Run != "elsewhere" {
		t.Errorf("behind %s = %+v, want what came after it", id, n)
	}
	v.header.Set("Last-Event-ID", "yesterday")
	v.want(http.StatusBadRequest, "GET", "/v1/events", "")
}

func TestTheFeedTellsNobodyOfOthers(t *testing.T) {
	v, ring := withTokens(t)
	mine, boss := v.as(ring, ana, token.Read, token.Propose), v.as(ring, leo, token.Read, token.Admin)
	own, all := mine.listenAt("/v1/events", "", ""), boss.listenAt("/v1/events", "", "")
	own.until("ready")
	all.until("ready")
	for _, e := range []ledger.Entry{{Run: "b", Principal: bob}, {Run: "l", Principal: leo}, {Run: "a", Principal: ana}} {
		e.Turn, e.Round, e.Tool, e.Effect, e.Arguments, e.Stage = 1, 1, "search_foods", holdfast.Read, []byte(`{}`), "execute"
		e.Outcome = &holdfast.Outcome{Status: holdfast.OK, Result: &holdfast.Result{Text: "x"}}
		if _, err := v.ledger.Record(t.Context(), e); err != nil {
			t.Fatalf("Record = %v", err)
		}
	}
	if n, _ := own.news(); n.Call.Run != "a" {
		t.Errorf("ana is told of run %q first, want her own", n.Call.Run)
	}
	first, _ := all.news()
	second, _ := all.news()
	if got := first.Call.Run + second.Call.Run; got != "la" {
		t.Errorf("the tenant's operator is told of %q, want l and a, and nothing of another tenant", got)
	}
}

func TestAPersonsWordOnAnUncertainCall(t *testing.T) {
	v := serve(t, "", nil)
	for name, row := range map[string]struct{ body, state, seen string }{
		"it happened":       {`{"happened":true,"evidence":"the receipt"}`, "ok", "a person looked and found the effect"},
		"and this it gave":  {`{"happened":true,"evidence":"the receipt","result":"{\"receipt\":4711}"}`, "ok", `"receipt":4711`},
		"it did not happen": {`{"happened":false,"evidence":"not on the statement"}`, "failed", "did not take effect"},
	} {
		e, _, err := v.ledger.Start(t.Context(), ledger.Claim{Entry: ledger.Entry{
			Run: name, Turn: 1, Round: 1, Tool: "write_measurement", Effect: holdfast.Write, Principal: ana, Arguments: []byte(`{}`), ArgumentsDigest: name, Key: name,
		}})
		if err != nil {
			t.Fatalf("Start = %v", err)
		}
		if e, err = v.ledger.Settle(t.Context(), e.ID, e.Fence, holdfast.Outcome{Status: holdfast.Uncertain, Code: holdfast.Timeout, Message: "nobody knows"}, "execute", ""); err != nil {
			t.Fatalf("Settle = %v", err)
		}
		path := "/v1/calls/" + e.ID + "/resolve"
		for what, body := range map[string]string{
			"no evidence":              `{"happened":true,"evidence":" "}`,
			"no word":                  `{"evidence":"x"}`,
			"a result that is no JSON": `{"happened":true,"evidence":"x","result":"{"}`,
			"a result of nothing":      `{"happened":false,"evidence":"x","result":"1"}`,
			"too much":                 `{"happened":true,"evidence":"` + strings.Repeat("x", maxEvidence+1) + `"}`,
		} {
			if a := v.ask("POST", path, body); a.status != http.StatusBadRequest {
				t.Errorf("%s: %d %s, want 400", what, a.status, a.body)
			}
		}
		a := v.want(http.StatusOK, "POST", path, row.body)
		var told storyView
		a.into(t, &told)
		if *told.State != row.state || told.Observation == nil || !strings.Contains(*told.Observation, row.seen) {
			t.Errorf("%s: %s %v, want %s and that the model reads %s", name, *told.State, told.Observation, row.state, row.seen)
		}
		if !strings.Contains(string(a.body), "receipt") && !strings.Contains(string(a.body), "statement") {
			t.Errorf("%s: the story %s lacks what was seen", name, a.body)
		}
		for i, ev := range told.Events {
			if len(ev.Hash) != 64 || i > 0 && ev.Number <= told.Events[i-1].Number {
				t.Errorf("%s: event %d has number %d and hash %q, want its place in the chain", name, i, ev.Number, ev.Hash)
			}
		}
		if again := v.want(http.StatusConflict, "POST", path, row.body); again.field(t, "code") != "not_uncertain" {
			t.Errorf("%s: a second word = %s, want not_uncertain", name, again.body)
		}
	}
}
