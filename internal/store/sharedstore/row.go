package sharedstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// row is a row of table memories. What it holds is of any type that a program wrote.
type row struct {
	id                                    int64
	hash, content, tags, kind, metadata   any
	created, updated, createdISO, deleted any
	store, superseded                     any
}

// select returns the statement that reads rows.
func (l *layout) selectRows(where string) string {
	store, superseded := "NULL", "NULL"
	if l.store {
		store = storeColumn
	}
	if l.superseded {
		superseded = supersededColumn
	}
	return "SELECT id, content_hash, content, tags, memory_type, metadata, created_at, updated_at, created_at_iso, deleted_at, " +
		store + ", " + superseded + " FROM memories WHERE " + where
}

// eachRow calls fn with the rows of a condition.
func (l *layout) eachRow(ctx context.Context, q sqlitex.Queryer, where string, fn func(*row), args ...any) error {
	for rows, err := range sqlitex.Rows(ctx, q, l.selectRows(where), args...) {
		var r row
		if err == nil {
			err = rows.Scan(&r.id, &r.hash, &r.content, &r.tags, &r.kind, &r.metadata, &r.created, &r.updated, &r.createdISO, &r.deleted, &r.store, &r.superseded)
		}
		if err != nil {
			return err
		}
		fn(&r)
	}
	return nil
}

func (l *layout) rows(ctx context.Context, q sqlitex.Queryer, where string, args ...any) (list []row, err error) {
	err = l.eachRow(ctx, q, where, func(r *row) { list = append(list, *r) }, args...)
	return list, err
}

// key is the hash of a row.
func (r *row) key() string {
	s, _ := textOf(r.hash)
	return s
}

// namespace is that of its memory.
func (r *row) namespace() string {
	s, _ := textOf(r.store)
	return namespaceOf(s)
}

// textOf returns a value that is a text; NULL is the empty one.
func textOf(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case string:
		return v, utf8.ValidString(v)
	case []byte:
		return string(v), false
	default:
		return fmt.Sprint(v), true
	}
}

// timeOf returns a time that is a number of seconds, or a text; NULL is the zero time.
func timeOf(v any) (time.Time, bool) {
	switch v := v.(type) {
	case nil:
		return time.Time{}, true
	case int64:
		return timeOf(float64(v))
	case float64:
		if math.IsNaN(v) || math.Abs(v) > maxSeconds {
			return time.Time{}, false
		}
		return time.UnixMicro(int64(math.Round(v * 1e6))).UTC(), true
	case string:
		t, ok := formats.ParseTime(v)
		return t.UTC().Truncate(time.Microsecond), ok
	default:
		return time.Time{}, false
	}
}

// maxSeconds is in the year 9999, the last that has a form in JSON.
const maxSeconds = 253402300799

// seconds is the inverse of timeOf; NULL for the zero time.
func seconds(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return float64(t.UnixMicro()) / 1e6
}

// iso is a time as the programs write it; NULL for the zero time.
func iso(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000Z")
}

// untagged is the tag that mcp-memory-service writes if there is none.
const untagged = "untagged"

// splitTags reads the column tags.
func splitTags(s string) []string {
	var tags []string
	for tag := range strings.SplitSeq(s, ",") {
		if tag = strings.TrimSpace(tag); tag != "" && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	if len(tags) == 1 && tags[0] == untagged {
		return nil
	}
	return tags
}

// joinTags is the inverse of splitTags. A comma in a tag would make it two.
func joinTags(tags []string) string {
	list := make([]string, len(tags))
	for i, tag := range tags {
		list[i] = strings.ReplaceAll(tag, ",", " ")
	}
	return strings.Join(list, ",")
}

// memory returns the memory of a row, without its ID. [hippo.ErrInvalid] names the column that cannot be
// one. A superseding memory is left to the caller.
func (r *row) memory() (*hippo.Memory, error) {
	m := formats.Imported(client, r.key())
	var errs []error
	text := func(column string, v any) string {
		s, ok := textOf(v)
		if !ok {
			errs = append(errs, hippo.Fieldf(column, "must be a text of UTF-8, is %T", v))
		}
		return s
	}
	m.Content, m.Type, m.Tags = text("content", r.content), text("memory_type", r.kind), splitTags(text("tags", r.tags))
	m.Namespace = namespaceOf(text(storeColumn, r.store))
	m.ContentHash = hippo.HashContent(m.Content)
	created := r.created
	if created == nil {
		created = r.createdISO
	}
	var ok [3]bool
	m.CreatedAt, ok[0] = timeOf(created)
	m.UpdatedAt, ok[1] = timeOf(r.updated)
	m.ForgottenAt, ok[2] = timeOf(r.deleted)
	for i, column := range []string{"created_at", "updated_at", "deleted_at"} {
		if !ok[i] {
			errs = append(errs, hippo.Fieldf(column, "must be seconds since 1970"))
		}
	}
	if m.UpdatedAt.Before(m.CreatedAt) {
		m.UpdatedAt = m.CreatedAt
	}
	if all, err := r.object(); err == nil { // else it is listed among the problems
		m.Metadata = withoutCounters(all)
	}
	errs = append(errs, m.Validate())
	return m, errors.Join(errs...)
}

// object reads the column metadata; empty if there is none.
func (r *row) object() (map[string]json.RawMessage, error) {
	m := make(map[string]json.RawMessage)
	s, ok := textOf(r.metadata)
	if ok && strings.TrimSpace(s) == "" {
		return m, nil
	}
	if err := json.Unmarshal([]byte(s), &m); !ok || err != nil || m == nil {
		return nil, hippo.Fieldf("metadata", "must be a JSON object: %.60q", s)
	}
	return m, nil
}

// withoutCounters removes the counters; nil if nothing is left.
func withoutCounters(m map[string]json.RawMessage) map[string]json.RawMessage {
	for _, key := range counters() {
		delete(m, key)
	}
	if len(m) == 0 {
		return nil
	}
	return m
}

// counters are the keys of the metadata that mcp-memory-service rewrites when it finds a memory.
func counters() []string { return []string{"access_count", "last_accessed_at", "access_queries"} }

// The column store and the namespace of a memory are one thing; the default ones have two names.
const defaultStore = "default"

func namespaceOf(store string) string {
	if store == defaultStore {
		return ""
	}
	return store
}

func storeOf(namespace string) string {
	if namespace == "" {
		return defaultStore
	}
	return namespace
}
