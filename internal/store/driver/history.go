package driver

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
)

// MaxHistory bounds the size of the former versions of a memory, in bytes of their texts; the
// newest one is kept whatever its size.
const MaxHistory = 2 << 20

// History is the part of a [Backend] that keeps what memories were before they were changed. No
// call here changes a revision or is seen by Changes. A memory that is purged loses its history in
// the same transaction, also when it is put again in that one, and an operation without any
// version left is gone. What is kept of memories that are not there is not returned.
type History interface {
	// Operations returns a page of the operations that a query asks for, in the order of
	// [hippo.Operation.Compare]: the newest first. The caller owns the result.
	Operations(ctx context.Context, q OperationQuery) ([]api.Operation, error)

	// Versions returns the former versions that a query asks for: those of one memory the last
	// kept first; those of several operations or memories one memory after the other, by ID. Some
	// that cannot be read are left out, and the error is an [*api.UnreadableError] beside the others.
	// The caller owns the result.
	Versions(ctx context.Context, q VersionQuery) ([]hippo.Version, error)

	// Purged returns those of some IDs whose memories were deleted for good and not put again since, in any order. Nothing
	// but the ID is known of them.
	Purged(ctx context.Context, ids []hippo.ID) ([]hippo.ID, error)
}

// OperationQuery asks for operations. An operation is found if it has a version of a memory that
// is asked for.
type OperationQuery struct {
	// Scope is that of the caller: a version does not exist for it if the memory lies outside,
	// now or at the time of the operation. Nil: everything.
	Scope *hippo.Scope
	// Memory is the one whose operations are asked for; zero: any.
	Memory hippo.ID
	// Match, in lower-case hexadecimal digits, is the beginning or the end of the ID of the
	// operation; empty: any.
	Match         string
	Offset, Limit int
}

// VersionQuery asks for the versions of some memories, of an operation, or of both at once.
type VersionQuery struct {
	Scope *hippo.Scope // see [OperationQuery.Scope]
	// Memories are the memories; nil: any. Operation is the operation; zero: any. With neither,
	// the result is empty.
	Memories  []hippo.ID
	Operation hippo.ID
}

// Weight is what [Surplus] weighs of a version.
type Weight struct {
	Day   hippo.Day
	Bytes int
	// Unchanged is [hippo.Version.Unchanged].
	Unchanged bool
}

// WeightOf returns the weight of a version.
func WeightOf(v *hippo.Version) Weight {
	return Weight{v.Operation.Day, SizeOf(v.Before), v.Unchanged}
}

// SizeOf returns the size of the texts of a memory in bytes; 0 for nil.
func SizeOf(m *hippo.Memory) int {
	if m == nil {
		return 0
	}
	n := len(m.Content)
	for _, list := range [][]string{m.Situation, m.Tags} {
		for _, s := range list {
			n += len(s)
		}
	}
	for k, v := range m.Metadata {
		n += len(k) + len(v)
	}
	return n
}

// Surplus returns which of the versions of one memory, the oldest first, exceed a retention as of the
// day of the last one, or [MaxHistory], as ascending indexes. Versions that changed nothing but relations are as many
// beside the others. The last one of each kind is always kept.
func Surplus(list []Weight, r hippo.Retention) (out []int) {
	size := 0
	var kept struct{ changed, unchanged int }
	for i, v := range slices.Backward(list) {
		size += v.Bytes
		n := &kept.changed
		if v.Unchanged {
			n = &kept.unchanged
		}
		if *n > 0 && (*n >= r.Versions || size > MaxHistory || int(list[len(list)-1].Day-v.Day) > r.Days) {
			out = append(out, i)
			continue
		}
		*n++
	}
	slices.Reverse(out)
	return out
}

// Archive is a [History] in memory, for back ends that hold all of it. The zero value is empty. It
// is not safe for concurrent use.
type Archive struct {
	versions map[hippo.ID][]hippo.Version // of each memory, the oldest first
}

// Keep is [Tx.Keep].
func (a *Archive) Keep(op hippo.Operation, r hippo.Retention, vs ...hippo.Version) {
	if a.versions == nil {
		a.versions = make(map[hippo.ID][]hippo.Version)
	}
	for i := range vs {
		v := vs[i].Clone()
		v.Operation = op
		if v.Before != nil {
			v.Before.Revision = 0
		}
		list := append(slices.Clone(a.versions[v.ID]), v) // readers may have the old one
		weights := make([]Weight, len(list))
		for k := range list {
			weights[k] = WeightOf(&list[k])
		}
		for _, k := range slices.Backward(Surplus(weights, r)) {
			list = slices.Delete(list, k, k+1)
		}
		a.versions[v.ID] = list
	}
}

