package drivertest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func relationChecks() []check {
	return []check{
		{"come_back_as_they_were", relationFields},
		{"a_later_one_replaces", relationReplace},
		{"the_change_sees_what_there_is", relationChange},
		{"weight_0_removes", relationRemove},
		{"one_for_each_time_from_which_it_holds", relationPeriods},
		{"of_each_end_the_strongest", relationStrongest},
		{"only_what_holds_at_the_time", relationValid},
		{"of_many_ids", relationIDs},
		{"those_of_unknown_memories_are_skipped", relationUnknown},
		{"purging_a_memory_removes_them", relationPurge},
		{"forgetting_hides_them", relationForgotten},
		{"a_change_of_a_memory_keeps_them", relationKept},
		{"they_do_not_change_revisions", relationApart},
		{"nothing_is_lost_by_writers_at_once", relationRace},
		{"an_ended_context_is_an_error", relationCancel},
		{"as_a_simple_model_does_in_any_scope", relationModel},
	}
}

// relation returns the one from memory a to b.
func relation(a, b int, kind string, weight float64) hippo.Relation {
	if kind == hippo.CoRecalled {
		r := hippo.CoRecall(id(a), id(b))
		r.Weight = weight
		return r
	}
	return hippo.Relation{From: id(a), To: id(b), Kind: kind, Weight: weight}
}

func replaceOld(_, r hippo.Relation) hippo.Relation { return r }

func relate(t testing.TB, b driver.Backend, rs ...hippo.Relation) {
	t.Helper()
	if err := b.Relate(t.Context(), driver.Durable, rs, replaceOld); err != nil {
		t.Fatalf("relate: %v", err)
	}
}

func relations(t testing.TB, b driver.Backend, at time.Time, limit int, ids ...hippo.ID) []hippo.Relation {
	t.Helper()
	return queryRelations(t, b, driver.RelationQuery{Scope: hippo.LocalScope(""), IDs: ids, At: at, Limit: limit})
}

func queryRelations(t testing.TB, b driver.Backend, q driver.RelationQuery) []hippo.Relation {
	t.Helper()
	rs, err := b.Relations(t.Context(), q)
	if err != nil {
		t.Fatalf("relations: %v", err)
	}
	return rs
}

func allRelations(t testing.TB, b driver.Backend) []hippo.Relation {
	t.Helper()
	var all []hippo.Relation
	for r, err := range b.AllRelations(t.Context()) {
		if err != nil {
			t.Fatalf("all relations: %v", err)
		}
		all = append(all, r)
	}
	return all
}

// expectRelations checks all that there are, and the count of them.
func expectRelations(t testing.TB, what string, b driver.Backend, want ...hippo.Relation) {
	t.Helper()
	slices.SortFunc(want, func(a, b hippo.Relation) int { return a.Compare(&b) })
	if got := allRelations(t, b); !slices.Equal(got, want) {
		t.Errorf("%s: of all relations %s", what, diffList(got, want))
	}
	if n := head(t, b).Relations; n != len(want) {
		t.Errorf("%s: head counts %d relations, want %d", what, n, len(want))
	}
}

func sameRelations(t testing.TB, what string, got []hippo.Relation, want ...hippo.Relation) {
	t.Helper()
	slices.SortFunc(want, func(a, b hippo.Relation) int { return a.Compare(&b) })
	if !slices.Equal(got, want) {
		t.Errorf("%s: %s", what, diffList(got, want))
	}
}

func relationFields(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 3)...)
	full := hippo.Relation{
		From: id(2), To: id(0), Kind: "erklärt \"so\" 🦛", Weight: 1. / 3,
		ValidFrom: at(1), ValidUntil: at(5), LastReinforced: at(3),
	}
	learned := relation(2, 1, hippo.CoRecalled, .1)
	learned.LastReinforced = at(7)
	want := []hippo.Relation{full, relation(0, 2, "explains", 1), relation(0, 2, "Explains", 5e-324), learned}
	relate(t, b, want...)
	expectRelations(t, "store", b, want...)
	sameRelations(t, "relations", relations(t, b, time.Time{}, 9, idRange(3)...), want...)
}

