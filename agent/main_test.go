package agent_test

import (
	"testing"

	"go.uber.org/goleak"
)

// bug C5: no goroutine outlives its turn.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
