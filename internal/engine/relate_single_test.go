package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// people are a person and some places.
func people(t *testing.T) (f *fixture, ada, paris, rome, bonn hippo.ID) {
	t.Helper()
	f = open(t, options{})
	return f, f.record("Ada", .5), f.record("Paris", .5), f.record("Rome", .5), f.record("Bonn", .5)
}

func (f *fixture) declare(rs ...hippo.Relation) *api.Related {
	f.t.Helper()
	done, err := knowledge.Relate(f.t.Context(), f.Memories, rs)
	if err != nil {
		f.t.Fatal(err)
	}
	return done
}

func lives(who, where hippo.ID, from, until time.Time) hippo.Relation {
	return hippo.Relation{From: who, To: where, Kind: "lives_in", Weight: 1, ValidFrom: from, ValidUntil: until}
}

// placesAt are where relations of a memory lead at a time.
func (f *fixture) placesAt(id hippo.ID, at time.Time) (out []hippo.ID) {
	f.t.Helper()
	list, err := knowledge.ListRelations(f.t.Context(), f.Memories, api.Relations{IDs: []hippo.ID{id}, At: hippo.Moment{ValidAt: at}})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, r := range list {
		out = append(out, r.To)
	}
	return out
}

// Of a single kind the older relation ends when the newer begins, and an undo takes that back.
func TestDeclare_ClosesTheOlderOfASingleKind(t *testing.T) {
	t.Parallel()
	f, ada, paris, rome, bonn := people(t)
	day := f.now()
	f.declare(lives(ada, paris, day.AddDate(-9, 0, 0), time.Time{}))
	done := f.declare(lives(ada, rome, day.AddDate(-2, 0, 0), time.Time{}))
	if len(done.Closed) != 1 || done.Closed[0].To != paris || !done.Closed[0].ValidUntil.Equal(day.AddDate(-2, 0, 0)) || done.Conflicts != nil {
		t.Fatalf("done is %+v", done)
	}
	f.declare(lives(ada, bonn, time.Time{}, time.Time{}))
	for at, want := range map[time.Time]hippo.ID{day.AddDate(-3, 0, 0): paris, day.AddDate(-2, 0, 0): rome, day.AddDate(0, 0, -1): rome, f.now(): bonn} {
		if d := cmp.Diff([]hippo.ID{want}, f.placesAt(ada, at)); d != "" {
			t.Errorf("at %v: %s", at, d)
		}
	}
	if op := f.last(ada); op.Verb != hippo.VerbRelate {
		t.Errorf("the operation is %+v", op)
	}
	f.undo(ada)
	if d := cmp.Diff([]hippo.ID{rome}, f.placesAt(ada, f.now())); d != "" {
		t.Errorf("after the undo: %s", d)
	}
	f.undo(ada)
	if d := cmp.Diff([]hippo.ID{bonn}, f.placesAt(ada, f.now())); d != "" {
		t.Errorf("after the undo of the undo: %s", d)
	}
	if f.declare(hippo.Relation{From: paris, To: rome, Kind: "near", Weight: 1}); f.declare(hippo.Relation{From: paris, To: bonn, Kind: "near", Weight: 1}).Closed != nil {
		t.Error("a kind of which there are several is closed")
	}
}

// An undo that could change nothing, because all of it was changed since, is a conflict that names what was.
func TestUndo_OfRelationsThatChanged(t *testing.T) {
	t.Parallel()
	f, ada, paris, rome, _ := people(t)
	r := lives(ada, paris, f.now().AddDate(-1, 0, 0), time.Time{})
	other := hippo.Relation{From: ada, To: rome, Kind: "likes", Weight: 1}
	f.declare(r, other)
	end := func(rs ...hippo.Relation) hippo.ID {
		f.advance(0, time.Hour)
		if _, err := knowledge.EndRelations(t.Context(), f.Memories, api.EndRelations{Relations: rs}); err != nil {
			t.Fatal(err)
		}
		f.advance(0, time.Hour)
		return f.last(ada).ID
	}
	op := end(r)
	f.declare(r)
	_, err := memory.Undo(t.Context(), f.Memories, op)
	if !errors.Is(err, hippo.ErrConflict) || !strings.Contains(err.Error(), "the relation lives_in from "+ada.Short()+" to "+paris.Short()+" was changed since") {
		t.Errorf("the undo of an end that was replaced: %v", err)
	}
	if last := f.last(ada); last.Verb != hippo.VerbRelate {
		t.Errorf("it left operation %+v", last)
	}
	op = end(r, other)
	f.declare(r)
	if _, err := memory.Undo(t.Context(), f.Memories, op); err != nil {
		t.Errorf("an undo of which a part is left: %v", err)
	}
	if got := f.placesAt(ada, f.now()); len(got) != 2 {
		t.Errorf("after it relations lead to %v", got)
	}
}

