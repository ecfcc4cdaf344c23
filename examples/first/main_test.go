package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestFirstProgram plays the page's conversation: a wrong call is rejected, the
// corrected one runs, and the next process finds the ledger as it was.
func TestFirstProgram(t *testing.T) {
	const want = `pantry.put_item {"place":"fridge","name":"eggs","count":"6"} rejected invalid_arguments
pantry.put_item {"place":"fridge","name":"eggs","count":6} ok 
pantry.list_items {"place": "fridge"} ok 
answer: Now there: 6 eggs.
`
	file := filepath.Join(t.TempDir(), "first.db")
	for range 2 {
		var out strings.Builder
		if err := run(t.Context(), file, &out); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("run says %q, want %q", out.String(), want)
		}
	}
}
