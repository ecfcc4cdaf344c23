package ledgertest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
)

// live fills a ledger with calls in every state, and returns their ids by name.
func (b *bench) live() map[string]string {
	b.Helper()
	b.run("r")
	turn, err := b.BeginTurn(b.Context(), "r", "a private message")
	if err != nil {
		b.Fatalf("BeginTurn() = %v, want no error", err)
	}
	err = b.SaveRound(b.Context(), ledger.Round{Run: "r", Turn: 1, Number: 1, Reply: []byte(`"a private reply"`), Principal: ana})
	if err != nil {
		b.Fatalf("SaveRound() = %v, want no error", err)
	}
	apart := func(key string) ledger.Claim {
		c := pay(key, "private "+key)
		c.TellsApart = true
		return c
	}
	ids := map[string]string{}
	ids["ok"] = b.settle(b.Ledger, b.start(b.Ledger, apart("ok")), ok("a private result")).ID
	ids["failed"] = b.settle(b.Ledger, b.start(b.Ledger, apart("failed")), failed()).ID
	ids["read"] = b.record(look("r", 1, 0)).ID
	agreed := b.approved(apart("agreed"), ledger.Approval{Finding: holdfast.Finding{Shown: []byte(`"a private finding"`)}})
	ids["agreed"] = b.settle(b.Ledger, b.start(b.Ledger, agreed), ok("")).ID
	replaced := b.approved(apart("replaced"), ledger.Approval{})
	_, a := b.pend(apart("replaced"), ledger.Approval{Replaces: replaced.ApprovalID})
	if err := b.Withdraw(b.Context(), a.ID, holdfast.Reject(holdfast.Cancelled, "private", "")); err != nil {
		b.Fatalf("Withdraw() = %v, want no error", err)
	}
	ids["replaced"] = replaced.Entry.ID
	late := b.settle(b.Ledger, b.start(b.Ledger, apart("late")), uncertain())
	_, err = b.Settle(b.Context(), late.ID, late.Fence, ok("a private late result"), "execute", "private evidence")
	wantErr(b, "Settle", err, ledger.ErrLost)
	if _, err := b.Resolve(b.Context(), late.ID, late.Fence, ok("private"), "boss", "private, too"); err != nil {
		b.Fatalf("Resolve() = %v, want no error", err)
	}
	ids["late"] = late.ID
	turn.End, turn.Answer = "answer", "a private answer"
	if err := b.EndTurn(b.Context(), turn); err != nil {
		b.Fatalf("EndTurn() = %v, want no error", err)
	}
	return ids
}

// unsettled adds calls that are not at their end.
func (b *bench) unsettled(ids map[string]string) {
	for _, key := range []string{"uncertain", "started", "pending"} {
		c := pay(key, "open "+key)
		c.TellsApart = true
		switch key {
		case "uncertain":
			ids[key] = b.settle(b.Ledger, b.start(b.Ledger, c), uncertain()).ID
		case "started":
			ids[key] = b.start(b.Ledger, c).ID
		default:
			e, _ := b.pend(c, ledger.Approval{Wait: 10_000 * time.Hour})
			ids[key] = e.ID
		}
	}
}

func (b *bench) wantIntact() {
	b.Helper()
	n, last, faults, err := b.Verify(b.Context())
	if err != nil || len(faults) != 0 || n == 0 || last == "" {
		b.Errorf("Verify() = %d events, last %q, %v, faults %q, want none", n, last, err, faults)
	}
}

// wantStories asserts that each entry's story is all the events that speak of it.
func wantStories(t *testing.T, l *ledger.Ledger) {
	t.Helper()
	want := map[string][]int64{}
	for after := int64(0); ; {
		some, next, err := l.Tail(t.Context(), after, 10_000)
		if err != nil {
			t.Fatalf("Tail() = %v, want no error", err)
		}
		if len(some) == 0 {
			break
		}
		for _, e := range some {
			want[e.Entry] = append(want[e.Entry], e.Seq)
		}
		after = next
	}
	for entry, numbers := range want {
		story, err := l.Events(t.Context(), entry)
		if err != nil {
			t.Errorf("Events(%s) = %v, want no error", entry, err)
		}
		var got []int64
		for _, e := range story {
			got = append(got, e.Seq)
		}
		if diff := cmp.Diff(numbers, got); diff != "" && entry != "" {
			t.Errorf("events of %s differ (-want +got):\n%s", entry, diff)
		}
	}
}

