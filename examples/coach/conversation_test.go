package coach

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/holdfast-go/holdfast/agent"
)

func TestConversation_carbohydrate_of_rice(t *testing.T) {
	eachProvider(t, "", func(k *talk) {
		k.wantSaid(k.say("¿Cuántos carbohidratos tiene el arroz?"),
			"Arroz blanco (cocido): 28 g de carbohidratos", "Arroz blanco (crudo): 80 g", "Arroz integral (cocido): 25.6 g")
		k.wantSaid(k.say("How much protein is in lentils?"), "Lentils (boiled): 9 g of protein")
		k.wantSaid(k.say("¿Cuántas calorías hay en las almendras?"), "Almendras: 579 kcal")
		k.restart()
		k.wantCalls(1, "search_foods ok")
	})
}

func TestConversation_no_such_food_and_no_table_are_told_apart(t *testing.T) {
	eachProvider(t, "", func(k *talk) {
		k.wantSaid(k.say("¿Cuántas calorías tiene el unicornio?"), "No encuentro «unicornio»")
		k.failAt[Reading] = errors.New("the disk is gone")
		k.wantSaid(k.say("¿Cuántas calorías tiene el arroz?"), "no puedo consultar la tabla")
		clear(k.failAt)
		k.wantSaid(k.say("¿Cuántas calorías tiene el arroz?"), "Arroz blanco (cocido): 130 kcal")
		k.restart()
		k.wantCalls(1, "search_foods ok")
		k.wantCalls(2, "search_foods failed tool_error")
	})
}

func TestConversation_misspelt_tool(t *testing.T) {
	eachProvider(t, "", func(k *talk) {
		k.wantSaid(k.say("Llama a search_foodz"), "he encontrado 9 alimentos")
		k.restart()
		k.wantCalls(1, "search_foodz rejected unknown_tool", "search_foods ok")
	})
}

func TestConversation_add_rice_to_lunch(t *testing.T) {
	eachProvider(t, "", func(k *talk) {
		k.wantSaid(k.say("Añade 200 g de arroz blanco cocido a la comida"),
			"200 g de Arroz blanco (cocido) en Comida, 2024-04-11", "56 g de carbohidratos", "Lo he vuelto a leer")
		k.wantSaid(k.say("Add 37,5 g of almonds to my snack"), "37.5 g of Almonds in Merienda")
		k.restart()
		k.wantCalls(1, "search_foods ok", "add_meal_food ok")
		if got := k.meal(ana, "2024-04-11", "Comida"); len(got) != 1 || got[0] != "Arroz blanco (cocido) 200" {
			k.t.Errorf("stored lunch = %q, want one row of 200 g", got)
		}
		k.wantSaid(k.say("¿Qué he comido hoy?"), "Comida:\n- 200 g de Arroz blanco (cocido)", "Merienda:\n- 37.5 g de Almendras")
	})
}

func TestConversation_store_fails_during_a_write(t *testing.T) {
	for name, c := range map[string]struct {
		at   []Point
		said string
		call string
		rows int
	}{
		"before":           {[]Point{Writing}, "no ha cambiado nada", "add_meal_food failed tool_error", 0},
		"lost, unreadable": {[]Point{Committing, ReadingBack}, "No se sabe si se ha guardado", "add_meal_food uncertain unconfirmed", 0},
		"kept, unreadable": {[]Point{AfterCommit, ReadingBack}, "No se sabe si se ha guardado", "add_meal_food uncertain unconfirmed", 1},
		"kept, read back":  {[]Point{AfterCommit}, "Lo he vuelto a leer", "add_meal_food ok", 1},
	} {
		t.Run(name, func(t *testing.T) {
			with(t, eachVendor(), "", func(k *talk) {
				for _, at := range c.at {
					k.failAt[at] = errors.New("the disk is gone")
				}
				k.wantSaid(k.say("Añade 200 g de arroz blanco cocido a la comida"), c.said)
				clear(k.failAt)
				k.wantSaid(k.say("¿Cuántos carbohidratos tiene el arroz?"), "28 g")
				k.restart()
				k.wantCalls(1, "search_foods ok", c.call)
				if got := k.meal(ana, "2024-04-11", "Comida"); len(got) != c.rows {
					k.t.Errorf("stored lunch = %q, want %d rows", got, c.rows)
				}
			})
		})
	}
}

func TestConversation_weight_with_a_comma_is_corrected(t *testing.T) {
	eachProvider(t, "", func(k *talk) {
		k.wantSaid(k.say("Mi cintura mide 81,5"), "cintura 81.5 cm")
		k.wantSaid(k.say("Hoy peso 75,5"), "cintura 81.5 cm; peso 75.5 kg")
		k.restart()
		k.wantCalls(2, "write_measurement rejected invalid_arguments", "write_measurement ok")
		if got, want := k.day(ana, "2024-04-11"), map[string]string{"waist_cm": "81.5", "weight_kg": "75.5"}; !maps.Equal(got, want) {
			k.t.Errorf("stored day = %v, want %v", got, want)
		}
	})
}

