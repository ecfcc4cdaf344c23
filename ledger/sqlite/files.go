package sqlite

import (
	"errors"
	"os"
	"syscall"
)

// prepareFiles makes the files beside the database before SQLite would, so that
// they are private from their first byte. Where that is not possible SQLite will
// say why.
func (s *Store) prepareFiles() {
	if stat, err := os.Stat(s.path); err != nil || stat.Size() == 0 {
		return // SQLite throws a log without a database away
	}
	for _, end := range []string{"-wal", "-shm"} {
		if f, err := os.OpenFile(s.path+end, os.O_RDWR|os.O_CREATE, 0o600); err == nil {
			_ = f.Close()
		}
	}
}

func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

// syncFolder makes a new file's name durable, where folders can be synced.
func syncFolder(path string) {
	if d, err := os.Open(path); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
