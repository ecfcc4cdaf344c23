package sqlite_test

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
)

var newVersion = flag.String("version-file", "", "write a database of the present version, with the story in it, to this file")

var (
	storyDay  = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	storyTell = holdfast.Principal{Tenant: "acme", ID: "ana"}

	storyReader = holdfast.Principal{Tenant: "acme", ID: "bob"} // from version 3 on
)

const storyReads = 12

func storyClaim(key string) ledger.Claim {
	return ledger.Claim{TellsApart: true, Entry: ledger.Entry{
		ID: "entry-" + key, Run: "run", Turn: 1, Round: 1, CallID: "call", Tool: "bank.pay", ToolDigest: "tool", Effect: holdfast.Write,
		Principal: storyTell, Key: key, Arguments: []byte(`{"to":"` + key + `"}`), ArgumentsDigest: "digest of " + key,
	}}
}

// tellStory writes one row of each kind, with calls in the states that matter.
func tellStory(t *testing.T, s ledger.Store) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	id := 0
	l, err := ledger.New(t.Context(), s, &ledger.Options{Owner: "owner", NewID: func() string { id++; return "id-" + string(rune('a'+id)) }})
	must(err)
	_, err = l.CreateRun(t.Context(), ledger.Run{ID: "run", Catalog: "bank", Principal: storyTell})
	must(err)
	_, err = l.BeginTurn(t.Context(), "run", "pay them")
	must(err)
	must(l.SaveRound(t.Context(), ledger.Round{
		Run: "run", Turn: 1, Number: 1, API: "openai-chat", Reply: []byte("{\"a\": \"\xff\"}"), Complete: true,
		Calls: []holdfast.Call{{ID: "call", Name: "pay", Kind: holdfast.FunctionCall, Arguments: `{"to": 1.0}`, Complete: true}},
	}))
	for key, o := range map[string]holdfast.Outcome{
		"paid":    {Status: holdfast.OK, Result: &holdfast.Result{JSON: []byte(`{"receipt":9007199254740993}`)}},
		"refused": {Status: holdfast.Failed, Code: holdfast.NoEffect},
		"unknown": {Status: holdfast.Uncertain, Code: holdfast.Timeout},
	} {
		e, _, err := l.Start(t.Context(), storyClaim(key))
		must(err)
		_, err = l.Settle(t.Context(), e.ID, e.Fence, o, "record", "")
		must(err)
	}
	waits := storyClaim("waits").Entry
	waits.Sealed = []byte(`{"to": "sealed"}`)
	_, _, err = l.OpenApproval(t.Context(), waits, ledger.Approval{Digest: "bound", Why: "it is much", Wait: 1000 * 24 * time.Hour})
	must(err)
	_, _, err = l.Start(t.Context(), storyClaim("lost"))
	must(err)
	for range storyReads {
		_, err := l.Record(t.Context(), ledger.Entry{
			Tool: "bank.look", Effect: holdfast.Read, Principal: storyReader, Outcome: &holdfast.Outcome{Status: holdfast.OK},
		})
		must(err)
	}
	n, err := l.Erase(t.Context(), storyReader) // in one commit
	must(err)
	if n != storyReads {
		t.Fatalf("Erase() = %d, want %d", n, storyReads)
	}
}

// wantStory asserts that what tellStory wrote in that version means what it meant,
// and goes on.
func wantStory(t *testing.T, s ledger.Store, version int) {
	t.Helper()
	l, err := ledger.New(t.Context(), s, nil)
	if err != nil {
		t.Fatalf("New() = %v, want no error", err)
	}
	got := map[string]holdfast.Code{}
	for _, key := range []string{"paid", "refused", "unknown", "waits", "lost", "new"} {
		standing, err := l.Look(t.Context(), ledger.Claim{TellsApart: true, Entry: func() ledger.Entry {
			e := storyClaim(key).Entry
			e.ID = ""
			return e
		}()})
		if err != nil {
			t.Fatalf("Look(%s) = %v, want no error", key, err)
		}
		got[key] = standing.Code
		if standing.Free() {
			got[key] = "free"
		}
	}
	want := map[string]holdfast.Code{
		"paid": "", "refused": "free", "unknown": holdfast.UnresolvedWrite, "waits": holdfast.ApprovalPending,
		"lost": holdfast.UnresolvedWrite, "new": "free",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keys differ (-want +got):\n%s", diff)
	}
	paid, err := l.Entry(t.Context(), "entry-paid")
	if err != nil || string(paid.Outcome.Result.JSON) != `{"receipt":9007199254740993}` || paid.Principal != storyTell {
		t.Errorf("Entry(paid) = %+v, %v, want its result and principal", paid, err)
	}
	waits, err := l.Entry(t.Context(), "entry-waits")
	if err != nil || string(waits.Sealed) != `{"to": "sealed"}` {
		t.Errorf("Entry(waits).Sealed = %q, %v, want the sealed bytes", waits.Sealed, err)
	}
	turns, err := l.Turns(t.Context(), "run")
	if err != nil || len(turns) != 1 || turns[0].Message != "pay them" || turns[0].End != "" {
		t.Errorf("Turns() = %+v, %v, want the open one", turns, err)
	}
	rounds, err := l.Rounds(t.Context(), "run", 1)
	if err != nil || len(rounds) != 1 || string(rounds[0].Reply) != "{\"a\": \"\xff\"}" || rounds[0].Calls[0].Arguments != `{"to": 1.0}` {
		t.Errorf("Rounds() = %+v, %v, want the reply to the byte", rounds, err)
	}
	unknown, err := l.Entry(t.Context(), "entry-unknown")
	if err == nil {
		_, err = l.Resolve(t.Context(), unknown.ID, unknown.Fence, holdfast.Outcome{Status: holdfast.OK}, "ana", "it is in the books")
	}
	if err != nil {
		t.Errorf("resolving the unknown one = %v, want no error", err)
	}
	wantEvents(t, l, unknown.ID, "started uncertain resolved_ok")
	if version >= 3 {
		reads, err := l.Entries(t.Context(), ledger.Filter{Tool: "bank.look"})
		if err != nil || len(reads) != storyReads {
			t.Errorf("Entries() = %d reads, %v, want %d", len(reads), err, storyReads)
		}
		for _, e := range reads {
			wantEvents(t, l, e.ID, "ok erased")
		}
	}
	if _, _, faults, err := l.Verify(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("Verify() faults = %q, %v, want none", faults, err)
	}
}

func wantEvents(t *testing.T, l *ledger.Ledger, entry, want string) {
	t.Helper()
	list, err := l.Events(t.Context(), entry)
	var what []string
	for _, e := range list {
		what = append(what, e.What)
	}
	if got := strings.Join(what, " "); err != nil || got != want {
		t.Errorf("Events(%s) = %q, %v, want %q", entry, got, err, want)
	}
}

func TestStore_a_story_survives_closing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.db")
	s, err := sqlite.Open(t.Context(), path, &sqlite.Options{Now: func() time.Time { return storyDay }})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	tellStory(t, s)
	if err := s.Close(); err != nil {
		t.Fatalf("Close() = %v, want no error", err)
	}
	if *newVersion != "" {
		data, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(*newVersion, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	wantStory(t, open(t, path, nil), math.MaxInt)
}
