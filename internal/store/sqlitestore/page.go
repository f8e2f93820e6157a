package sqlitestore

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// noLists takes the place of the lists of a row, which [readLists] reads.
const noLists = ", '', '', ''"

// readPage returns the memories that match a condition, as many as fit into a page; full reports
// that there may be more.
func readPage(ctx context.Context, q sqlitex.Queryer, columns, where string, args ...any) (list []stored, full bool, err error) {
	size, scanner := 0, newRowScanner()
	for rows, err := range sqlitex.Rows(ctx, q, "SELECT "+columns+" FROM memory m WHERE "+where, args...) {
		if err != nil {
			return nil, false, err
		}
		m, err := scanner.scan(rows)
		if err != nil {
			return nil, false, err
		}
		list = append(list, m)
		if size += len(m.Content); size >= pageBytes || len(list) == pageSize {
			return list, true, nil
		}
	}
	return list, false, nil
}

// readLists adds the situations, tags and accesses of a page: all memories with a revision after
// since, up to end. Cost: three statements, and less than half of the time of the subqueries of [columns].
func readLists(ctx context.Context, q sqlitex.Queryer, page []stored, since, end hippo.Revision) error {
	byKey := make(map[int64]*stored, len(page))
	low, high := int64(math.MaxInt64), int64(0)
	for i := range page {
		m := &page[i]
		byKey[m.pk] = m
		low, high = min(low, m.pk), max(high, m.pk)
	}
	where, args := "BETWEEN ? AND ?", []any{low, high}
	if high-low > 2*int64(len(page)) { // a scan would read the lists of too many others
		where, args = "IN (SELECT pk FROM memory WHERE revision > ? AND revision <= ?)", []any{int64(since), int64(end)}
	}
	order := " WHERE memory " + where + " ORDER BY memory, "
	var text string
	var a hippo.Access
	return cmp.Or(
		readList(ctx, q, "SELECT memory, text FROM situation"+order+"pos", args, byKey,
			func(m *stored) { m.Situation = m.appendText(m.Situation, "situation", text) }, &text),
		readList(ctx, q, "SELECT memory, text FROM tag"+order+"pos", args, byKey,
			func(m *stored) { m.Tags = m.appendText(m.Tags, "tags", text) }, &text),
		readList(ctx, q, "SELECT memory, day, count FROM access"+order+"day", args, byKey,
			func(m *stored) { m.Accesses = append(m.Accesses, a) }, &a.Day, &a.Count),
	)
}

// readList scans each row of a query, the key of a memory and the rest into dest, and calls add.
func readList(ctx context.Context, q sqlitex.Queryer, query string, args []any, byKey map[int64]*stored, add func(*stored), dest ...any) error {
	var pk int64
	dest = append([]any{&pk}, dest...)
	for rows, err := range sqlitex.Rows(ctx, q, query, args...) {
		if err == nil {
			err = rows.Scan(dest...)
		}
		if err != nil {
			return err
		}
		if m := byKey[pk]; m != nil {
			add(m)
		}
	}
	return nil
}

// appendText appends an element of a list; one that is not UTF-8 makes the memory unreadable.
func (m *stored) appendText(list []string, name, text string) []string {
	if m.err == nil && !utf8.ValidString(text) {
		m.err = fmt.Errorf("%s: not UTF-8: %.40q", name, text)
	}
	return append(list, text)
}
