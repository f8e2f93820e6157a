package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// year returns the beginning of a year; 0 is the zero time.
func year(n int) (t time.Time) {
	if n > 0 {
		t = time.Date(n, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return t
}

// works is that Ada works in Paris between two years, 0 for no bound.
func works(ids [3]hippo.ID, from, until int) hippo.Relation {
	return hippo.Relation{From: ids[0], To: ids[1], Kind: "works_at", Weight: 1, ValidFrom: year(from), ValidUntil: year(until)}
}

// years returns the bounds of all relations, in their order.
func years(t *testing.T, s *store.Store) (out [][2]int) {
	t.Helper()
	of := func(t time.Time) int {
		if t.IsZero() {
			return 0
		}
		return t.Year()
	}
	for r, err := range local(s).AllRelations(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, [2]int{of(r.ValidFrom), of(r.ValidUntil)})
	}
	return out
}

func wantYears(t *testing.T, what string, s *store.Store, want ...[2]int) {
	t.Helper()
	if d := cmp.Diff(want, years(t, s)); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func declared(t *testing.T, s *store.Store, r hippo.Relation) *api.Related {
	t.Helper()
	done, err := local(s).Relate(t.Context(), []hippo.Relation{r}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// What holds again is a period of its own; what overlaps with a period replaces it.
func TestRelate_Periods(t *testing.T) {
	t.Parallel()
	s, _, ids := openPreceded(t)
	declared(t, s, works(ids, 2019, 2021))
	if done := declared(t, s, works(ids, 2024, 0)); len(done.Replaced) != 0 {
		t.Errorf("replaced %v", done.Replaced)
	}
	declared(t, s, works(ids, 2021, 2022)) // it begins when another one ends
	wantYears(t, "three periods", s, [2]int{2019, 2021}, [2]int{2021, 2022}, [2]int{2024, 0})
	if done := declared(t, s, works(ids, 2020, 2023)); len(done.Replaced) != 2 {
		t.Errorf("replaced %v, want two", done.Replaced)
	}
	wantYears(t, "two replaced", s, [2]int{2020, 2023}, [2]int{2024, 0})
	if done := declared(t, s, works(ids, 2024, 2025)); len(done.Replaced) != 1 {
		t.Errorf("replaced %v, want that of the same beginning", done.Replaced)
	}
	wantYears(t, "same beginning", s, [2]int{2020, 2023}, [2]int{2024, 2025})
	declared(t, s, works(ids, 0, 0))
	wantYears(t, "without bounds", s, [2]int{0, 0})
}

// An end is that of the last period which begins before it, or of the one that is named.
func TestEndRelations_Periods(t *testing.T) {
	t.Parallel()
	s, _, ids := openPreceded(t)
	declared(t, s, works(ids, 2019, 2021))
	declared(t, s, works(ids, 2024, 0))
	end := func(r hippo.Relation, at int) error {
		_, err := store.EndRelations(t.Context(), local(s), []hippo.Relation{r}, year(at))
		return err
	}
	if err := end(works(ids, 0, 0), 2026); err != nil {
		t.Error(err)
	}
	wantYears(t, "the last", s, [2]int{2019, 2021}, [2]int{2024, 2026})
	if err := end(works(ids, 0, 0), 2020); err != nil {
		t.Error(err)
	}
	wantYears(t, "the first", s, [2]int{2019, 2020}, [2]int{2024, 2026})
	if err := end(works(ids, 0, 0), 2023); !errors.Is(err, hippo.ErrConflict) {
		t.Errorf("between the periods: %v", err)
	}
	if err := end(works(ids, 0, 0), 2018); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("before both: %v", err)
	}
	if err := end(works(ids, 2024, 0), 2025); err != nil {
		t.Error(err)
	}
	if err := end(works(ids, 2022, 0), 2025); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("of a period that is not there: %v", err)
	}
	wantYears(t, "the one that is named", s, [2]int{2019, 2020}, [2]int{2024, 2025})
}

// A removal takes all periods, or the one that is named, and an undo gives them back unless something overlaps with them since.
func TestUnrelate_Periods(t *testing.T) {
	t.Parallel()
	s, _, ids := openPreceded(t)
	declared(t, s, works(ids, 2019, 2021))
	declared(t, s, works(ids, 2024, 0))
	remove := func(r hippo.Relation) hippo.ID {
		t.Helper()
		if err := local(s).Unrelate(t.Context(), []hippo.Relation{r}); err != nil {
			t.Fatal(err)
		}
		ops, err := store.Operations(t.Context(), local(s), driver.OperationQuery{Limit: 1})
		if err != nil || len(ops) != 1 {
			t.Fatalf("%v (%v)", ops, err)
		}
		return ops[0].ID
	}
	remove(works(ids, 2024, 0))
	wantYears(t, "one removed", s, [2]int{2019, 2021})
	declared(t, s, works(ids, 2024, 0))
	all := remove(works(ids, 0, 0))
	wantYears(t, "all removed", s)
	if _, err := store.Undo(t.Context(), local(s), all, nil, nil); err != nil {
		t.Fatal(err)
	}
	wantYears(t, "undone", s, [2]int{2019, 2021}, [2]int{2024, 0})
	all = remove(works(ids, 0, 0))
	declared(t, s, works(ids, 2020, 2023))
	if _, err := store.Undo(t.Context(), local(s), all, nil, nil); err != nil {
		t.Fatal(err)
	}
	wantYears(t, "undone but for what overlaps since", s, [2]int{2020, 2023}, [2]int{2024, 0})
}

// An import adds the periods that are not there, and changes none.
func TestImportRelations_Periods(t *testing.T) {
	t.Parallel()
	s, _, ids := openPreceded(t)
	declared(t, s, works(ids, 2019, 2021))
	n, err := local(s).ImportRelations(t.Context(), []hippo.Relation{works(ids, 2019, 0), works(ids, 2020, 2023), works(ids, 2024, 0), works(ids, 2024, 0)})
	if err != nil || n != 1 {
		t.Errorf("added %d (%v), want 1", n, err)
	}
	wantYears(t, "imported", s, [2]int{2019, 2021}, [2]int{2024, 0})
}

// A single kind that is declared again without a beginning keeps that of the period which holds.
func TestRelate_AgainWhatHolds(t *testing.T) {
	t.Parallel()
	s, _, ids := openPreceded(t)
	declared(t, s, works(ids, 2019, 2021))
	declared(t, s, works(ids, 2024, 0))
	again := works(ids, 0, 0)
	again.LastReinforced = year(2026)
	if _, err := local(s).Relate(t.Context(), []hippo.Relation{again}, single); err != nil {
		t.Fatal(err)
	}
	wantYears(t, "declared again", s, [2]int{2019, 2021}, [2]int{2024, 0})
}

// Who ends or removes a period may give its beginning as it was declared, finer than a microsecond and in any zone.
func TestPeriods_BeginningAsDeclared(t *testing.T) {
	t.Parallel()
	s, _, ids := openPreceded(t)
	r := works(ids, 2024, 0)
	r.ValidFrom = r.ValidFrom.Add(1234567).In(time.FixedZone("", 3600))
	declared(t, s, r)
	ended, err := store.EndRelations(t.Context(), local(s), []hippo.Relation{r}, year(2026))
	if err != nil || len(ended) != 1 || ended[0].ValidFrom != r.ValidFrom.UTC().Truncate(time.Microsecond) {
		t.Errorf("ended %v (%v)", ended, err)
	}
	if err := local(s).Unrelate(t.Context(), []hippo.Relation{r}); err != nil {
		t.Error(err)
	}
	wantYears(t, "removed", s)
}
