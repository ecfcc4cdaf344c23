package main

import "testing"

func TestHintIsACommandForAShell(t *testing.T) {
	a := &app{where: "my ledger's.db"}
	want := `holdfast run a/b.yaml --run run-X --ledger 'my ledger'\''s.db'`
	if got := a.hint("run", "a/b.yaml", "--run", "run-X"); got != want {
		t.Errorf("hint = %s, want %s", got, want)
	}
}
