package sqlitestore

import (
	"context"
	"log/slog"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// OpenDerived opens a store that is a copy of memories which are kept elsewhere. The file
// has the tables of a [Store] and those that tables.SQL creates; tables.Version is below 1,000. A file of an
// earlier version of the tables of a [Store] is migrated, and reread, which makes the caller compare the memories with their
// sources, is run in it; see [sqlitex.OpenDerived].
func OpenDerived(ctx context.Context, path string, tables sqlitex.Derived, reread string, log *slog.Logger) (*Store, error) {
	own, extra := schema().Migrations, tables.Version
	tables.Upgrade = func(from int) string {
		if at := from / 1000; 0 < at && at < len(own) && from%1000 == extra {
			return strings.Join(own[at:], "\n") + "\n" + reread
		}
		return ""
	}
	tables.Version += 1000 * len(own)
	tables.SQL = strings.Join(own, "\n") + "\n" + tables.SQL
	db, err := sqlitex.OpenDerived(ctx, path, tables, log)
	if err != nil {
		return nil, err
	}
	return newStore(db, path, log), nil
}

// OpenGuest opens a store whose tables are in the file of another program: guest creates those of
// [Migrations] there.
func OpenGuest(ctx context.Context, path string, guest sqlitex.Guest, log *slog.Logger) (*Store, error) {
	db, err := sqlitex.Open(ctx, path, &sqlitex.Options{Guest: guest, Log: log})
	if err != nil {
		return nil, err
	}
	return newStore(db, path, log), nil
}

// Migrations returns the SQL of all versions of the tables, for [OpenGuest].
func Migrations() []string { return schema().Migrations }

// DB is the file.
func (s *Store) DB() *sqlitex.DB { return s.db }

// BeginGroup begins what transactions of one commit share, for a caller who writes tables
// of its own in the same commit.
func (s *Store) BeginGroup(t *sqlitex.Tx) (*Group, error) {
	head, replica, err := readState(context.Background(), t)
	return &Group{Tx: t, bad: s.bad, stored: head, head: head, replicas: replicaStates{replica, replica, s.lines}}, err
}

// Calendar is that of the transactions which succeeded so far.
func (g *Group) Calendar() hippo.Calendar { return g.head.Calendar }

// SkipRevisions leaves out n revisions, unless none was assigned: a commit that was lost may
// have assigned them.
func (t *Tx) SkipRevisions(n hippo.Revision) {
	if t.head.Revision > 0 {
		t.head.Revision += n
	}
}
