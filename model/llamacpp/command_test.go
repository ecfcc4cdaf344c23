//go:build llamacpp

package llamacpp_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheCommandRunsAFile has the command hold a turn with random weights: whatever
// they say, it must record a turn in which each call was of a tool of the catalog
// with arguments that its schema takes.
func TestTheCommandRunsAFile(t *testing.T) {
	open(t) // or skip
	binary, record := filepath.Join(t.TempDir(), "holdfast"), filepath.Join(t.TempDir(), "ledger.db")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-tags", "llamacpp", "-o", binary, "../../cmd/holdfast").CombinedOutput(); err != nil {
		t.Fatalf("building the command: %v\n%s", err, out)
	}
	turn := exec.CommandContext(t.Context(), binary, "run", "coach", "Call something.", "--json",
		"--model", "llamacpp:"+tinyModel(t), "--ledger", record, "--max-rounds", "2")
	var problem strings.Builder
	turn.Stderr = &problem
	out, err := turn.Output()
	if !strings.Contains(string(out), `"event":"end"`) {
		t.Fatalf("the turn gave %v, and wrote %q and %q; want its end as JSON", err, out, problem.String())
	}
	for _, never := range []string{"invalid_arguments", "unknown_tool", "incomplete_response"} {
		if strings.Contains(string(out), never) {
			t.Errorf("the turn wrote %s, want no call that is %s", out, never)
		}
	}
}
