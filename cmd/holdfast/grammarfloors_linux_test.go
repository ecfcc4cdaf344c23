//go:build !race

package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/holdfast-go/holdfast/grammar/tokenizer"
	"github.com/holdfast-go/holdfast/internal/shared"
	"github.com/holdfast-go/holdfast/internal/vocabularies"
)

// TestMasksNearTheFloors judges what grammar bench reports: how many times a mask
// takes what the least work takes that any mask could do, on a real vocabulary.
// Both are the processor time of one thread in one run, so that neither the machine
// nor its other work counts for much. The bounds are three times of what a busy
// machine shows: they break where masks walk what need not be walked, not sooner.
func TestMasksNearTheFloors(t *testing.T) {
	v, err := tokenizer.ReadJSON(vocabularies.Read(t, vocabularies.Qwen), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, bound := range map[string]float64{
		"anything.json": 80, "event.json": 80, "parcel.json": 80, "settings.json": 80,
		"person.json": 1200, // its formats are met once
	} {
		t.Run(name, func(t *testing.T) {
			judgeMasks(t, v, []string{filepath.Join("testdata", "bench", name)}, map[string]float64{"mask_mean_to_or": bound})
		})
	}
	t.Run("maskbench", func(t *testing.T) {
		files, err := filepath.Glob(filepath.Join(shared.Dir(t, "maskbench"), "files", "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		var some []string
		for i := 0; i < len(files); i += 24 {
			some = append(some, files[i])
		}
		judgeMasks(t, v, some, map[string]float64{"mask_p50_to_copy": 120, "mask_mean_to_or": 60, "mask_p99_to_walk": 1})
	})
}

// judgeMasks measures until each ratio was within its bound once, five times at most.
func judgeMasks(t *testing.T, v *tokenizer.Vocabulary, files []string, bounds map[string]float64) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	clock, ok := threadClock()
	if !ok {
		t.Fatal("a thread's processor time is not told")
	}
	open := bounds
	for range 5 {
		over := map[string]float64{}
		ratios := ratiosOf(t, bench{vocabulary: v, clock: clock}, files)
		for ratio, bound := range open {
			t.Logf("%s is %.3f, of %v at most", ratio, ratios[ratio], bound)
			if !(ratios[ratio] <= bound) {
				over[ratio] = bound
			}
		}
		if open = over; len(open) == 0 {
			return
		}
	}
	t.Errorf("over these bounds in every run: %v", open)
}

func ratiosOf(t *testing.T, b bench, files []string) map[string]float64 {
	t.Helper()
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.file(name, source); err != nil {
			t.Fatal(name, err)
		}
	}
	total := b.result().Total
	if total.Right == 0 || total.Wrong > 0 || len(total.Mislabelled) > 0 {
		t.Fatalf("%d schemas right, %d wrong, mislabelled %v", total.Right, total.Wrong, total.Mislabelled)
	}
	return total.Ratios
}
