package coach

import (
	"math/big"
	"strconv"
	"strings"
	"testing"
)

func splitFor(t *testing.T, table string, fields int) [][]any {
	t.Helper()
	rows, err := splitTable(table, fields)
	if err != nil {
		t.Fatalf("splitTable = %v", err)
	}
	return rows
}

func TestTables_ids_ascend_from_one_without_gaps(t *testing.T) {
	for name, rows := range map[string][][]any{"foods": splitFor(t, foodsTable, 7), "exercises": splitFor(t, exercisesTable, 5)} {
		for i, row := range rows {
			if id, err := strconv.Atoi(row[0].(string)); err != nil || id != i+1 {
				t.Errorf("%s: row %d has the id %v, want %d", name, i+1, row[0], i+1)
			}
		}
	}
}

func TestTables_are_large_enough_and_name_everything_once(t *testing.T) {
	for _, c := range []struct {
		name  string
		rows  [][]any
		least int
	}{{"foods", splitFor(t, foodsTable, 7), 200}, {"exercises", splitFor(t, exercisesTable, 5), 60}} {
		if len(c.rows) < c.least {
			t.Errorf("%s has %d rows, want at least %d", c.name, len(c.rows), c.least)
		}
		for _, language := range []int{1, 2} {
			seen := map[string]bool{}
			for _, row := range c.rows {
				name := row[language].(string)
				if seen[name] || strings.TrimSpace(name) != name || name == "" {
					t.Errorf("%s: the name %q is there twice, empty or padded", c.name, name)
				}
				seen[name] = true
			}
		}
	}
}

// Energy must agree with what it is made of, at 4, 4 and 9 kcal a gram. Fibre
// and cocoa give less; alcohol and acetic acid, which have no column, more.
func TestFoods_energy_agrees_with_the_nutrients(t *testing.T) {
	fibrous := map[string]bool{"Limón": true, "Cacao puro en polvo": true}
	elsewhere := map[string]bool{"Vinagre": true, "Cerveza": true, "Vino tinto": true, "Vino blanco": true}
	for _, row := range splitFor(t, foodsTable, 7) {
		var v [4]float64
		for i := range v {
			r, ok := new(big.Rat).SetString(row[3+i].(string))
			if !ok || r.Sign() < 0 {
				t.Fatalf("food %v: %v is no amount", row[1], row[3+i])
			}
			v[i], _ = r.Float64()
		}
		energy, carbohydrate, protein, fat := v[0], v[1], v[2], v[3]
		if sum := carbohydrate + protein + fat; sum > 100.05 {
			t.Errorf("food %v: nutrients weigh %.1f g of 100 g", row[1], sum)
		}
		made := 4*carbohydrate + 4*protein + 9*fat
		low, high := min(0.85*made, made-12), max(1.15*made, made+12)
		name := row[1].(string)
		switch {
		case elsewhere[name]:
			high = 120
		case fibrous[name]:
			low = made / 2
		}
		if energy < low || energy > high {
			t.Errorf("food %v: %.0f kcal, but its nutrients make %.0f", name, energy, made)
		}
	}
}

func TestSplitTable_names_the_line_that_is_wrong(t *testing.T) {
	_, err := splitTable("# head\n1|a|b\n2|a\n", 3)
	if err == nil || !strings.Contains(err.Error(), "line 3 has 2 fields") {
		t.Errorf("splitTable = %v, want an error about line 3", err)
	}
}
