package sqlitex

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hippo-memory/hippo"
)

// ViewForeign calls fn with the SQLite file of another program as it is at one moment. Nothing
// is written to the file or its log. The other program may have it open and write meanwhile.
// Reading a log takes its locks, in PATH-shm, as every reader does.
//
// Errors: [hippo.ErrCorrupt] for a damaged file, [hippo.ErrReadOnly] for one whose program
// ended in the middle of a transaction, which only a writer can undo, and
// [hippo.ErrUnavailable] for what cannot be reached.
func ViewForeign(ctx context.Context, path string, fn func(Queryer) error) (err error) {
	f := &File{location: locate(path)}
	if f.db == nil || !f.db.Mode().IsRegular() {
		return fmt.Errorf("%w: %s is not a regular file", hippo.ErrInvalid, path)
	}
	if f.immutable, err = withoutReaders(&f.location); err != nil {
		return err
	}
	if err := f.openReads(ctx, Schema{}, true); err != nil {
		return errors.Join(explain("open", path, err), f.close())
	}
	return errors.Join(explain("read", path, f.Snapshot(ctx, fn)), f.close())
}

// The header of a SQLite file, see section 1.3 of its file format: a write version of 2 says
// that the file has a write-ahead log.
const (
	headerSize   = 20
	writeVersion = 18
	walVersion   = 2
)

// withoutReaders reports whether no other program can have the file open: it is one with a
// write-ahead log, and there is no log. SQLite may then read it without locks, and makes no
// files beside it.
func withoutReaders(l *location) (bool, error) {
	if l.wal != nil {
		return false, nil
	}
	f, err := os.Open(l.path)
	if err != nil {
		return false, err
	}
	header := make([]byte, headerSize)
	_, err = io.ReadFull(f, header)
	if err := errors.Join(err, f.Close()); err != nil {
		return false, fmt.Errorf("%w: %s is too short for a SQLite file", hippo.ErrCorrupt, l.path)
	}
	return header[writeVersion] == walVersion, nil
}
