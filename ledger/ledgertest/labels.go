package ledgertest

import (
	"fmt"
	"sync"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
)

func (b *bench) wantLabels(run string, want ...holdfast.Label) {
	b.Helper()
	got, err := b.Labels(b.Context(), run)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		b.Errorf("Labels(%s) error %v, differs (-want +got):\n%s", run, err, diff)
	}
}

func (b *bench) mark(run string, label holdfast.Label) {
	b.Helper()
	if err := b.Mark(b.Context(), run, label); err != nil {
		b.Fatalf("Mark(%s, %s) = %v, want no error", run, label, err)
	}
}

var labelCases = []ledgerCase{
	{"labels grow, and survive their process, pruning and erasing", func(b *bench) {
		b.run("r")
		b.wantLabels("r")
		b.mark("r", "untrusted:mail")
		b.mark("r", "untrusted:web")
		b.mark("r", "untrusted:mail")
		b.Ledger = b.another()
		if _, err := b.Prune(b.Context(), 0); err != nil {
			b.Fatal(err)
		}
		if _, err := b.Erase(b.Context(), ana); err != nil {
			b.Fatal(err)
		}
		b.wantLabels("r", "untrusted:mail", "untrusted:web")
		got, err := b.LookupRun(b.Context(), "r")
		if err != nil || len(got.Labels) != 2 {
			b.Errorf("LookupRun() = %+v, %v, want its labels", got, err)
		}
		b.wantLabels("other")
	}},
	{"a run shares its root's labels, both ways and at any depth", func(b *bench) {
		b.run("r")
		for _, r := range []ledger.Run{{ID: "a", Root: "r"}, {ID: "b", Root: "a"}, {ID: "b", Root: "a"}} {
			made, err := b.CreateRun(b.Context(), r)
			if err != nil || made.Root != "r" {
				b.Fatalf("CreateRun(%+v) = %+v, %v, want root r", r, made, err)
			}
		}
		b.mark("b", "untrusted:mail")
		b.mark("r", "untrusted:web")
		for _, run := range []string{"r", "a", "b"} {
			b.wantLabels(run, "untrusted:mail", "untrusted:web")
		}
	}},
	{"a run within an agent call shares the labels of the run around it", func(b *bench) {
		b.run("r")
		around, err := b.Record(b.Context(), ledger.Entry{
			Run: "r", Turn: 1, Round: 1, Tool: "ask", Effect: holdfast.Agent, Principal: ana, Outcome: &holdfast.Outcome{Status: holdfast.OK},
		})
		if err != nil {
			b.Fatal(err)
		}
		inner, err := b.CreateRun(b.Context(), ledger.Run{ID: "inner", Principal: ana, Parent: around.ID})
		if err != nil || inner.Root != "r" {
			b.Fatalf("CreateRun() = %+v, %v, want root r", inner, err)
		}
		b.mark("inner", "untrusted:mail")
		b.wantLabels("r", "untrusted:mail")
	}},
	{"marks at the same time are all kept", func(b *bench) {
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				if err := b.Mark(b.Context(), "r", holdfast.Untrusted.Of(fmt.Sprint(i))); err != nil {
					b.Errorf("Mark() = %v, want no error", err)
				}
			})
		}
		all.Wait()
		if got, err := b.Labels(b.Context(), "r"); len(got) != 8 || err != nil {
			b.Errorf("Labels() = %v, %v, want 8 of them", got, err)
		}
	}},
}
