package dirstore

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// WithFault returns o with a hook that is called before every change of the disk.
func (o Options) WithFault(fault func(op, name string) error) *Options {
	o.fault = fault
	return &o
}

// Sync compares all files now, as the poll does.
func (s *Store) Sync() error {
	return errors.Join(s.sync.current(s.life.ctx), s.sync.sync(s.life.ctx, nil, !everyChange))
}

// FuzzFormats reads bytes as each of the formats of this package.
func FuzzFormats(f *testing.F) {
	f.Add([]byte(`[{"name":"metadata.json","before":[0],"temp":".hippo/tmp-A"}]`))
	f.Add([]byte(`{"active_day_counter":3,"last_calendar_date_used":"2025-08-02","other":[1]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, s := range decodeJournal(b) {
			if !managed(s.Name) || s.Temp != "" && !strings.HasPrefix(s.Temp, stateDir+"/"+tempPrefix) {
				t.Errorf("a journal may change %q and %q", s.Name, s.Temp)
			}
		}
		c, keys, err := decodeMetadata(b)
		if err != nil {
			return
		}
		out, err := encodeMetadata(c, keys)
		if err != nil {
			t.Fatal(err)
		}
		if again, _, err := decodeMetadata(out); err != nil || again != c {
			t.Errorf("calendar %+v is read again as %+v, %v", c, again, err)
		}
	})
}

// Stamp returns the columns of the entry of a file, and the hash of a directory with this file alone.
func Stamp(t *testing.T, path string) (size, mtime, changed, inode, hash int64) {
	t.Helper()
	i, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	s := stampOf(i)
	return s.size, s.mtime, s.changed, s.inode, s.hash(i.Name())
}