// wantFault asserts that Verify finds a fault that names what.
func (b *bench) wantFault(what string) {
	b.Helper()
	_, _, faults, err := b.Verify(b.Context())
	if err != nil || !strings.Contains(strings.Join(faults, "\n"), what) {
		b.Errorf("Verify() faults = %q, %v, want one about %q", faults, err, what)
	}
}

// tamper changes a row behind the ledger's back.
func (b *bench) tamper(table, id, old, fresh string) {
	b.Helper()
	update(b.T, b.store.Store, func(tx ledger.Tx) error {
		row, err := tx.Get(table, id)
		if err != nil {
			return err
		}
		text, err := row.Bytes()
		if err != nil {
			return err
		}
		changed := bytes.Replace(text, []byte(old), []byte(fresh), 1)
		if bytes.Equal(text, changed) {
			b.Errorf("row %s has no %q to change: %s", id, old, text)
		}
		row.Body, row.Value = changed, nil
		return tx.Put(row)
	})
}

// words is everything that the store holds, as text.
func (b *bench) words() string {
	b.Helper()
	var all strings.Builder
	view(b.T, b.store.Store, func(tx ledger.Tx) error {
		for _, table := range []string{"runs", "turns", "rounds", "entries", "approvals", "events"} {
			rows, err := tx.Find(ledger.Query{Table: table})
			if err != nil {
				return err
			}
			for _, row := range rows {
				text, err := row.Bytes()
				if err != nil {
					return err
				}
				all.Write(text)
				all.WriteString(strings.Join(row.Words[:], "\n"))
			}
		}
		return nil
	})
	return all.String()
}