func relationReplace(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 2)...)
	for _, w := range []float64{.5, .25, .25, 1} {
		relate(t, b, relation(0, 1, "a", w), relation(0, 1, hippo.CoRecalled, w))
		expectRelations(t, "replaced", b, relation(0, 1, "a", w), relation(0, 1, hippo.CoRecalled, w))
	}
	relate(t, b, relation(1, 0, "a", .1), relation(1, 0, "a", .2))
	expectRelations(t, "the other way", b, relation(0, 1, "a", 1), relation(0, 1, hippo.CoRecalled, 1), relation(1, 0, "a", .2))
}

func relationChange(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 3)...)
	add := func(old, r hippo.Relation) hippo.Relation {
		if old.From != r.From || old.To != r.To || old.Kind != r.Kind {
			t.Errorf("%v is to become %v", old, r)
		}
		r.Weight += old.Weight
		return r
	}
	for range 3 {
		err := b.Relate(t.Context(), driver.Lazy, []hippo.Relation{
			relation(0, 1, "a", .125), relation(0, 1, hippo.CoRecalled, .125), relation(0, 1, "a", .125),
		}, add)
		if err != nil {
			t.Fatal(err)
		}
	}
	expectRelations(t, "added up", b, relation(0, 1, "a", .75), relation(0, 1, hippo.CoRecalled, .375))
}

func relationRemove(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 3)...)
	relate(t, b, relation(0, 1, "a", .5), relation(0, 2, "a", .5), relation(0, 1, hippo.CoRecalled, .5))
	relate(t, b, relation(0, 1, "a", 0), relation(2, 1, "a", 0), relation(0, 1, "b", 0))
	expectRelations(t, "one removed", b, relation(0, 2, "a", .5), relation(0, 1, hippo.CoRecalled, .5))
	relate(t, b, relation(0, 1, hippo.CoRecalled, 0), relation(0, 2, "a", 0))
	expectRelations(t, "all removed", b)
	relate(t, b, relation(0, 1, "a", .25))
	expectRelations(t, "put again", b, relation(0, 1, "a", .25))
}

// relationPeriods: relations that begin at other times are others, the unset time is one of them.
func relationPeriods(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 3)...)
	first, second, third := relation(0, 1, "a", .5), relation(0, 1, "a", .25), relation(0, 1, "a", .75)
	first.ValidUntil = at(2)
	second.ValidFrom, second.ValidUntil = at(4), at(6)
	third.ValidFrom = at(8)
	other := relation(0, 2, "a", 1)
	relate(t, b, third, first, other, second)
	expectRelations(t, "three periods", b, first, second, third, other)
	for when, want := range map[int][]hippo.Relation{1: {first, other}, 3: {other}, 5: {second, other}, 7: {other}, 9: {third, other}} {
		sameRelations(t, fmt.Sprint("at ", when), relations(t, b, at(when), 9, id(0)), want...)
	}
	sameRelations(t, "the strongest two", relations(t, b, time.Time{}, 2, id(0)), other, third)
	var list []hippo.Relation
	second.Weight, first.Weight = 1, 0
	write(t, b, func(tx driver.Tx) (err error) {
		if err := relateIn(tx, second, first); err != nil {
			return err
		}
		list, err = tx.RelationsFrom(id(0), id(1), "a")
		return err
	})
	sameRelations(t, "in the transaction", list, second, third)
	expectRelations(t, "one changed and one removed", b, second, third, other)
	moved := second
	err := b.Relate(t.Context(), driver.Lazy, []hippo.Relation{second}, func(old, _ hippo.Relation) hippo.Relation {
		moved = old
		old.ValidFrom = at(5) // the key stays
		return old
	})
	if err != nil || moved != second {
		t.Errorf("%v, saw %v", err, moved)
	}
	expectRelations(t, "the beginning is the key", b, second, third, other)
	purge(t, b, id(1))
	expectRelations(t, "purged", b, other)
}