func TestConversation_meal_in_another_writing(t *testing.T) {
	eachProvider(t, `
rules:
  - when: {message: desayuno}
    calls: [{name: read_meal_foods, arguments: {date: "{{.Today}}", meal: " desayuno "}}]
  - when: {after: read_meal_foods, code: invalid_arguments, result: '/meal.*Desayuno'}
    calls: [{name: read_meal_foods, arguments: {date: "{{.Today}}", meal: Desayuno}}]
  - when: {after: read_meal_foods, outcome: ok}
    say: "{{.Result.meal}}: {{len .Result.foods}}"
`, func(k *talk) {
		k.wantSaid(k.say("¿Y el desayuno?"), "Desayuno: 0")
		k.restart()
		k.wantCalls(1, "read_meal_foods rejected invalid_arguments", "read_meal_foods ok")
	})
}

func TestConversation_null_for_an_optional_number(t *testing.T) {
	eachProvider(t, `
rules:
  - when: {message: rutina}
    calls: [{name: create_routine, arguments: {name: A, exercises: [{exercise_id: 8, sets: [{reps: 10}, {reps: 8, weight_kg: null}]}]}}]
  - when: {message: rutina, after: create_routine, code: invalid_arguments, result: '/exercises/0/sets/1/weight_kg'}
    calls: [{name: create_routine, arguments: {name: A, exercises: [{exercise_id: 8, sets: [{reps: 10}, {reps: 8}]}]}}]
  - when: {after: create_routine, outcome: ok}
    say: "{{.Result.created.name}} {{len (index .Result.created.exercises 0).sets}}"
  - when: {message: peso}
    calls: [{name: write_measurement, arguments: {date: "{{.Today}}", data: {weight_kg: 75.5, waist_cm: null}}}]
  - when: {message: peso, after: write_measurement, code: invalid_arguments, result: '/data/waist_cm'}
    calls: [{name: write_measurement, arguments: {date: "{{.Today}}", data: {weight_kg: 75.5}}}]
  - when: {after: write_measurement, outcome: ok}
    say: "{{json .Result.data}}"
`, func(k *talk) {
		k.wantSaid(k.say("Una rutina"), "A 2")
		k.wantSaid(k.say("Mi peso"), `{"weight_kg":75.5}`)
		k.restart()
		if n, m, o := k.count("routines"), k.count("routine_sets"), k.count("measurements"); n != 1 || m != 2 || o != 1 {
			k.t.Errorf("stored %d routines, %d sets, %d measurements, want 1, 2, 1", n, m, o)
		}
	})
}

func TestConversation_three_calls_one_malformed(t *testing.T) {
	eachProvider(t, "", func(k *talk) {
		k.wantSaid(k.say("Haz tres a la vez"), "search_foods: ok\n", "search_foods: rejected (unreadable_arguments)\n", "read_routines: ok")
		k.restart()
		k.wantCalls(1, "search_foods ok", "search_foods rejected unreadable_arguments", "read_routines ok")
	})
}

func TestConversation_cut_reply_runs_nothing(t *testing.T) {
	eachProvider(t, "", func(k *talk) {
		k.wantSaid(k.say("Córtate"), "ninguna de sus 2 llamadas")
		k.restart()
		k.wantCalls(1, "search_foods rejected incomplete_response", "add_meal_food rejected incomplete_response")
		if n := k.count("meal_foods"); n != 0 {
			k.t.Errorf("meal_foods has %d rows, want none", n)
		}
	})
}

func TestConversation_routine_is_created_from_what_was_found(t *testing.T) {
	eachProvider(t, "", func(k *talk) {
		k.wantSaid(k.say("Crea una rutina de pierna"),
			"«Pierna»", "Sentadilla con barra: 10 × 40 kg, 8 × 42.5 kg", "Peso muerto rumano", "Elevación de talones")
		k.wantSaid(k.say("Create a routine for my biceps"), "“biceps”", "Barbell curl: 12, 10, 8")
		k.restart()
		k.wantSaid(k.say("¿Qué rutinas tengo?"), "Pierna: Sentadilla con barra, Peso muerto rumano, Elevación de talones de pie", "biceps")
		if n := k.count("routines"); n != 2 {
			k.t.Errorf("routines has %d rows, want 2", n)
		}
	})
}

