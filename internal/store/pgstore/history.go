package pgstore

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// history is the part of a [Store] that keeps former versions. It implements [driver.History].
type history struct {
	place *place
	bad   *unreadable
}

// operationColumns are in the order of operationRow.
const operationColumns = "o.id, o.at, o.day, o.verb, o.source_kind, o.author, o.client, o.session, o.seq, o.uri, o.reason, o.undoes"

// operationRow reads operationColumns.
type operationRow struct {
	hippo.Operation
	at     pgtype.Timestamptz
	undoes pgtype.UUID
}

func (o *operationRow) targets() []any {
	return []any{
		(*[16]byte)(&o.ID), &o.at, &o.Day, &o.Verb, &o.By.Kind, &o.By.Author, &o.By.Client, &o.By.Session, &o.By.Seq, &o.By.URI, &o.Reason, &o.undoes,
	}
}

// operation returns what was scanned.
func (o *operationRow) operation() hippo.Operation {
	op := o.Operation
	op.At, op.Undoes = timeOf(o.at), o.undoes.Bytes
	return op
}

// visibleVersion is the condition that a version v exists for a scope: $2 and $3 are its namespace and projects, NULL for all.
const visibleVersion = `EXISTS (SELECT FROM hippo.memory m WHERE m.tenant = $1 AND m.id = v.memory AND ($2::text IS NULL OR v.namespace = $2 AND m.namespace = $2
	AND ($3::text[] IS NULL OR v.project = ANY($3) AND m.project = ANY($3))))`

// scopeArgs returns the arguments of visibleVersion.
func scopeArgs(s *hippo.Scope) (namespace *string, projects []string) {
	if s == nil {
		return nil, nil
	}
	return &s.Namespace, s.Projects
}

// selectOperations reads operations that have a visible version, of a memory if one is given, with the memories of all visible ones.
const selectOperations = "SELECT " + operationColumns + `, (SELECT array_agg(v.memory ORDER BY v.memory) FROM hippo.version v
		WHERE v.tenant = $1 AND v.operation = o.id AND ` + visibleVersion + `)
	FROM hippo.operation o WHERE o.tenant = $1
	AND ($4 = '' OR starts_with(replace(o.id::text, '-', ''), $4) OR right(replace(o.id::text, '-', ''), length($4)) = $4)
	AND o.id IN (SELECT v.operation FROM hippo.version v WHERE v.tenant = $1 AND ($5::uuid IS NULL OR v.memory = $5) AND ` + visibleVersion + `)
	ORDER BY o.at DESC, o.id DESC LIMIT $6 OFFSET $7`

// Operations implements [driver.History]. Cost: a pass over the versions, or over those of the memory that is asked for.
func (s *history) Operations(ctx context.Context, q driver.OperationQuery) (out []api.Operation, err error) {
	namespace, projects := scopeArgs(q.Scope)
	err = s.place.view(ctx, func(on querier) (err error) {
		out, err = collect(ctx, on, scanOperation, selectOperations, s.place.tenant, namespace, projects, q.Match, optional(q.Memory), max(0, q.Limit), max(0, q.Offset))
		return err
	})
	return out, err
}

func scanOperation(row pgx.CollectableRow) (o api.Operation, err error) {
	var op operationRow
	var ids []pgtype.UUID
	err = row.Scan(append(op.targets(), &ids)...)
	o.Operation = op.operation()
	for _, id := range ids {
		o.Memories = append(o.Memories, id.Bytes)
	}
	return o, err
}

// kept is a version with its number, and why it cannot be read.
type kept struct {
	hippo.Version
	number int64
	err    error
}

const versionColumns = "v.memory, v.number, v.namespace, v.project, v.siblings, v.after, v.former, v.relations, " + operationColumns

