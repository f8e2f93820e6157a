package dirstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
)

// step is one change of a file by a commit.
type step struct {
	name   string
	before [sha256.Size]byte // of the content that is replaced; zero: no file
	data   []byte            // nil: remove the file
}

// encodeJournal returns the steps as a whole that can be told from a part:
// SHA-256 of the rest, then for each step the length of its name, the name, the
// SHA-256 of the content before, the length of its data plus 1 (0: remove) and
// the data.
func encodeJournal(steps []step) []byte {
	b := make([]byte, sha256.Size)
	for _, s := range steps {
		b = binary.AppendUvarint(b, uint64(len(s.name)))
		b = append(b, s.name...)
		b = append(b, s.before[:]...)
		if s.data == nil {
			b = append(b, 0)
			continue
		}
		b = binary.AppendUvarint(b, uint64(len(s.data))+1)
		b = append(b, s.data...)
	}
	sum := sha256.Sum256(b[sha256.Size:])
	copy(b, sum[:])
	return b
}

// decodeJournal returns nil if b is not a whole journal.
func decodeJournal(b []byte) []step {
	if len(b) < sha256.Size {
		return nil
	}
	sum := sha256.Sum256(b[sha256.Size:])
	if !bytes.Equal(sum[:], b[:sha256.Size]) {
		return nil
	}
	b = b[sha256.Size:]
	var steps []step
	for len(b) > 0 {
		s, rest, ok := decodeStep(b)
		if !ok {
			return nil
		}
		steps = append(steps, s)
		b = rest
	}
	return steps
}

func decodeStep(b []byte) (s step, rest []byte, ok bool) {
	name, b, ok := cut(b, 0)
	if !ok || !ours(string(name)) || len(b) < sha256.Size {
		return step{}, nil, false
	}
	s = step{name: string(name), before: [sha256.Size]byte(b)}
	b = b[sha256.Size:]
	size, n := binary.Uvarint(b)
	if n > 0 && size == 0 {
		return s, b[n:], true
	}
	s.data, rest, ok = cut(b, 1)
	return s, rest, ok
}

// cut takes a length, less minus, and that many bytes from the front of b.
func cut(b []byte, minus uint64) (part, rest []byte, ok bool) {
	size, n := binary.Uvarint(b)
	if n <= 0 || size < minus || size-minus > uint64(len(b)-n) {
		return nil, nil, false
	}
	b = b[n:]
	size -= minus
	return b[:size:size], b[size:], true
}

// ours reports whether a journal may name this file.
func ours(name string) bool {
	_, ok := idOf(name)
	return ok || name == metadataName
}

// writeJournal makes steps the promise of this commit.
func (d *disk) writeJournal(steps []step, sync bool) error {
	err := d.at("write", journalName)
	if err == nil {
		err = d.overwrite(journalName, encodeJournal(steps), sync)
	}
	if err != nil {
		return d.failed("write", journalName, errors.Join(err, d.clearJournal(sync)))
	}
	return d.at("promised", journalName)
}

// clearJournal ends the promise. After a durable commit that must be durable
// too: else a memory purged later could come back.
func (d *disk) clearJournal(sync bool) error {
	return d.failed("write", journalName, d.overwrite(journalName, nil, sync))
}

func (d *disk) overwrite(name string, b []byte, sync bool) error {
	f, err := d.root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil && sync {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// leftJournal returns the steps of a commit that was promised and not finished.
func (d *disk) leftJournal() ([]step, error) {
	i, err := d.root.Lstat(journalName)
	if errors.Is(err, fs.ErrNotExist) || err == nil && i.Size() == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, d.failed("read", journalName, err)
	}
	b, err := d.root.ReadFile(journalName)
	return decodeJournal(b), d.failed("read", journalName, err)
}

// replay finishes the steps of a left journal. Files that are no longer as the
// commit found them are done already, or were changed since, and stay. It needs
// the lock.
func (d *disk) replay(steps []step) error {
	for _, s := range steps {
		if err := d.redo(s); err != nil {
			return err
		}
	}
	if len(steps) > 0 {
		if err := d.syncDir("."); err != nil {
			return err
		}
	}
	return d.clearJournal(true)
}

func (d *disk) redo(s step) error {
	var now [sha256.Size]byte
	switch b, _, err := d.read(s.name); {
	case err == nil:
		now = sha256.Sum256(b)
	case !errors.Is(err, fs.ErrNotExist):
		return d.failed("read", s.name, err)
	}
	if now != s.before {
		return nil
	}
	if s.data == nil {
		return d.remove(s.name)
	}
	temp, _, err := d.temp(s.data)
	if err != nil {
		return err
	}
	return d.rename(temp, s.name)
}
