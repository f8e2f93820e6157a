package engine

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// links is a [linker] that knows some links.
type links struct {
	list []link
	err  error
}

func (l links) Links(_ context.Context, ids []hippo.ID) ([]link, error) {
	return slices.DeleteFunc(slices.Clone(l.list), func(x link) bool {
		return !slices.Contains(ids, x.a) && !slices.Contains(ids, x.b)
	}), l.err
}

func newLinked(t *testing.T) (e *Engine, a, b hippo.ID) {
	t.Helper()
	clock := func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	s := store.New(memstore.New(nil), &store.Options{Now: clock, Zone: time.UTC})
	x, err := index.Open(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	e = New(Config{Store: s, Index: x, Now: clock})
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	var ids []hippo.ID
	for _, content := range []string{"the zebra rollout", "drawer seven", "something else"} {
		m, err := e.Record(t.Context(), &hippo.Memory{Content: content})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, m.ID)
	}
	return e, ids[0], ids[1]
}

func TestHybrid_follows_links(t *testing.T) {
	t.Parallel()
	e, a, b := newLinked(t)
	now := e.now().UnixMicro()
	gone := hippo.ID{9}
	for name, c := range map[string]struct {
		list []link
		want int
	}{
		"none":            {nil, 1},
		"there":           {[]link{{a: a, b: b, weight: 1}}, 2},
		"back":            {[]link{{a: b, b: a, weight: .1}}, 2},
		"twice":           {[]link{{a: a, b: b, weight: 1}, {a: b, b: a, weight: 1}}, 2},
		"over":            {[]link{{a: a, b: b, weight: 1, until: now}}, 1},
		"not_yet":         {[]link{{a: a, b: b, weight: 1, from: now + 1}}, 1},
		"just":            {[]link{{a: a, b: b, weight: 1, from: now, until: now + 1}}, 2},
		"to_what_is_gone": {[]link{{a: a, b: gone, weight: 1}}, 1},
		"to_itself":       {[]link{{a: a, b: a, weight: 1}}, 1},
		"of_no_weight":    {[]link{{a: a, b: b}}, 1},
	} {
		e.linker = links{list: c.list}
		answer, err := e.Search(t.Context(), hippo.Query{Text: "zebra", Ranker: hippo.RankerHybrid, NoTouch: true})
		if err != nil {
			t.Fatal(err)
		}
		if answer.Total != c.want || len(answer.Hits) != c.want || answer.Hits[0].Memory.ID != a {
			t.Errorf("%s: found %d of %d, want %d", name, len(answer.Hits), answer.Total, c.want)
		}
	}
}

func TestHybrid_tells_what_links_fail_with(t *testing.T) {
	t.Parallel()
	e, _, _ := newLinked(t)
	broken := errors.New("broken")
	e.linker = links{err: broken}
	if _, err := e.Search(t.Context(), hippo.Query{Text: "zebra", Ranker: hippo.RankerHybrid}); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

// What was remembered longest ago is forgotten first, and read again.
func TestMentions_are_remembered_within_bounds(t *testing.T) {
	t.Parallel()
	m := newMentions(nil)
	list := mentionsOf("Of Ada Lovelace and Bob Dahl")
	put := func(n uint64) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.put(wanted{text: n}, list)
	}
	put(0)
	for n := uint64(1); m.old == nil; n++ {
		put(n)
	}
	if _, ok := m.get(wanted{text: 0}); !ok {
		t.Error("forgotten too early")
	}
	for n := uint64(1 << 32); n < 1<<32+2*keptMentions; n++ {
		put(n)
	}
	if _, ok := m.get(wanted{text: 1}); ok {
		t.Error("never forgotten")
	}
}
