package coach

import (
	"testing"

	"github.com/holdfast-go/holdfast/model/scripted"
)

func TestScenario_is_one_and_says_what_to_try(t *testing.T) {
	s, err := scripted.Parse(Scenario())
	if err != nil {
		t.Fatalf("scripted.Parse = %v", err)
	}
	if s.Name() != "coach" || len(s.Hints()) < 8 {
		t.Errorf("scenario %q with %d hints, want coach and what to try", s.Name(), len(s.Hints()))
	}
}
