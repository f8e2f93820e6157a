package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// Every way to read has the same half-open interval: from its beginning on, until before its end.
func TestAsOf_IsHalfOpenOnEveryPath(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	from := f.now().AddDate(0, 0, -10)
	until := from.AddDate(0, 0, 5)
	a := f.note(hippo.Memory{Content: "the gateway listens on port 80", Type: "decision", Trust: hippo.TrustNormal, ValidFrom: from, ValidUntil: until, Importance: hippo.Importance{Base: .5}})
	b := f.note(fact("nothing else"))
	r := hippo.Relation{From: a.ID, To: b.ID, Kind: "explains", Weight: 1, ValidFrom: from, ValidUntil: until}
	if _, err := knowledge.Relate(t.Context(), f.Memories, []hippo.Relation{r}); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[time.Time]bool{
		from.Add(-time.Microsecond): false, from: true, until.Add(-time.Microsecond): true, until: false,
	} {
		for path, found := range readersAt(f, a.ID, hippo.Moment{ValidAt: at}) {
			if got, err := found(); got != want || err != nil {
				t.Errorf("%s at %v: found %v, want %v (%v)", path, at, got, want, err)
			}
		}
	}
}

// readersAt are the ways to read a memory, and its relation, as of a moment.
func readersAt(f *fixture, id hippo.ID, at hippo.Moment) map[string]func() (bool, error) {
	ctx := f.t.Context()
	return map[string]func() (bool, error){
		"get": func() (bool, error) {
			_, err := query.GetAt(ctx, f.Memories, api.Get{IDs: []hippo.ID{id}, At: at})
			if errors.Is(err, hippo.ErrNotFound) {
				return false, nil
			}
			return err == nil, err
		},
		"list": func() (bool, error) {
			l, err := memory.List(ctx, f.Memories, api.List{Filter: hippo.Filter{Types: []string{"decision"}, Moment: at}})
			return err == nil && l.Total == 1, err
		},
		"search": func() (bool, error) {
			a, err := query.Search(ctx, f.Memories, hippo.Query{Text: "gateway", Filter: hippo.Filter{Moment: at}, NoTouch: true})
			return err == nil && len(a.Hits) == 1, err
		},
		"context": func() (bool, error) {
			b, err := query.Context(ctx, f.Memories, briefing.Query{Prompt: "gateway port", At: at})
			return err == nil && strings.Contains(b.Text, "port 80"), err
		},
		"related": func() (bool, error) {
			list, err := knowledge.ListRelations(ctx, f.Memories, api.Relations{IDs: []hippo.ID{id}, At: at})
			return err == nil && len(list) == 1, err
		},
	}
}

// A memory that does not hold at a time is not found, and the error names the one that did.
func TestGetAt_NamesWhatHeldThen(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	day := f.now()
	chain := []*hippo.Memory{f.note(hippo.Memory{Content: "port 1", ValidFrom: day.AddDate(0, 0, -9)})}
	for i, text := range []string{"port 2", "port 3"} {
		chain = append(chain, f.note(hippo.Memory{Content: text, ValidFrom: day.AddDate(0, 0, -6+3*i)}, chain[i].ID))
	}
	get := func(n, days int) error {
		_, err := query.GetAt(t.Context(), f.Memories, api.Get{IDs: []hippo.ID{chain[n].ID}, At: hippo.Moment{ValidAt: day.AddDate(0, 0, -days)}})
		return err
	}
	for _, tc := range []struct {
		n, days int
		want    *hippo.Memory
	}{{0, 1, chain[2]}, {2, 8, chain[0]}, {2, 5, chain[1]}, {1, 4, nil}} {
		err := get(tc.n, tc.days)
		switch {
		case tc.want == nil && err != nil:
			t.Errorf("%d, %d days ago: %v", tc.n, tc.days, err)
		case tc.want != nil && (!errors.Is(err, hippo.ErrNotFound) || !strings.Contains(err.Error(), tc.want.ID.Short()+" held then")):
			t.Errorf("%d, %d days ago: %v, want %s", tc.n, tc.days, err, tc.want.ID.Short())
		}
	}
	if err := get(0, 99); !errors.Is(err, hippo.ErrNotFound) || strings.Contains(err.Error(), "held then") {
		t.Errorf("before all: %v", err)
	}
}

// What is asked for by kind is found behind stronger relations of other kinds.
func TestRelations_OfAKind(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	hub := f.note(fact("hub"))
	var all []hippo.Relation
	for range 150 {
		all = append(all, hippo.Relation{From: hub.ID, To: f.note(fact("leaf")).ID, Kind: "strong", Weight: 1})
	}
	all = append(all, hippo.Relation{From: hub.ID, To: all[0].To, Kind: "weak", Weight: .1})
	if _, err := knowledge.Relate(t.Context(), f.Memories, all); err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]int{"weak": 1, "strong": 100, "none": 0} {
		list, err := knowledge.ListRelations(t.Context(), f.Memories, api.Relations{IDs: []hippo.ID{hub.ID}, Kinds: []string{kind}})
		if err != nil || len(list) != want {
			t.Errorf("%s: %d relations, want %d (%v)", kind, len(list), want, err)
		}
	}
}
