package browsertest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/examples/coach"
	"github.com/holdfast-go/holdfast/wire"
	"github.com/holdfast-go/holdfast/wire/anthropic"
	"github.com/holdfast-go/holdfast/wire/google"
	"github.com/holdfast-go/holdfast/wire/openai"
)

// eachVendor holds a conversation in the page with each scripted provider.
func eachVendor(t *testing.T, scenario string, hold func(t *testing.T, h *house, k *tab)) {
	t.Helper()
	needBrowser(t)
	for name, codec := range map[string]wire.Codec{"openai": openai.Responses{}, "anthropic": anthropic.Messages{}, "google": google.Gemini{}} {
		t.Run(name, func(t *testing.T) {
			h := open(t, codec, scenario)
			k := h.tab(t)
			k.open("/")
			k.wait(`document.querySelector("#message")`)
			hold(t, h, k)
		})
	}
}

func (h *house) wantCalls(want ...string) {
	h.t.Helper()
	if got := h.calls(); !slices.Equal(got, want) {
		h.t.Errorf("the ledger holds %q, want %q", got, want)
	}
}

func (h *house) wantRows(query string, want ...string) {
	h.t.Helper()
	if got := h.rows(query); !slices.Equal(got, want) {
		h.t.Errorf("%s = %q, want %q", query, got, want)
	}
}

const meals = "SELECT meal, grams FROM meal_foods"

func TestKindsOfRiceAreToldApart(t *testing.T) {
	eachVendor(t, "", func(t *testing.T, h *house, k *tab) {
		k.say("¿Cuántos carbohidratos tiene el arroz?")
		k.wantPage(`[search_foods ok {"query":"arroz"}]`, "Arroz blanco (cocido): 28 g", "Arroz integral (cocido): 25.6 g")
		h.wantCalls("search_foods ok")
		k.sameAfterReload()
	})
}

func TestNothingFoundAndCouldNotLookAreToldApart(t *testing.T) {
	eachVendor(t, "", func(t *testing.T, h *house, k *tab) {
		k.say("¿Cuántas calorías tiene el unicornio?")
		k.wantPage("[search_foods ok", "No encuentro «unicornio»")
		h.fail(errors.New("the disk is gone"), coach.Reading)
		k.say("¿Cuántas calorías tiene el arroz?")
		h.fail(nil)
		k.wantPage("[search_foods failed", "It could not look. That is not the same as finding nothing.", "no puedo consultar la tabla")
		h.wantCalls("search_foods ok", "search_foods failed tool_error")
		k.sameAfterReload()
	})
}

func TestAMisspeltToolRunsNothing(t *testing.T) {
	eachVendor(t, "", func(t *testing.T, h *house, k *tab) {
		k.say("Llama a search_foodz")
		k.wantPage("[search_foodz rejected", "There is no tool of that name. Nothing ran.", "[search_foods ok", "he encontrado 9 alimentos")
		h.wantCalls("search_foodz rejected unknown_tool", "search_foods ok")
		k.sameAfterReload()
	})
}

func TestAddedFoodIsStoredOnceAndReadBack(t *testing.T) {
	eachVendor(t, "", func(t *testing.T, h *house, k *tab) {
		k.say("Añade 200 g de arroz blanco cocido a la comida")
		k.wantPage("[add_meal_food ok", "200 g de Arroz blanco (cocido) en Comida", "Lo he vuelto a leer")
		h.wantCalls("search_foods ok", "add_meal_food ok")
		h.wantRows(meals, "Comida 200")
		k.sameAfterReload()
		h.wantRows(meals, "Comida 200")
	})
}

func TestAWriteThatFailsIsToldTrulyAndNotRepeated(t *testing.T) {
	for name, c := range map[string]struct {
		at     []coach.Point
		shows  []string
		call   string
		stored []string
	}{
		"before":    {[]coach.Point{coach.Writing}, []string{"[add_meal_food failed", "known to have changed nothing", "no ha cambiado nada"}, "add_meal_food failed tool_error", nil},
		"uncertain": {[]coach.Point{coach.AfterCommit, coach.ReadingBack}, []string{"[add_meal_food uncertain", "It may or may not have happened.", "No se sabe si se ha guardado"}, "add_meal_food uncertain unconfirmed", []string{"Comida 200"}},
	} {
		t.Run(name, func(t *testing.T) {
			eachVendor(t, "", func(t *testing.T, h *house, k *tab) {
				h.fail(errors.New("the disk is gone"), c.at...)
				k.say("Añade 200 g de arroz blanco cocido a la comida")
				h.fail(nil)
				k.wantPage(c.shows...)
				k.say("¿Cuántos carbohidratos tiene el arroz?")
				k.wantPage("28 g")
				h.wantCalls("search_foods ok", c.call, "search_foods ok")
				h.wantRows(meals, c.stored...)
				k.sameAfterReload()
			})
		})
	}
}

