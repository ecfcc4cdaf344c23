package sqlite

import (
	"testing"

	"github.com/ncruces/go-sqlite3/vfs"
)

// syncing is a file whose sync does what a test says.
type syncing struct {
	vfs.File
	fn func()
}

func (f syncing) Sync(vfs.SyncFlag) error {
	f.fn()
	return nil
}

// While the log is synced one transaction is taken back, and another writes. So the
// number of pieces does not tell which of them the sync was for.
func TestOwed_a_sync_forgets_only_what_was_written_before_it(t *testing.T) {
	var o owed
	o.keep(piece{tx: 1, at: 0, data: []byte("committed")})
	o.keep(piece{tx: 2, at: 9, data: []byte("spilled, and taken back")})
	err := o.sync(syncing{fn: func() {
		o.drop(2)
		o.keep(piece{tx: 3, at: 9, data: []byte("written after the sync began")})
	}}, 0)
	if err != nil || len(o.kept) != 1 || o.kept[0].tx != 3 {
		t.Errorf("sync() = %v and keeps %+v, want what was written after it began", err, o.kept)
	}
}