func relationStrongest(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 9)...)
	late := relation(4, 0, "a", .5)
	late.LastReinforced = at(1)
	rs := []hippo.Relation{
		relation(0, 1, "a", .9), relation(2, 0, "a", .8), relation(0, 3, hippo.CoRecalled, .7),
		late, relation(0, 5, "a", .5), relation(0, 6, "a", .5), relation(7, 0, "a", .5), relation(7, 8, "a", .1),
	}
	relate(t, b, rs...)
	var equal []hippo.Relation
	equal = append(equal, rs[4:7]...)
	slices.SortFunc(equal, func(a, b hippo.Relation) int { return a.Compare(&b) })
	want := append(slices.Clone(rs[:4]), equal...)
	for n := range 8 {
		sameRelations(t, "strongest", relations(t, b, time.Time{}, n, id(0)), slices.Clone(want[:min(n, 7)])...)
	}
	sameRelations(t, "of both ends", relations(t, b, time.Time{}, 1, id(0), id(7), id(0)), rs[0], rs[6])
	sameRelations(t, "of one with two", relations(t, b, time.Time{}, 5, id(7)), rs[6], rs[7])
	sameRelations(t, "of none", relations(t, b, time.Time{}, 5))
}

func relationValid(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 5)...)
	from, until, between, always := relation(0, 1, "a", .9), relation(0, 2, "a", .8), relation(3, 0, "a", .7), relation(0, 4, "a", .1)
	from.ValidFrom, until.ValidUntil = at(10), at(10)
	between.ValidFrom, between.ValidUntil = at(5), at(15)
	relate(t, b, from, until, between, always)
	for _, c := range []struct {
		at    time.Time
		limit int
		want  []hippo.Relation
	}{
		{time.Time{}, 9, []hippo.Relation{from, until, between, always}},
		{at(4), 9, []hippo.Relation{until, always}},
		{at(5), 9, []hippo.Relation{until, between, always}},
		{at(10), 9, []hippo.Relation{from, between, always}},
		{at(15), 9, []hippo.Relation{from, always}},
		{at(4), 1, []hippo.Relation{until}}, // the strongest one does not hold
	} {
		sameRelations(t, c.at.String(), relations(t, b, c.at, c.limit, id(0)), c.want...)
	}
}

func relationIDs(t *testing.T, h Harness) {
	b := h.fresh(t)
	const n = 250
	put(t, b, plains(0, n)...)
	var rs []hippo.Relation
	for i := range n - 1 {
		rs = append(rs, relation(i, i+1, "next", .5), relation(i, i+1, hippo.CoRecalled, .25))
	}
	relate(t, b, rs...)
	sameRelations(t, "all", relations(t, b, time.Time{}, 4, idRange(n)...), slices.Clone(rs)...)
	expectRelations(t, "store", b, rs...)
}

func relationUnknown(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 3)...)
	purge(t, b, id(2))
	called := 0
	err := b.Relate(t.Context(), driver.Durable, []hippo.Relation{
		relation(0, 9, "a", 1), relation(9, 0, "a", 1), relation(0, 1, "a", 1), relation(2, 0, "a", 1), relation(0, 9, hippo.CoRecalled, 1),
	}, func(_, r hippo.Relation) hippo.Relation {
		called++
		return r
	})
	if err != nil || called != 1 {
		t.Errorf("%d changes, %v", called, err)
	}
	expectRelations(t, "store", b, relation(0, 1, "a", 1))
	put(t, b, plain(2), plain(9))
	expectRelations(t, "when they are there", b, relation(0, 1, "a", 1))
	sameRelations(t, "of an unknown one", relations(t, b, time.Time{}, 5, id(77)))
}