// What cannot end because it begins later, or has an end of its own, is shown and stays.
func TestDeclare_ShowsConflicts(t *testing.T) {
	t.Parallel()
	f, ada, paris, rome, bonn := people(t)
	day := f.now()
	f.declare(lives(ada, paris, day, time.Time{}))
	done := f.declare(lives(ada, rome, day.AddDate(-1, 0, 0), time.Time{}))
	if len(done.Conflicts) != 1 || done.Conflicts[0].To != paris || done.Closed != nil {
		t.Errorf("one that begins later: %+v", done)
	}
	if got := f.placesAt(ada, day); len(got) != 2 {
		t.Errorf("Ada lives in %v", got)
	}
	done = f.declare(lives(rome, paris, day, day.AddDate(1, 0, 0)), lives(rome, bonn, day.AddDate(0, 6, 0), time.Time{}))
	if len(done.Conflicts) != 1 || !done.Conflicts[0].ValidUntil.Equal(day.AddDate(1, 0, 0)) {
		t.Errorf("one with an end, in one call: %+v", done)
	}
	done = f.declare(lives(bonn, paris, day, day.AddDate(1, 0, 0)), lives(bonn, rome, day.AddDate(1, 0, 0), time.Time{}))
	if done.Conflicts != nil || done.Closed != nil {
		t.Errorf("one after the other: %+v", done)
	}
	done = f.declare(lives(bonn, paris, day, day.AddDate(0, 1, 0)))
	if len(done.Replaced) != 1 || !done.Replaced[0].ValidUntil.Equal(day.AddDate(1, 0, 0)) {
		t.Errorf("declared again: %+v", done)
	}
}

// An end is half-open, has a reason, can be undone, and is refused where it makes no sense.
func TestEnd(t *testing.T) {
	t.Parallel()
	f, ada, paris, rome, _ := people(t)
	day := f.now()
	r := lives(ada, paris, day.AddDate(-1, 0, 0), time.Time{})
	f.declare(r)
	end := func(m *engine.Memories, at time.Time, rs ...hippo.Relation) error {
		_, err := knowledge.EndRelations(t.Context(), m, api.EndRelations{Relations: rs, At: at})
		return err
	}
	for name, tc := range map[string]struct {
		r    hippo.Relation
		at   time.Time
		want error
		text string
	}{
		"before it begins": {r, day.AddDate(-1, 0, 0), hippo.ErrInvalid, "valid_until: must be after"},
		"not there":        {lives(ada, rome, day, time.Time{}), day, hippo.ErrNotFound, "no relation lives_in"},
		"to itself":        {lives(ada, ada, day, time.Time{}), day, hippo.ErrInvalid, "must be another memory"},
		"unknown":          {lives(ada, hippo.ID{9}, day, time.Time{}), day, hippo.ErrNotFound, "no relation"},
		"learned":          {hippo.CoRecall(ada, paris), day, hippo.ErrInvalid, "is learned"},
	} {
		if err := end(f.Memories, tc.at, tc.r); !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := end(engine.Because(f.Memories, "she moved"), time.Time{}, r); err != nil {
		t.Fatal(err)
	}
	now := f.now()
	if before, after := f.placesAt(ada, now.Add(-time.Microsecond)), f.placesAt(ada, now); len(before) != 1 || after != nil {
		t.Errorf("before the end %v, from it on %v", before, after)
	}
	if op := f.last(ada); op.Reason != "she moved" || op.Verb != hippo.VerbRelate {
		t.Errorf("the operation is %+v", op)
	}
	if err := end(f.Memories, now.AddDate(0, 0, 1), r); !errors.Is(err, hippo.ErrConflict) {
		t.Errorf("ended twice: %v", err)
	}
	f.undo(ada)
	if got := f.placesAt(ada, now); len(got) != 1 {
		t.Errorf("after the undo: %v", got)
	}
	if err := knowledge.Unrelate(t.Context(), f.Memories, []hippo.Relation{r}); err != nil {
		t.Fatal(err)
	}
	if f.undo(ada); len(f.placesAt(ada, now)) != 1 {
		t.Error("the removal was not undone")
	}
	if _, err := knowledge.Relate(t.Context(), f.Memories, []hippo.Relation{lives(ada, rome, day, day)}); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("ends when it begins: %v", err)
	}
}

// What is declared again without a beginning, after it ended, begins now: the former period stays.
func TestDeclare_HoldsAgain(t *testing.T) {
	t.Parallel()
	f, ada, paris, rome, _ := people(t)
	day := f.now()
	f.declare(lives(ada, paris, day.AddDate(-9, 0, 0), time.Time{}))
	f.declare(lives(ada, rome, day.AddDate(-2, 0, 0), day.AddDate(-1, 0, 0)))
	done := f.declare(lives(ada, paris, time.Time{}, time.Time{}))
	if len(done.Replaced)+len(done.Closed)+len(done.Conflicts) != 0 || !done.Declared[0].ValidFrom.Equal(day) {
		t.Errorf("done is %+v", done)
	}
	for at, want := range map[time.Time][]hippo.ID{
		day.AddDate(-3, 0, 0): {paris}, day.AddDate(-2, 0, 0): {rome}, day.AddDate(-1, 0, 0): nil, day: {paris},
	} {
		if d := cmp.Diff(want, f.placesAt(ada, at)); d != "" {
			t.Errorf("at %v (-want +got):\n%s", at, d)
		}
	}
}
