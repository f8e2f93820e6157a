package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// history is the part of a [Store] that keeps former versions. It implements [driver.History].
type history struct {
	db  *sqlitex.DB
	bad *unreadable
}

// past is the part of a [Tx] that keeps former versions.
type past struct {
	*sqlitex.Tx
	bad *unreadable
	ctx context.Context //nolint:containedctx // that of the transaction
}

// operationColumns are in the order of operationScan.
const operationColumns = "o.id, o.at, o.day, o.verb, o.source_kind, o.author, o.client, o.session, o.seq, o.uri, o.reason, o.undoes"

// operationScan reads operationColumns.
type operationScan struct {
	hippo.Operation
	id, undoes sql.RawBytes
	at         int64
}

func (o *operationScan) targets() []any {
	return []any{
		&o.id, &o.at, &o.Day, &o.Verb, &o.By.Kind, &o.By.Author, &o.By.Client, &o.By.Session, &o.By.Seq, &o.By.URI, &o.Reason, &o.undoes,
	}
}

// operation returns what was scanned.
func (o *operationScan) operation() hippo.Operation {
	op := o.Operation
	op.ID, op.Undoes = hippo.ID{}, hippo.ID{}
	copy(op.ID[:], o.id)
	copy(op.Undoes[:], o.undoes)
	op.At = timeOf(sql.NullInt64{Int64: o.at, Valid: true})
	return op
}

// visibleVersion returns the condition that a version v exists for a scope, with its arguments.
func visibleVersion(s *hippo.Scope) (where string, args []any, err error) {
	if s == nil {
		return "EXISTS (SELECT 1 FROM memory m WHERE m.id = v.memory)", nil, nil
	}
	where = "v.namespace = ? AND EXISTS (SELECT 1 FROM memory m WHERE m.id = v.memory AND m.namespace = v.namespace"
	args = []any{s.Namespace}
	if s.Projects == nil {
		return where + ")", args, nil
	}
	projects, err := json.Marshal(s.Projects)
	in := "IN (SELECT value FROM json_each(?))"
	return where + " AND m.project " + in + ") AND v.project " + in, append(args, string(projects), string(projects)), err
}

// Operations implements [driver.History]. Cost: a walk over the operations from the newest one, or
// of those of one memory.
func (s *history) Operations(ctx context.Context, q driver.OperationQuery) (out []api.Operation, err error) {
	err = s.db.View(ctx, func(f *sqlitex.File) error {
		return f.Snapshot(ctx, func(r sqlitex.Queryer) (err error) {
			out, err = operations(ctx, r, &q)
			return err
		})
	})
	return out, err
}

func operations(ctx context.Context, r sqlitex.Queryer, q *driver.OperationQuery) ([]api.Operation, error) {
	visible, seen, err := visibleVersion(q.Scope)
	if err != nil {
		return nil, err
	}
	where, args := "EXISTS (SELECT 1 FROM version v WHERE v.operation = o.pk AND "+visible+")", seen
	if !q.Memory.IsZero() {
		where = "o.pk IN (SELECT v.operation FROM version v WHERE v.memory = ? AND " + visible + ")"
		args = append([]any{q.Memory[:]}, seen...)
	}
	if q.Match != "" {
		where += " AND (hex(o.id) LIKE ? OR hex(o.id) LIKE ?)"
		args = append(args, q.Match+"%", "%"+q.Match)
	}
	query := "SELECT o.pk, " + operationColumns + " FROM operation o WHERE " + where + " ORDER BY o.at DESC, o.id DESC LIMIT ? OFFSET ?"
	var out []api.Operation
	var keys []int64
	for rows, err := range sqlitex.Rows(ctx, r, query, append(args, max(0, q.Limit), max(0, q.Offset))...) {
		var pk int64
		var o operationScan
		if err == nil {
			err = rows.Scan(append([]any{&pk}, o.targets()...)...)
		}
		if err != nil {
			return nil, err
		}
		keys, out = append(keys, pk), append(out, api.Operation{Operation: o.operation()})
	}
	return out, readMembers(ctx, r, keys, out, visible, seen)
}

