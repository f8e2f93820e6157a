package sharedstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// Host implements [driver.Guest]. Cost: some reads of the columns of all rows.
func (s *Store) Host(ctx context.Context) (api.Host, error) {
	if err := s.current(ctx); err != nil {
		return api.Host{}, err
	}
	h := api.Host{}
	err := s.inner.DB().View(ctx, func(f *sqlitex.File) error {
		return f.Snapshot(ctx, func(q sqlitex.Queryer) error {
			l, err := readLayout(ctx, q)
			if err != nil {
				return err
			}
			tables, err := namesOf(ctx, q, "SELECT name FROM sqlite_schema WHERE type = 'table'")
			if err != nil {
				return err
			}
			h.Program, h.Shape = programOf(&l, tables), shapeOf(&l, tables)
			if err = countRows(ctx, q, &l, &h); err == nil {
				h.Odd, err = oddities(ctx, q, &l)
			}
			if sqlitex.Damaged(err) {
				err = nil // the problems of the store name it
			}
			if n := left(s); n > 0 {
				h.Odd = append(h.Odd, strconv.Itoa(n)+" rows that are not here yet: a server of hippo takes them over one after the other, the last ones first")
			}
			return err
		})
	})
	if backup := s.inner.DB().Path() + sqlitex.BackupSuffix; err == nil {
		if _, missing := os.Stat(backup); missing == nil {
			h.Backup = backup
		}
	}
	return h, err
}

// namesOf reads one column of texts.
func namesOf(ctx context.Context, q sqlitex.Queryer, query string, args ...any) (names []string, err error) {
	for rows, err := range sqlitex.Rows(ctx, q, query, args...) {
		var name string
		if err == nil {
			err = rows.Scan(&name)
		}
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// The tables that only claude-hippo has.
func claudeTables() []string { return []string{"memory_associations", "memory_clusters"} }

// programOf says whose file it is, by the tables that only one program makes.
func programOf(l *layout, tables []string) string {
	var list []string
	if slices.ContainsFunc(claudeTables(), func(t string) bool { return slices.Contains(tables, t) }) {
		list = append(list, "claude-hippo")
	}
	switch {
	case l.partition || l.store:
		list = append(list, "mcp-memory-service 11 or later")
	case l.python():
		list = append(list, "mcp-memory-service 10")
	}
	if len(list) == 0 {
		return "mcp-memory-service-rs, or one that has not opened it yet"
	}
	return strings.Join(list, " and ")
}

// shapeOf lists what a file has.
func shapeOf(l *layout, tables []string) (shape []string) {
	if l.dimension > 0 {
		shape = append(shape, fmt.Sprintf("vectors of %d numbers", l.dimension))
	}
	if l.partition {
		shape = append(shape, "vectors by store")
	}
	if l.words {
		shape = append(shape, "full-text index")
	}
	if l.graph {
		shape = append(shape, "memory_graph")
	}
	for _, name := range claudeTables() {
		if slices.Contains(tables, name) {
			shape = append(shape, name)
		}
	}
	return shape
}

// countRows counts what a file holds.
func countRows(ctx context.Context, q sqlitex.Queryer, l *layout, h *api.Host) error {
	count := func(to *int, query string) error {
		_, err := sqlitex.First(ctx, q, query, nil, to)
		return err
	}
	err := errors.Join(
		count(&h.Rows, "SELECT count(*) FROM memories WHERE deleted_at IS NULL"),
		count(&h.Deleted, "SELECT count(*) FROM memories WHERE deleted_at IS NOT NULL"),
		count(&h.Foreign, `SELECT count(*) FROM memories r WHERE deleted_at IS NULL AND EXISTS (
			SELECT 1 FROM shared_memory s JOIN memory m ON m.id = s.memory WHERE s.hash = r.content_hash AND m.client = '`+client+`')`),
	)
	if l.dimension > 0 {
		err = errors.Join(err, count(&h.Vectors, "SELECT count(*) FROM memory_embeddings_rowids"))
	}
	if l.graph {
		err = errors.Join(err, count(&h.Edges, "SELECT count(*) FROM memory_graph"))
	}
	return err
}

// modelDimension is that of all-MiniLM-L6-v2, which the other programs use.
const modelDimension = 384

// oddities lists what a person may want to know. Rows that cannot be read are not among them: [Store.Problems] has them.
func oddities(ctx context.Context, q sqlitex.Queryer, l *layout) (odd []string, err error) {
	known := append(required(), storeColumn, supersededColumn, "parent_id", "version", "confidence", "last_accessed", "embedding_pending")
	columns, err := namesOf(ctx, q, "SELECT name FROM pragma_table_info('memories')")
	if err != nil {
		return nil, err
	}
	if more := slices.DeleteFunc(columns, func(c string) bool { return slices.Contains(known, c) }); len(more) > 0 {
		odd = append(odd, "columns of memories that hippo does not know and leaves alone: "+strings.Join(more, ", "))
	}
	switch l.dimension {
	case modelDimension:
	case 0:
		odd = append(odd, "there is no table memory_embeddings: the other program finds nothing by its meaning")
	default:
		odd = append(odd, fmt.Sprintf("its vectors have %d numbers, those of hippo %d: it finds nothing by its meaning that hippo recorded", l.dimension, modelDimension))
	}
	if at, err := spaceOf(ctx, q, l.dimension); err != nil {
		return nil, err
	} else if at == different {
		odd = append(odd, "its vectors are of another model than all-MiniLM-L6-v2, though as long: hippo compares none of them with its own, and the other program finds nothing by its meaning that hippo recorded")
	}
	metric := ""
	if _, err := sqlitex.First(ctx, q, "SELECT value FROM metadata WHERE key = 'distance_metric'", nil, &metric); err != nil {
		return nil, err
	}
	if metric != "cosine" {
		odd = append(odd, fmt.Sprintf("metadata.distance_metric is %q: mcp-memory-service drops all vectors unless it is cosine", metric))
	}
	return oddRows(ctx, q, l, odd)
}

// oddRows adds the counts of rows that the other programs treat otherwise than their owner expects.
func oddRows(ctx context.Context, q sqlitex.Queryer, l *layout, odd []string) ([]string, error) {
	queries := []struct{ query, text string }{{
		`SELECT count(*) FROM memories WHERE deleted_at IS NULL AND typeof(created_at) IN ('real', 'integer')
			AND abs(created_at - (julianday(created_at_iso) - 2440587.5) * 86400) > 86400`,
		"rows whose created_at and created_at_iso differ by more than a day: hippo takes the first, mcp-memory-service neither",
	}}
	if l.dimension > 0 {
		queries = append(queries, struct{ query, text string }{
			"SELECT count(*) FROM memories WHERE deleted_at IS NULL AND id NOT IN (SELECT rowid FROM memory_embeddings_rowids)",
			"rows without a vector, which the other program does not find by their meaning: while a server of hippo runs it adds them",
		})
	}
	if l.documents {
		queries = append(queries, struct{ query, text string }{
			"SELECT count(*) FROM (" + unlisted + ")",
			"rows that its full-text index lacks, which the other program does not find by their words: the next start of hippo builds the index again",
		})
	}
	for _, c := range queries {
		n := 0
		if _, err := sqlitex.First(ctx, q, c.query, nil, &n); err != nil {
			return odd, err
		}
		if n > 0 {
			odd = append(odd, strconv.Itoa(n)+" "+c.text)
		}
	}
	return odd, nil
}
