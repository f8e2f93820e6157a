package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// As returns s whose changes of memories are kept as operations with the verb, the caller and the
// reason of op. Without a verb each kind of write has its own. An ID, if it is given, is for one
// write only.
func As(s Scoped, op hippo.Operation) Scoped {
	s.op = op
	return s
}

// change is what a write does to a memory; before is nil if it records it.
type change struct {
	before, after *hippo.Memory
	// relations are those from it that the write has added or removed.
	relations []hippo.RelationChange
	// unchanged: only the relations change; before is nil.
	unchanged bool
}

// newOperation returns the operation of a write that begins now.
func newOperation(s Scoped, verb hippo.Verb) (hippo.Operation, error) {
	op := s.op
	if op.Verb == "" {
		op.Verb = verb
	}
	if op.ID.IsZero() {
		id, err := uuid.NewV7()
		if err != nil {
			return op, fmt.Errorf("store: new id: %w", err)
		}
		op.ID = hippo.ID(id)
	}
	op.At = s.store.now().UTC().Truncate(time.Microsecond)
	return op, op.Validate()
}

// putKept stores what a write has made of memories, and keeps what they were.
func putKept(s *Store, tx driver.Tx, op hippo.Operation, list []change) error {
	return putKeptAfter(s, tx, op, list, nil)
}

// putKeptAfter is [putKept] for an operation of several writes. before counts, by project, the memories that the earlier ones
// have changed.
func putKeptAfter(s *Store, tx driver.Tx, op hippo.Operation, list []change, before map[string]int) error {
	ms := make([]*hippo.Memory, 0, len(list))
	projects := maps.Clone(before)
	if projects == nil {
		projects = make(map[string]int)
	}
	for _, c := range list {
		if !c.unchanged {
			ms = append(ms, c.after)
		}
		projects[c.after.Project]++
	}
	if err := tx.Put(ms...); err != nil || s.retention.Versions <= 0 || len(list) == 0 {
		return err
	}
	cal, err := tx.Calendar()
	if err != nil {
		return err
	}
	op.Day = cal.Day
	vs := make([]hippo.Version, len(list))
	for i, c := range list {
		m := c.after
		vs[i] = hippo.Version{
			ID: m.ID, Namespace: m.Namespace, Project: m.Project, Before: former(c.before), Of: projects[m.Project],
			Relations: c.relations, Unchanged: c.unchanged,
		}
		if c.unchanged {
			continue
		}
		if vs[i].After, err = fingerprint(m); err != nil {
			return err
		}
	}
	return tx.Keep(op, s.retention, vs...)
}

// former returns what is kept of a memory: all but its accesses, which no operation changes.
func former(m *hippo.Memory) *hippo.Memory {
	if m == nil {
		return nil
	}
	c := *m
	c.Accesses, c.Revision = nil, 0
	return &c
}

// fingerprint identifies what is stored of a memory, but for its accesses, its surprise, which is computed
// from the others, and what counts and dates its changes. Back ends may store metadata with other spaces and escapes.
func fingerprint(m *hippo.Memory) (hippo.Hash, error) {
	c := former(m)
	c.Surprise = hippo.Surprise{}
	return fingerprintOf(c)
}

// fingerprintOf is that of all fields but those that count and date changes. It changes c.
func fingerprintOf(c *hippo.Memory) (hippo.Hash, error) {
	m := *c
	c.UpdatedAt, c.Version = c.CreatedAt, 1
	c.Metadata = make(map[string]json.RawMessage, len(m.Metadata))
	for k, raw := range m.Metadata {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			return hippo.Hash{}, hippo.Fieldf("metadata", "key %q must hold valid JSON", k)
		}
		plain, err := json.Marshal(v)
		if err != nil {
			return hippo.Hash{}, err
		}
		c.Metadata[k] = plain
	}
	b, err := formats.EncodeInsight(c)
	return sha256.Sum256(b), err
}

