package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// stored is a memory with its key.
type stored struct {
	*hippo.Memory
	pk int64
}

// columns are those of table memory and its children, in the order of scan.
const columns = `m.pk, m.id, m.revision, m.content, m.type, m.base, m.value, m.set_day, m.set_at, m.pinned,
	m.created_at, m.updated_at, m.event_time, m.valid_from, m.valid_until, m.superseded_by, m.forgotten_at, m.version,
	m.surprise, m.source_kind, m.author, m.client, m.session, m.seq, m.uri, m.trust, m.project, m.namespace,
	m.content_hash, m.metadata,
	(SELECT json_group_array(text) FROM (SELECT text FROM situation WHERE memory = m.pk ORDER BY pos)),
	(SELECT json_group_array(text) FROM (SELECT text FROM tag WHERE memory = m.pk ORDER BY pos)),
	(SELECT json_group_array(json_array(day, count)) FROM (SELECT day, count FROM access WHERE memory = m.pk ORDER BY day))`

// scan reads one row of columns.
func scan(rows *sql.Rows) (stored, error) {
	m := stored{Memory: &hippo.Memory{}}
	var id, superseded, hash []byte
	var situation, tags, accesses string
	var surprise, metadata sql.NullString
	var times [7]sql.NullInt64
	err := rows.Scan(&m.pk, &id, &m.Revision, &m.Content, &m.Type, &m.Importance.Base, &m.Importance.Value,
		&m.Importance.SetDay, &times[0], &m.Pinned, &times[1], &times[2], &times[3], &times[4], &times[5],
		&superseded, &times[6], &m.Version, &surprise, &m.Source.Kind, &m.Source.Author, &m.Source.Client,
		&m.Source.Session, &m.Source.Seq, &m.Source.URI, &m.Trust, &m.Project, &m.Namespace, &hash, &metadata,
		&situation, &tags, &accesses)
	if err != nil {
		return m, err
	}
	copy(m.ID[:], id)
	copy(m.SupersededBy[:], superseded)
	copy(m.ContentHash[:], hash)
	for i, t := range []*time.Time{
		&m.Importance.SetAt, &m.CreatedAt, &m.UpdatedAt, &m.EventTime, &m.ValidFrom, &m.ValidUntil, &m.ForgottenAt,
	} {
		if times[i].Valid {
			*t = time.UnixMicro(times[i].Int64).UTC()
		}
	}
	return m, m.unpack(situation, tags, accesses, surprise.String, metadata.String)
}

// unpack fills what is stored as JSON.
func (m *stored) unpack(situation, tags, accesses, surprise, metadata string) error {
	var pairs [][2]int
	for _, part := range []struct {
		text string
		to   any
	}{
		{situation, &m.Situation},
		{tags, &m.Tags},
		{accesses, &pairs},
		{surprise, &m.Surprise},
		{metadata, &m.Metadata},
	} {
		if part.text == "" || part.text == "[]" {
			continue
		}
		if err := json.Unmarshal([]byte(part.text), part.to); err != nil {
			return fmt.Errorf("%w: memory %v: %w", hippo.ErrCorrupt, m.ID, err)
		}
	}
	for _, p := range pairs {
		m.Accesses = append(m.Accesses, hippo.Access{Day: hippo.Day(p[0]), Count: p[1]})
	}
	return nil
}

// sizes are how many IDs one statement asks for: a few fixed numbers, so that the
// statements can be prepared once. Numbers in between repeat an ID.
func sizes() []int { return []int{1, 10, 100} }

// batch returns the arguments of one statement, as many as one of sizes, and the
// IDs that are left for others.
func batch(ids []hippo.ID) (args []any, rest []hippo.ID) {
	n := sizes()[0]
	for _, size := range sizes() {
		if n < len(ids) {
			n = size
		}
	}
	args = make([]any, n)
	for i := range args {
		args[i] = ids[min(i, len(ids)-1)][:]
	}
	return args, ids[min(n, len(ids)):]
}

// placeholders returns those of n arguments.
func placeholders(n int) string { return "(?" + strings.Repeat(",?", n-1) + ")" }

// byID returns the statement that asks for n memories.
func byID(n int) string {
	return "SELECT " + columns + " FROM memory m WHERE m.id IN " + placeholders(n)
}

// get returns the memories in the order of ids, without those that are missing.
func get(ctx context.Context, q sqlitex.Queryer, ids []hippo.ID) ([]stored, error) {
	found := make(map[hippo.ID]stored, len(ids))
	for rest := ids; len(rest) > 0; {
		var args []any
		args, rest = batch(rest)
		for rows, err := range sqlitex.Rows(ctx, q, byID(len(args)), args...) {
			if err != nil {
				return nil, err
			}
			m, err := scan(rows)
			if err != nil {
				return nil, err
			}
			found[m.ID] = m
		}
	}
	out := make([]stored, 0, len(found))
	for _, id := range ids {
		if m, ok := found[id]; ok {
			out = append(out, m)
			found[id] = stored{Memory: m.Clone(), pk: m.pk} // an ID given twice is answered twice
		}
	}
	return out, nil
}

func memoriesOf(list []stored) []*hippo.Memory {
	ms := make([]*hippo.Memory, len(list))
	for i, m := range list {
		ms[i] = m.Memory
	}
	return ms
}

func readHead(ctx context.Context, q sqlitex.Queryer) (h driver.Head, err error) {
	_, err = sqlitex.First(ctx, q, "SELECT store, revision, day, date, memories, forgotten, relations FROM state", nil,
		&h.Store, &h.Revision, &h.Calendar.Day, &h.Calendar.Date, &h.Memories, &h.Forgotten, &h.Relations)
	return h, err
}