func scanVersion(row pgx.CollectableRow) (kept, error) {
	var v kept
	var after, former, relations []byte
	var o operationRow
	err := row.Scan(append([]any{(*[16]byte)(&v.ID), &v.number, &v.Namespace, &v.Project, &v.Of, &after, &former, &relations}, o.targets()...)...)
	if err != nil {
		return v, err
	}
	copy(v.After[:], after)
	v.Operation = o.operation()
	if former != nil {
		v.Before, v.err = formats.DecodeInsight(former)
	}
	v.Unchanged = former == nil && after == nil
	if v.err == nil {
		v.Relations, v.err = formats.DecodeRelationChanges(v.ID, relations)
	}
	return v, nil
}

const selectVersions = "SELECT " + versionColumns + " FROM hippo.version v JOIN hippo.operation o ON o.tenant = v.tenant AND o.id = v.operation WHERE v.tenant = $1 AND " +
	visibleVersion + " AND ($4::uuid IS NULL OR v.operation = $4) AND ($5::uuid[] IS NULL OR v.memory = ANY($5)) ORDER BY v.memory, v.number DESC"

// Versions implements [driver.History]. Cost: one round trip.
func (s *history) Versions(ctx context.Context, q driver.VersionQuery) ([]hippo.Version, error) {
	if q.Memories == nil && q.Operation.IsZero() {
		return nil, ctx.Err()
	}
	var list []kept
	namespace, projects := scopeArgs(q.Scope)
	err := s.place.view(ctx, func(on querier) (err error) {
		list, err = collect(ctx, on, scanVersion, selectVersions, s.place.tenant, namespace, projects, optional(q.Operation), someOrAll(q.Memories))
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.bad.readable(list)
}

// someOrAll is NULL for nil.
func someOrAll(ids []hippo.ID) []pgtype.UUID {
	if ids == nil {
		return nil
	}
	return uuids(ids)
}

// readable returns the versions that can be read, and an error about the others.
func (u *unreadable) readable(list []kept) ([]hippo.Version, error) {
	var out []hippo.Version
	var bad []api.StoreProblem
	for i := range list {
		if v := &list[i]; v.err == nil {
			out = append(out, v.Version)
		} else {
			bad = append(bad, api.StoreProblem{ID: v.ID, Path: u.path, Err: fmt.Sprintf("a former version cannot be read: %v", v.err)})
		}
	}
	return out, driver.Unreadable(bad)
}

// Purged implements [driver.History]. Cost: one round trip.
func (s *history) Purged(ctx context.Context, ids []hippo.ID) (out []hippo.ID, err error) {
	err = s.place.view(ctx, func(q querier) (err error) {
		out, err = collect(ctx, q, func(row pgx.CollectableRow) (id hippo.ID, err error) {
			err = row.Scan((*[16]byte)(&id))
			return id, err
		}, "SELECT id FROM hippo.tombstone WHERE tenant = $1 AND id = ANY($2)", s.place.tenant, uuids(ids))
		return err
	})
	return out, err
}

const selectStored = "SELECT " + versionColumns + ` FROM hippo.version v JOIN hippo.operation o ON o.tenant = v.tenant AND o.id = v.operation
	WHERE v.tenant = $1 AND ($2::uuid IS NULL OR v.operation = $2) AND ($3::uuid[] IS NULL OR v.memory = ANY($3))`

// Versions implements [driver.Tx].
func (t *tx) Versions(q driver.VersionQuery) ([]hippo.Version, error) {
	if q.Memories == nil && q.Operation.IsZero() {
		return nil, nil
	}
	list, err := read(t.group, scanVersion, selectStored, t.tenant, optional(q.Operation), someOrAll(q.Memories))
	if err != nil {
		return nil, err
	}
	list = t.past.apply(list, &q)
	ids := make([]hippo.ID, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	if _, err := t.Get(ids...); driver.Readable(err) != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(v kept) bool {
		m, there := t.seen(v.ID)
		visible := q.Scope == nil || q.Scope.Contains(v.Namespace, v.Project) && there && q.Scope.Sees(m.Memory)
		return !there || !visible
	})
	return t.bad.readable(list)
}
