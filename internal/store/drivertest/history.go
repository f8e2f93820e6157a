package drivertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func historyChecks() []check {
	return []check{
		{"versions_come_back_as_they_were", historyFields},
		{"the_last_kept_comes_first_whatever_the_clock", historyOrder},
		{"operations_in_pages_the_newest_first", historyPages},
		{"an_operation_by_a_part_of_its_id", historyMatch},
		{"an_operation_has_the_versions_of_all_calls", historyCalls},
		{"more_than_the_retention_is_removed", historyRetention},
		{"those_of_relations_alone_are_counted_apart", historyRelationsApart},
		{"too_much_text_is_removed", historySize},
		{"purging_a_memory_removes_its_history", historyPurge},
		{"it_can_be_replaced", historyReplace},
		{"those_purged_are_no_longer_counted", historyCount},
		{"only_what_the_scope_sees", historyScope},
		{"a_failed_transaction_keeps_nothing", historyFailure},
		{"a_transaction_sees_its_own", historyInside},
		{"it_does_not_change_revisions", historyApart},
		{"counting_accesses_keeps_nothing", historyTouch},
		{"an_ended_context_is_an_error", historyCancel},
	}
}

// everyVersion is a retention that removes nothing.
func everyVersion() hippo.Retention { return hippo.Retention{Versions: 1000, Days: 100_000} }

// operation returns the nth operation, an hour after the one before, on day n+1.
func operation(n int) hippo.Operation {
	op := hippo.Operation{ID: id(5_000 + n), At: at(n), Day: hippo.Day(n + 1), Verb: hippo.VerbModify}
	return op
}

// version returns what an operation made of the nth memory: v says of which text.
func version(n, v int) hippo.Version {
	m := withText(n, fmt.Sprintf("text %d of %d", v, n))
	m.Accesses = nil
	return versionOf(m)
}

func versionOf(m *hippo.Memory) hippo.Version {
	return hippo.Version{ID: m.ID, Namespace: m.Namespace, Project: m.Project, Before: m, After: hippo.HashContent(m.Content + "!"), Of: 1}
}

func keep(t testing.TB, b driver.Backend, op hippo.Operation, r hippo.Retention, vs ...hippo.Version) {
	t.Helper()
	write(t, b, func(tx driver.Tx) error { return tx.Keep(op, r, vs...) })
}

// of returns a version with its operation.
func of(op hippo.Operation, v hippo.Version) hippo.Version {
	v.Operation = op
	return v
}

func versions(t testing.TB, b driver.Backend, q driver.VersionQuery) []hippo.Version {
	t.Helper()
	vs, err := b.Versions(t.Context(), q)
	if err != nil {
		t.Fatalf("versions: %v", err)
	}
	return vs
}

func operations(t testing.TB, b driver.Backend, q driver.OperationQuery) []api.Operation {
	t.Helper()
	ops, err := b.Operations(t.Context(), q)
	if err != nil {
		t.Fatalf("operations: %v", err)
	}
	return ops
}

// sameVersions checks the versions of some memories.
func sameVersions(t testing.TB, what string, b driver.Backend, ids []hippo.ID, want ...hippo.Version) {
	t.Helper()
	if d := diffList(versions(t, b, driver.VersionQuery{Memories: ids}), want); d != "" {
		t.Errorf("%s: %s", what, d)
	}
}

// sameOperations checks the operations of a query, by their times.
func sameOperations(t testing.TB, what string, b driver.Backend, q driver.OperationQuery, want ...int) {
	t.Helper()
	var got []int
	for _, o := range operations(t, b, q) {
		got = append(got, int(o.At.Sub(at(0)).Hours()))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: operations %v, want %v", what, got, want)
	}
}

