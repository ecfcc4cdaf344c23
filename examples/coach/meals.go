package coach

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/holdfast-go/holdfast"
)

// eaten is one food of a meal.
type eaten struct {
	EntryID int64       `json:"entry_id"`
	FoodID  int64       `json:"food_id"`
	Name    string      `json:"name"`
	NameEN  string      `json:"name_en"`
	Grams   json.Number `json:"grams"`
	nutrients
}

type readMealFoodsIn struct {
	Date string `json:"date" desc:"Day of the meal, YYYY-MM-DD in the person's time zone." format:"date"`
	Meal string `json:"meal" desc:"Which meal: Desayuno (breakfast), Almuerzo (mid-morning meal), Comida (lunch), Merienda (afternoon snack) or Cena (dinner)." enum:"Desayuno|Almuerzo|Comida|Merienda|Cena"`
}

type mealOut struct {
	Date  string    `json:"date"`
	Meal  string    `json:"meal"`
	Foods []eaten   `json:"foods"`
	Total nutrients `json:"total"`
	Note  string    `json:"note,omitempty"`
}

func (c *Coach) readMealFoods() (*holdfast.Tool, error) {
	return holdfast.Func("read_meal_foods",
		"Read what the person recorded for one meal of one day: each food with its grams and nutrients, and the meal's total. "+
			"One call a meal; for a whole day call it for each of the five meals.",
		holdfast.Read, 5*time.Second,
		func(ctx context.Context, in readMealFoodsIn) (mealOut, error) {
			foods, err := c.store.meal(ctx, holdfast.CallInfoFrom(ctx).Principal, in.Date, in.Meal)
			if err != nil {
				return mealOut{}, fmt.Errorf("the recorded meals could not be read: %w", err)
			}
			return asMeal(in, foods)
		}, nil)
}

func asMeal(in readMealFoodsIn, foods []eaten) (mealOut, error) {
	out := mealOut{Date: in.Date, Meal: in.Meal, Foods: foods, Total: nutrients{"0", "0", "0", "0"}}
	if len(foods) == 0 {
		out.Foods = []eaten{}
		out.Note = "Nothing is recorded for this meal."
	}
	for _, f := range foods {
		var err error
		if out.Total, err = out.Total.plus(f.nutrients); err != nil {
			return mealOut{}, err
		}
	}
	return out, nil
}

const eatenColumns = `SELECT f.id, f.name, f.name_en, f.energy_kcal, f.carbohydrate_g, f.protein_g, f.fat_g, m.id, m.grams
	FROM meal_foods m JOIN foods f ON f.id = m.food_id `

func scanEaten(row interface{ Scan(...any) error }, more ...any) (eaten, error) {
	var e eaten
	f, err := scanFood(row, append([]any{&e.EntryID, &e.Grams}, more...)...)
	if err != nil {
		return eaten{}, err
	}
	e.FoodID, e.Name, e.NameEN = f.ID, f.Name, f.NameEN
	e.nutrients, err = f.Per100g.of(e.Grams)
	return e, err
}

// meal lists a meal's foods in the order in which they were added.
func (s *store) meal(ctx context.Context, who holdfast.Principal, day, meal string) ([]eaten, error) {
	var foods []eaten
	err := s.read(ctx, Reading, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, eatenColumns+"WHERE m.tenant = ? AND m.person = ? AND m.day = ? AND m.meal = ? ORDER BY m.id",
			who.Tenant, who.ID, day, meal)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			e, err := scanEaten(rows)
			if err != nil {
				return err
			}
			foods = append(foods, e)
		}
		return rows.Err()
	})
	return foods, err
}

type addMealFoodIn struct {
	Date   string      `json:"date" desc:"Day of the meal, YYYY-MM-DD in the person's time zone." format:"date"`
	Meal   string      `json:"meal" desc:"Which meal: Desayuno (breakfast), Almuerzo (mid-morning meal), Comida (lunch), Merienda (afternoon snack) or Cena (dinner)." enum:"Desayuno|Almuerzo|Comida|Merienda|Cena"`
	FoodID int64       `json:"food_id" desc:"Id of the food, from a result of search_foods." min:"1"`
	Grams  json.Number `json:"grams" desc:"How many grams were eaten, such as 200 or 37.5." min:"0.1" max:"5000"`
}

// added is a food of a meal, with the place where it stands.
type added struct {
	Date  string `json:"date"`
	Meal  string `json:"meal"`
	Added eaten  `json:"added"`
}

func (c *Coach) addMealFood() (*holdfast.Tool, error) {
	return holdfast.Func("add_meal_food",
		"Record that the person ate some grams of a food in a meal. Search the food first: it needs a food_id. "+
			"Adds one entry and reads it back; each call is another entry, so call it once for each food that was eaten.",
		holdfast.Write, 10*time.Second,
		func(ctx context.Context, in addMealFoodIn) (added, error) {
			return c.store.addMealFood(ctx, holdfast.CallInfoFrom(ctx), in)
		},
		&holdfast.ToolOptions{Version: "1", Confirm: confirm(c.store, readAdded)})
}

func (s *store) addMealFood(ctx context.Context, call holdfast.CallInfo, in addMealFoodIn) (added, error) {
	var out added
	err := s.write(ctx, func(tx *sql.Tx) error {
		grams, err := normal(in.Grams)
		if err != nil {
			return err
		}
		if _, err := foodByID(ctx, tx, in.FoodID); err != nil {
			return err
		}
		who := call.Principal
		if _, err := tx.ExecContext(ctx, `INSERT INTO meal_foods (tenant, person, key, day, meal, food_id, grams) VALUES (?,?,?,?,?,?,?)
			ON CONFLICT (tenant, key) DO NOTHING`, who.Tenant, who.ID, call.Key, in.Date, in.Meal, in.FoodID, grams.String()); err != nil {
			return err
		}
		if out, err = readAdded(ctx, tx, who, call.Key); err != nil {
			return err
		}
		if out.Date != in.Date || out.Meal != in.Meal || out.Added.FoodID != in.FoodID || out.Added.Grams != grams {
			return errKeyTaken
		}
		return nil
	})
	return out, err
}

// errKeyTaken says that another write stands under a call's key. The gate does
// not let it come to this; what stands is left as it is.
var errKeyTaken = errors.New("another write stands under this idempotency key")

// readAdded is the entry that the call with that key added.
func readAdded(ctx context.Context, tx *sql.Tx, who holdfast.Principal, key string) (added, error) {
	var out added
	row := tx.QueryRowContext(ctx, `SELECT f.id, f.name, f.name_en, f.energy_kcal, f.carbohydrate_g, f.protein_g, f.fat_g, m.id, m.grams, m.day, m.meal
		FROM meal_foods m JOIN foods f ON f.id = m.food_id WHERE m.tenant = ? AND m.person = ? AND m.key = ?`, who.Tenant, who.ID, key)
	var err error
	out.Added, err = scanEaten(row, &out.Date, &out.Meal)
	return out, err
}