// readMembers adds the memories of operations.
func readMembers(ctx context.Context, r sqlitex.Queryer, keys []int64, out []api.Operation, visible string, seen []any) error {
	if len(keys) == 0 {
		return nil
	}
	list, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	at := make(map[int64]int, len(keys))
	for i, pk := range keys {
		at[pk] = i
	}
	query := "SELECT v.operation, v.memory FROM version v WHERE v.operation IN (SELECT value FROM json_each(?)) AND " + visible + " ORDER BY v.memory"
	for rows, err := range sqlitex.Rows(ctx, r, query, append([]any{string(list)}, seen...)...) {
		var pk int64
		var id sql.RawBytes
		if err == nil {
			err = rows.Scan(&pk, &id)
		}
		if err != nil {
			return err
		}
		o := &out[at[pk]]
		var m hippo.ID
		copy(m[:], id)
		o.Memories = append(o.Memories, m)
	}
	return nil
}

// Versions implements [driver.History].
func (s *history) Versions(ctx context.Context, q driver.VersionQuery) (out []hippo.Version, err error) {
	err = s.db.View(ctx, func(f *sqlitex.File) error {
		return f.Snapshot(ctx, func(r sqlitex.Queryer) (err error) {
			out, err = s.bad.versions(ctx, r, &q)
			return err
		})
	})
	return out, err
}

// Versions implements [driver.Tx].
func (t *past) Versions(q driver.VersionQuery) ([]hippo.Version, error) {
	return t.bad.versions(t.ctx, t.Tx, &q)
}

// versions reads former versions.
func (u *unreadable) versions(ctx context.Context, r sqlitex.Queryer, q *driver.VersionQuery) ([]hippo.Version, error) {
	if q.Memories == nil && q.Operation.IsZero() {
		return nil, nil
	}
	where, args, err := visibleVersion(q.Scope)
	if err != nil {
		return nil, err
	}
	if !q.Operation.IsZero() {
		where += " AND o.id = ?"
		args = append(args, q.Operation[:])
	}
	if q.Memories == nil {
		return u.readVersions(ctx, r, where, args)
	}
	ids := slices.Clone(q.Memories)
	slices.SortFunc(ids, hippo.ID.Compare)
	var out []hippo.Version
	var bad []api.StoreProblem
	for rest := slices.Compact(ids); len(rest) > 0; {
		var some []any
		some, rest = batch(rest)
		vs, err := u.readVersions(ctx, r, where+" AND v.memory IN "+placeholders(len(some)), append(slices.Clone(args), some...))
		if driver.Readable(err) != nil {
			return nil, err
		}
		out, bad = append(out, vs...), append(bad, driver.ProblemsOf(err)...)
	}
	return out, driver.Unreadable(bad)
}

func (u *unreadable) readVersions(ctx context.Context, r sqlitex.Queryer, where string, args []any) ([]hippo.Version, error) {
	var out []hippo.Version
	var bad []api.StoreProblem
	query := "SELECT v.memory, v.namespace, v.project, v.siblings, v.after, v.former, v.relations, " + operationColumns +
		" FROM version v JOIN operation o ON o.pk = v.operation WHERE " + where + " ORDER BY v.memory, v.pk DESC"
	for rows, err := range sqlitex.Rows(ctx, r, query, args...) {
		var v hippo.Version
		var id, after, former, relations sql.RawBytes
		var o operationScan
		if err == nil {
			err = rows.Scan(append([]any{&id, &v.Namespace, &v.Project, &v.Of, &after, &former, &relations}, o.targets()...)...)
		}
		if err != nil {
			return nil, err
		}
		copy(v.ID[:], id)
		copy(v.After[:], after)
		v.Operation = o.operation()
		if err := complete(&v, former, relations); err != nil {
			bad = append(bad, api.StoreProblem{ID: v.ID, Path: u.path, Err: fmt.Sprintf("a former version cannot be read: %v", err)})
			continue
		}
		out = append(out, v)
	}
	return out, driver.Unreadable(bad)
}

