package ledgertest

import (
	"errors"
	"fmt"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
)

func (b *bench) run(id string) {
	b.Helper()
	if _, err := b.CreateRun(b.Context(), ledger.Run{ID: id, Catalog: "bank", Model: "m", Principal: ana}); err != nil {
		b.Fatalf("CreateRun(%s) = %v, want no error", id, err)
	}
}

var runCases = []ledgerCase{
	{"a run is created once and one that differs is refused", func(b *bench) {
		b.run("r")
		b.run("r")
		if _, err := b.CreateRun(b.Context(), ledger.Run{ID: "r", Catalog: "other", Principal: ana}); err == nil {
			b.Error("CreateRun with another catalog = no error, want one")
		}
		got, err := b.LookupRun(b.Context(), "r")
		want := ledger.Run{ID: "r", Catalog: "bank", Model: "m", Principal: ana, Created: b.clock.Now()}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			b.Errorf("LookupRun error %v, differs (-want +got):\n%s", err, diff)
		}
		_, err = b.LookupRun(b.Context(), "unknown")
		wantErr(b, "LookupRun", err, ledger.ErrNotFound)
	}},
	{"runs are listed newest first and in pages", func(b *bench) {
		for i := range 5 {
			b.run(fmt.Sprint("r", i))
		}
		var got []string
		for page := ""; ; {
			list, err := b.Runs(b.Context(), ledger.Filter{Limit: 2, Before: page})
			if err != nil {
				b.Fatalf("Runs() = %v, want no error", err)
			}
			for _, r := range list {
				got, page = append(got, r.ID), r.ID
			}
			if len(list) < 2 {
				break
			}
		}
		if diff := cmp.Diff([]string{"r4", "r3", "r2", "r1", "r0"}, got); diff != "" {
			b.Errorf("pages differ (-want +got):\n%s", diff)
		}
	}},
	{"a run has one open turn", func(b *bench) {
		b.run("r")
		first, err := b.BeginTurn(b.Context(), "r", "hello")
		if err != nil || first.Number != 1 || first.Message != "hello" {
			b.Fatalf("BeginTurn() = %+v, %v, want turn 1", first, err)
		}
		var open *ledger.OpenTurnError
		if _, err := b.BeginTurn(b.Context(), "r", "again"); !errors.As(err, &open) || open.Turn.Number != 1 || open.Approval != "" {
			b.Errorf("second BeginTurn error = %v, want an OpenTurnError", err)
		}
		first.End, first.Answer = "answer", "hi"
		if err := b.EndTurn(b.Context(), first); err != nil {
			b.Fatalf("EndTurn() = %v, want no error", err)
		}
		other := first
		other.End = "error"
		if err := b.EndTurn(b.Context(), other); err != nil {
			b.Errorf("EndTurn of an ended turn = %v, want no error", err)
		}
		second, err := b.BeginTurn(b.Context(), "r", "more")
		if err != nil || second.Number != 2 {
			b.Fatalf("BeginTurn() = %+v, %v, want turn 2", second, err)
		}
		first.Ended = b.clock.Now()
		list, err := b.Turns(b.Context(), "r")
		if diff := cmp.Diff([]ledger.Turn{first, second}, list); diff != "" || err != nil {
			b.Errorf("Turns error %v, differ (-want +got):\n%s", err, diff)
		}
		_, err = b.BeginTurn(b.Context(), "unknown", "hello")
		wantErr(b, "BeginTurn of an unknown run", err, ledger.ErrNotFound)
	}},
	{"a parked turn names its approval", func(b *bench) {
		b.run("r")
		b.run("r2")
		for _, run := range []string{"r", "r2"} {
			if _, err := b.BeginTurn(b.Context(), run, "pay"); err != nil {
				b.Fatalf("BeginTurn(%s) = %v, want no error", run, err)
			}
		}
		_, a := b.pend(pay("k", "bob"), ledger.Approval{})
		elsewhere := pay("k2", "bob")
		elsewhere.Entry.Run = "r2"
		b.pend(elsewhere, ledger.Approval{})
		var open *ledger.OpenTurnError
		if _, err := b.BeginTurn(b.Context(), "r", "again"); !errors.As(err, &open) || open.Approval != a.ID {
			b.Errorf("BeginTurn error = %v, want one that names %s", err, a.ID)
		}
	}},
	{"a round is saved once, to the byte", func(b *bench) {
		r := ledger.Round{
			Run: "r", Turn: 1, Number: 1, API: "openai-chat", Reply: []byte("{ \"n\": 1.0,\n \"s\":\"<\xff>\" }"),
			Calls: []holdfast.Call{{
				ID: "c", Name: "pay", Kind: holdfast.FunctionCall, Arguments: "{\"a\":\xff 1.0}", Complete: true,
				Problem: holdfast.DuplicateCallID, Namespace: "n", ProviderExecuted: true,
			}, {Kind: holdfast.CustomCall}},
			Complete: true, Ending: "tool_calls", Names: map[string]string{"pay": "bank.pay"}, Keys: map[int]string{1: "mine"},
			Principal: ana,
		}
		for range 2 {
			if err := b.SaveRound(b.Context(), r); err != nil {
				b.Fatalf("SaveRound() = %v, want no error", err)
			}
		}
		other := r
		other.Reply = []byte("{}")
		if err := b.SaveRound(b.Context(), other); err == nil {
			b.Error("SaveRound of another reply = no error, want one")
		}
		next, elsewhere, later := r, r, r
		next.Number, elsewhere.Run, later.Turn = 2, "r2", 2
		for _, r := range []ledger.Round{next, elsewhere, later} {
			if err := b.SaveRound(b.Context(), r); err != nil {
				b.Fatalf("SaveRound() = %v, want no error", err)
			}
		}
		got, err := b.Rounds(b.Context(), "r", 1)
		if diff := cmp.Diff([]ledger.Round{r, next}, got); diff != "" || err != nil {
			b.Errorf("Rounds error %v, differ (-want +got):\n%s", err, diff)
		}
		if got, _ := b.Rounds(b.Context(), "r", 0); len(got) != 3 {
			b.Errorf("Rounds of all turns = %d, want 3", len(got))
		}
	}},
}
