package sqlitestore

import (
	"strings"

	"github.com/hippo-memory/hippo"
)

// updateMemory leaves the ID, which other tables refer to: a statement that sets it, even to the same, gets a journal of its own, and
// to end that takes the longer the more the transaction has written.
func updateMemory(t *Tx, m *hippo.Memory, pk int64) error {
	args, err := values(m)
	if err != nil {
		return err
	}
	return t.Exec(updateStatement(), append(args[1:], pk)...)
}

func updateStatement() string {
	columns := strings.TrimPrefix(written, "id, ")
	return "UPDATE memory SET (" + columns + ") = (?" + strings.Repeat(",?", strings.Count(columns, ",")) + ") WHERE pk = ?"
}