func historyFields(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 4)...)
	op := hippo.Operation{
		ID: id(5_000), At: at(3), Day: 7, Verb: hippo.VerbUndo, Reason: "wrong \"port\",\n said Ada 🦛", Undoes: id(5_001),
		By: hippo.Source{Kind: hippo.SourceUser, Author: "Ada", Client: "editor/1.2", Session: "session-7", Seq: 3, URI: "file:///a"},
	}
	before := full(0)
	before.Revision = 0
	v := hippo.Version{ID: id(0), Namespace: "", Project: "", Before: before, After: hippo.HashContent("after"), Of: 3}
	recorded := hippo.Version{ID: id(1), After: hippo.HashContent("new"), Of: 3}
	least := hippo.Version{ID: id(2), Before: bare(2), Of: 3}
	related := hippo.Version{ID: id(3), Unchanged: true, Of: 4, Relations: []hippo.RelationChange{
		{Relation: hippo.Relation{From: id(3), To: id(1), Kind: "explains", Weight: .25, ValidFrom: at(1), ValidUntil: at(2), LastReinforced: at(3)}, Added: true},
		{Relation: hippo.Relation{From: id(3), To: id(2), Kind: "refutes", Weight: 1}},
	}}
	keep(t, b, op, everyVersion(), v, recorded, least, related)
	for _, v := range []hippo.Version{v, recorded, least, related} {
		sameVersions(t, "kept", b, []hippo.ID{v.ID}, of(op, v))
	}
	minimal := hippo.Operation{ID: id(5_002), At: at(2)}
	keep(t, b, minimal, everyVersion(), recorded)
	sameVersions(t, "with little", b, []hippo.ID{id(1)}, of(minimal, recorded), of(op, recorded))
}

func historyOrder(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 2)...)
	for v, n := range []int{5, 9, 2, 7} {
		keep(t, b, operation(n), everyVersion(), version(0, v))
	}
	keep(t, b, operation(1), everyVersion(), version(1, 0))
	want := []hippo.Version{of(operation(7), version(0, 3)), of(operation(2), version(0, 2)), of(operation(9), version(0, 1)), of(operation(5), version(0, 0))}
	sameVersions(t, "kept", b, []hippo.ID{id(0)}, want...)
	sameOperations(t, "all", b, driver.OperationQuery{Limit: 9}, 9, 7, 5, 2, 1)
	two := append(slices.Clone(want), of(operation(1), version(1, 0)))
	slices.SortStableFunc(two, func(a, b hippo.Version) int { return a.ID.Compare(b.ID) })
	sameVersions(t, "of two", b, []hippo.ID{id(1), id(0), id(1), id(7)}, two...)
	sameVersions(t, "of none", b, []hippo.ID{})
	same(t, "of nothing", versions(t, b, driver.VersionQuery{}), []hippo.Version(nil))
}

func historyPages(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 3)...)
	for n := range 7 {
		keep(t, b, operation(n), everyVersion(), version(n%2, n))
	}
	twin := operation(6)
	twin.ID = hippo.ID{15: 1} // the smallest: of one time the greater ID is first
	keep(t, b, twin, everyVersion(), version(2, 0))
	all := operations(t, b, driver.OperationQuery{Limit: 100})
	if len(all) != 8 || all[0].ID != id(5_006) || all[1].ID != twin.ID {
		t.Errorf("of the same time: %v", all)
	}
	for offset := range 10 {
		page := operations(t, b, driver.OperationQuery{Offset: offset, Limit: 3})
		if d := diffList(page, all[min(offset, 8):min(offset+3, 8)]); d != "" {
			t.Errorf("at %d: %s", offset, d)
		}
	}
	sameOperations(t, "of one memory", b, driver.OperationQuery{Memory: id(1), Limit: 9}, 5, 3, 1)
	sameOperations(t, "of one memory, a page", b, driver.OperationQuery{Memory: id(0), Offset: 1, Limit: 2}, 4, 2)
	sameOperations(t, "of an unknown one", b, driver.OperationQuery{Memory: id(9), Limit: 9})
	sameOperations(t, "none", b, driver.OperationQuery{})
}

