package pgstore

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/hippo-memory/hippo"
)

// The columns of table memory after tenant and id, in the order of values and of memoryRow. The content, which may be long, is
// apart: where it did not change, it is not written again.
const (
	restColumns = `revision, base, value, set_day, set_at, pinned, created_at, updated_at, event_time, valid_from, valid_until,
	superseded_by, forgotten_at, archived_at, version, trust, seq, content_hash, surprise, type, source_kind, author, client,
	session, uri, project, namespace, situation, tags, metadata, feedback, untied`
	restValues = `$3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28,
	$29, $30, $31, $32, $33, $34`
	insertMemory  = "INSERT INTO hippo.memory (tenant, id, " + restColumns + ", content) VALUES ($1, $2, " + restValues + ", $35)"
	updateMemory  = "UPDATE hippo.memory SET (" + restColumns + ", content) = (" + restValues + ", $35) WHERE tenant = $1 AND id = $2"
	updateAllElse = "UPDATE hippo.memory SET (" + restColumns + ") = (" + restValues + ") WHERE tenant = $1 AND id = $2"
)

// memoryColumns are those of a memory m and its accesses a, in the order of memoryRow.
const memoryColumns = "id, " + restColumns + ", content, days"

// withAccesses joins the accesses of memories m.
const withAccesses = " LEFT JOIN hippo.access a ON a.tenant = $1 AND a.memory = m.id "

// stored is a memory in the database.
type stored struct {
	*hippo.Memory
	// err is why the memory cannot be read. Memory has then what could be.
	err error
}

// memoryRow reads rows of memoryColumns.
type memoryRow struct {
	m          hippo.Memory
	superseded pgtype.UUID
	times      [8]pgtype.Timestamptz
	hash       []byte
	parts      [3][]byte // metadata, feedback, untied: as JSON
	days       []int64
	surprise   []float64
}

func (r *memoryRow) targets() []any {
	m, t := &r.m, &r.times
	return []any{
		(*[16]byte)(&m.ID), &m.Revision, &m.Importance.Base, &m.Importance.Value, &m.Importance.SetDay, &t[0], &m.Pinned, &t[1], &t[2], &t[3],
		&t[4], &t[5], &r.superseded, &t[6], &t[7], &m.Version, &m.Trust, &m.Source.Seq, &r.hash, &r.surprise,
		&m.Type, &m.Source.Kind, &m.Source.Author, &m.Source.Client, &m.Source.Session, &m.Source.URI, &m.Project, &m.Namespace,
		&m.Situation, &m.Tags, &r.parts[0], &r.parts[1], &r.parts[2], &m.Content, &r.days,
	}
}

// scanMemory reads a row of memoryColumns. Its error is about the database; values that no memory can have make only this one
// unreadable.
func scanMemory(row pgx.CollectableRow) (stored, error) {
	r := &memoryRow{}
	if err := row.Scan(r.targets()...); err != nil {
		return stored{}, err
	}
	m := &r.m
	for i, to := range []*time.Time{
		&m.Importance.SetAt, &m.CreatedAt, &m.UpdatedAt, &m.EventTime, &m.ValidFrom, &m.ValidUntil, &m.ForgottenAt, &m.ArchivedAt,
	} {
		*to = timeOf(r.times[i])
	}
	m.SupersededBy = r.superseded.Bytes
	return stored{m, r.unpack()}, nil
}

// unpack sets the fields whose columns can hold more than a memory can.
func (r *memoryRow) unpack() error {
	m := &r.m
	if copy(m.ContentHash[:], r.hash); len(r.hash) != len(m.ContentHash) {
		return fmt.Errorf("content_hash: has %d bytes, want %d", len(r.hash), len(m.ContentHash))
	}
	if x := r.surprise; len(x) == 5 {
		m.Surprise = hippo.Surprise{Score: x[0], Outlier: x[1], Engagement: x[2], Explicit: x[3], Loss: x[4]}
	} else if x != nil {
		return fmt.Errorf("surprise: has %d numbers, want 5", len(x))
	}
	var err error
	if m.Accesses, err = accessesOf(r.days); err != nil {
		return err
	}
	for i, part := range []struct {
		name string
		to   any
	}{{"metadata", &m.Metadata}, {"feedback", &m.Feedback}, {"untied", &m.Untied}} {
		if r.parts[i] == nil {
			continue
		}
		if err := json.Unmarshal(r.parts[i], part.to); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}

// values returns the values of tenant, id and restColumns.
func values(tenant string, m *hippo.Memory) ([]any, error) {
	var parts [3]any
	for i, part := range []struct {
		set bool
		v   any
	}{{len(m.Metadata) > 0, m.Metadata}, {len(m.Feedback) > 0, m.Feedback}, {m.Untied != nil, m.Untied}} {
		if !part.set {
			continue
		}
		b, err := json.Marshal(part.v)
		if err != nil {
			return nil, fmt.Errorf("%w: metadata: %w", hippo.ErrInvalid, err)
		}
		parts[i] = string(b)
	}
	var surprise []float64
	if x := m.Surprise; x != (hippo.Surprise{}) {
		surprise = []float64{x.Score, x.Outlier, x.Engagement, x.Explicit, x.Loss}
	}
	return []any{
		tenant, uuid(m.ID), int64(m.Revision), m.Importance.Base, m.Importance.Value, int64(m.Importance.SetDay), timestamp(m.Importance.SetAt),
		m.Pinned, timestamp(m.CreatedAt), timestamp(m.UpdatedAt), timestamp(m.EventTime), timestamp(m.ValidFrom), timestamp(m.ValidUntil),
		optional(m.SupersededBy), timestamp(m.ForgottenAt), timestamp(m.ArchivedAt), int64(m.Version), int16(m.Trust), int64(m.Source.Seq),
		m.ContentHash[:], surprise, m.Type, string(m.Source.Kind), m.Source.Author, m.Source.Client, m.Source.Session,
		m.Source.URI, m.Project, m.Namespace, orNull(m.Situation), orNull(m.Tags), parts[0], parts[1], parts[2],
	}, nil
}

// orNull is NULL for an empty list.
func orNull(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return list
}

func uuid(id hippo.ID) pgtype.UUID { return pgtype.UUID{Bytes: id, Valid: true} }

// optional is NULL for the zero ID.
func optional(id hippo.ID) pgtype.UUID { return pgtype.UUID{Bytes: id, Valid: !id.IsZero()} }

func uuids(ids []hippo.ID) []pgtype.UUID {
	out := make([]pgtype.UUID, len(ids))
	for i, id := range ids {
		out[i] = uuid(id)
	}
	return out
}

// timestamp is NULL for the zero time.
func timestamp(t time.Time) pgtype.Timestamptz {
	return pgtype.Timestamptz{Time: t, Valid: !t.IsZero()}
}

// boundary is an infinite time for the zero time.
func boundary(t time.Time, unset pgtype.InfinityModifier) pgtype.Timestamptz {
	if t.IsZero() {
		return pgtype.Timestamptz{InfinityModifier: unset, Valid: true}
	}
	return timestamp(t)
}

// timeOf is the inverse of timestamp and of boundary.
func timeOf(t pgtype.Timestamptz) time.Time {
	if !t.Valid || t.InfinityModifier != pgtype.Finite {
		return time.Time{}
	}
	return t.Time.UTC()
}
