package server

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/ledger/memory"
	"github.com/holdfast-go/holdfast/ledger/sqlite"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/anthropic"
)

// manyCalls is a ledger of n calls in a SQLite file, of several tools and
// outcomes, as many copies of calls that were really recorded.
func manyCalls(t testing.TB, n int) *ledger.Ledger {
	t.Helper()
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "ledger.db")
	store, l := openLedger(t, path)
	for i, status := range []holdfast.Status{holdfast.OK, holdfast.Rejected, holdfast.Failed, holdfast.Uncertain} {
		e := ledger.Entry{
			Run: "r", Turn: 1, Round: 1, Position: i, Tool: "search_foods", Effect: holdfast.Read, Principal: ana,
			Arguments: []byte(`{"query":"arroz blanco cocido"}`), Stage: "execute",
			Outcome: &holdfast.Outcome{Status: status, Message: "a message of some length about what became of it", Result: &holdfast.Result{Text: strings.Repeat("result ", 20)}},
		}
		if _, err := l.Record(ctx, e); err != nil {
			t.Fatalf("Record = %v", err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", "file:"+filepath.ToSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	// Of a hundred calls 94 are ok, 4 rejected, one failed; of all, twenty are
	// uncertain. Each tool has a tenth.
	_, err = db.Exec(fmt.Sprintf(`
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < %d),
 k(i, source) AS (SELECT i, CASE WHEN i %% %d = 0 THEN 4 WHEN i %% 100 < 4 THEN 2 WHEN i %% 100 = 50 THEN 3 ELSE 1 END FROM n)
INSERT INTO entries (id, w0, w1, w2, w3, w4, w5, w6, body)
SELECT 'c' || k.i, 'run-' || (k.i / 20), e.w1, 'tool_' || (k.i %% 10), e.w3, e.w4, e.w5, NULL,
 CAST(json_set(e.body, '$.id', 'c' || k.i, '$.run', 'run-' || (k.i / 20), '$.tool', 'tool_' || (k.i %% 10),
  '$.proposed', strftime('%%Y-%%m-%%dT%%H:%%M:%%SZ', 1700000000 + k.i * 60, 'unixepoch')) AS BLOB)
FROM k JOIN entries e ON e.seq = k.source ORDER BY k.i`, n, n/20))
	if err != nil {
		t.Fatalf("filling the ledger = %v", err)
	}
	if _, err := db.Exec("DELETE FROM entries WHERE seq <= 4; INSERT OR IGNORE INTO entry_tools SELECT DISTINCT w2, seq >> 8 FROM entries WHERE w2 IS NOT NULL"); err != nil {
		t.Fatal(err)
	}
	store, l = openLedger(t, path)
	t.Cleanup(func() { _ = l.Close(); _ = store.Close() })
	return l
}

func openLedger(t testing.TB, path string) (*sqlite.Store, *ledger.Ledger) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatalf("sqlite.Open = %v", err)
	}
	l, err := ledger.New(t.Context(), store, nil)
	if err != nil {
		t.Fatalf("ledger.New = %v", err)
	}
	return store, l
}

