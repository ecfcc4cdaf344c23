package schema

import (
	"math/rand/v2"
	"testing"
)

// slowDistance is the table in full.
func slowDistance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}

func TestDistanceIsThatOfTheTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		b := make([]byte, r.IntN(meterSize+1))
		for i := range b {
			b[i] = "abcd"[r.IntN(4)]
		}
		return string(b)
	}
	for range 5000 {
		a, b := text(), text()
		if r.IntN(2) == 0 && len(a) > 1 { // a near one
			i := r.IntN(len(a) - 1)
			b = a[:i] + a[i+1:i+2] + a[i:i+1] + a[i+2:]
		}
		var m meter
		m.set(a)
		if got, _ := m.distance(b, 0, meterSize); got != slowDistance(a, b) {
			want := slowDistance(a, b)
			t.Fatalf("distance(%q, %q) = %d, want %d", a, b, got, want)
		}
	}
}

func TestNearestSuggestsOnlyLikelySlips(t *testing.T) {
	for _, c := range []struct {
		name       string
		candidates []string
		want       string
	}{
		{"weightKg", []string{"height", "weight_kg"}, "weight_kg"},
		{"asignees", []string{"assignees", "assignee"}, "assignees"},
		{"cursor", []string{"continue"}, ""},
		{"colour", []string{"color", "col"}, "color"},
		{"x", []string{"y"}, ""},
		{"LIMIT", []string{"limit"}, "limit"},
		{"teh", []string{"the"}, "the"},
	} {
		got := ""
		if near := nearest(c.name, c.candidates, 1); len(near) == 1 {
			got = near[0]
		}
		if got != c.want {
			t.Errorf("nearest(%q, %q) = %q, want %q", c.name, c.candidates, got, c.want)
		}
	}
}
