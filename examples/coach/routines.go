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

// exercise is one row of the exercise table.
type exercise struct {
	ID       int64  `json:"exercise_id"`
	Name     string `json:"name"`
	NameEN   string `json:"name_en"`
	Muscle   string `json:"muscle"`
	MuscleEN string `json:"muscle_en"`
}

type searchExercisesIn struct {
	Query  string `json:"query" desc:"What to look for: an exercise's name or part of it, in Spanish or English, such as sentadilla, press, row; or a muscle." min:"1" max:"100"`
	Muscle string `json:"muscle,omitempty" desc:"Only exercises of this muscle, in Spanish or English: pecho (chest), espalda (back), lumbares (lower back), hombros (shoulders), trapecio (traps), bíceps, tríceps, antebrazos (forearms), cuádriceps (quadriceps), isquiotibiales (hamstrings), glúteos (glutes), aductores (adductors), gemelos (calves), abdominales (abs), cuerpo completo (full body)." min:"1" max:"50"`
}

type searchExercisesOut struct {
	Exercises []exercise `json:"exercises"`
	More      int        `json:"more,omitempty"`
	Note      string     `json:"note,omitempty"`
}

func (c *Coach) searchExercises() (*holdfast.Tool, error) {
	return holdfast.Func("search_exercises",
		"Find exercises by name or muscle and get their ids. Use it before create_routine, which needs exercise_ids. "+
			"An empty list means that the table has no such exercise.",
		holdfast.Read, 5*time.Second,
		func(ctx context.Context, in searchExercisesIn) (searchExercisesOut, error) {
			all, err := c.store.exercises(ctx)
			if err != nil {
				return searchExercisesOut{}, fmt.Errorf("the exercise table could not be read, so nothing is known about %q: %w", in.Query, err)
			}
			if in.Muscle != "" {
				all = search(in.Muscle, all, func(e exercise) []string { return []string{e.Muscle, e.MuscleEN} })
			}
			found := search(in.Query, all, func(e exercise) []string { return []string{e.Name, e.NameEN, e.Muscle, e.MuscleEN} })
			out := searchExercisesOut{Exercises: found[:min(len(found), maxFound)], More: max(0, len(found)-maxFound)}
			switch {
			case len(found) == 0:
				out.Exercises = []exercise{}
				out.Note = "No such exercise is in the table: try another name, or the muscle alone."
			case out.More > 0:
				out.Note = "Not all matches are shown: search for more words of the name, or give the muscle."
			}
			return out, nil
		}, nil)
}

func (s *store) exercises(ctx context.Context) ([]exercise, error) {
	var all []exercise
	err := s.read(ctx, Reading, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT id, name, name_en, muscle, muscle_en FROM exercises ORDER BY id")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var e exercise
			if err := rows.Scan(&e.ID, &e.Name, &e.NameEN, &e.Muscle, &e.MuscleEN); err != nil {
				return err
			}
			all = append(all, e)
		}
		return rows.Err()
	})
	return all, err
}

// set is one set of an exercise; without a weight it is done with the body's.
type set struct {
	Reps     int64        `json:"reps" desc:"Repetitions." min:"1" max:"1000"`
	WeightKG *json.Number `json:"weight_kg,omitempty" desc:"Weight in kilograms, such as 22.5. Leave it out for an exercise without added weight." min:"0" max:"1000"`
}

type plannedExercise struct {
	ExerciseID int64 `json:"exercise_id" desc:"Id of the exercise, from a result of search_exercises." min:"1"`
	Sets       []set `json:"sets" desc:"The sets, in order." min:"1" max:"30"`
}

type createRoutineIn struct {
	Name      string            `json:"name" desc:"What the person calls the routine." min:"1" max:"100" pattern:"\\S"`
	Exercises []plannedExercise `json:"exercises" desc:"The exercises, in order." min:"1" max:"40"`
}

// routine as it is told.
type routine struct {
	ID        int64             `json:"routine_id"`
	Name      string            `json:"name"`
	Exercises []routineExercise `json:"exercises"`
}

type routineExercise struct {
	ExerciseID int64  `json:"exercise_id"`
	Name       string `json:"name"`
	NameEN     string `json:"name_en"`
	Sets       []set  `json:"sets"`
}

type readRoutinesIn struct{}

type routinesOut struct {
	Routines []routine `json:"routines"`
	Note     string    `json:"note,omitempty"`
}