// Clone returns a copy that can be changed apart.
func (a *Archive) Clone() *Archive { return &Archive{maps.Clone(a.versions)} }

// Drop removes the history of a purged memory. Cost: a pass over all versions.
func (a *Archive) Drop(id hippo.ID) {
	gone := a.versions[id]
	if len(gone) == 0 {
		return
	}
	a.Clear(id)
	for other, list := range a.versions {
		list = slices.Clone(list) // readers may have the old one
		for i := range list {
			if slices.ContainsFunc(gone, func(v hippo.Version) bool { return sibling(&v, &list[i]) }) {
				list[i].Of--
			}
		}
		a.versions[other] = list
	}
}

// Clear is [Tx.DropHistory].
func (a *Archive) Clear(ids ...hippo.ID) {
	for _, id := range ids {
		delete(a.versions, id)
	}
}

// HistoryChanges are the changes of an [Archive] that a transaction has made and not committed, in order. The zero
// value has none.
type HistoryChanges []func(*Archive)

// Keep adds [Tx.Keep]. It keeps copies of the versions.
func (c *HistoryChanges) Keep(op hippo.Operation, r hippo.Retention, vs ...hippo.Version) {
	own := make([]hippo.Version, len(vs))
	for i := range vs {
		own[i] = vs[i].Clone()
	}
	*c = append(*c, func(a *Archive) { a.Keep(op, r, own...) })
}

// Clear adds [Tx.DropHistory].
func (c *HistoryChanges) Clear(ids ...hippo.ID) {
	ids = slices.Clone(ids)
	*c = append(*c, func(a *Archive) { a.Clear(ids...) })
}

// Drop adds the removal of the history of a purged memory.
func (c *HistoryChanges) Drop(id hippo.ID) { *c = append(*c, func(a *Archive) { a.Drop(id) }) }

// Apply makes the changes.
func (c HistoryChanges) Apply(a *Archive) {
	for _, change := range c {
		change(a)
	}
}

// sibling reports whether two versions count each other in Of.
func sibling(a, b *hippo.Version) bool {
	return a.Operation.ID == b.Operation.ID && a.Namespace == b.Namespace && a.Project == b.Project
}

// Matches reports whether an ID begins or ends with some hexadecimal digits.
func Matches(id hippo.ID, digits string) bool {
	plain := strings.ReplaceAll(id.String(), "-", "")
	return strings.HasPrefix(plain, digits) || strings.HasSuffix(plain, digits)
}

// seen reports whether a version exists for a scope. memory returns a memory, nil if there is none.
func seen(scope *hippo.Scope, v *hippo.Version, memory func(hippo.ID) *hippo.Memory) bool {
	m := memory(v.ID)
	return m != nil && (scope == nil || scope.Contains(v.Namespace, v.Project) && scope.Sees(m))
}

// Operations is [History.Operations]. memory returns a memory, nil if there is none.
func (a *Archive) Operations(q *OperationQuery, memory func(hippo.ID) *hippo.Memory) []api.Operation {
	found := make(map[hippo.ID]*api.Operation)
	asked := make(map[hippo.ID]bool)
	for id, list := range a.versions {
		for i := range list {
			v := &list[i]
			if !Matches(v.Operation.ID, q.Match) || !seen(q.Scope, v, memory) {
				continue
			}
			o := found[v.Operation.ID]
			if o == nil {
				o = &api.Operation{Operation: v.Operation}
				found[o.ID] = o
			}
			o.Memories = append(o.Memories, id)
			asked[o.ID] = asked[o.ID] || q.Memory.IsZero() || q.Memory == id
		}
	}
	var out []api.Operation
	for id, o := range found {
		if asked[id] {
			slices.SortFunc(o.Memories, hippo.ID.Compare)
			out = append(out, *o)
		}
	}
	slices.SortFunc(out, func(a, b api.Operation) int { return a.Compare(&b.Operation) })
	out = out[min(max(0, q.Offset), len(out)):]
	return out[:min(max(0, q.Limit), len(out))]
}

// Versions is [History.Versions].
func (a *Archive) Versions(q *VersionQuery, memory func(hippo.ID) *hippo.Memory) []hippo.Version {
	var out []hippo.Version
	if q.Memories == nil && q.Operation.IsZero() {
		return nil
	}
	for id, list := range a.versions {
		if q.Memories != nil && !slices.Contains(q.Memories, id) {
			continue
		}
		for i := range list {
			if v := &list[i]; (q.Operation.IsZero() || q.Operation == v.Operation.ID) && seen(q.Scope, v, memory) {
				out = append(out, v.Clone())
			}
		}
	}
	slices.Reverse(out)
	slices.SortStableFunc(out, func(a, b hippo.Version) int { return a.ID.Compare(b.ID) })
	return out
}
