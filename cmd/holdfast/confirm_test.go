package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/examples/parcels"
)

// withDepot is a process beside the API of examples/parcels.yaml, and its catalog.
func withDepot(t *testing.T) (process, *parcels.Depot, string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs symbolic links")
	}
	p := newProcess(t)
	catalog := filepath.Join(p.dir, "parcels.yaml")
	depot, stop, err := serveDepot(catalog)
	t.Cleanup(stop)
	if err != nil {
		t.Fatal(err)
	}
	return p, depot, catalog
}

// output runs the command, whatever its exit code, and returns its stdout.
func (p process) output(args ...string) string {
	out, _ := p.command(append(args, "--json", "--ledger", p.ledger)...).Output()
	return string(out)
}

func pickup(number string) string { return fmt.Sprintf(`{"number":%q,"day":"2026-06-01"}`, number) }

// until asks again and again, until the answer has words in it.
func until(t *testing.T, words string, ask func() string) {
	t.Helper()
	said := ""
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if said = ask(); strings.Contains(said, words) {
			return
		}
	}
	t.Fatalf("it did not come to %q, but to %s", words, said)
}

// TestKilledWriteIsConfirmedWithoutAPerson kills the process within a write that
// the API has carried out. The server that is started next finds out by itself.
func TestKilledWriteIsConfirmedWithoutAPerson(t *testing.T) {
	t.Parallel()
	p, depot, catalog := withDepot(t)
	call := p.command("call", catalog, "book_pickup", "--key", "k", "--args", pickup("HANG1"), "--ledger", p.ledger)
	if err := call.Start(); err != nil {
		t.Fatal(err)
	}
	for depot.Booked("HANG1") == 0 {
		time.Sleep(5 * time.Millisecond)
	}
	if err := call.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = call.Wait() // it was killed

	if out := p.output("ledger", "list"); !strings.Contains(out, `"state":"uncertain"`) {
		t.Fatalf("after the kill the ledger says %s, want the write uncertain", out)
	}
	serve := p.command("serve", catalog, "--model", "script:"+p.script, "--addr", "127.0.0.1:0", "--ledger", p.ledger)
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = serve.Process.Signal(os.Interrupt)
		if err := serve.Wait(); err != nil {
			t.Errorf("serve ended with %v", err)
		}
	}()
	until(t, `"state":"ok"`, func() string { return p.output("ledger", "list") })
	if out := p.output("call", catalog, "book_pickup", "--key", "k", "--args", pickup("HANG1")); !strings.Contains(out, `"replayed":true`) {
		t.Errorf("the same write again = %s, want it replayed", out)
	}
	if n := depot.Booked("HANG1"); n != 1 {
		t.Errorf("booked %d times, want once", n)
	}
}

// TestKilledAtRandomAWriteHappensOnce kills writes at any moment. Asking the API
// is enough to tell all of them, and the same writes again are done once each.
func TestKilledAtRandomAWriteHappensOnce(t *testing.T) {
	t.Parallel()
	p, depot, catalog := withDepot(t)
	kills := 8
	if os.Getenv("HOLDFAST_CRASH") == "full" {
		kills = 200
	}
	if testing.Short() {
		kills = 2
	}
	book := func(ctx context.Context, i int) {
		cmd := p.command("call", catalog, "book_pickup", "--key", fmt.Sprint("k", i), "--args", pickup(fmt.Sprint("GOOD", i)), "--ledger", p.ledger)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
		defer stop()
		_ = cmd.Wait() // it may be killed
	}
	begin := time.Now()
	book(t.Context(), kills) // unharmed
	whole := time.Since(begin)
	for i := range kills {
		ctx, cancel := context.WithTimeout(t.Context(), whole/4+rand.N(whole))
		book(ctx, i)
		cancel()
	}
	until(t, `"entries":[]`, func() string {
		var list struct {
			Entries []struct {
				ID string `json:"ledger_id"`
			} `json:"entries"`
		}
		if err := json.Unmarshal([]byte(p.output("ledger", "list", "--state", "uncertain", "--limit", "1000")), &list); err != nil {
			t.Fatal(err)
		}
		if args := []string{"ledger", "confirm", catalog}; len(list.Entries) > 0 {
			for _, e := range list.Entries {
				args = append(args, e.ID)
			}
			p.output(args...)
		}
		return p.output("ledger", "list", "--state", "uncertain")
	})
	for i := range kills + 1 {
		book(t.Context(), i)
		if n := depot.Booked(fmt.Sprint("GOOD", i)); n != 1 {
			t.Errorf("write %d was carried out %d times, want once", i, n)
		}
	}
	if out := p.output("ledger", "verify"); !strings.Contains(out, `"intact":true`) {
		t.Errorf("ledger verify = %s", out)
	}
	t.Logf("%d kills", kills)
}