var keepingCases = []ledgerCase{
	{"an honest record verifies", func(b *bench) {
		b.unsettled(b.live())
		b.wantIntact()
		other := b.another()
		more := pay("more", "more")
		more.TellsApart = true
		b.start(other, more)
		b.kill(other)
		b.Ledger = b.another()
		b.wantIntact()
		n, last, _, _ := b.Verify(b.Context())
		b.record(look("r", 1, 1))
		m, next, faults, _ := b.Verify(b.Context(), last)
		if len(faults) != 0 {
			b.Errorf("Verify of a chain that holds the known hash: faults = %q, want none", faults)
		}
		if _, _, faults, _ = b.Verify(b.Context(), last, "00ff"); len(faults) != 1 || !strings.Contains(faults[0], `"00ff"`) {
			b.Errorf("Verify of a chain without a known hash: faults = %q, want one about it", faults)
		}
		if m != n+1 || next == last {
			b.Errorf("Verify after one more record = %d events, want %d and another hash", m, n+1)
		}
	}},
	{"an entry that was changed, removed or put in is found", func(b *bench) {
		ids := b.live()
		b.tamper("entries", ids["ok"], "a private result", "another result!!")
		b.wantFault("entry " + ids["ok"] + " is not as")
		b.tamper("entries", ids["ok"], "another result!!", "a private result")
		b.wantIntact()
		b.tamper("entries", ids["failed"], `"state":"failed"`, `"state":"ok"`)
		b.wantFault("entry " + ids["failed"])
		update(b.T, b.store.Store, func(tx ledger.Tx) error {
			if err := tx.Put(ledger.Row{Table: "entries", ID: "forged", Body: []byte(`{"id":"forged","state":"ok"}`)}); err != nil {
				return err
			}
			return tx.Delete("entries", ids["read"])
		})
		b.wantFault("entry forged stands in no event")
		b.wantFault("entry " + ids["read"] + " is missing")
	}},
	{"an approval that was changed or removed is found", func(b *bench) {
		_, a := b.pend(pay("k", "bob"), ledger.Approval{})
		_, second := b.pend(pay("k2", "carol"), ledger.Approval{})
		b.wantIntact()
		b.tamper("approvals", a.ID, `"state":"waiting"`, `"state":"approved"`)
		b.wantFault("approval " + a.ID + " is not as")
		update(b.T, b.store.Store, func(tx ledger.Tx) error { return tx.Delete("approvals", second.ID) })
		b.wantFault("approval " + second.ID + " is missing")
	}},
	{"an event that was put in is found", func(b *bench) {
		ids := b.live()
		update(b.T, b.store.Store, func(tx ledger.Tx) error {
			body := `{"number":1000,"entry":"` + ids["ok"] + `","what":"ok","prev":"","hash":""}`
			return tx.Put(ledger.Row{Table: "events", Words: [7]string{ids["ok"]}, Body: []byte(body)})
		})
		b.wantFault("event 1000 stands where")
	}},
	{"pruning leaves tombstones, and what is not at its end", func(b *bench) {
		ids := b.live()
		b.unsettled(ids)
		_, forgotten := b.pend(pay("forgotten", "private forgotten"), ledger.Approval{Wait: time.Minute})
		b.clock.pass(400*24*time.Hour + time.Minute)
		young := b.record(look("r", 1, 1)).ID
		b.clock.pass(time.Second)
		n, err := b.Prune(b.Context(), 400*24*time.Hour)
		if err != nil || n != 7 {
			b.Errorf("Prune() = %d, %v, want 7", n, err)
		}
		_, err = b.Approval(b.Context(), forgotten.ID)
		wantErr(b, "Approval that nobody came back to", err, ledger.ErrNotFound)
		if n, err := b.Prune(b.Context(), 400*24*time.Hour); err != nil || n != 0 {
			b.Errorf("Prune again = %d, %v, want 0", n, err)
		}
		want := []string{young, ids["pending"], ids["started"], ids["uncertain"]}
		if diff := cmp.Diff(want, b.list(ledger.Filter{})); diff != "" {
			b.Errorf("entries differ (-want +got):\n%s", diff)
		}
		for _, key := range []string{"ok", "failed", "agreed"} {
			c := pay(key, "private "+key)
			c.TellsApart = true
			b.wantStanding(b.Ledger, c, holdfast.KeyPruned, "")
		}
		_, err = b.Entry(b.Context(), ids["ok"])
		wantErr(b, "Entry of a pruned call", err, ledger.ErrNotFound)
		if list, _ := b.Approvals(b.Context(), ledger.Filter{}); len(list) != 1 {
			b.Errorf("Approvals() = %d, want the one that waits", len(list))
		}
		if list, _ := b.Rounds(b.Context(), "r", 0); len(list) != 0 {
			b.Errorf("Rounds() = %d, want none", len(list))
		}
		for _, gone := range []string{"private result", "private late", "private ok", "private reply", "private finding", "private evidence"} {
			if strings.Contains(b.words(), gone) {
				b.Errorf("the store still holds %q", gone)
			}
		}
		b.wantIntact()
	}},
	{"erasing a principal forgets what was said and keeps what was done", func(b *bench) {
		ids := b.live()
		eve := pay("eve", "hers")
		eve.Entry.Principal.ID, eve.Entry.Run = "eve", "r2"
		b.settle(b.Ledger, b.start(b.Ledger, eve), ok("eve's result"))
		b.unsettled(ids)
		n, err := b.Erase(b.Context(), ana)
		if err != nil || n != 6 {
			b.Errorf("Erase() = %d, %v, want 6", n, err)
		}
		if strings.Contains(strings.ReplaceAll(b.words(), "digest of private", ""), "private") {
			b.Errorf("the store still holds something private:\n%s", b.words())
		}
		if !strings.Contains(b.words(), "eve's result") {
			b.Error("another principal's result was erased")
		}
		c := pay("ok", "private ok")
		c.TellsApart = true
		b.wantStanding(b.Ledger, c, "", ids["ok"])
		c.Entry.ArgumentsDigest = "other"
		b.wantStanding(b.Ledger, c, holdfast.KeyConflict, "")
		b.wantIntact()
	}},
	{"an export holds every row once and nothing that is sealed", func(b *bench) {
		ids := b.live()
		b.unsettled(ids)
		var out bytes.Buffer
		if err := b.Export(b.Context(), &out); err != nil {
			b.Fatalf("Export() = %v, want no error", err)
		}
		if strings.Contains(out.String(), "the real bytes") || strings.Contains(out.String(), "sealed") {
			b.Error("the export holds what is sealed")
		}
		count := map[string]int{}
		for lines := bufio.NewScanner(&out); lines.Scan(); {
			var line struct {
				Table string
				ID    string
				Body  json.RawMessage
			}
			if err := json.Unmarshal(lines.Bytes(), &line); err != nil || line.Body == nil {
				b.Fatalf("line %q: %v", lines.Text(), err)
			}
			count[line.Table]++
		}
		n, _, _, _ := b.Verify(b.Context())
		want := map[string]int{"runs": 1, "turns": 1, "rounds": 1, "entries": 9, "approvals": 4, "events": int(n)}
		if diff := cmp.Diff(want, count); diff != "" {
			b.Errorf("lines differ (-want +got):\n%s", diff)
		}
	}},
}