func historyMatch(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 2)...)
	for n := range 3 {
		keep(t, b, operation(n), everyVersion(), version(0, n))
	}
	digits := strings.ReplaceAll(operation(1).ID.String(), "-", "")
	for _, part := range []string{digits, digits[:6], digits[24:]} {
		sameOperations(t, part, b, driver.OperationQuery{Match: part, Limit: 9}, 1)
		sameOperations(t, part+" of one", b, driver.OperationQuery{Match: part, Memory: id(0), Limit: 9}, 1)
		sameOperations(t, part+" of another", b, driver.OperationQuery{Match: part, Memory: id(1), Limit: 9})
	}
	sameOperations(t, "of the middle", b, driver.OperationQuery{Match: digits[8:20], Limit: 9})
}

func historyCalls(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 3)...)
	op := operation(1)
	keep(t, b, op, everyVersion(), version(0, 0))
	keep(t, b, operation(2), everyVersion(), version(0, 1))
	write(t, b, func(tx driver.Tx) error {
		return errors.Join(tx.Keep(op, everyVersion(), version(1, 0)), tx.Keep(op, everyVersion(), version(2, 0)), tx.Keep(operation(3), everyVersion()))
	})
	sameOperations(t, "all", b, driver.OperationQuery{Limit: 9}, 2, 1)
	ids := idRange(3)
	slices.SortFunc(ids, hippo.ID.Compare)
	if got := operations(t, b, driver.OperationQuery{Offset: 1, Limit: 1}); len(got) != 1 || !slices.Equal(got[0].Memories, ids) {
		t.Errorf("the operation has the memories %v, want %v", got, ids)
	}
	vs := versions(t, b, driver.VersionQuery{Operation: op.ID})
	for i, v := range vs {
		if v.Operation.ID != op.ID || len(vs) != 3 || v.ID != ids[i] {
			t.Errorf("version %d of %d is of %v in %v", i, len(vs), v.ID, v.Operation.ID)
		}
	}
	one := versions(t, b, driver.VersionQuery{Operation: op.ID, Memories: []hippo.ID{id(1)}})
	same(t, "of one memory", one, []hippo.Version{of(op, version(1, 0))})
}

func historyPurge(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 3)...)
	keep(t, b, operation(0), everyVersion(), version(0, 0), version(1, 0))
	keep(t, b, operation(1), everyVersion(), version(0, 1))
	write(t, b, func(tx driver.Tx) error { return errors.Join(tx.Purge(id(0)), tx.Put(plain(0))) })
	sameVersions(t, "purged and put again", b, []hippo.ID{id(0)})
	sameOperations(t, "left", b, driver.OperationQuery{Limit: 9}, 0)
	write(t, b, func(tx driver.Tx) error {
		return errors.Join(tx.Keep(operation(2), everyVersion(), version(1, 1)), tx.Purge(id(1)), tx.Put(plain(1)), tx.Keep(operation(3), everyVersion(), version(1, 2)))
	})
	sameVersions(t, "kept after it", b, []hippo.ID{id(1)}, of(operation(3), version(1, 2)))
	sameOperations(t, "kept after it", b, driver.OperationQuery{Limit: 9}, 3)
	purge(t, b, id(1))
	sameOperations(t, "none", b, driver.OperationQuery{Limit: 9})
	put(t, b, plain(1))
	sameVersions(t, "recorded again", b, []hippo.ID{id(1)})
}

func historyReplace(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 2)...)
	pair := []hippo.Version{version(0, 0), version(1, 0)}
	pair[0].Of, pair[1].Of = 2, 2
	keep(t, b, operation(0), everyVersion(), pair...)
	write(t, b, func(tx driver.Tx) error {
		return errors.Join(tx.DropHistory(id(0), id(7)), tx.Keep(operation(1), everyVersion(), version(0, 1)))
	})
	sameVersions(t, "replaced", b, []hippo.ID{id(0)}, of(operation(1), version(0, 1)))
	sameVersions(t, "of the other memory", b, []hippo.ID{id(1)}, of(operation(0), pair[1]))
	write(t, b, func(tx driver.Tx) error { return tx.DropHistory(idRange(2)...) })
	sameOperations(t, "none", b, driver.OperationQuery{Limit: 9})
}

