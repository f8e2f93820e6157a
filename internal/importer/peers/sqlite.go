package peers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// openSQLite detects the program of a database by its tables.
func openSQLite(ctx context.Context, f file) (*formats.Source, error) {
	var found database
	err := sqlitex.ViewForeign(ctx, f.path, func(q sqlitex.Queryer) (err error) {
		found, err = tablesOf(ctx, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	kind, read := found.kind()
	if read == nil && found.own() {
		return nil, fmt.Errorf("%w: it is a store of Hippo: hippo migrate --from %s --to STORE copies it", hippo.ErrInvalid, termtext.Argument("sqlite:"+f.path))
	}
	if read == nil {
		return nil, fmt.Errorf("%w: looks like a SQLite database with the tables %s; known kinds are: %s", hippo.ErrInvalid, list(slices.Sorted(maps.Keys(found.columns))), KnownKinds)
	}
	return formats.NewSource(kind, func(out *formats.Out) error {
		return sqlitex.ViewForeign(ctx, f.path, func(q sqlitex.Queryer) error {
			db := database{ctx: ctx, query: q, columns: found.columns, options: f.options}
			return read(&db, out)
		})
	}), nil
}

// kind returns which program wrote a database, and the function that reads it.
func (d *database) kind() (formats.Kind, func(*database, *formats.Out) error) {
	switch {
	case d.own():
		return "", nil
	case d.has("memories", "content_hash", "content") && (d.has("memory_associations") || d.has("memory_clusters")):
		return KindClaudeHippo, readMemoryService
	case d.has("memories", "content_hash", "content"):
		return KindMemoryService, readMemoryService
	case d.has("observations", "memory_session_id") || d.has("observations", "sdk_session_id"):
		return KindClaudeMem, readClaudeMem
	case d.has("observations", "session_id", "title", "content"):
		return KindEngram, readEngram
	case d.has("history", "memory_id", "new_memory", "event"):
		return KindMem0, readMem0History
	}
	return "", nil
}

// own reports whether the database is a store of ours. One that is shared with another program has its tables as well.
func (d *database) own() bool {
	return d.has("memory", "revision") && d.has("state") && !d.has("memories")
}

// database is a SQLite file of another program.
type database struct {
	ctx     context.Context //nolint:containedctx // of one reading
	query   sqlitex.Queryer
	columns map[string][]string // by table
	options Options
}

// tablesOf reads which tables, but no views and virtual tables, a database has.
func tablesOf(ctx context.Context, q sqlitex.Queryer) (database, error) {
	d := database{columns: make(map[string][]string)}
	const query = `SELECT s.name, c.name FROM sqlite_schema s, pragma_table_info(s.name) c
		WHERE s.type = 'table' AND s.sql NOT LIKE 'CREATE VIRTUAL%' AND s.name NOT LIKE 'sqlite_%' LIMIT 10000`
	for rows, err := range sqlitex.Rows(ctx, q, query) {
		if err != nil {
			return d, err
		}
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			return d, err
		}
		d.columns[table] = append(d.columns[table], column)
	}
	return d, nil
}

// has reports whether there is a table with these columns.
func (d *database) has(table string, columns ...string) bool {
	there, ok := d.columns[table]
	return ok && !slices.ContainsFunc(columns, func(c string) bool { return !slices.Contains(there, c) })
}

// maxText is the number of characters of a value that is read; a longer one breaks the limit
// of a memory's content.
const maxText = hippo.MaxContent + 1

// each calls fn with every row of a table, if it exists, in the order of its rows. Blobs are
// left out.
func (d *database) each(table string, fn func(row) error) error {
	columns, ok := d.columns[table]
	if !ok {
		return nil
	}
	exprs := make([]string, len(columns))
	for i, c := range columns {
		q := quote(c)
		exprs[i] = "CASE typeof(" + q + ") WHEN 'text' THEN substr(" + q + ",1," + strconv.Itoa(maxText) + ") WHEN 'blob' THEN NULL ELSE " + q + " END"
	}
	query := "SELECT " + strings.Join(exprs, ",") + " FROM " + quote(table) + " ORDER BY rowid"
	for rows, err := range sqlitex.Rows(d.ctx, d.query, query) {
		if err != nil {
			return err
		}
		values, refs := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			refs[i] = &values[i]
		}
		if err := rows.Scan(refs...); err != nil {
			return err
		}
		r := row{values: make(map[string]any, len(columns)), used: make(map[string]bool)}
		for i, c := range columns {
			if values[i] != nil {
				r.values[c] = values[i]
			}
		}
		if err := fn(r); err != nil {
			return err
		}
	}
	return nil
}

// quote returns a name of SQL.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// maxQuoted and maxList are the maximum sizes in bytes of a name from a file in an error, and of a list of them, which may
// exceed it by its last one.
const (
	maxQuoted = 100
	maxList   = 200
)

// list names some things in a sentence.
func list(names []string) string {
	const most = 12
	if len(names) == 0 {
		return "none"
	}
	out := ""
	for i, name := range names {
		if i == most || len(out) > maxList {
			return out + ", ..."
		}
		if i > 0 {
			out += ", "
		}
		out += formats.Shorten(name, maxQuoted)
	}
	return out
}
