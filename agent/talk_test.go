package agent_test

import (
	"testing"

	"github.com/holdfast-go/holdfast/agent"
)

// talk is a conversation of a test with an agent.
type talk struct {
	t     *testing.T
	agent *agent.Agent
}

func (k *talk) say(message string) agent.Result {
	k.t.Helper()
	r, err := k.agent.Turn(k.t.Context(), "r", message)
	if err != nil {
		k.t.Fatalf("Turn(%q) = %v", message, err)
	}
	return r
}

func (k *talk) resume() agent.Result {
	k.t.Helper()
	r, err := k.agent.Resume(k.t.Context(), "r")
	if err != nil {
		k.t.Fatalf("Resume = %v", err)
	}
	return r
}

// wantAnswer checks that a turn ended in this answer.
func (k *talk) wantAnswer(r agent.Result, want string) {
	k.t.Helper()
	if r.End != agent.Answer || r.Answer != want {
		k.t.Errorf("turn = %s %q (%s %v), want the answer %q", r.End, r.Answer, r.Message, r.Err, want)
	}
}
