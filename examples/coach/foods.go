package coach

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/holdfast-go/holdfast"
)

// nutrients of an amount of food.
type nutrients struct {
	EnergyKcal    json.Number `json:"energy_kcal"`
	CarbohydrateG json.Number `json:"carbohydrate_g"`
	ProteinG      json.Number `json:"protein_g"`
	FatG          json.Number `json:"fat_g"`
}

// of is what n, given per 100 g, makes for grams.
func (n nutrients) of(grams json.Number) (nutrients, error) {
	g, err := rational(grams)
	if err != nil {
		return nutrients{}, err
	}
	return combine(n, nutrients{"0", "0", "0", "0"}, func(per100, _ *big.Rat) *big.Rat {
		return per100.Mul(per100, g).Quo(per100, big.NewRat(100, 1))
	})
}

func (n nutrients) plus(m nutrients) (nutrients, error) {
	return combine(n, m, func(a, b *big.Rat) *big.Rat { return a.Add(a, b) })
}

// combine makes nutrients of the values of a and b, one by one.
func combine(a, b nutrients, fn func(a, b *big.Rat) *big.Rat) (nutrients, error) {
	var out nutrients
	for _, v := range []struct {
		to   *json.Number
		a, b json.Number
	}{
		{&out.EnergyKcal, a.EnergyKcal, b.EnergyKcal},
		{&out.CarbohydrateG, a.CarbohydrateG, b.CarbohydrateG},
		{&out.ProteinG, a.ProteinG, b.ProteinG},
		{&out.FatG, a.FatG, b.FatG},
	} {
		x, err := rational(v.a)
		if err != nil {
			return nutrients{}, err
		}
		y, err := rational(v.b)
		if err != nil {
			return nutrients{}, err
		}
		*v.to = decimal(fn(x, y))
	}
	return out, nil
}

// food is one row of the food table.
type food struct {
	ID      int64     `json:"food_id"`
	Name    string    `json:"name"`
	NameEN  string    `json:"name_en"`
	Per100g nutrients `json:"per_100_g"`
}

type searchFoodsIn struct {
	Query string `json:"query" desc:"What to look for: a food's name or part of it, in Spanish or English, such as arroz, pollo, rice. Case and accents do not matter." min:"1" max:"100"`
}

type searchFoodsOut struct {
	Foods []food `json:"foods"`
	// More is how many matches are not shown.
	More int    `json:"more,omitempty"`
	Note string `json:"note,omitempty"`
}

func (c *Coach) searchFoods() (*holdfast.Tool, error) {
	return holdfast.Func("search_foods",
		"Find foods by name and get their ids and nutrients per 100 g: energy (kcal), carbohydrate, protein and fat (g). "+
			"Use it for any question about what a food contains, and before add_meal_food, which needs the food_id. "+
			"Raw, cooked and other kinds of a food are different entries: tell them apart by name. "+
			"An empty list means that the food is not in the table; do not make up values then.",
		holdfast.Read, 5*time.Second,
		func(ctx context.Context, in searchFoodsIn) (searchFoodsOut, error) {
			all, err := c.store.foods(ctx)
			if err != nil {
				return searchFoodsOut{}, fmt.Errorf("the food table could not be read, so nothing is known about %q: %w", in.Query, err)
			}
			found := search(in.Query, all, func(f food) []string { return []string{f.Name, f.NameEN} })
			out := searchFoodsOut{Foods: found[:min(len(found), maxFound)], More: max(0, len(found)-maxFound)}
			switch {
			case len(found) == 0:
				out.Foods = []food{}
				out.Note = "No food of that name is in the table. Its values are not known: try another name, or say so."
			case out.More > 0:
				out.Note = "Not all matches are shown: search for more words of the name."
			}
			return out, nil
		}, nil)
}

// foods are all rows, by id.
func (s *store) foods(ctx context.Context) ([]food, error) {
	var all []food
	err := s.read(ctx, Reading, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT id, name, name_en, energy_kcal, carbohydrate_g, protein_g, fat_g FROM foods ORDER BY id")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			f, err := scanFood(rows)
			if err != nil {
				return err
			}
			all = append(all, f)
		}
		return rows.Err()
	})
	return all, err
}

func scanFood(row interface{ Scan(...any) error }, more ...any) (food, error) {
	var f food
	n := &f.Per100g
	err := row.Scan(append([]any{&f.ID, &f.Name, &f.NameEN, &n.EnergyKcal, &n.CarbohydrateG, &n.ProteinG, &n.FatG}, more...)...)
	return f, err
}

// foodByID is the food of that id; its error tells a model what to do.
func foodByID(ctx context.Context, tx *sql.Tx, id int64) (food, error) {
	f, err := scanFood(tx.QueryRowContext(ctx,
		"SELECT id, name, name_en, energy_kcal, carbohydrate_g, protein_g, fat_g FROM foods WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return food{}, fmt.Errorf("no food has the id %d: take food_id from a result of search_foods", id)
	}
	return f, err
}