// Operations returns a page of the operations that changed memories of the scope, the newest first,
// each with those memories. q.Scope is ignored.
func Operations(ctx context.Context, s Scoped, q driver.OperationQuery) ([]api.Operation, error) {
	if err := s.Allow(hippo.RightRead); err != nil {
		return nil, err
	}
	q.Scope = &s.scope
	ops, err := s.store.backend.Operations(ctx, q)
	return ops, wrap("operations", err)
}

// Versions returns former versions of memories of the scope; see [driver.History]. SupersededBy is
// set only where the successor is in the scope, and After never. q.Scope is ignored. Versions that cannot be read
// are left out.
func Versions(ctx context.Context, s Scoped, q driver.VersionQuery) ([]hippo.Version, error) {
	if err := s.Allow(hippo.RightRead); err != nil {
		return nil, err
	}
	q.Scope = &s.scope
	vs, err := s.store.backend.Versions(ctx, q)
	if err = driver.Readable(err); err != nil {
		return nil, wrap("versions", err)
	}
	var before []*hippo.Memory
	for i := range vs {
		vs[i].After = hippo.Hash{} // it depends on the successor, which the caller may not see
		if vs[i].Before != nil {
			before = append(before, vs[i].Before)
		}
	}
	return vs, maskSuccessors(ctx, s, before)
}

// exportBatch is how many memories the history is exported of at a time.
const exportBatch = 500

// AllVersions yields the former versions of all memories of the scope, those of some memories at a
// time, of each the last one first. An administrator of the whole namespace gets what is stored, so
// that it can be undone elsewhere; others as from [Versions].
func AllVersions(s Scoped, ctx context.Context) iter.Seq2[[]hippo.Version, error] { //nolint:revive // the form of the other exports
	return func(yield func([]hippo.Version, error) bool) {
		var ids []hippo.ID
		for m, err := range s.All(ctx) {
			if driver.Readable(err) != nil {
				yield(nil, err)
				return
			}
			if m != nil {
				ids = append(ids, m.ID)
			}
		}
		for some := range slices.Chunk(ids, exportBatch) {
			vs, err := ExportVersions(ctx, s, some)
			if !yield(vs, err) || err != nil {
				return
			}
		}
	}
}

// ExportVersions returns what [AllVersions] yields for some memories.
func ExportVersions(ctx context.Context, s Scoped, ids []hippo.ID) ([]hippo.Version, error) {
	q := driver.VersionQuery{Memories: ids}
	if s.scope.Projects != nil || !s.scope.Allows(hippo.RightAdmin) {
		return Versions(ctx, s, q)
	}
	q.Scope = &s.scope
	vs, err := s.store.backend.Versions(ctx, q)
	return vs, wrap("versions", driver.Readable(err))
}

// ImportVersions keeps versions of [AllVersions] of another store for the memories of the scope
// that have none yet, within the retention, and returns how many.
func ImportVersions(ctx context.Context, s Scoped, vs []hippo.Version) (added int, err error) {
	if err := s.Allow(hippo.RightWrite); err != nil || len(vs) == 0 || s.store.retention.Versions <= 0 {
		return 0, err
	}
	ids := make([]hippo.ID, len(vs))
	for i := range vs {
		ids[i] = vs[i].ID
	}
	err = write(ctx, s.store, driver.Durable, func(tx driver.Tx) error {
		added = 0
		ms, err := tx.Get(ids...)
		if driver.Readable(err) != nil {
			return err
		}
		here, err := tx.Versions(driver.VersionQuery{Memories: ids})
		if driver.Readable(err) != nil {
			return err
		}
		take := make(map[hippo.ID]bool, len(ms))
		for _, m := range visibleMemories(s, ms) {
			take[m.ID] = true
		}
		for i := range here {
			delete(take, here[i].ID)
		}
		for _, v := range slices.Backward(vs) { // the last kept is the first
			if take[v.ID] && v.Namespace == s.scope.Namespace {
				if err := tx.Keep(v.Operation, s.store.retention, v); err != nil {
					return err
				}
				added++
			}
		}
		return nil
	})
	return added, wrap("import history", err)
}
