package coach

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast"
	"github.com/holdfast-go/holdfast/schema"
)

// measurements are a day's values by measure; absent is not measured.
type measurements map[string]json.Number

type readMeasurementIn struct {
	Date string `json:"date" desc:"Day of the measurement, YYYY-MM-DD in the person's time zone." format:"date"`
}

type measurementOut struct {
	Date string       `json:"date"`
	Data measurements `json:"data"`
	Note string       `json:"note,omitempty"`
}

func (c *Coach) readMeasurement() (*holdfast.Tool, error) {
	return holdfast.Func("read_measurement",
		"Read the body measurements that the person recorded on one day. A measure that is not in the answer was not measured that day.",
		holdfast.Read, 5*time.Second,
		func(ctx context.Context, in readMeasurementIn) (measurementOut, error) {
			out := measurementOut{Date: in.Date}
			err := c.store.read(ctx, Reading, func(tx *sql.Tx) error {
				var err error
				out.Data, err = readDay(ctx, tx, holdfast.CallInfoFrom(ctx).Principal, in.Date)
				return err
			})
			if err != nil {
				return measurementOut{}, fmt.Errorf("the measurements could not be read: %w", err)
			}
			if len(out.Data) == 0 {
				out.Note = "Nothing was measured on this day."
			}
			return out, nil
		}, nil)
}

type writeMeasurementIn struct {
	Date string           `json:"date" desc:"Day of the measurement, YYYY-MM-DD in the person's time zone." format:"date"`
	Data measurementsData `json:"data" desc:"What was measured; leave out what was not." min:"1"`
}

func (c *Coach) writeMeasurement() (*holdfast.Tool, error) {
	return holdfast.Func("write_measurement",
		"Record body measurements of one day. Give only what was measured, as numbers with a decimal point; the day's other measurements stay. "+
			"Where it would replace a different value of that day, the person is asked first.",
		holdfast.Write, 10*time.Second,
		func(ctx context.Context, in writeMeasurementIn) (measurementOut, error) {
			return c.write(ctx, in)
		},
		&holdfast.ToolOptions{
			Version:      "1",
			Precondition: c.wouldReplace,
			Confirm:      confirm(c.store, readWritten),
		})
}

func (c *Coach) write(ctx context.Context, in writeMeasurementIn) (measurementOut, error) {
	call := holdfast.CallInfoFrom(ctx)
	out := measurementOut{Date: in.Date}
	given, err := in.Data.values()
	if err != nil {
		return out, holdfast.WithoutEffect(err)
	}
	shown, ok := c.seen.take(call.Key)
	if !ok {
		return out, holdfast.WithoutEffect(errors.New("the day's values were not looked at before: propose it again"))
	}
	err = c.store.write(ctx, func(tx *sql.Tx) error {
		there, err := readDay(ctx, tx, call.Principal, in.Date)
		if err != nil {
			return err
		}
		for _, measure := range sortedNames(given) {
			if there[measure] != shown[measure] {
				return fmt.Errorf("%s of %s changed meanwhile: read it and propose it again", measure, in.Date)
			}
			if err := insertMeasurement(ctx, tx, call, in.Date, measure, given[measure]); err != nil {
				return err
			}
		}
		out.Data, err = readDay(ctx, tx, call.Principal, in.Date)
		return err
	})
	return out, err
}

func insertMeasurement(ctx context.Context, tx *sql.Tx, call holdfast.CallInfo, day, measure string, value json.Number) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO measurements (tenant, person, key, day, measure, value) VALUES (?,?,?,?,?,?)
		ON CONFLICT (tenant, key, measure) DO NOTHING`,
		call.Principal.Tenant, call.Principal.ID, call.Key, day, measure, value.String())
	return err
}

// replaced is one value that a write would replace.
type replaced struct {
	Measure string      `json:"measure"`
	Old     json.Number `json:"old"`
	New     json.Number `json:"new"`
}

// wouldReplace is write_measurement's precondition: a different value of that day
// is replaced only if a person agrees, who sees the old and the new. The handler
// refuses to replace anything but what was seen here. The old value stays in the
// file: rows are only ever added.
func (c *Coach) wouldReplace(ctx context.Context, args schema.Value) (holdfast.Finding, error) {
	var in writeMeasurementIn
	if err := schema.Decode(args, &in); err != nil {
		return holdfast.Finding{}, err
	}
	given, err := in.Data.values()
	if err != nil {
		return holdfast.Finding{}, err
	}
	var there measurements
	err = c.store.read(ctx, Precondition, func(tx *sql.Tx) error {
		there, err = readDay(ctx, tx, holdfast.CallInfoFrom(ctx).Principal, in.Date)
		return err
	})
	if err != nil {
		return holdfast.Finding{}, fmt.Errorf("the measurements could not be read: %w", err)
	}
	c.seen.put(holdfast.CallInfoFrom(ctx).Key, there)
	return finding(in.Date, there, given)
}

func finding(day string, there, given measurements) (holdfast.Finding, error) {
	var changes []replaced
	var said []string
	for _, measure := range sortedNames(given) {
		old, measured := there[measure]
		if measured && old != given[measure] {
			changes = append(changes, replaced{measure, old, given[measure]})
			said = append(said, fmt.Sprintf("%s: %s → %s", measure, old, given[measure]))
		}
	}
	if len(changes) == 0 {
		return holdfast.Finding{}, nil
	}
	shown, err := json.Marshal(changes)
	if err != nil {
		return holdfast.Finding{}, err
	}
	return holdfast.Finding{
		NeedsApproval: true,
		Why:           fmt.Sprintf("On %s it would replace %s.", day, strings.Join(said, ", ")),
		Shown:         shown,
	}, nil
}

// readDay is the latest value of each measure of that day.
func readDay(ctx context.Context, tx *sql.Tx, who holdfast.Principal, day string) (measurements, error) {
	return scanMeasurements(tx.QueryContext(ctx,
		"SELECT measure, value FROM measurements WHERE tenant = ? AND person = ? AND day = ? ORDER BY id", who.Tenant, who.ID, day))
}

func scanMeasurements(rows *sql.Rows, err error) (measurements, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	data := measurements{}
	for rows.Next() {
		var measure string
		var value json.Number
		if err := rows.Scan(&measure, &value); err != nil {
			return nil, err
		}
		data[measure] = value
	}
	return data, rows.Err()
}

// readWritten is what the call with that key wrote, within its whole day.
func readWritten(ctx context.Context, tx *sql.Tx, who holdfast.Principal, key string) (measurementOut, error) {
	var out measurementOut
	err := tx.QueryRowContext(ctx, "SELECT day FROM measurements WHERE tenant = ? AND person = ? AND key = ? LIMIT 1",
		who.Tenant, who.ID, key).Scan(&out.Date)
	if err != nil {
		return out, err
	}
	out.Data, err = readDay(ctx, tx, who, out.Date)
	return out, err
}

func sortedNames(m measurements) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