func historyCount(t *testing.T, h Harness) {
	b := h.fresh(t)
	counted := func(n, of int, project string) hippo.Version {
		v := version(n, 0)
		v.Of, v.Project, v.Before.Project = of, project, project
		return v
	}
	var vs []hippo.Version
	for n := range 5 {
		project, of := "p", 3
		if n > 2 {
			project, of = "q", 2
		}
		m := plain(n)
		m.Project = project
		put(t, b, m)
		vs = append(vs, counted(n, of, project))
	}
	keep(t, b, operation(0), everyVersion(), vs...)
	keep(t, b, operation(1), everyVersion(), counted(1, 3, "p"))
	purge(t, b, id(0))
	sameVersions(t, "after one", b, []hippo.ID{id(1)}, of(operation(1), counted(1, 3, "p")), of(operation(0), counted(1, 2, "p")))
	purge(t, b, id(3))
	sameVersions(t, "after another", b, []hippo.ID{id(2)}, of(operation(0), counted(2, 2, "p")))
	sameVersions(t, "of its project", b, []hippo.ID{id(4)}, of(operation(0), counted(4, 1, "q")))
}

func historyFailure(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 2)...)
	keep(t, b, operation(0), everyVersion(), version(0, 0))
	err := b.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
		return errors.Join(tx.Keep(operation(1), hippo.Retention{Versions: 1}, version(0, 1), version(1, 1)), tx.Purge(id(0)), errWanted)
	})
	if !errors.Is(err, errWanted) {
		t.Fatalf("write: %v", err)
	}
	sameVersions(t, "as before", b, idRange(2), of(operation(0), version(0, 0)))
	sameOperations(t, "as before", b, driver.OperationQuery{Limit: 9}, 0)
}

func historyInside(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 3)...)
	pair := []hippo.Version{version(0, 0), version(1, 0)}
	pair[0].Of, pair[1].Of = 2, 2
	keep(t, b, operation(0), everyVersion(), pair...)
	var first, second, third []hippo.Version
	write(t, b, func(tx driver.Tx) (err error) {
		if err = tx.Keep(operation(1), everyVersion(), version(0, 1)); err != nil {
			return err
		}
		if first, err = tx.Versions(driver.VersionQuery{Memories: []hippo.ID{id(0)}}); err != nil {
			return err
		}
		if err = tx.Purge(id(0)); err != nil {
			return err
		}
		if second, err = tx.Versions(driver.VersionQuery{Memories: []hippo.ID{id(0)}}); err != nil {
			return err
		}
		third, err = tx.Versions(driver.VersionQuery{Operation: operation(0).ID, Scope: &hippo.Scope{}})
		return err
	})
	same(t, "kept", first, []hippo.Version{of(operation(1), version(0, 1)), of(operation(0), pair[0])})
	same(t, "purged", second, []hippo.Version(nil))
	left := of(operation(0), pair[1])
	left.Of--
	same(t, "of the operation", third, []hippo.Version{left})
}

func historyApart(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 2)...)
	before, ms := head(t, b), get(t, b, idRange(2)...)
	v := version(0, 0)
	v.Before.Revision = 17
	keep(t, b, operation(0), everyVersion(), v)
	v.Before.Content = "changed by the caller"
	same(t, "head", head(t, b), before)
	same(t, "memories", get(t, b, idRange(2)...), ms)
	sameVersions(t, "kept", b, []hippo.ID{id(0)}, of(operation(0), version(0, 0)))
	versions(t, b, driver.VersionQuery{Memories: []hippo.ID{id(0)}})[0].Before.Content = "changed by a reader"
	sameVersions(t, "read", b, []hippo.ID{id(0)}, of(operation(0), version(0, 0)))
}

func historyTouch(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 2)...)
	write(t, b, func(tx driver.Tx) error { return tx.Touch(3, map[hippo.ID]int{id(0): 2}) })
	sameOperations(t, "none", b, driver.OperationQuery{Limit: 9})
}

func historyCancel(t *testing.T, h Harness) {
	b := h.fresh(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Operations(ctx, driver.OperationQuery{Limit: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("operations: %v", err)
	}
	if _, err := b.Versions(ctx, driver.VersionQuery{Memories: []hippo.ID{id(0)}}); !errors.Is(err, context.Canceled) {
		t.Errorf("versions: %v", err)
	}
}