func (c *Coach) readRoutines() (*holdfast.Tool, error) {
	return holdfast.Func("read_routines",
		"Read all of the person's routines: their exercises and sets, in order. Takes no arguments.",
		holdfast.Read, 5*time.Second,
		func(ctx context.Context, _ readRoutinesIn) (routinesOut, error) {
			out := routinesOut{Routines: []routine{}}
			err := c.store.read(ctx, Reading, func(tx *sql.Tx) error {
				who := holdfast.CallInfoFrom(ctx).Principal
				all, err := scanRoutines(tx.QueryContext(ctx, routineColumns+"ORDER BY "+routineOrder, who.Tenant, who.ID))
				out.Routines = append(out.Routines, all...)
				return err
			})
			if err != nil {
				return routinesOut{}, fmt.Errorf("the routines could not be read: %w", err)
			}
			if len(out.Routines) == 0 {
				out.Note = "There are no routines yet."
			}
			return out, nil
		}, nil)
}

type created struct {
	Created routine `json:"created"`
}

func (c *Coach) createRoutine() (*holdfast.Tool, error) {
	return holdfast.Func("create_routine",
		"Create a training routine of exercises with their sets. Search the exercises first: it needs exercise_ids. "+
			"Creates one routine and reads it back.",
		holdfast.Write, 10*time.Second,
		func(ctx context.Context, in createRoutineIn) (created, error) {
			call := holdfast.CallInfoFrom(ctx)
			var out created
			err := c.store.write(ctx, func(tx *sql.Tx) error {
				err := insertRoutine(ctx, tx, call, in)
				if err != nil {
					return err
				}
				out, err = readCreated(ctx, tx, call.Principal, call.Key)
				return err
			})
			return out, err
		},
		&holdfast.ToolOptions{Version: "1", Confirm: confirm(c.store, readCreated)})
}

// insertRoutine adds the routine, unless one stands under the call's key.
func insertRoutine(ctx context.Context, tx *sql.Tx, call holdfast.CallInfo, in createRoutineIn) error {
	who := call.Principal
	var id int64
	err := tx.QueryRowContext(ctx, `INSERT INTO routines (tenant, person, key, name) VALUES (?,?,?,?)
		ON CONFLICT (tenant, key) DO NOTHING RETURNING id`, who.Tenant, who.ID, call.Key, in.Name).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	for i, e := range in.Exercises {
		if err := exerciseExists(ctx, tx, e.ExerciseID); err != nil {
			return err
		}
		for j, s := range e.Sets {
			var weight any
			if s.WeightKG != nil {
				n, err := normal(*s.WeightKG)
				if err != nil {
					return err
				}
				weight = n.String()
			}
			if _, err := tx.ExecContext(ctx, "INSERT INTO routine_sets VALUES (?,?,?,?,?,?)", id, i, j, e.ExerciseID, s.Reps, weight); err != nil {
				return err
			}
		}
	}
	return nil
}

func exerciseExists(ctx context.Context, tx *sql.Tx, id int64) error {
	var there bool
	if err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM exercises WHERE id = ?)", id).Scan(&there); err != nil {
		return err
	}
	if !there {
		return fmt.Errorf("no exercise has the id %d: take exercise_id from a result of search_exercises", id)
	}
	return nil
}

const (
	routineColumns = `SELECT r.id, r.name, s.exercise, s.exercise_id, e.name, e.name_en, s.reps, s.weight_kg
		FROM routines r JOIN routine_sets s ON s.routine_id = r.id JOIN exercises e ON e.id = s.exercise_id
		WHERE r.tenant = ? AND r.person = ? `
	routineOrder = "r.id, s.exercise, s.number"
)

// readCreated is the routine that the call with that key created.
func readCreated(ctx context.Context, tx *sql.Tx, who holdfast.Principal, key string) (created, error) {
	all, err := scanRoutines(tx.QueryContext(ctx, routineColumns+"AND r.key = ? ORDER BY "+routineOrder, who.Tenant, who.ID, key))
	if err != nil {
		return created{}, err
	}
	if len(all) == 0 {
		return created{}, sql.ErrNoRows
	}
	return created{all[0]}, nil
}

func scanRoutines(rows *sql.Rows, err error) ([]routine, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []routine
	place := 0 // of the exercise that is being read
	for rows.Next() {
		var r routine
		var e routineExercise
		var at int
		var s set
		var weight sql.NullString
		if err := rows.Scan(&r.ID, &r.Name, &at, &e.ExerciseID, &e.Name, &e.NameEN, &s.Reps, &weight); err != nil {
			return nil, err
		}
		if weight.Valid {
			n := json.Number(weight.String)
			s.WeightKG = &n
		}
		if len(all) == 0 || all[len(all)-1].ID != r.ID {
			all, place = append(all, r), -1
		}
		last := &all[len(all)-1]
		if place != at {
			last.Exercises, place = append(last.Exercises, e), at
		}
		sets := &last.Exercises[len(last.Exercises)-1].Sets
		*sets = append(*sets, s)
	}
	return all, rows.Err()
}
