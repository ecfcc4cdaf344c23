package coach

import (
	"bufio"
	"context"
	"crypto/sha256"
	"database/sql"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

//go:embed data/foods.txt
var foodsTable string

//go:embed data/exercises.txt
var exercisesTable string

// loadTables writes the editions of foods and exercises that this program
// ships, where the file holds others. Rows are replaced, never removed: a meal
// may refer to them.
func loadTables(ctx context.Context, tx *sql.Tx) error {
	err := loadTable(ctx, tx, "foods", foodsTable, 7, `INSERT INTO foods VALUES (?,?,?,?,?,?,?)
		ON CONFLICT (id) DO UPDATE SET name = excluded.name, name_en = excluded.name_en, energy_kcal = excluded.energy_kcal,
			carbohydrate_g = excluded.carbohydrate_g, protein_g = excluded.protein_g, fat_g = excluded.fat_g`)
	if err != nil {
		return err
	}
	return loadTable(ctx, tx, "exercises", exercisesTable, 5, `INSERT INTO exercises VALUES (?,?,?,?,?)
		ON CONFLICT (id) DO UPDATE SET name = excluded.name, name_en = excluded.name_en, muscle = excluded.muscle,
			muscle_en = excluded.muscle_en`)
}

func loadTable(ctx context.Context, tx *sql.Tx, what, table string, fields int, insert string) error {
	sum := sha256.Sum256([]byte(table))
	digest := hex.EncodeToString(sum[:])
	var loaded string
	err := tx.QueryRowContext(ctx, "SELECT digest FROM editions WHERE what = ?", what).Scan(&loaded)
	if err == nil && loaded == digest {
		return nil
	}
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("reading the edition of %s: %w", what, err)
	}
	rows, err := splitTable(table, fields)
	if err != nil {
		return fmt.Errorf("table %s: %w", what, err)
	}
	stmt, err := tx.PrepareContext(ctx, insert)
	if err != nil {
		return fmt.Errorf("loading %s: %w", what, err)
	}
	defer stmt.Close()
	for _, row := range rows {
		if _, err := stmt.ExecContext(ctx, row...); err != nil {
			return fmt.Errorf("loading %s: %w", what, err)
		}
	}
	_, err = tx.ExecContext(ctx, "INSERT OR REPLACE INTO editions VALUES (?,?)", what, digest)
	return err
}

// splitTable reads a table of our own: one row a line, fields between bars.
func splitTable(table string, fields int) ([][]any, error) {
	var rows [][]any
	scanner := bufio.NewScanner(strings.NewReader(table))
	for number := 1; scanner.Scan(); number++ {
		line := scanner.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, "|")
		if len(parts) != fields {
			return nil, fmt.Errorf("line %d has %d fields, not %d", number, len(parts), fields)
		}
		row := make([]any, fields)
		for i, part := range parts {
			row[i] = part
		}
		rows = append(rows, row)
	}
	return rows, scanner.Err()
}
