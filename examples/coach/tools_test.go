package coach

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast"
)

func TestSearchFoods_carbohydrate_of_rice_is_told_with_the_foods_name(t *testing.T) {
	g := newGym(t)
	out := result[searchFoodsOut](t, g.call("search_foods", `{"query":"arroz"}`))
	if len(out.Foods) != 9 || out.More != 0 {
		t.Fatalf("search_foods(arroz) = %d foods and %d more, want 9 and none", len(out.Foods), out.More)
	}
	first := out.Foods[0]
	if first.Name != "Arroz blanco (cocido)" || first.Per100g.CarbohydrateG != "28" {
		t.Errorf("search_foods(arroz) = %+v first, want cooked white rice with 28 g", first)
	}
}

func TestSearchFoods_says_how_many_it_does_not_show(t *testing.T) {
	g := newGym(t)
	out := result[searchFoodsOut](t, g.call("search_foods", `{"query":"de"}`))
	if len(out.Foods) != maxFound || out.More == 0 || out.Note == "" {
		t.Errorf("search_foods(de) = %d foods, %d more, note %q", len(out.Foods), out.More, out.Note)
	}
}

// "Nothing found" and "could not look" are never the same.
func TestSearchFoods_nothing_found_is_ok_and_no_table_is_failed(t *testing.T) {
	g := newGym(t)
	out := result[searchFoodsOut](t, g.call("search_foods", `{"query":"unicornio"}`))
	if len(out.Foods) != 0 || !strings.Contains(out.Note, "No food of that name") {
		t.Errorf("search_foods(unicornio) = %+v", out)
	}

	other, err := sql.Open("sqlite3", dsn(g.path))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.ExecContext(t.Context(), "ALTER TABLE foods RENAME TO elsewhere"); err != nil {
		t.Fatal(err)
	}
	v := g.call("search_foods", `{"query":"unicornio"}`)
	want(t, v, holdfast.Failed, holdfast.ToolError)
	if said := v.Observation.Content(); !strings.Contains(said, "could not be read") || strings.Contains(said, "No food of that name") {
		t.Errorf("search_foods without a table tells %s", said)
	}
}

func TestUnknownTool_names_the_nearest(t *testing.T) {
	g := newGym(t)
	v := g.call("search_foodz", `{"query":"arroz"}`)
	want(t, v, holdfast.Rejected, holdfast.UnknownTool)
	if !strings.Contains(v.Observation.Content(), "search_foods") {
		t.Errorf("search_foodz tells %s, want search_foods named", v.Observation.Content())
	}
}

const lunch = `{"date":"2024-04-11","meal":"Comida","food_id":1,"grams":200}`

func TestAddMealFood_writes_one_row_and_reads_it_back(t *testing.T) {
	g := newGym(t)
	out := result[added](t, g.call("add_meal_food", lunch))
	if out.Added.Name != "Arroz blanco (cocido)" || out.Added.Grams != "200" || out.Added.CarbohydrateG != "56" || out.Added.EnergyKcal != "260" {
		t.Errorf("add_meal_food = %+v", out)
	}
	if diff := cmp.Diff([]string{"Arroz blanco (cocido) 200"}, g.meal(ana, "2024-04-11", "Comida")); diff != "" {
		t.Errorf("stored meal (-want +got):\n%s", diff)
	}
	read := result[mealOut](t, g.call("read_meal_foods", `{"date":"2024-04-11","meal":"Comida"}`))
	if len(read.Foods) != 1 || read.Total.CarbohydrateG != "56" {
		t.Errorf("read_meal_foods = %+v", read)
	}
}

func TestAddMealFood_keeps_exact_decimals(t *testing.T) {
	g := newGym(t)
	out := result[added](t, g.call("add_meal_food", `{"date":"2024-04-11","meal":"Cena","food_id":1,"grams":0.3}`))
	if out.Added.Grams != "0.3" || out.Added.ProteinG != "0.0081" {
		t.Errorf("0.3 g of 2.7 %% = %+v, want exactly 0.0081 g", out.Added)
	}
	for range 2 {
		g.call("add_meal_food", `{"date":"2024-04-11","meal":"Cena","food_id":1,"grams":0.30}`)
	}
	read := result[mealOut](t, g.call("read_meal_foods", `{"date":"2024-04-11","meal":"Cena"}`))
	if read.Total.CarbohydrateG != "0.252" {
		t.Errorf("three times 0.084 = %s, want 0.252", read.Total.CarbohydrateG)
	}
}

