package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

const killScenario = `
scenario: kill
pace: 20ms
rules:
  - when: {message: despacio}
    calls: [{name: search_foods, arguments: {query: arroz}}]
  - when: {message: despacio, after: search_foods}
    say: "Despacio, muy despacio, muy muy despacio, sin prisa, con calma, poco a poco, palabra por palabra, sin correr nunca, hasta que
      todo esté dicho, despacio, muy despacio, muy muy despacio, sin prisa, con calma, poco a poco, palabra por palabra, y final."
  - when: {message: 'peso (?P<kg>\d+)'}
    calls: [{name: write_measurement, arguments: '{"date":"2024-04-11","data":{"weight_kg":{{.Group.kg}}}}'}]
  - when: {after: write_measurement, outcome: ok}
    say: "Apuntado."
`

// TestKilledWhileAnApprovalWaits kills the process at the question: started
// again, the question is there, is answered, and the write happens once.
func TestKilledWhileAnApprovalWaits(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs symbolic links")
	}
	t.Parallel()
	p := newProcess(t)
	p.run(t, "", "run", "coach", "Hoy peso 75", "--model", "script:"+p.script, "--ledger", p.ledger)

	first := p.command("run", "coach", "--model", "script:"+p.script, "--ledger", p.ledger)
	stdin, err := first.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := first.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := stdin.Write([]byte("Hoy peso 80\n")); err != nil {
		t.Fatal(err)
	}
	waitFor(t, bufio.NewScanner(stderr), "write_measurement waits for you")
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // it was killed

	out := p.run(t, "y\ny\n", "run", "coach", "--model", "script:"+p.script, "--ledger", p.ledger)
	for _, want := range []string{"was left open", `{"date":"2024-04-11","data":{"weight_kg":80}}`, "Apuntado."} {
		if !strings.Contains(out, want) {
			t.Errorf("the second start says %q, want %q in it", out, want)
		}
	}
	writes := p.run(t, "", "ledger", "list", "--tool", "write_measurement", "--state", "ok", "--ledger", p.ledger)
	if n := strings.Count(writes, `"weight_kg":80`); n != 1 {
		t.Errorf("the ledger has %d writes of 80, want 1:\n%s", n, writes)
	}
}

// TestCtrlCEndsTheTurnAndASecondOneTheConversation interrupts a reply that comes
// slowly: the turn is cancelled, the next message is answered, and at the prompt
// an interruption ends the conversation.
func TestCtrlCEndsTheTurnAndASecondOneTheConversation(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs signals")
	}
	t.Parallel()
	p := newProcess(t)
	cmd := p.command("run", "coach", "--model", "script:"+p.script, "--ledger", p.ledger)
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	say := func(message, answer string) {
		if _, err := stdin.Write([]byte(message + "\n")); err != nil {
			t.Fatal(err)
		}
		waitFor(t, lines, answer)
	}
	say("despacio", "✓ search_foods")
	interrupt(t, cmd)
	waitFor(t, lines, "The turn was cancelled")
	say("Hoy peso 75", "✓ write_measurement")
	say("Hoy peso 80", "write_measurement waits for you")
	interrupt(t, cmd)
	waitFor(t, lines, "The turn was cancelled")
	interrupt(t, cmd)
	waitFor(t, lines, "goes on with: holdfast run coach --run")
	if err := cmd.Wait(); exitCode(err) != exitOther {
		t.Errorf("the command ended with %v, want exit code %d after a cancelled turn", err, exitOther)
	}
	if strings.Contains(stdout.String(), "y final") {
		t.Errorf("the interrupted reply came to its end: %q", stdout.String())
	}
}

func interrupt(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
}

func exitCode(err error) int {
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		return e.ExitCode()
	}
	return exitDone
}

// process runs this test binary as the command.
type process struct{ binary, dir, script, ledger string }

func newProcess(t *testing.T) process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	p := process{binary: filepath.Join(dir, "holdfast"), dir: dir, script: filepath.Join(dir, "s.yaml"), ledger: filepath.Join(dir, "l.db")}
	if err := os.Symlink(self, p.binary); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.script, []byte(killScenario), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p process) command(args ...string) *exec.Cmd {
	cmd := exec.Command(p.binary, args...)
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+filepath.Join(p.dir, "data"), "NO_COLOR=1", "GORACE="+noSleepAtExit)
	return cmd
}

// run runs the command to its end and returns all that it wrote.
func (p process) run(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	cmd := p.command(args...)
	cmd.Stdin = strings.NewReader(stdin)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("holdfast %q: %v\n%s", args, err, out.String())
	}
	return out.String()
}

// waitFor reads lines until one holds words.
func waitFor(t *testing.T, lines *bufio.Scanner, words string) {
	t.Helper()
	found := make(chan bool, 1)
	go func() {
		for lines.Scan() {
			if strings.Contains(lines.Text(), words) {
				found <- true
				return
			}
		}
		found <- false
	}()
	select {
	case ok := <-found:
		if !ok {
			t.Fatalf("the command ended without saying %q", words)
		}
	case <-time.After(20 * time.Second):
		t.Fatalf("the command did not say %q", words)
	}
}
