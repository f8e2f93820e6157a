package sharedstore

import (
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

//go:embed sql/base.sql
var baseSQL string

//go:embed sql/metric.sql
var metricSQL string

//go:embed sql/own.sql
var ownSQL string

//go:embed sql/words.sql
var wordsSQL string

//go:embed sql/edges.sql
var edgesSQL string

//go:embed sql/successors.sql
var successorsSQL string

//go:embed sql/seen.sql
var seenSQL string

//go:embed sql/surprise.sql
var surpriseSQL string

// ownTables is the SQL of all versions of the tables that connect those of the store to the others.
func ownTables() []string { return []string{ownSQL, edgesSQL, successorsSQL, seenSQL, surpriseSQL} }

// guest creates the tables of the store in the file of another program. It implements [sqlitex.Guest].
type guest struct{ path string }

// Check implements [sqlitex.Guest].
func (g guest) Check(ctx context.Context, q sqlitex.Queryer) (ready bool, err error) {
	at, err := g.versions(ctx, q)
	if err != nil {
		return false, err
	}
	tables := 0
	if _, err := sqlitex.First(ctx, q, "SELECT count(*) FROM sqlite_schema", nil, &tables); err != nil || tables == 0 {
		return false, err // a new file
	}
	if err := g.foreign(ctx, q, at.own > 0); err != nil {
		return false, err
	}
	if _, err := readLayout(ctx, q); err != nil {
		return false, fmt.Errorf("%s: %w", g.path, err)
	}
	return at == known(), nil
}

// versions are those of the tables of the store, and of the tables that connect it to the others.
type versions struct{ store, own int }

func known() versions { return versions{len(sqlitestore.Migrations()), len(ownTables())} }

// versions reads the versions in a file; zero: it has no such tables yet.
func (g guest) versions(ctx context.Context, q sqlitex.Queryer) (at versions, err error) {
	there := false
	if _, err := sqlitex.First(ctx, q, "SELECT count(*) FROM sqlite_schema WHERE name = 'shared_state'", nil, &there); err != nil || !there {
		return at, err
	}
	if _, err = sqlitex.First(ctx, q, "SELECT store, own FROM shared_state", nil, &at.store, &at.own); err != nil {
		return at, err
	}
	if k := known(); at.store > k.store || at.own > k.own {
		return at, fmt.Errorf("%w: %s has schema version %d.%d, this program knows %d.%d: use a newer hippo", hippo.ErrUnsupported, g.path, at.store, at.own, k.store, k.own)
	}
	return at, nil
}

// foreign refuses a file without the tables of the other programs, and one where a table has a name of ours.
func (g guest) foreign(ctx context.Context, q sqlitex.Queryer, ours bool) error {
	there := make(map[string]bool)
	for rows, err := range sqlitex.Rows(ctx, q, "SELECT name FROM sqlite_schema WHERE type = 'table'") {
		var name string
		if err == nil {
			err = rows.Scan(&name)
		}
		if err != nil {
			return err
		}
		there[name] = true
	}
	switch {
	case !there["memories"] && there["memory"] && there["state"]:
		return fmt.Errorf("%w: %s is a store of hippo: name it sqlite:%s", hippo.ErrInvalid, g.path, g.path)
	case !there["memories"]:
		return fmt.Errorf("%w: %s has no table memories, so it is of no program that shares its memories: it is left as it is", hippo.ErrUnsupported, g.path)
	case ours:
		return nil
	}
	created := regexp.MustCompile(`(?m)^CREATE TABLE (\w+)`)
	for _, found := range created.FindAllStringSubmatch(strings.Join(append(sqlitestore.Migrations(), ownTables()...), "\n"), -1) {
		if there[found[1]] {
			return fmt.Errorf("%w: %s has a table %s, whose name hippo needs for one of its own: it is left as it is", hippo.ErrUnsupported, g.path, found[1])
		}
	}
	return nil
}

// Prepare implements [sqlitex.Guest].
func (g guest) Prepare(t *sqlitex.Tx) error {
	ctx := context.Background()
	ready, err := g.Check(ctx, t)
	if err != nil || ready {
		return err
	}
	at, err := g.versions(ctx, t)
	if err != nil {
		return err
	}
	tables := 0
	if _, err := sqlitex.First(ctx, t, "SELECT count(*) FROM sqlite_schema", nil, &tables); err != nil {
		return err
	}
	var parts []string
	if tables == 0 {
		parts = append(parts, baseSQL)
	}
	parts = append(append(parts, metricSQL), sqlitestore.Migrations()[at.store:]...)
	parts = append(parts, ownTables()[at.own:]...)
	k := known()
	parts = append(parts, fmt.Sprintf("UPDATE shared_state SET store = %d, own = %d", k.store, k.own))
	for i, part := range parts {
		if err := t.Script(part); err != nil {
			return fmt.Errorf("preparing %s, step %d: %w", g.path, i+1, err)
		}
	}
	return nil
}
