package drivertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// historyHandles is about two handles on one store.
func historyHandles(t *testing.T, h Harness) {
	opener := h.Place(t)
	a, b := open(t, opener), open(t, opener)
	put(t, a, plains(0, 2)...)
	var want []hippo.Version
	for n := range 6 {
		keep(t, a, operation(n), hippo.Retention{Versions: 4, Days: 100}, version(0, n))
		want = append([]hippo.Version{of(operation(n), version(0, n))}, want[:min(len(want), 3)]...)
		sameVersions(t, "seen", b, []hippo.ID{id(0)}, want...)
		a, b = b, a
	}
	sameOperations(t, "seen", b, driver.OperationQuery{Limit: 9}, 5, 4, 3, 2)
	purge(t, a, id(0))
	sameVersions(t, "purged by the other", b, []hippo.ID{id(0)})
}

func historyReopen(t *testing.T, h Harness) {
	opener := h.Place(t)
	pair := func(n int) hippo.Version {
		v := version(n, 0)
		v.Of = 2
		return v
	}
	reopen(t, opener, func(b driver.Backend) {
		put(t, b, plains(0, 3)...)
		keep(t, b, operation(0), everyVersion(), pair(0), pair(1))
		keep(t, b, operation(1), everyVersion(), version(0, 1))
		keep(t, b, operation(2), everyVersion(), version(2, 1))
		purge(t, b, id(2))
	})
	for range 2 {
		reopen(t, opener, func(b driver.Backend) {
			sameVersions(t, "there", b, []hippo.ID{id(0)}, of(operation(1), version(0, 1)), of(operation(0), pair(0)))
			sameOperations(t, "there", b, driver.OperationQuery{Limit: 9}, 1, 0)
		})
	}
}

func historyRetention(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 3)...)
	pair := operation(0)
	keep(t, b, pair, everyVersion(), version(0, 0), version(1, 0))
	r := hippo.Retention{Versions: 3, Days: 10}
	for n := 1; n < 6; n++ {
		keep(t, b, operation(n), r, version(0, n))
	}
	sameVersions(t, "three", b, []hippo.ID{id(0)}, of(operation(5), version(0, 5)), of(operation(4), version(0, 4)), of(operation(3), version(0, 3)))
	sameVersions(t, "of the other memory", b, []hippo.ID{id(1)}, of(pair, version(1, 0)))
	sameOperations(t, "left", b, driver.OperationQuery{Limit: 9}, 5, 4, 3, 0)
	r = hippo.Retention{Versions: 9, Days: 10}
	keep(t, b, operation(14), r, version(0, 6))
	sameVersions(t, "old ones", b, []hippo.ID{id(0)}, of(operation(14), version(0, 6)), of(operation(5), version(0, 5)), of(operation(4), version(0, 4)))
	keep(t, b, operation(15), r, version(0, 7))
	sameVersions(t, "older ones", b, []hippo.ID{id(0)}, of(operation(15), version(0, 7)), of(operation(14), version(0, 6)), of(operation(5), version(0, 5)))
	keep(t, b, operation(3), hippo.Retention{Versions: 1}, version(0, 8))
	sameVersions(t, "one", b, []hippo.ID{id(0)}, of(operation(3), version(0, 8)))
}

// historyRelationsApart: what changed nothing but relations takes no place of a former text, and has as many of its own.
func historyRelationsApart(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 1)...)
	related := func(n int) hippo.Version {
		r := hippo.Relation{From: id(0), To: id(1), Kind: "duplicate_of", Weight: float64(n) / 16}
		return hippo.Version{ID: id(0), Unchanged: true, Of: 1, Relations: []hippo.RelationChange{{Relation: r, Added: true}}}
	}
	r := hippo.Retention{Versions: 2, Days: 100}
	keep(t, b, operation(0), r, version(0, 0))
	for n := 1; n < 5; n++ {
		keep(t, b, operation(n), r, related(n))
	}
	sameVersions(t, "after four of relations", b, []hippo.ID{id(0)}, of(operation(4), related(4)), of(operation(3), related(3)), of(operation(0), version(0, 0)))
	keep(t, b, operation(5), r, version(0, 5))
	keep(t, b, operation(6), r, version(0, 6))
	sameVersions(t, "after two texts more", b, []hippo.ID{id(0)},
		of(operation(6), version(0, 6)), of(operation(5), version(0, 5)), of(operation(4), related(4)), of(operation(3), related(3)))
	sameOperations(t, "left", b, driver.OperationQuery{Limit: 9}, 6, 5, 4, 3)
}

