package sqlite

import "github.com/holdfast-go/holdfast/ledger"

// recent are rows as the writer left or found them last, so that they need not
// be read again. They hold as long as nobody else writes the file, which SQLite
// tells by its data version.
type recent struct {
	version string
	rows    map[rowName]*ledger.Row
	newest  map[string]*ledger.Row // of rows without an id: each table's last
	bytes   int
}

type rowName struct{ table, id string }

// Bounds of what is remembered: of one row, and in all.
const (
	maxRecentRow   = 64 << 10
	maxRecentBytes = 4 << 20
	rowCost        = 400 // of a row in memory, beside its body
)

// begin forgets everything, and says so, where somebody else has written since.
func (r *recent) begin(version string) (forgot bool) {
	if r.version == version && r.rows != nil {
		return false
	}
	r.forget()
	r.version = version
	return true
}

func (r *recent) forget() {
	r.rows, r.newest, r.bytes = map[rowName]*ledger.Row{}, map[string]*ledger.Row{}, 0
}

func (r *recent) keep(row *ledger.Row) {
	if row.ID == "" {
		r.newest[row.Table] = row
		return
	}
	r.drop(row.Table, row.ID)
	if len(row.Body) > maxRecentRow {
		return
	}
	if r.bytes += len(row.Body) + rowCost; r.bytes > maxRecentBytes {
		clear(r.rows)
		r.bytes = len(row.Body) + rowCost
	}
	r.rows[rowName{row.Table, row.ID}] = row
}

func (r *recent) drop(table, id string) {
	name := rowName{table, id}
	if old := r.rows[name]; old != nil {
		r.bytes -= len(old.Body) + rowCost
		delete(r.rows, name)
	}
}

// row is the row of that name, or nil where it is not remembered.
func (r *recent) row(table, id string) *ledger.Row { return r.rows[rowName{table, id}] }
