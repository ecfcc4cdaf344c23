package coach

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/holdfast-go/holdfast/agent"
	"github.com/holdfast-go/holdfast/ledger"
	"github.com/holdfast-go/holdfast/wire/anthropic"
)

// waits says a message whose write asks a person, and gives the approval.
func (k *talk) waits(message string) ledger.Approval {
	k.t.Helper()
	r := k.turn(k.t.Context(), message)
	if r.End != agent.Pending || r.ApprovalID == "" {
		k.t.Fatalf("turn %q = %s %q, want pending", message, r.End, r.Answer)
	}
	return k.approval(r.ApprovalID)
}

func (k *talk) approval(id string) ledger.Approval {
	k.t.Helper()
	a, err := k.ledger.Approval(k.t.Context(), id)
	if err != nil {
		k.t.Fatalf("Approval(%s) = %v", id, err)
	}
	return a
}

func (k *talk) resume() agent.Result {
	k.t.Helper()
	r, err := k.agent.Resume(k.t.Context(), "r")
	if err != nil {
		k.t.Fatalf("Resume = %v", err)
	}
	return r
}

func TestConversation_overwriting_waits_over_a_restart_and_runs_once(t *testing.T) {
	eachProvider(t, "", func(k *talk) {
		k.say("Hoy peso 75.5")
		a := k.waits("Hoy peso 80")
		if string(a.Arguments) != `{"date":"2024-04-11","data":{"weight_kg":80}}` {
			k.t.Errorf("approval shows %s", a.Arguments)
		}
		k.restart()
		var open *ledger.OpenTurnError
		if _, err := k.agent.Turn(k.t.Context(), "r", "¿Y mis rutinas?"); !errors.As(err, &open) || open.Approval != a.ID {
			k.t.Errorf("a message to a parked run = %v, want it refused, naming %s", err, a.ID)
		}
		if got := k.day(ana, "2024-04-11")["weight_kg"]; got != "75.5" {
			k.t.Errorf("weight while it waits = %s, want 75.5", got)
		}
		if _, err := k.ledger.Approve(k.t.Context(), a.ID, "ana", ""); err != nil {
			k.t.Fatalf("Approve = %v", err)
		}
		k.wantSaid(k.resume().Answer, "peso 80 kg")
		k.restart()
		if got := k.day(ana, "2024-04-11")["weight_kg"]; got != "80" {
			k.t.Errorf("weight = %s, want 80", got)
		}
		if n := k.count("measurements"); n != 2 {
			k.t.Errorf("measurements has %d rows, want 2: it ran once", n)
		}
		if _, err := k.agent.Resume(k.t.Context(), "r"); !errors.Is(err, agent.ErrNoOpenTurn) {
			k.t.Errorf("Resume again = %v, want ErrNoOpenTurn", err)
		}
		k.wantSaid(k.say("¿Cuánto peso?"), "peso 80 kg")
	})
}

func TestConversation_denied_and_cancelled_leave_the_value(t *testing.T) {
	eachProvider(t, "", func(k *talk) {
		k.say("Hoy peso 75.5")
		a := k.waits("Hoy peso 80")
		if _, err := k.ledger.Deny(k.t.Context(), a.ID, "ana", "me equivoqué"); err != nil {
			k.t.Fatalf("Deny = %v", err)
		}
		k.wantSaid(k.resume().Answer, "dejo el valor como estaba")

		b := k.waits("Hoy peso 81")
		k.restart()
		if r, err := k.agent.Cancel(k.t.Context(), "r"); err != nil || r.End != agent.Cancelled {
			k.t.Errorf("Cancel = %s, %v", r.End, err)
		}
		if got := k.approval(b.ID).State; got != ledger.Withdrawn {
			k.t.Errorf("approval of a cancelled turn is %s, want withdrawn", got)
		}
		k.wantSaid(k.say("¿Cuánto peso?"), "peso 75.5 kg")
		k.wantCalls(3, "write_measurement rejected cancelled")
	})
}

// The value changes while the approval waits: what was agreed to is void.
func TestConversation_value_that_changed_meanwhile_is_asked_anew(t *testing.T) {
	eachProvider(t, "", func(k *talk) {
		k.say("Hoy peso 75.5")
		a := k.waits("Hoy peso 80")
		k.storeAside("other", "77")
		if _, err := k.ledger.Approve(k.t.Context(), a.ID, "ana", ""); err != nil {
			k.t.Fatalf("Approve = %v", err)
		}
		r := k.resume()
		if r.End != agent.Pending || r.ApprovalID == a.ID {
			k.t.Fatalf("Resume = %s under %s, want pending under another than %s", r.End, r.ApprovalID, a.ID)
		}
		b := k.approval(r.ApprovalID)
		if b.Replaces != a.ID || len(b.Changed) == 0 || k.approval(a.ID).State != ledger.Void {
			k.t.Errorf("the new approval replaces %q and says %q changed", b.Replaces, b.Changed)
		}
		if _, err := k.ledger.Approve(k.t.Context(), b.ID, "ana", ""); err != nil {
			k.t.Fatalf("Approve = %v", err)
		}
		k.wantSaid(k.resume().Answer, "peso 80 kg")
	})
}