func relationRace(t *testing.T, h Harness) {
	handles := h.handles(t)
	put(t, handles[0], plains(0, 2)...)
	const writers, rounds = 4, 16 // 1/64 is added up exactly
	step := []hippo.Relation{relation(0, 1, "a", 1./writers/rounds), relation(0, 1, hippo.CoRecalled, 1./writers/rounds)}
	together(t, writers, func(i int) error {
		for range rounds {
			err := handles[i%len(handles)].Relate(t.Context(), driver.Lazy, step, func(old, r hippo.Relation) hippo.Relation {
				r.Weight += old.Weight
				return r
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	for _, b := range handles {
		expectRelations(t, "added up", b, relation(0, 1, "a", 1), relation(0, 1, hippo.CoRecalled, 1))
	}
}

func relationCancel(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 2)...)
	relate(t, b, relation(0, 1, "a", .5))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Relate(ctx, driver.Durable, []hippo.Relation{relation(0, 1, "a", 1)}, replaceOld); !errors.Is(err, context.Canceled) {
		t.Errorf("relate returned %v", err)
	}
	if _, err := b.Relations(ctx, driver.RelationQuery{IDs: idRange(2), Limit: 5}); !errors.Is(err, context.Canceled) {
		t.Errorf("relations returned %v", err)
	}
	failed := false
	for _, err := range b.AllRelations(ctx) {
		failed = failed || errors.Is(err, context.Canceled)
	}
	if !failed {
		t.Error("all relations are yielded")
	}
	expectRelations(t, "store", b, relation(0, 1, "a", .5))
}

// randomRelation returns a relation between n memories, from one to itself too.
func randomRelation(random *rand.Rand, n int) hippo.Relation {
	r := relation(random.IntN(n), random.IntN(n), []string{"a", "b", hippo.CoRecalled}[random.IntN(3)], float64(random.IntN(5))/4)
	r.LastReinforced = at(random.IntN(3))
	if r.Kind == "a" && random.IntN(2) == 0 {
		r.ValidFrom = at(random.IntN(2))
	}
	return r
}

// relationModel compares what random scopes see with a list that is gone through, while
// relations change, and memories move between namespaces and projects, are forgotten,
// restored, purged and put again.
func relationModel(t *testing.T, h Harness) {
	b := h.fresh(t)
	const n = 12
	random := rand.New(rand.NewPCG(3, 4))
	namespaces, projects := []string{"", "a", "A"}, []string{"", "x", "y%_'\"🦛"}
	scopes := [][]string{nil, nil, {}, {""}, {"x"}, {"", projects[2]}, projects, {"other"}}
	memories := make(map[hippo.ID]*hippo.Memory)
	var graph driver.Graph
	change := func(i int) {
		m := plain(i)
		m.Namespace, m.Project = namespaces[random.IntN(3)%(1+i%3)], projects[random.IntN(3)]
		if random.IntN(5) == 0 {
			m.ForgottenAt = at(1)
		}
		if memories[m.ID] != nil && random.IntN(3) == 0 {
			purge(t, b, m.ID)
			for _, r := range graph.At(m.ID) {
				r.Weight = 0
				graph.Set(r)
			}
		}
		put(t, b, m)
		memories[m.ID] = m
	}
	for i := range n {
		change(i)
	}
	for step := range many(60, 20) {
		if step%3 == 0 {
			change(random.IntN(n))
		}
		var rs []hippo.Relation
		for range random.IntN(12) {
			if r := randomRelation(random, n); r.From != r.To {
				rs = append(rs, r)
				graph.Set(r)
			}
		}
		relate(t, b, rs...)
		for range 2 {
			q := driver.RelationQuery{IDs: idRange(1 + random.IntN(n)), Limit: 1 + random.IntN(4)}
			q.Scope = hippo.Scope{Namespace: namespaces[random.IntN(3)], Projects: scopes[random.IntN(len(scopes))], Project: "x"}
			want := graph.Strongest(&q, func(id hippo.ID) *hippo.Memory { return memories[id] })
			sameRelations(t, fmt.Sprintf("%+v", q.Scope), queryRelations(t, b, q), want...)
		}
	}
	expectRelations(t, "store", b, graph.All()...)
}