func TestAddMealFood_store_failures_are_told_truly(t *testing.T) {
	for _, c := range []struct {
		name   string
		at     []Point
		status holdfast.Status
		code   holdfast.Code
		rows   int
	}{
		{"before the transaction", []Point{Writing}, holdfast.Failed, holdfast.ToolError, 0},
		{"in place of the commit: read back, not there", []Point{Committing}, holdfast.Failed, holdfast.NoEffect, 0},
		{"after the commit: read back, there", []Point{AfterCommit}, holdfast.OK, "", 1},
		{"after the commit, and it cannot be read back", []Point{AfterCommit, ReadingBack}, holdfast.Uncertain, holdfast.Unconfirmed, 1},
		{"in place of the commit, and it cannot be read back", []Point{Committing, ReadingBack}, holdfast.Uncertain, holdfast.Unconfirmed, 0},
		{"success that cannot be read back", []Point{ReadingBack}, holdfast.Uncertain, holdfast.Unconfirmed, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGym(t)
			for _, at := range c.at {
				g.failAt[at] = errors.New("the disk is gone")
			}
			v := g.call("add_meal_food", lunch)
			want(t, v, c.status, c.code)
			if n := g.count("meal_foods"); n != c.rows {
				t.Errorf("meal_foods has %d rows, want %d", n, c.rows)
			}
			// What is not known is not repeated; the conversation goes on.
			clear(g.failAt)
			if c.status == holdfast.Uncertain {
				want(t, g.call("add_meal_food", lunch), holdfast.Rejected, holdfast.UnresolvedWrite)
				if n := g.count("meal_foods"); n != c.rows {
					t.Errorf("after a repetition meal_foods has %d rows, want %d", n, c.rows)
				}
			}
			want(t, g.call("search_foods", `{"query":"arroz"}`), holdfast.OK, "")
		})
	}
}

func TestAddMealFood_refuses_a_food_that_is_not_there(t *testing.T) {
	g := newGym(t)
	v := g.call("add_meal_food", `{"date":"2024-04-11","meal":"Comida","food_id":9007199254740993,"grams":1}`)
	want(t, v, holdfast.Failed, holdfast.ToolError)
	if said := v.Observation.Content(); !strings.Contains(said, "9007199254740993") {
		t.Errorf("add_meal_food tells %s, want the id exactly", said)
	}
	other := g.call("add_meal_food", `{"date":"2024-04-11","meal":"Comida","food_id":9007199254740992,"grams":1}`)
	if other.Key == v.Key {
		t.Error("9007199254740993 and …992 have one key")
	}
	if n := g.count("meal_foods"); n != 0 {
		t.Errorf("meal_foods has %d rows, want none", n)
	}
}

func TestMeal_must_be_one_of_the_five_exactly(t *testing.T) {
	g := newGym(t)
	v := g.call("read_meal_foods", `{"date":"2024-04-11","meal":" desayuno "}`)
	want(t, v, holdfast.Rejected, holdfast.InvalidArguments)
	for _, meal := range []string{"Desayuno", "Almuerzo", "Comida", "Merienda", "Cena"} {
		if !strings.Contains(v.Observation.Content(), meal) {
			t.Errorf("observation %s does not allow %s", v.Observation.Content(), meal)
		}
		want(t, g.call("read_meal_foods", fmt.Sprintf(`{"date":"2024-04-11","meal":%q}`, meal)), holdfast.OK, "")
	}
}

func TestDate_must_be_a_day_of_the_calendar(t *testing.T) {
	g := newGym(t)
	for _, date := range []string{"2026-02-30", "11/04/2024", "2024-4-11", "hoy", ""} {
		v := g.call("read_measurement", fmt.Sprintf(`{"date":%q}`, date))
		want(t, v, holdfast.Rejected, holdfast.InvalidArguments)
	}
}

func TestReadRoutines_takes_an_empty_object_and_no_broken_text(t *testing.T) {
	g := newGym(t)
	for _, arguments := range []string{`{"a":`, `null`, `[]`, `{}{}`} {
		want(t, g.call("read_routines", arguments), holdfast.Rejected, holdfast.UnreadableArguments)
	}
	for _, arguments := range []string{`{}`, ``} {
		out := result[routinesOut](t, g.call("read_routines", arguments))
		if len(out.Routines) != 0 || out.Note == "" {
			t.Errorf("read_routines(%q) = %+v", arguments, out)
		}
	}
}

func TestSearchExercises_by_name_and_muscle(t *testing.T) {
	g := newGym(t)
	for _, c := range []struct{ arguments, first string }{
		{`{"query":"sentadilla"}`, "Sentadilla con barra"},
		{`{"query":"squat","muscle":"quadriceps"}`, "Sentadilla con barra"},
		{`{"query":"press","muscle":"hombros"}`, "Press militar con barra"},
		{`{"query":"biceps"}`, "Curl de bíceps con barra"},
	} {
		out := result[searchExercisesOut](t, g.call("search_exercises", c.arguments))
		if len(out.Exercises) == 0 || out.Exercises[0].Name != c.first {
			t.Errorf("search_exercises(%s) = %+v, want %s first", c.arguments, out.Exercises, c.first)
		}
	}
	out := result[searchExercisesOut](t, g.call("search_exercises", `{"query":"press","muscle":"gemelos"}`))
	if len(out.Exercises) != 0 || out.Note == "" {
		t.Errorf("search_exercises(press for calves) = %+v, want nothing found", out)
	}
}

