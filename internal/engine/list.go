package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/top"
	"github.com/hippo-memory/hippo/internal/retrieval/recall"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// List returns memories by the time they were created, newest first; those that do not hold now, or at the time of the filter, after
// all others. It is not an access and
// does not advance the active day.
func (m *Memories) List(ctx context.Context, q api.List) (*api.Listing, error) {
	return perform(ctx, m, q, "list", list)
}

func list(ctx context.Context, m *Memories, q api.List) (*api.Listing, error) {
	if err := m.scoped.Allow(hippo.RightRead); err != nil {
		return nil, err
	}
	of, err := broughtBy(ctx, m, q.Import, &q.Filter)
	if err != nil {
		return nil, err
	}
	return listArrived(ctx, m, q, of)
}

// listArrived lists those of the memories that a query selects which an import has brought.
func listArrived(ctx context.Context, m *Memories, q api.List, of brought) (*api.Listing, error) {
	if known := q.Filter.KnownAt; isPast(m, q.Filter.Moment) {
		q.Filter.KnownAt = time.Time{}
		out, note, err := inPast(ctx, m, known, func(p *Memories) (*api.Listing, error) { return listArrived(ctx, p, q, of) })
		if err == nil {
			out.Degraded = noted(out.Degraded, note)
		}
		return out, err
	}
	check := hippo.Query{Filter: q.Filter, Situation: q.Situation, When: q.When, Offset: q.Offset, Count: q.Count}
	if err := check.Validate(); err != nil {
		return nil, err
	}
	if err := recall.Narrow(&q.Filter, q.When, m.now()); err != nil {
		return nil, err
	}
	keys, err := keysAmong(ctx, m, q, of)
	if err != nil {
		return nil, err
	}
	from := min(q.Offset, len(keys))
	page := firstKeys(keys, from+cmp.Or(q.Count, hippo.DefaultCount), listKey.compare)[from:]
	ids := make([]hippo.ID, len(page))
	for i, k := range page {
		ids[i] = k.ID
	}
	ms, err := m.scoped.Get(ctx, ids)
	if err != nil {
		return nil, err
	}
	head, err := m.store.Head(ctx)
	return &api.Listing{Memories: ms, Total: len(keys), Day: head.Calendar.Day}, err
}

// listKey orders a memory in a list. lapsed: it does not hold.
type listKey struct {
	retrieve.Key
	lapsed bool
}

func (k listKey) compare(o listKey) int {
	switch {
	case k.lapsed == o.lapsed:
		return k.Compare(o.Key)
	case k.lapsed:
		return 1
	default:
		return -1
	}
}

// firstKeys returns the first n keys of an order, or all if there are fewer.
func firstKeys[K any](keys []K, n int, compare func(a, b K) int) []K {
	best := top.New(min(n, len(keys)), compare)
	for _, k := range keys {
		if bound := best.Bound(); bound == nil || compare(k, *bound) < 0 {
			best.Add(k)
		}
	}
	return best.Sorted()
}

// keysAmong returns the keys of those memories which an import has brought, and which pass the filter and come from the source, in no order.
func keysAmong(ctx context.Context, m *Memories, q api.List, of brought) ([]listKey, error) {
	keys, err := keysOf(ctx, m, q)
	if of != nil {
		keys = slices.DeleteFunc(keys, func(k listKey) bool { return !of[k.ID] })
	}
	return keys, err
}

// keysOf returns the keys of all memories that pass the filter and come from the source, in no order.
func keysOf(ctx context.Context, m *Memories, q api.List) (keys []listKey, err error) {
	vectors, err := m.embedding.Query(ctx, &m.scope, "", q.Situation)
	if err != nil {
		return nil, err
	}
	s := retrieve.Query{
		Scope: m.scope, Filter: m.scope.Narrow(q.Filter), Forgotten: q.Forgotten, Insights: q.Insights, Listed: retrieve.Listed{Place: q.Place, Source: from(q.Source)},
		Situation: retrieve.Situation{Elements: q.Situation, Vectors: vectors.Situation, Model: vectors.SituationModel},
	}
	err = m.indexed(ctx, func() error {
		r, err := m.index.Search(ctx, &s)
		if err != nil {
			return err
		}
		defer r.Close()
		at := cmp.Or(q.Filter.ValidAt, m.now()).UnixMicro()
		keys = make([]listKey, len(r.Matches))
		for i, x := range r.Matches {
			keys[i] = listKey{r.Reader.Key(x.Doc), r.Some.Bounded && recall.Lapsed(r.Reader, x.Doc, at)}
		}
		return nil
	})
	return keys, err
}

// LabelCounts counts memories by their labels.
type LabelCounts struct {
	// Memories is the number of memories that were counted.
	Memories int
	// Types counts them by type, "" for those without one, and Tags by tag.
	Types, Tags map[string]int
}

// Labels counts the memories that pass a filter by type and by tag, as [Memories.List] finds them. Cost: a
// pass over the index.
func Labels(ctx context.Context, m *Memories, f hippo.Filter) (*LabelCounts, error) {
	return perform(ctx, m, f, "labels", labels)
}

func labels(ctx context.Context, m *Memories, f hippo.Filter) (*LabelCounts, error) {
	if err := m.scoped.Allow(hippo.RightRead); err != nil {
		return nil, err
	}
	if known := f.KnownAt; isPast(m, f.Moment) {
		f.KnownAt = time.Time{}
		out, _, err := inPast(ctx, m, known, func(p *Memories) (*LabelCounts, error) { return labels(ctx, p, f) })
		return out, err
	}
	check := hippo.Query{Filter: f}
	if err := check.Validate(); err != nil {
		return nil, err
	}
	f = m.scope.Narrow(f)
	out := &LabelCounts{}
	err := m.indexed(ctx, func() error {
		out.Types, out.Tags = m.index.Labels(&m.scope, &f)
		return nil
	})
	for _, n := range out.Types {
		out.Memories += n
	}
	return out, err
}
