package sharedstore

import (
	"cmp"
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// linkOf returns the hash of the row that shows a memory; empty if none does.
func (t *tx) linkOf(id hippo.ID) (hash string, err error) {
	_, err = sqlitex.First(context.Background(), t, "SELECT hash FROM shared_memory WHERE memory = ?", []any{id[:]}, &hash)
	return hash, err
}

// link makes a row show a memory; an empty hash ends that.
func (t *tx) link(id hippo.ID, hash string) error {
	if hash == "" {
		return t.Exec("DELETE FROM shared_memory WHERE memory = ?", id[:])
	}
	return t.Exec("INSERT INTO shared_memory VALUES (?, ?) ON CONFLICT DO UPDATE SET hash = excluded.hash", id[:], hash)
}

// members returns the readable memories of a row: the one first that it shows. That is the first of those
// that are not forgotten, one that another program stored before all others, so that what is recorded here
// takes nothing from its row; or else the one that was forgotten last.
func (t *tx) members(hash string) ([]*hippo.Memory, error) {
	var ids []hippo.ID
	for rows, err := range sqlitex.Rows(context.Background(), t, "SELECT memory FROM shared_memory WHERE hash = ?", hash) {
		var b []byte
		if err == nil {
			err = rows.Scan(&b)
		}
		if err != nil {
			return nil, err
		}
		ids = append(ids, hippo.ID(b))
	}
	var list []*hippo.Memory
	for _, id := range ids {
		m, err := t.Peek(id)
		if err == nil && m != nil { // one that cannot be read is among the problems
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b *hippo.Memory) int {
		switch {
		case a.Forgotten() != b.Forgotten() && b.Forgotten():
			return -1
		case a.Forgotten() != b.Forgotten():
			return 1
		}
		return cmp.Or(b.ForgottenAt.Compare(a.ForgottenAt), byOrigin(a)-byOrigin(b), a.ID.Compare(b.ID))
	})
	return list, nil
}

// precedes reports whether a row shows a rather than b, if neither is forgotten.
func precedes(a, b *hippo.Memory) bool {
	return cmp.Or(byOrigin(a)-byOrigin(b), a.ID.Compare(b.ID)) < 0
}

// byOrigin is 0 for a memory that another program stored, else 1.
func byOrigin(m *hippo.Memory) int {
	if m.Source.Client == client {
		return 0
	}
	return 1
}

// seen records a row as it is now, but for its successor: see [tx.agree].
func (t *tx) seen(hash string) error {
	return t.Exec(`INSERT INTO shared_row (hash, row, created_at, updated_at, deleted_at)
		SELECT content_hash, id, created_at, updated_at, deleted_at FROM memories WHERE content_hash = ?
		ON CONFLICT DO UPDATE SET row = excluded.row, created_at = excluded.created_at, updated_at = excluded.updated_at, deleted_at = excluded.deleted_at`, hash)
}