func TestConversation_same_write_in_a_later_round_and_twice_side_by_side(t *testing.T) {
	eachProvider(t, `
rules:
  - when: {message: otra vez}
    calls: [{name: add_meal_food, id: first, arguments: {date: "{{.Today}}", meal: Cena, food_id: 1, grams: 200}}]
  - when: {message: otra vez, after: add_meal_food, step: 1}
    calls: [{name: add_meal_food, id: second, arguments: {grams: 2.0e2, food_id: 1, meal: Cena, date: "{{.Today}}"}}]
  - when: {message: otra vez, after: add_meal_food, step: 2, result: not run again}
    say: "{{.Result.replayed}} {{.Result.result.added.grams}}"
  - when: {message: dos}
    calls:
      - {name: add_meal_food, arguments: {date: "{{.Today}}", meal: Comida, food_id: 1, grams: 200}}
      - {name: add_meal_food, arguments: {date: "{{.Today}}", meal: Comida, food_id: 1, grams: 200}}
  - when: {message: dos, after: add_meal_food}
    say: "{{range .Results}}{{.JSON.added.entry_id}} {{end}}"
`, func(k *talk) {
		k.wantSaid(k.say("otra vez"), "true 200")
		k.wantSaid(k.say("dos"), "2 3 ")
		k.restart()
		if n, m := len(k.meal(ana, "2024-04-11", "Cena")), len(k.meal(ana, "2024-04-11", "Comida")); n != 1 || m != 2 {
			k.t.Errorf("stored %d and %d rows, want one replayed and two side by side", n, m)
		}
	})
}

// Ctrl-C while a tool runs, then a new message: every call has its outcome, and
// the next request is accepted.
func TestConversation_cancelled_while_a_tool_runs_then_a_new_message(t *testing.T) {
	const add = "Añade 200 g de arroz blanco cocido a la comida"
	for name, c := range map[string]struct {
		at      Point
		message string
		calls   []string
		rows    int
	}{
		"a read":                       {Reading, "¿Cuántas calorías tiene el pan?", []string{"search_foods failed cancelled"}, 0},
		"a write before its statement": {Writing, add, []string{"search_foods ok", "add_meal_food failed cancelled"}, 0},
		"a write while it commits":     {Committing, add, []string{"search_foods ok", "add_meal_food ok"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			with(t, eachVendor(), "", func(k *talk) {
				ctx, interrupt := context.WithCancel(k.t.Context())
				defer interrupt()
				k.reached = func(p Point) {
					if p == c.at {
						interrupt()
					}
				}
				r := k.turn(ctx, c.message)
				if r.End != agent.Cancelled {
					k.t.Fatalf("turn = %s (%s %v), want cancelled", r.End, r.Message, r.Err)
				}
				k.reached = nil
				k.wantSaid(k.say("¿Cuántos carbohidratos tiene el arroz?"), "28 g")
				k.restart()
				k.wantSaid(k.say("How much protein is in lentils?"), "9 g")
				k.wantCalls(1, c.calls...)
				if n := k.count("meal_foods"); n != c.rows {
					k.t.Errorf("meal_foods has %d rows, want %d", n, c.rows)
				}
			})
		})
	}
}

// A process that is killed while an approval waits leaves nothing behind but the
// two files; another one approves, and the call runs once.
func TestProcess_killed_while_an_approval_waits(t *testing.T) {
	dir := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^TestProcess_that_waits$")
	child.Env = append(os.Environ(), "HOLDFAST_TEST_WAIT_IN="+dir)
	child.Stderr = os.Stderr
	if _, err := child.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var approval string
	for lines := bufio.NewScanner(out); approval == "" && lines.Scan(); {
		fmt.Sscanf(lines.Text(), "waiting for %s", &approval)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	if approval == "" {
		t.Fatal("the child did not say what it waits for")
	}

	k := newTalkIn(t, dir, anthropic.Messages{}, false, parse(t, ""))
	if got := k.approval(approval); got.State != ledger.Waiting {
		t.Fatalf("approval after the kill is %s, want waiting", got.State)
	}
	if _, err := k.ledger.Approve(t.Context(), approval, "ana", ""); err != nil {
		t.Fatalf("Approve = %v", err)
	}
	k.wantSaid(k.resume().Answer, "peso 80 kg")
	k.restart()
	if got, n := k.day(ana, "2024-04-11")["weight_kg"], k.count("measurements"); got != "80" || n != 2 {
		t.Errorf("weight = %s in %d rows, want 80 in 2", got, n)
	}
	k.wantCalls(2, "write_measurement ok")
}

// TestProcess_that_waits is the child of the test above: it parks a run and
// waits to be killed.
func TestProcess_that_waits(t *testing.T) {
	dir := os.Getenv("HOLDFAST_TEST_WAIT_IN")
	if dir == "" {
		return
	}
	k := newTalkIn(t, dir, anthropic.Messages{}, false, parse(t, ""))
	if _, err := k.ledger.CreateRun(t.Context(), ledger.Run{ID: "r", Catalog: "coach", Principal: ana}); err != nil {
		t.Fatal(err)
	}
	k.say("Hoy peso 75.5")
	fmt.Println("waiting for", k.waits("Hoy peso 80").ID)
	_, _ = io.Copy(io.Discard, os.Stdin) // which never ends: the kill does
}
