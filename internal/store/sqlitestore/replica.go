package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// replicaState is a [driver.Replica] with the number of the file in which it was set. If the current file has a different number, it is a
// copy, and the state belongs to the original file.
type replicaState struct {
	driver.Replica
	file string
}

// replicaStates holds the states before and after the transactions of a group.
type replicaStates struct {
	stored, now replicaState
	lines       *packer
}

// replicaJSON is the form of a replicaState in the table state.
type replicaJSON struct {
	ID    string `json:"id"`
	Clock string `json:"clock"`
	Seq   uint64 `json:"seq"`
	From  uint64 `json:"from,omitempty"`
	File  string `json:"file,omitempty"`
}

func (r replicaState) String() string {
	if r.ID.IsZero() {
		return ""
	}
	b, err := json.Marshal(replicaJSON{r.ID.String(), r.Clock.Last.String(), r.Seq, r.From, r.file})
	if err != nil {
		panic(err) // the fields are plain values that always encode
	}
	return string(b)
}

func parseReplica(text string) (r replicaState, err error) {
	if text == "" {
		return r, nil
	}
	var v replicaJSON
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return r, fmt.Errorf("%w: the identity of the replica cannot be read: %w", hippo.ErrCorrupt, err)
	}
	r.Seq, r.From, r.file = v.Seq, v.From, v.File
	if r.ID, err = clock.ParseReplica(v.ID); err == nil {
		r.Clock.Last, err = clock.ParseTime(v.Clock)
	}
	if err != nil {
		return r, fmt.Errorf("%w: the identity of the replica cannot be read: %w", hippo.ErrCorrupt, err)
	}
	return r, nil
}

// replicas is the part of a [Store] that implements [driver.Replicas].
type replicas struct {
	db    *sqlitex.DB
	lines *packer // used by transactions, which run one at a time
}

// Replica implements [driver.Replicas].
func (s replicas) Replica(ctx context.Context) (r driver.Replica, v entry.Vector, err error) {
	err = s.db.View(ctx, func(f *sqlitex.File) error {
		_, state, err := readState(ctx, f)
		if err != nil {
			return err
		}
		r = state.Replica
		v, err = readVector(ctx, f, &r)
		return err
	})
	return r, v, err
}

func readVector(ctx context.Context, q sqlitex.Queryer, r *driver.Replica) (entry.Vector, error) {
	v := make(entry.Vector)
	for rows, err := range sqlitex.Rows(ctx, q, "SELECT origin, seq FROM sync_vector") {
		var origin sql.RawBytes
		var seq uint64
		if err == nil {
			err = rows.Scan(&origin, &seq)
		}
		if err != nil {
			return nil, err
		}
		v[clock.Replica(origin)] = seq
	}
	if r.Seq > 0 {
		v[r.ID] = r.Seq
	}
	return v, nil
}

// entryQuery returns entries with the vectors of their segments.
const entryQuery = "SELECT e.origin, e.first, e.line, s.vector FROM sync_entry e JOIN sync_segment s ON s.origin = e.origin AND s.first = e.first WHERE "

// EntriesOf implements [driver.Replicas].
func (s replicas) EntriesOf(ctx context.Context, origin clock.Replica, after, upTo uint64, limit int) (list []*entry.Held, err error) {
	err = s.db.View(ctx, func(f *sqlitex.File) error {
		list, err = readEntries(ctx, f, entryQuery+"e.origin = ? AND e.seq > ? AND e.seq <= ? ORDER BY e.seq LIMIT ?", origin[:], int64(after), int64(upTo), limit)
		return err
	})
	return list, err
}

func readEntries(ctx context.Context, q sqlitex.Queryer, query string, args ...any) ([]*entry.Held, error) {
	var out []*entry.Held
	vectors := make(map[entry.Dot]entry.Vector) // keyed by the first dot of a segment
	var lines unpacker
	for rows, err := range sqlitex.Rows(ctx, q, query, args...) {
		if err != nil {
			return nil, err
		}
		var origin, packed, vector sql.RawBytes
		h := &entry.Held{}
		if err := rows.Scan(&origin, &h.From, &packed, &vector); err != nil {
			return nil, err
		}
		line, err := lines.unpack(packed)
		if err != nil {
			return nil, err
		}
		if h.Entry, err = entry.Parse(clock.Replica(origin), line); err != nil {
			return nil, fmt.Errorf("%w: an entry for other stores cannot be read: %w", hippo.ErrCorrupt, err)
		}
		segment := entry.Dot{Origin: h.Origin, Seq: h.From}
		if vectors[segment] == nil {
			var v entry.Vector
			if err := v.UnmarshalJSON(vector); err != nil {
				return nil, fmt.Errorf("%w: the vector of a segment cannot be read: %w", hippo.ErrCorrupt, err)
			}
			vectors[segment] = v
		}
		h.Vector = vectors[segment]
		out = append(out, h)
	}
	return out, nil
}

// replicaTx is the part of a [Tx] that implements [driver.ReplicaTx].
type replicaTx struct {
	db    *sqlitex.Tx
	ctx   context.Context
	state replicaState
	lines *packer
	// segment is the first dot of a segment that has a row; zero if none is known.
	segment entry.Dot
}

