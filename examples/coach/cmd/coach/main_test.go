package main

import (
	"strings"
	"testing"
)

func TestRun_finds_after_a_restart_what_it_left_waiting(t *testing.T) {
	dir := t.TempDir()
	say := func(lines string) string {
		t.Helper()
		var out strings.Builder
		if err := run(t.Context(), dir, strings.NewReader(lines), &out); err != nil {
			t.Fatalf("run(%q) = %v\n%s", lines, err, out.String())
		}
		return out.String()
	}
	first := say("Hoy peso 75,5\nHoy peso 80\n")
	for _, want := range []string{"scripted", "[write_measurement: rejected invalid_arguments, at validate]", "peso 75.5 kg", "75.5 → 80. Agree? [y/n]"} {
		if !strings.Contains(first, want) {
			t.Errorf("first run prints %q, want %q in it", first, want)
		}
	}
	second := say("y\n")
	for _, want := range []string{"75.5 → 80. Agree? [y/n]", "[write_measurement: ok , at confirm]", "peso 80 kg"} {
		if !strings.Contains(second, want) {
			t.Errorf("second run prints %q, want %q in it", second, want)
		}
	}
	if third := say("¿Cuánto peso?\n"); strings.Contains(third, "Agree?") || !strings.Contains(third, "peso 80 kg") {
		t.Errorf("third run prints %q, want the value and no question", third)
	}
}