const legs = `{"name":"Pierna A","exercises":[
	{"exercise_id":45,"sets":[{"reps":8,"weight_kg":80},{"reps":8,"weight_kg":82.5}]},
	{"exercise_id":67,"sets":[{"reps":1}]},
	{"exercise_id":45,"sets":[{"reps":20,"weight_kg":40}]}]}`

func TestCreateRoutine_is_read_back_in_order(t *testing.T) {
	g := newGym(t)
	out := result[created](t, g.call("create_routine", legs))
	read := result[routinesOut](t, g.call("read_routines", `{}`))
	if len(read.Routines) != 1 {
		t.Fatalf("read_routines = %+v, want one", read)
	}
	if diff := cmp.Diff(out.Created, read.Routines[0]); diff != "" {
		t.Errorf("created and read differ (-created +read):\n%s", diff)
	}
	got := out.Created.Exercises
	if len(got) != 3 || got[0].Sets[1].WeightKG.String() != "82.5" || got[1].Sets[0].WeightKG != nil || got[2].Sets[0].Reps != 20 {
		t.Errorf("create_routine = %+v", got)
	}
}

func TestCreateRoutine_null_weight_in_a_list_is_rejected(t *testing.T) {
	g := newGym(t)
	v := g.call("create_routine", `{"name":"A","exercises":[{"exercise_id":1,"sets":[{"reps":5},{"reps":5,"weight_kg":null}]}]}`)
	want(t, v, holdfast.Rejected, holdfast.InvalidArguments)
	if len(v.Outcome.Problems) != 1 || v.Outcome.Problems[0].Path != "/exercises/0/sets/1/weight_kg" {
		t.Errorf("problems = %+v, want one at the second set's weight", v.Outcome.Problems)
	}
}

func TestCreateRoutine_unknown_exercise_leaves_nothing(t *testing.T) {
	g := newGym(t)
	v := g.call("create_routine", `{"name":"A","exercises":[{"exercise_id":1,"sets":[{"reps":5}]},{"exercise_id":999,"sets":[{"reps":5}]}]}`)
	want(t, v, holdfast.Failed, holdfast.ToolError)
	if n, m := g.count("routines"), g.count("routine_sets"); n != 0 || m != 0 {
		t.Errorf("stored %d routines and %d sets, want none", n, m)
	}
}

func TestRound_one_malformed_call_of_three_stops_no_other(t *testing.T) {
	g := newGym(t)
	verdicts := g.round(
		call("a", "search_foods", `{"query":"pollo"}`),
		call("b", "search_foods", `{"query":`),
		call("c", "add_meal_food", lunch),
	)
	for i, w := range []struct {
		id     string
		status holdfast.Status
	}{{"a", holdfast.OK}, {"b", holdfast.Rejected}, {"c", holdfast.OK}} {
		if v := verdicts[i]; v.Observation.CallID != w.id || v.Outcome.Status != w.status {
			t.Errorf("call %d = %s %s, want %s %s", i, v.Observation.CallID, v.Outcome.Status, w.id, w.status)
		}
	}
}

func TestRound_same_write_again_is_replayed_and_twice_side_by_side_is_two(t *testing.T) {
	g := newGym(t)
	want(t, g.inTurn(1, 1, call("x", "add_meal_food", lunch))[0], holdfast.OK, "")
	again := g.inTurn(1, 2, call("y", "add_meal_food", `{"grams":200.0,"food_id":1,"meal":"Comida","date":"2024-04-11"}`))[0]
	if again.Outcome.Status != holdfast.OK || !again.Outcome.Replayed || again.Observation.CallID != "y" {
		t.Errorf("the same write in a later round = %s, want replayed", again.Observation.Content())
	}
	if n := g.count("meal_foods"); n != 1 {
		t.Errorf("meal_foods has %d rows, want 1", n)
	}
	for _, v := range g.inTurn(2, 1, call("x", "add_meal_food", lunch), call("y", "add_meal_food", lunch)) {
		if v.Outcome.Status != holdfast.OK || v.Outcome.Replayed {
			t.Errorf("side by side = %s, want two writes", v.Observation.Content())
		}
	}
	if n := g.count("meal_foods"); n != 3 {
		t.Errorf("meal_foods has %d rows, want 3", n)
	}
}

func TestPrincipals_do_not_see_each_other(t *testing.T) {
	g := newGym(t)
	want(t, g.call("add_meal_food", lunch), holdfast.OK, "")
	if got := g.meal(holdfast.Principal{ID: "ben"}, "2024-04-11", "Comida"); len(got) != 0 {
		t.Errorf("ben reads %q", got)
	}
	if got := g.meal(holdfast.Principal{Tenant: "other", ID: "ana"}, "2024-04-11", "Comida"); len(got) != 0 {
		t.Errorf("another tenant's ana reads %q", got)
	}
}
