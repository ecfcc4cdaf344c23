package coach

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// named searches the shipped foods and gives the Spanish names.
func named(t *testing.T, query string) []string {
	t.Helper()
	found := search(query, splitFor(t, foodsTable, 7), func(row []any) []string {
		return []string{row[1].(string), row[2].(string)}
	})
	var names []string
	for _, row := range found {
		names = append(names, row[1].(string))
	}
	return names
}

func TestSearch_tells_kinds_of_rice_apart(t *testing.T) {
	want := []string{
		"Arroz blanco (cocido)", "Arroz blanco (crudo)", "Arroz integral (cocido)", "Arroz integral (crudo)",
		"Arroz basmati (cocido)", "Arroz salvaje (cocido)", "Arroz con leche", "Tortitas de arroz", "Bebida de arroz",
	}
	if diff := cmp.Diff(want, named(t, "arroz")); diff != "" {
		t.Errorf("search(arroz) (-want +got):\n%s", diff)
	}
}

func TestSearch_finds_by_any_way_of_asking(t *testing.T) {
	for _, c := range []struct{ name, query, want string }{
		{"capitals", "ARROZ BLANCO COCIDO", "Arroz blanco (cocido)"},
		{"English", "cooked rice", "Arroz blanco (cocido)"},
		{"no accents", "platano", "Plátano"},
		{"accents that the name has not", "pásta", "Pasta (cocida)"},
		{"accents as separate marks", "Pla\u0301tano", "Plátano"},
		{"part of a word from its start", "garban", "Garbanzos (cocidos)"},
		{"part of a word from within", "colate", "Chocolate negro (70 %)"},
		{"plural of a singular name", "plátanos", "Plátano"},
		{"singular of a plural name", "nuez", "Nueces"},
		{"little words", "la pechuga de pollo", "Pechuga de pollo (cruda)"},
		{"words of both languages' names in any order", "cocido arroz integral", "Arroz integral (cocido)"},
		{"ñ", "pina", "Piña"},
	} {
		got := named(t, c.query)
		if len(got) == 0 || got[0] != c.want {
			t.Errorf("%s: search(%q) = %q, want %q first", c.name, c.query, got, c.want)
		}
	}
}

func TestSearch_finds_nothing_where_nothing_is(t *testing.T) {
	for _, query := range []string{"unicornio", "arroz unicornio", "", "  ", "¿?", "%", "_", "' OR 1=1 --"} {
		if got := named(t, query); len(got) != 0 {
			t.Errorf("search(%q) = %q, want nothing", query, got)
		}
	}
}

func TestSearch_prefers_a_beginning_to_the_inside_of_a_word(t *testing.T) {
	got := named(t, "té")
	if len(got) == 0 || got[0] != "Té" || slices.Contains(got, "Tomate") {
		t.Errorf("search(té) = %q, want Té first and no Tomate", got)
	}
}