// complete sets the parts of a version that are stored as JSON.
func complete(v *hippo.Version, former, relations []byte) (err error) {
	if former != nil {
		if v.Before, err = formats.DecodeInsight(former); err != nil {
			return err
		}
	}
	v.Unchanged = former == nil && v.After == hippo.Hash{}
	v.Relations, err = formats.DecodeRelationChanges(v.ID, relations)
	return err
}

// Keep implements [driver.Tx].
func (t *past) Keep(op hippo.Operation, r hippo.Retention, vs ...hippo.Version) error {
	if len(vs) == 0 {
		return nil
	}
	pk, err := t.operation(&op)
	if err != nil {
		return err
	}
	for i := range vs {
		v := &vs[i]
		former, err := formats.EncodeFormer(v.Before)
		if err != nil {
			return err
		}
		relations, err := formats.EncodeRelationChanges(v.Relations)
		if err != nil {
			return err
		}
		err = t.Exec("INSERT INTO version (memory, operation, namespace, project, siblings, size, after, former, relations) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			v.ID[:], pk, v.Namespace, v.Project, v.Of, driver.SizeOf(v.Before), v.After[:], textOrNull(former), textOrNull(relations))
		if err == nil {
			err = t.trim(v.ID, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// textOrNull is NULL for nothing.
func textOrNull(b []byte) any {
	if b == nil {
		return nil
	}
	return string(b)
}

// operation returns the key of an operation, which is inserted unless it is there.
func (t *past) operation(op *hippo.Operation) (pk int64, err error) {
	if _, err := sqlitex.First(t.ctx, t.Tx, "SELECT pk FROM operation WHERE id = ?", []any{op.ID[:]}, &pk); err != nil || pk != 0 {
		return pk, err
	}
	var undoes any
	if !op.Undoes.IsZero() {
		undoes = op.Undoes[:]
	}
	return t.Insert(`INSERT INTO operation (id, at, day, verb, source_kind, author, client, session, seq, uri, reason, undoes)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, op.ID[:], op.At.UnixMicro(), int(op.Day), string(op.Verb), string(op.By.Kind), op.By.Author,
		op.By.Client, op.By.Session, op.By.Seq, op.By.URI, op.Reason, undoes)
}

// EveryVersion returns the versions of memories, of each the oldest first, also of memories that are
// not there.
func (t *past) EveryVersion(ids []hippo.ID) (map[hippo.ID][]hippo.Version, error) {
	out := make(map[hippo.ID][]hippo.Version, len(ids))
	for rest := ids; len(rest) > 0; {
		var some []any
		some, rest = batch(rest)
		vs, err := t.bad.readVersions(t.ctx, t.Tx, "v.memory IN "+placeholders(len(some)), some)
		if err != nil {
			return nil, err
		}
		for _, v := range slices.Backward(vs) {
			out[v.ID] = append(out[v.ID], v)
		}
	}
	return out, nil
}

// Purged implements [driver.History]. Cost: a search in an index for each ID.
func (s *history) Purged(ctx context.Context, ids []hippo.ID) (out []hippo.ID, err error) {
	err = s.db.View(ctx, func(f *sqlitex.File) error {
		out = nil
		return f.Snapshot(ctx, func(r sqlitex.Queryer) error {
			for _, id := range ids {
				var there int
				if found, err := sqlitex.First(ctx, r, "SELECT 1 FROM tombstone WHERE id = ? AND NOT removed", []any{id[:]}, &there); err != nil {
					return err
				} else if found {
					out = append(out, id)
				}
			}
			return nil
		})
	})
	return out, err
}