// TestEveryPageOfALargeLedgerIsFast asks for pages of 100,000 calls in each way
// that the page filters by.
func TestEveryPageOfALargeLedgerIsFast(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("100,000 calls take their time to be written")
	}
	const calls = 100_000
	v := serveOver(t, manyCalls(t, calls), scriptedModel(t, ""), nil)
	at := func(i int) string { return time.Unix(1700000000+int64(i)*60, 0).UTC().Format(time.RFC3339) }
	for _, q := range []struct {
		query string
		rows  int
	}{
		{"", 50},
		{"before=c50000", 50},
		{"before=c30", 29},
		{"tool=tool_3", 50},
		{"tool=tool_3&before=c200", 20},
		{"outcome=ok", 50},
		{"outcome=rejected", 50},
		{"outcome=failed&tool=tool_0", 50},
		{"outcome=failed&tool=tool_1", 0},
		{"outcome=uncertain", 20},
		{"outcome=pending", 0},
		{"run=run-2000", 20},
		{"run=run-2000&outcome=ok", 16},
		{"since=" + at(99_990), 11},
		{"until=" + at(500), 50},
		{"until=" + at(10), 9},
		{"since=" + at(50_000) + "&until=" + at(50_020), 20},
		{"since=" + at(10) + "&until=" + at(20) + "&tool=tool_5", 1},
		{"outcome=uncertain&until=" + at(50_000), 9},
	} {
		best, rows := time.Hour, 0
		for tries := 0; tries < 3 || tries < 20 && best > 100*time.Millisecond; tries++ { // what else runs on the machine counts for little
			began := time.Now()
			a := v.want(http.StatusOK, "GET", "/v1/calls?limit=50&"+q.query, "")
			best = min(best, time.Since(began))
			var page struct{ Calls []callView }
			a.into(t, &page)
			rows = len(page.Calls)
		}
		t.Logf("%-60s %3d rows %8v", q.query, rows, best.Round(100*time.Microsecond))
		if rows != q.rows {
			t.Errorf("%s = %d rows, want %d", q.query, rows, q.rows)
		}
		if best > 100*time.Millisecond {
			t.Errorf("%s took %v, want under 100 ms", q.query, best)
		}
	}
}

// TestManyStreamsTakeLittleAndNoneStarves opens 200 streams of one run.
func TestManyStreamsTakeLittleAndNoneStarves(t *testing.T) {
	v := serve(t, "", nil)
	run := v.newRun()
	const streams, events = 200, 500
	before := inUse()
	open := make([]*stream, streams)
	for i := range open {
		open[i] = v.listen(run, "")
		open[i].until("snapshot")
	}
	n := v.server.session(run)
	var reading sync.WaitGroup
	for _, s := range open {
		reading.Go(func() {
			for i := range events {
				if e, ok := s.next(); !ok || e.name != "text" || !strings.Contains(e.data, fmt.Sprintf(`"text":"%d"`, i)) {
					t.Errorf("event %d of a stream = %v %v", i, e, ok)
					return
				}
			}
		})
	}
	for i := range events {
		n.tell("text", piece{place: place{Turn: 1, Round: 1}, Text: fmt.Sprint(i)})
	}
	reading.Wait()
	more := inUse() - before
	t.Logf("%d streams: %.1f MB, the client's half included", streams, float64(more)/(1<<20))
	if more > 64<<20 {
		t.Errorf("%d streams take %d bytes more, want under 64 MB", streams, more)
	}
}

func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// ticker is a model whose text says when it was sent.
type ticker struct{ pieces int }

func (ticker) Codec() wire.Codec { return anthropic.Messages{} }

func (m ticker) Reply(ctx context.Context, _ *wire.Request, show func(wire.Event)) (*wire.Reply, error) {
	for range m.pieces {
		show(wire.Event{Kind: wire.TextDelta, Text: fmt.Sprint(time.Now().UnixNano())})
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return &wire.Reply{API: "anthropic", Text: "ticked", Ending: wire.Ended, Complete: true, Message: []byte(`{"role":"assistant","content":[{"type":"text","text":"ticked"}]}`)}, nil
}

// BenchmarkTextToStream measures from a piece of the provider's text to the
// client of the event stream.
func BenchmarkTextToStream(b *testing.B) {
	l, err := ledger.New(b.Context(), memory.New(nil), nil)
	if err != nil {
		b.Fatal(err)
	}
	v := serveOver(b, l, ticker{200}, nil)
	var took []time.Duration
	for b.Loop() {
		run := v.newRun()
		s := v.listen(run, "")
		s.until("snapshot")
		v.say(run, "tick")
		for e, ok := s.next(); ok && e.name != "end"; e, ok = s.next() {
			var p piece
			if e.name == "text" && json.Unmarshal([]byte(e.data), &p) == nil {
				sent, err := strconv.ParseInt(p.Text, 10, 64)
				if err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(time.Unix(0, sent)))
			}
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-median")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
}
