package hybrid_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/recall/hybrid"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// related is a [recall.Relations] that holds some.
type related struct {
	list []hippo.Relation
	err  error
}

func (r related) Relations(_ context.Context, _ hippo.Scope, ids []hippo.ID, _ time.Time, _ int) ([]hippo.Relation, error) {
	return slices.DeleteFunc(slices.Clone(r.list), func(x hippo.Relation) bool {
		return !slices.Contains(ids, x.From) && !slices.Contains(ids, x.To)
	}), r.err
}

func day() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// search finds "zebra" among three memories, and walks these relations. It returns what it
// found as numbers of the memories.
func search(t *testing.T, r related) ([]int, error) {
	t.Helper()
	s := store.New(memstore.New(nil), &store.Options{Now: day, Zone: time.UTC})
	x, err := index.Open(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(x.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	}()
	for i, content := range []string{"the zebra rollout", "drawer seven", "something else"} {
		if err := s.Add(t.Context(), &hippo.Memory{ID: numbered(i), Content: content}); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	q := retrieve.Query{Text: "zebra", Scope: hippo.LocalScope("")}
	found, err := x.Search(t.Context(), &q)
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	ranker := hybrid.New(hybrid.DefaultWeights(), s, index.TextKey, r, day)
	hits, err := ranker.Rank(t.Context(), found, &q, func(float64) bool { return true })
	var out []int
	for _, h := range hits {
		out = append(out, int(found.Reader.Key(h.Match.Doc).ID[0])-1)
	}
	slices.Sort(out)
	return out, err
}

func numbered(i int) hippo.ID { return hippo.ID{0: byte(i + 1)} }

func TestRank_WalksRelations(t *testing.T) {
	t.Parallel()
	a, b, gone := numbered(0), numbered(1), numbered(9)
	alone, both := []int{0}, []int{0, 1}
	for name, c := range map[string]struct {
		list []hippo.Relation
		want []int
	}{
		"none":              {nil, alone},
		"forwards":          {[]hippo.Relation{{From: a, To: b, Weight: 1}}, both},
		"backwards":         {[]hippo.Relation{{From: b, To: a, Weight: .1}}, both},
		"both_ways":         {[]hippo.Relation{{From: a, To: b, Weight: 1}, {From: b, To: a, Weight: 1}}, both},
		"until_now":         {[]hippo.Relation{{From: a, To: b, Weight: 1, ValidUntil: day()}}, alone},
		"from_later":        {[]hippo.Relation{{From: a, To: b, Weight: 1, ValidFrom: day().Add(time.Microsecond)}}, alone},
		"for_a_microsecond": {[]hippo.Relation{{From: a, To: b, Weight: 1, ValidFrom: day(), ValidUntil: day().Add(time.Microsecond)}}, both},
		"to_what_is_gone":   {[]hippo.Relation{{From: a, To: gone, Weight: 1}}, alone},
		"to_itself":         {[]hippo.Relation{{From: a, To: a, Weight: 1}}, alone},
		"of_no_weight":      {[]hippo.Relation{{From: a, To: b}}, alone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := search(t, related{list: c.list}); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("found %v (%v), want %v", got, err, c.want)
			}
		})
	}
}

func TestRank_ReportsThatRelationsCannotBeRead(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	if _, err := search(t, related{err: broken}); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}
