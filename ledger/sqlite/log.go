package sqlite

import (
	"crypto/rand"
	"errors"
	"syscall"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// logDisk is a way to the disk on which SQLite's log is written in few large
// pieces. SQLite itself writes each page of a commit by two system calls, which
// cost more than the writing.
type logDisk struct{ vfs.VFS }

// registerLog makes a logDisk over the disk of that name known to SQLite, and
// returns its name.
func registerLog(over string) string {
	name := "holdfast-" + rand.Text()
	vfs.Register(name, logDisk{vfs.Find(over)})
	return name
}

func (d logDisk) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, given, err := vfsutil.WrapOpen(d.VFS, name, flags)
	return gathered(f, flags), given, err
}

func (d logDisk) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, given, err := vfsutil.WrapOpenFilename(d.VFS, name, flags)
	return gathered(f, flags), given, err
}

func gathered(f vfs.File, flags vfs.OpenFlag) vfs.File {
	if f == nil || flags&vfs.OPEN_WAL == 0 {
		return f
	}
	return &logFile{File: f}
}

// logFile gathers what is written one after the other until it must be there:
// before a sync, and before this connection reads it. Others look at what is in
// the log only after SQLite has said in the shared index that it is complete,
// which it does after the sync.
type logFile struct {
	vfs.File
	gathered []byte
	at       int64 // where it belongs
}

// maxGathered bounds what is held back.
const maxGathered = 1 << 20

func (f *logFile) WriteAt(b []byte, at int64) (int, error) {
	if at != f.at+int64(len(f.gathered)) || len(f.gathered)+len(b) > maxGathered {
		if err := f.flush(); err != nil {
			return 0, err
		}
		f.at = at
	}
	f.gathered = append(f.gathered, b...)
	return len(b), nil
}

func (f *logFile) flush() error {
	if len(f.gathered) == 0 {
		return nil
	}
	_, err := f.File.WriteAt(f.gathered, f.at)
	f.at += int64(len(f.gathered))
	f.gathered = f.gathered[:0]
	return writeFault(err)
}

// writeFault says that it was a write that failed, whatever SQLite has called.
func writeFault(err error) error {
	var known sqlite3.ErrorCode
	var extended sqlite3.ExtendedErrorCode
	switch {
	case err == nil, errors.As(err, &known), errors.As(err, &extended):
		return err
	case errors.Is(err, syscall.ENOSPC):
		return vfs.SystemError(err, sqlite3.FULL)
	}
	return vfs.SystemError(err, sqlite3.IOERR_WRITE)
}

func (f *logFile) ReadAt(b []byte, at int64) (int, error) {
	if err := f.flush(); err != nil {
		return 0, err
	}
	return f.File.ReadAt(b, at)
}

func (f *logFile) Sync(flags vfs.SyncFlag) error {
	if err := f.flush(); err != nil {
		return err
	}
	return f.File.Sync(flags)
}

func (f *logFile) Truncate(size int64) error {
	if err := f.flush(); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f *logFile) Size() (int64, error) {
	if err := f.flush(); err != nil {
		return 0, err
	}
	return f.File.Size()
}

func (f *logFile) Close() error { return errors.Join(f.flush(), f.File.Close()) }