// Replica implements [driver.ReplicaTx].
func (t *replicaTx) Replica() (r driver.Replica, moved bool) {
	return t.state.Replica, t.state.file != "" && t.db.Number() != "" && t.state.file != t.db.Number()
}

// SetReplica implements [driver.ReplicaTx].
func (t *replicaTx) SetReplica(r driver.Replica) error {
	if old := t.state; !old.ID.IsZero() && old.ID != r.ID && old.Seq > 0 {
		if err := t.SetVector(entry.Vector{old.ID: old.Seq}); err != nil {
			return err
		}
	}
	t.state = replicaState{r, t.db.Number()}
	return nil
}

// Vector implements [driver.ReplicaTx].
func (t *replicaTx) Vector() (entry.Vector, error) { return readVector(t.ctx, t.db, &t.state.Replica) }

// SetVector implements [driver.ReplicaTx].
func (t *replicaTx) SetVector(v entry.Vector) error {
	for _, r := range v.Replicas() {
		if err := t.db.Exec("INSERT INTO sync_vector VALUES (?, ?) ON CONFLICT (origin) DO UPDATE SET seq = excluded.seq", r[:], int64(v[r])); err != nil {
			return err
		}
	}
	return nil
}

// Held implements [driver.ReplicaTx].
func (t *replicaTx) Held(subjects ...hippo.ID) ([]*entry.Held, error) {
	var out []*entry.Held
	for _, id := range subjects {
		list, err := readEntries(t.ctx, t.db, entryQuery+"e.memory = ?", id[:])
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	driver.SortHeld(out)
	return out, nil
}

// Hold implements [driver.ReplicaTx].
func (t *replicaTx) Hold(list ...*entry.Held) error {
	for _, h := range list {
		if len(h.Parts) == 0 {
			if err := t.drop(h); err != nil {
				return err
			}
			continue
		}
		if segment := (entry.Dot{Origin: h.Origin, Seq: h.From}); segment != t.segment {
			v, err := h.Vector.MarshalJSON()
			if err == nil {
				err = t.db.Exec("INSERT INTO sync_segment VALUES (?, ?, ?) ON CONFLICT DO NOTHING", h.Origin[:], int64(h.From), string(v))
			}
			if err != nil {
				return err
			}
			t.segment = segment
		}
		line, err := t.lines.pack(h.Line())
		if err != nil {
			return err
		}
		if err := t.db.Exec(`INSERT INTO sync_entry (memory, origin, seq, first, line) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET first = excluded.first, line = excluded.line`,
			h.Subject[:], h.Origin[:], int64(h.Seq), int64(h.From), line); err != nil {
			return err
		}
	}
	return nil
}

// drop removes an entry, and removes the segment with its last entry. A segment's entries are numbered from the segment's number upwards.
func (t *replicaTx) drop(h *entry.Held) error {
	t.segment = entry.Dot{}
	if err := t.db.Exec("DELETE FROM sync_entry WHERE memory = ? AND origin = ? AND seq = ?", h.Subject[:], h.Origin[:], int64(h.Seq)); err != nil {
		return err
	}
	return t.db.Exec(`DELETE FROM sync_segment WHERE origin = ?1 AND first = ?2
		AND NOT EXISTS (SELECT 1 FROM sync_entry WHERE origin = ?1 AND seq >= ?2 AND first = ?2)`, h.Origin[:], int64(h.From))
}

// SegmentVector implements [driver.ReplicaTx].
func (t *replicaTx) SegmentVector(origin clock.Replica, from uint64) (v entry.Vector, err error) {
	text := ""
	found, err := sqlitex.First(t.ctx, t.db, "SELECT vector FROM sync_segment WHERE origin = ? AND first = ?", []any{origin[:], int64(from)}, &text)
	if err != nil || !found {
		return nil, err
	}
	t.segment = entry.Dot{Origin: origin, Seq: from}
	err = v.UnmarshalJSON([]byte(text))
	return v, err
}

// Await implements [driver.ReplicaTx].
func (t *replicaTx) Await(from, to hippo.ID) error {
	return t.db.Exec("INSERT INTO sync_waiting VALUES (?, ?) ON CONFLICT DO NOTHING", to[:], from[:])
}

// Arrived implements [driver.ReplicaTx].
func (t *replicaTx) Arrived(to hippo.ID) (out []hippo.ID, err error) {
	for rows, err := range sqlitex.Rows(t.ctx, t.db, "SELECT memory FROM sync_waiting WHERE target = ? ORDER BY memory", to[:]) {
		var id sql.RawBytes
		if err == nil {
			err = rows.Scan(&id)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, hippo.ID(id))
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, t.db.Exec("DELETE FROM sync_waiting WHERE target = ?", to[:])
}

// MarkRemoved implements [driver.Remover].
func (t *replicaTx) MarkRemoved(ids ...hippo.ID) error {
	for _, id := range ids {
		if err := t.db.Exec("UPDATE tombstone SET removed = 1 WHERE id = ?", id[:]); err != nil {
			return err
		}
	}
	return nil
}
