package sharedstore

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// layout is which of the tables and columns of the other programs a file has. They differ by program
// and version, and a program may add some while the file is open.
type layout struct {
	// store, superseded: table memories has the column.
	store, superseded bool
	// dimension is that of the vectors of memory_embeddings; 0: there is no such table.
	dimension int
	// partition: memory_embeddings has the column store.
	partition bool
	// words: there is a full-text index of the contents.
	words bool
	// documents: that index lists its rows in a table.
	documents bool
	// graph: there are relations by hash.
	graph bool
	// repaired: its triggers are those of this package.
	repaired bool
}

// python reports whether mcp-memory-service has opened the file: then texts have its hash.
func (l *layout) python() bool { return l.words || l.graph }

// required returns the columns of table memories that every program writes.
func required() []string {
	return []string{
		"id", "content_hash", "content", "tags", "memory_type", "metadata", "created_at", "updated_at", "created_at_iso", "updated_at_iso", "deleted_at",
	}
}

// The columns that some versions have.
const (
	storeColumn      = "store"
	supersededColumn = "superseded_by"
)

// readLayout reads the layout of a file, and refuses one that cannot be written: [hippo.ErrUnsupported]
// names the table or the column.
func readLayout(ctx context.Context, q sqlitex.Queryer) (layout, error) {
	var l layout
	columns := make(map[string]bool)
	for rows, err := range sqlitex.Rows(ctx, q, "SELECT name, \"notnull\" AND dflt_value IS NULL FROM pragma_table_info('memories')") {
		var name string
		var needed bool
		if err == nil {
			err = rows.Scan(&name, &needed)
		}
		if err != nil {
			return l, err
		}
		if needed && !slices.Contains(required(), name) {
			return l, fmt.Errorf("%w: column memories.%s has to be set, and this program does not know it: the file is left as it is", hippo.ErrUnsupported, name)
		}
		columns[name] = true
	}
	for _, name := range required() {
		if !columns[name] {
			return l, fmt.Errorf("%w: column memories.%s is missing (there are %v): the file is left as it is; if it is of an older version of its program, open it there first",
				hippo.ErrUnsupported, name, slices.Sorted(maps.Keys(columns)))
		}
	}
	l.store, l.superseded = columns[storeColumn], columns[supersededColumn]
	return l, l.readVirtual(ctx, q)
}

// dimensionOf finds the dimension in the statement that created a table of vectors.
var dimensionOf = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // compiled when it is first used
	return regexp.MustCompile(`(?i)content_embedding\s+float\s*\[\s*(\d+)\s*\]`)
})

// readVirtual reads the layout of the virtual tables.
func (l *layout) readVirtual(ctx context.Context, q sqlitex.Queryer) error {
	for rows, err := range sqlitex.Rows(ctx, q, "SELECT name, sql FROM sqlite_schema WHERE name IN ('memory_embeddings', 'memory_content_fts', 'memory_content_fts_docsize', 'memories_fts_au', 'memory_graph')") {
		var name, sql string
		if err == nil {
			err = rows.Scan(&name, &sql)
		}
		if err != nil {
			return err
		}
		switch name {
		case "memory_content_fts":
			l.words = true
			continue
		case "memory_content_fts_docsize":
			l.documents = true
			continue
		case "memory_graph":
			l.graph = true
			continue
		case "memories_fts_au":
			l.repaired = strings.Contains(sql, "'delete'")
			continue
		}
		found := dimensionOf().FindStringSubmatch(sql)
		if found == nil {
			return fmt.Errorf("%w: table memory_embeddings has no column content_embedding float[N] (%.200s): the file is left as it is", hippo.ErrUnsupported, sql)
		}
		if l.dimension, err = strconv.Atoi(found[1]); err != nil {
			return fmt.Errorf("%w: table memory_embeddings: %w", hippo.ErrUnsupported, err)
		}
		l.partition = strings.Contains(strings.ToLower(sql), "partition")
	}
	return nil
}
