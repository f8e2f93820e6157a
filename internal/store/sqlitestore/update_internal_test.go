package sqlitestore

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// TestUpdateStatement_HasNoJournal: no foreign key is looked at when a memory is changed. A statement that does so has a journal of
// its own, and the undo of an import of 40,000 memories took minutes to end 40,000 of these.
func TestUpdateStatement_HasNoJournal(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "m.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // nothing was written
	for statement, want := range map[string]bool{
		updateStatement():                       false,
		"UPDATE memory SET id = ? WHERE pk = ?": true, // the test notices
	} {
		keys := 0
		err := s.DB().Update(t.Context(), driver.Lazy, func(q *sqlitex.Tx) error {
			for rows, err := range sqlitex.Rows(t.Context(), q, "EXPLAIN "+statement, make([]any, strings.Count(statement, "?"))...) {
				var opcode string
				var rest [7]any
				if err == nil {
					err = rows.Scan(&rest[0], &opcode, &rest[1], &rest[2], &rest[3], &rest[4], &rest[5], &rest[6])
				}
				if err != nil {
					return err
				}
				if strings.HasPrefix(opcode, "Fk") {
					keys++
				}
			}
			return nil
		})
		if err != nil || keys > 0 != want {
			t.Errorf("%s: %d steps look at foreign keys, want any: %v; %v", statement, keys, want, err)
		}
	}
}