func TestAWeightWithACommaIsRejectedAndCorrected(t *testing.T) {
	eachVendor(t, "", func(t *testing.T, h *house, k *tab) {
		k.say("Mi cintura mide 81,5")
		k.say("Hoy peso 75,5")
		k.wantPage("[write_measurement rejected", "/data/weight_kg", "must be a number", "[write_measurement ok", "cintura 81.5 cm; peso 75.5 kg")
		h.wantCalls("write_measurement ok", "write_measurement rejected invalid_arguments", "write_measurement ok")
		h.wantRows("SELECT measure, value FROM measurements ORDER BY measure", "waist_cm 81.5", "weight_kg 75.5")
		k.sameAfterReload()
	})
}

func TestAMealInAnotherWritingIsRejectedWithTheAllowedValues(t *testing.T) {
	eachVendor(t, `
rules:
  - when: {message: desayuno}
    calls: [{name: read_meal_foods, arguments: {date: "{{.Today}}", meal: " desayuno "}}]
  - when: {after: read_meal_foods, code: invalid_arguments, result: '/meal.*Desayuno'}
    calls: [{name: read_meal_foods, arguments: {date: "{{.Today}}", meal: Desayuno}}]
  - when: {after: read_meal_foods, outcome: ok}
    say: "{{.Result.meal}}: {{len .Result.foods}}"
`, func(t *testing.T, h *house, k *tab) {
		k.say("Y el desayuno")
		k.wantPage(`[read_meal_foods rejected`, `"meal":"desayuno"`, "/meal", "Merienda", "[read_meal_foods ok", "Desayuno: 0")
		h.wantCalls("read_meal_foods rejected invalid_arguments", "read_meal_foods ok")
		k.sameAfterReload()
	})
}

func TestNullForAnOptionalNumberIsRejected(t *testing.T) {
	eachVendor(t, `
rules:
  - when: {message: rutina}
    calls: [{name: create_routine, arguments: {name: A, exercises: [{exercise_id: 8, sets: [{reps: 10}, {reps: 8, weight_kg: null}]}]}}]
  - when: {message: rutina, after: create_routine, code: invalid_arguments, result: '/exercises/0/sets/1/weight_kg'}
    calls: [{name: create_routine, arguments: {name: A, exercises: [{exercise_id: 8, sets: [{reps: 10}, {reps: 8}]}]}}]
  - when: {after: create_routine, outcome: ok}
    say: "{{.Result.created.name}} {{len (index .Result.created.exercises 0).sets}}"
`, func(t *testing.T, h *house, k *tab) {
		k.say("Una rutina")
		k.wantPage("[create_routine rejected", "/exercises/0/sets/1/weight_kg", "[create_routine ok", "A 2")
		h.wantCalls("create_routine rejected invalid_arguments", "create_routine ok")
		h.wantRows("SELECT count(*) FROM routines", "1")
		h.wantRows("SELECT count(*) FROM routine_sets", "2")
		k.sameAfterReload()
	})
}

func TestThreeCallsOfWhichOneIsMalformed(t *testing.T) {
	eachVendor(t, "", func(t *testing.T, h *house, k *tab) {
		k.say("Haz tres a la vez")
		cards := slices.DeleteFunc(k.page(), func(s string) bool { return !strings.HasPrefix(s, "[") })
		want := []string{`[search_foods ok {"query":"pollo"}`, "[search_foods rejected", "[read_routines ok"}
		if len(cards) != len(want) {
			t.Fatalf("cards = %q, want %d", cards, len(want))
		}
		for i := range want {
			if !strings.HasPrefix(cards[i], want[i]) {
				t.Errorf("card %d = %q, want %q", i, cards[i], want[i])
			}
		}
		k.wantPage("The arguments could not be read. Nothing ran", "search_foods: rejected (unreadable_arguments)")
		k.sameAfterReload()
	})
}

func TestACutReplyRunsNothingAndIsGreyed(t *testing.T) {
	eachVendor(t, "", func(t *testing.T, h *house, k *tab) {
		k.say("Córtate")
		k.wantPage("[search_foods cut", "[add_meal_food cut", "The model's reply was cut, so nothing of it ran.", "ninguna de sus 2 llamadas")
		h.wantCalls("search_foods rejected incomplete_response", "add_meal_food rejected incomplete_response")
		h.wantRows(meals)
		k.sameAfterReload()
	})
}
