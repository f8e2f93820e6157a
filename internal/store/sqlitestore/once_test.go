package sqlitestore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// A write whose log is deleted before it is acknowledged is carried out once: what the log had is brought into the file, and the write
// is found there.
func TestWrite_LogDeleted(t *testing.T) {
	t.Parallel()
	for _, gone := range []string{"-wal", "-wal -shm", "-wal -shm -owner"} {
		t.Run(gone, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "memory.db")
			s, err := sqlitestore.Open(t.Context(), path, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close() //nolint:errcheck // a test that fails says more
			m := memory(1)
			if err := s.Write(t.Context(), driver.Durable, put(m)); err != nil {
				t.Fatal(err)
			}
			for suffix := range strings.FieldsSeq(gone) {
				if err := os.Remove(path + suffix); err != nil {
					t.Skipf("this system deletes no file that is open: %v", err)
				}
			}
			before := m.Importance.Value
			err = s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
				ms, err := tx.Get(m.ID)
				if err != nil {
					return err
				}
				ms[0].Importance.Value /= 2
				return tx.Put(ms[0], memory(2))
			})
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Get(t.Context(), []hippo.ID{m.ID, memory(2).ID})
			if err != nil || len(got) != 2 || got[0].Importance.Value != before/2 {
				t.Errorf("got %d memories, importance %v, want %v (%v)", len(got), got[0].Importance.Value, before/2, err)
			}
		})
	}
}