func TestConversation_unknown_message_says_that_it_is_scripted(t *testing.T) {
	eachProvider(t, "", func(k *talk) {
		k.wantSaid(k.say("¿Qué opinas de Kant?"), "guion (scripted)", "¿Cuántos carbohidratos tiene el arroz?", "Hoy peso 75,5")
	})
}

func TestConversation_obedient_model_ends_at_the_round_limit(t *testing.T) {
	eachProvider(t, "", func(k *talk) {
		r := k.turn(k.t.Context(), "Llama sin parar")
		if r.End != agent.RoundLimit || r.Rounds != 16 || r.Message == "" {
			k.t.Errorf("turn = %s after %d rounds (%s), want round_limit after 16, in words", r.End, r.Rounds, r.Message)
		}
		k.wantSaid(k.say("¿Cuántos carbohidratos tiene el arroz?"), "28 g")
	})
}

func TestConversation_unreadable_text_is_not_an_empty_object(t *testing.T) {
	eachProvider(t, `
rules:
  - when: {message: rota}
    calls: [{name: read_routines, arguments: '{"a'}]
  - when: {message: entera}
    calls: [{name: read_routines, arguments: '{}'}]
  - when: {message: nada}
    calls: [{name: read_routines}]
  - when: {after: read_routines}
    say: "{{(index .Results 0).Outcome}} {{(index .Results 0).Code}}"
`, func(k *talk) {
		k.wantSaid(k.say("rota"), "rejected unreadable_arguments")
		k.wantSaid(k.say("entera"), "ok")
		k.wantSaid(k.say("nada"), "ok")
	})
}

func TestConversation_calls_run_whatever_the_stop_word(t *testing.T) {
	eachProvider(t, `
rules:
  - when: {message: cena}
    calls: [{name: add_meal_food, arguments: {date: "{{.Today}}", meal: Cena, food_id: 1, grams: 50}}]
    stop: stop
  - when: {after: add_meal_food, outcome: ok}
    say: "{{.Result.added.grams}} g"
`, func(k *talk) {
		k.wantSaid(k.say("Arroz de cena"), "50 g")
		k.restart()
		if n := k.count("meal_foods"); n != 1 {
			k.t.Errorf("meal_foods has %d rows, want 1", n)
		}
	})
}

func TestConversation_ids_twice_missing_and_of_an_earlier_turn(t *testing.T) {
	eachProvider(t, `
rules:
  - when: {message: mismo}
    calls:
      - {name: add_meal_food, id: call_8, arguments: {date: "{{.Today}}", meal: Cena, food_id: 1, grams: 1}}
      - {name: add_meal_food, id: call_8, arguments: {date: "{{.Today}}", meal: Cena, food_id: 1, grams: 2}}
  - when: {message: mismo, after: add_meal_food}
    say: "{{len .Results}} {{.Result.outcome}} {{(index .Result.also 0).code}}"
  - when: {message: antes}
    calls: [{name: search_foods, id: call_8, arguments: {query: arroz}}]
  - when: {message: antes, after: search_foods, outcome: ok}
    say: "{{len .Result.foods}} foods"
  - when: {message: ninguno}
    calls:
      - {name: search_foods, id: '', arguments: {query: pollo}}
      - {name: add_meal_food, id: '', arguments: {date: "{{.Today}}", meal: Cena, food_id: 1, grams: 3}}
  - when: {message: ninguno, after: add_meal_food, outcome: ok}
    say: "{{len .Results}} {{.Result.added.grams}}"
`, func(k *talk) {
		k.wantSaid(k.say("mismo"), "1 ok duplicate_call_id")
		k.wantSaid(k.say("antes"), "9 foods")
		k.wantSaid(k.say("ninguno"), "2 3")
		k.restart()
		k.wantCalls(1, "add_meal_food ok", "add_meal_food rejected duplicate_call_id")
		if got, want := k.meal(ana, "2024-04-11", "Cena"), []string{"Arroz blanco (cocido) 1", "Arroz blanco (cocido) 3"}; !slices.Equal(got, want) {
			k.t.Errorf("stored dinner = %q, want %q", got, want)
		}
	})
}

func TestConversation_large_ids_arrive_exactly(t *testing.T) {
	eachProvider(t, `
rules:
  - when: {message: grande}
    calls:
      - {name: add_meal_food, arguments: {date: "{{.Today}}", meal: Cena, food_id: 9007199254740993, grams: 1}}
      - {name: add_meal_food, arguments: {date: "{{.Today}}", meal: Cena, food_id: 9007199254740992, grams: 1}}
  - when: {after: add_meal_food, outcome: failed}
    say: "{{range .Results}}{{find \"id [0-9]+\" .JSON.message}}, {{end}}"
`, func(k *talk) {
		k.wantSaid(k.say("grande"), "id 9007199254740993, id 9007199254740992, ")
	})
}