func historySize(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 1)...)
	long := func(v int) hippo.Version {
		m := withText(0, fmt.Sprintf("%d %s", v, strings.Repeat("ä\"", driver.MaxHistory/11)))
		m.Accesses = nil
		return versionOf(m)
	}
	for n := range 6 {
		keep(t, b, operation(n), everyVersion(), long(n))
	}
	sameVersions(t, "long ones", b, []hippo.ID{id(0)},
		of(operation(5), long(5)), of(operation(4), long(4)), of(operation(3), long(3)))
	one := withText(0, strings.Repeat("x", driver.MaxHistory+1))
	one.Accesses = nil
	keep(t, b, operation(6), everyVersion(), versionOf(one))
	sameVersions(t, "one too long", b, []hippo.ID{id(0)}, of(operation(6), versionOf(one)))
}

func historyScope(t *testing.T, h Harness) {
	b := h.fresh(t)
	place := func(n int, namespace, project string) *hippo.Memory {
		m := plain(n)
		m.Namespace, m.Project, m.Accesses = namespace, project, nil
		return m
	}
	ms := []*hippo.Memory{place(0, "", "p"), place(1, "", "q"), place(2, "tenant", "p"), place(3, "Tenant", ""), place(4, "", "")}
	put(t, b, ms...)
	var vs []hippo.Version
	for _, m := range ms {
		m.Revision = 0
		vs = append(vs, versionOf(m))
	}
	keep(t, b, operation(0), everyVersion(), vs...)
	for n := range vs {
		keep(t, b, operation(n+1), everyVersion(), vs[n])
	}
	for _, c := range []struct {
		scope hippo.Scope
		want  []int
	}{
		{hippo.Scope{}, []int{0, 1, 4}},
		{hippo.Scope{Projects: []string{"p"}}, []int{0}},
		{hippo.Scope{Projects: []string{}}, nil},
		{hippo.Scope{Projects: []string{"", "q"}}, []int{1, 4}},
		{hippo.Scope{Namespace: "tenant"}, []int{2}},
		{hippo.Scope{Namespace: "tenant", Projects: []string{"q"}}, nil},
		{hippo.Scope{Namespace: "nobody"}, nil},
	} {
		checkHistoryOf(t, b, c.scope, c.want)
	}
	moved := place(0, "", "q")
	put(t, b, moved)
	checkHistoryOf(t, b, hippo.Scope{Projects: []string{"p"}}, nil)
	checkHistoryOf(t, b, hippo.Scope{Projects: []string{"q"}}, []int{1})
	keep(t, b, operation(9), everyVersion(), hippo.Version{ID: id(99), Of: 1, Before: plain(99)})
	sameOperations(t, "of a memory that is not there", b, driver.OperationQuery{Memory: id(99), Limit: 9})
}

// checkHistoryOf checks that a scope sees the versions of these memories and of no others.
func checkHistoryOf(t *testing.T, b driver.Backend, scope hippo.Scope, want []int) {
	t.Helper()
	var ids []hippo.ID
	var ops []int
	for _, n := range want {
		ids = append(ids, id(n))
		ops = append(ops, n+1)
	}
	slices.SortFunc(ids, hippo.ID.Compare)
	slices.Sort(ops)
	slices.Reverse(ops)
	if len(want) > 0 {
		ops = append(ops, 0)
	}
	what := fmt.Sprintf("%+v", scope)
	sameOperations(t, what, b, driver.OperationQuery{Scope: &scope, Limit: 9}, ops...)
	if len(want) > 0 {
		all := operations(t, b, driver.OperationQuery{Scope: &scope, Limit: 9})
		if got := all[len(all)-1].Memories; !slices.Equal(got, ids) {
			t.Errorf("%s: the operation has memories %v, want %v", what, got, ids)
		}
	}
	for _, q := range []driver.VersionQuery{{Scope: &scope, Operation: operation(0).ID}, {Scope: &scope, Operation: operation(0).ID, Memories: idRange(5)}} {
		var got []hippo.ID
		for _, v := range versions(t, b, q) {
			got = append(got, v.ID)
		}
		if !slices.Equal(got, ids) {
			t.Errorf("%s: versions of %v, want %v", what, got, ids)
		}
	}
}
