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
type logDisk struct {
	vfs.VFS
	owed *owed
}

// registerLog makes a logDisk over the disk of that name known to SQLite, and
// returns its name.
func registerLog(over string, o *owed) string {
	name := "holdfast-" + rand.Text()
	vfs.Register(name, logDisk{vfs.Find(over), o})
	return name
}

func (d logDisk) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, given, err := vfsutil.WrapOpen(d.VFS, name, flags)
	f, err = d.gathered(f, flags, false, err)
	return f, given, err
}

func (d logDisk) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, given, err := vfsutil.WrapOpenFilename(d.VFS, name, flags)
	f, err = d.gathered(f, flags, name.URIParameter(writerMark) != "", err)
	return f, given, err
}

// writerMark is a parameter of the name by which the writer opens the database.
const writerMark = "writer"

func (d logDisk) gathered(f vfs.File, flags vfs.OpenFlag, writer bool, err error) (vfs.File, error) {
	if f == nil || err != nil || flags&vfs.OPEN_WAL == 0 {
		return f, err
	}
	log := &logFile{File: f, owed: d.owed}
	if writer {
		if err := d.owed.repair(f); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		d.owed.log = log
	}
	return log, nil
}

// logFile gathers what is written one after the other until it must be there:
// before a sync, and before this connection reads it. Others look at what is in
// the log only after SQLite has said in the shared index that it is complete,
// which it does after the sync; or after the sync that is put off, which SQLite
// takes for done.
type logFile struct {
	vfs.File
	gathered []byte
	at       int64 // where it belongs

	owed   *owed
	tx     uint64       // counts the transactions
	header bool         // it was written, and not synced
	later  bool         // the sync of the commit that is under way is put off
	put    bool         // that was done
	flags  vfs.SyncFlag // with these
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
	f.header = f.header || at == 0
	return len(b), nil
}

func (f *logFile) flush() error {
	if len(f.gathered) == 0 {
		return nil
	}
	_, err := f.File.WriteAt(f.gathered, f.at)
	at := f.at
	f.at += int64(len(f.gathered))
	if !f.owed.can {
		f.gathered = f.gathered[:0]
		return writeFault(err)
	}
	f.gathered = f.owed.keep(piece{tx: f.tx, at: at, data: f.gathered})
	if err == nil && f.owed.full() {
		return f.owed.sync(f.File, vfs.SYNC_NORMAL)
	}
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
	if f.later && !f.header {
		f.later, f.put, f.flags = false, true, flags
		return nil
	}
	f.header = false
	return f.owed.sync(f.File, flags)
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
