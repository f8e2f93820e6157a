package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/top"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/retrieval/recall"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
	"github.com/hippo-memory/hippo/internal/store"
)

// List returns memories by the time they were created, newest first; those that do not hold now, or at the time of the filter, after
// all others. It is not an access and
// does not advance the active day.
func List(ctx context.Context, m *engine.Memories, q api.List) (*api.Listing, error) {
	return engine.Perform(ctx, m, q, "list", list)
}

func list(ctx context.Context, m *engine.Memories, q api.List) (*api.Listing, error) {
	if err := m.Scoped.Allow(hippo.RightRead); err != nil {
		return nil, err
	}
	of, err := BroughtBy(ctx, m, q.Import, &q.Filter)
	if err != nil {
		return nil, err
	}
	return listArrived(ctx, m, q, of)
}

// listArrived lists those of the memories that a query selects which an import has brought.
func listArrived(ctx context.Context, m *engine.Memories, q api.List, of Brought) (*api.Listing, error) {
	if known := q.Filter.KnownAt; engine.IsPast(m, q.Filter.Moment) {
		q.Filter.KnownAt = time.Time{}
		out, note, err := engine.InPast(ctx, m, known, func(p *engine.Memories) (*api.Listing, error) { return listArrived(ctx, p, q, of) })
		if err == nil {
			out.Degraded = engine.Noted(out.Degraded, note)
		}
		return out, err
	}
	check := hippo.Query{Filter: q.Filter, Situation: q.Situation, When: q.When, Offset: q.Offset, Count: q.Count}
	if err := check.Validate(); err != nil {
		return nil, err
	}
	if err := recall.Narrow(&q.Filter, q.When, m.Clock()); err != nil {
		return nil, err
	}
	keys, err := KeysAmong(ctx, m, q, of)
	if err != nil {
		return nil, err
	}
	from := min(q.Offset, len(keys))
	page := FirstKeys(keys, from+cmp.Or(q.Count, hippo.DefaultCount), ListKey.CompareKeys)[from:]
	ids := make([]hippo.ID, len(page))
	for i, k := range page {
		ids[i] = k.ID
	}
	ms, err := m.Scoped.Get(ctx, ids)
	if err != nil {
		return nil, err
	}
	day, err := store.DayOf(ctx, m.Store)
	return &api.Listing{Memories: ms, Total: len(keys), Day: day}, err
}

// ListAny returns the first n memories that pass any of some filters, in the order of a list at a time, and each once. The page and the filter of q
// do not count. Total is at least that of each filter. Cost: a read of the first n of each.
func ListAny(ctx context.Context, m *engine.Memories, q api.List, filters []hippo.Filter, n int, at time.Time) (*api.Listing, error) {
	out := &api.Listing{}
	seen := make(map[hippo.ID]bool)
	for _, f := range filters {
		at = cmp.Or(f.ValidAt, at)
		q.Filter, q.Offset, q.Count = f, 0, min(n, hippo.MaxCount)
		for total := 1; q.Offset < min(n, total); q.Offset += q.Count {
			page, err := List(ctx, m, q)
			if err != nil {
				return nil, err
			}
			total = page.Total
			out.Day, out.Total = page.Day, max(out.Total, total)
			for _, x := range page.Memories {
				if !seen[x.ID] {
					seen[x.ID] = true
					out.Memories = append(out.Memories, x)
				}
			}
		}
	}
	slices.SortFunc(out.Memories, func(a, b *hippo.Memory) int { return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), a.ID.Compare(b.ID)) })
	engine.HoldingFirst(out.Memories, func(x *hippo.Memory) bool { return x.StateAt(at) == hippo.Holds })
	out.Total = max(out.Total, len(out.Memories))
	out.Memories = out.Memories[:min(n, len(out.Memories))]
	return out, nil
}

// ListKey orders a memory in a list. lapsed: it does not hold.
type ListKey struct {
	retrieve.Key
	lapsed bool
}

// CompareKeys orders keys as a list does: negative if k comes first.
func (k ListKey) CompareKeys(o ListKey) int {
	switch {
	case k.lapsed == o.lapsed:
		return k.Compare(o.Key)
	case k.lapsed:
		return 1
	default:
		return -1
	}
}

// FirstKeys returns the first n keys of an order, or all if there are fewer.
func FirstKeys[K any](keys []K, n int, compare func(a, b K) int) []K {
	best := top.New(min(n, len(keys)), compare)
	for _, k := range keys {
		if bound := best.Bound(); bound == nil || compare(k, *bound) < 0 {
			best.Add(k)
		}
	}
	return best.Sorted()
}

// KeysAmong returns the keys of those memories which an import has brought, and which pass the filter and come from the source, in no order.
func KeysAmong(ctx context.Context, m *engine.Memories, q api.List, of Brought) ([]ListKey, error) {
	keys, err := KeysOf(ctx, m, q)
	if of != nil {
		keys = slices.DeleteFunc(keys, func(k ListKey) bool { return !of[k.ID] })
	}
	return keys, err
}

// KeysOf returns the keys of all memories that pass the filter and come from the source, in no order.
func KeysOf(ctx context.Context, m *engine.Memories, q api.List) (keys []ListKey, err error) {
	vectors, err := m.Embedding.Query(ctx, &m.Scope, "", q.Situation)
	if err != nil {
		return nil, err
	}
	s := retrieve.Query{
		Scope: m.Scope, Filter: m.Scope.Narrow(q.Filter), Forgotten: q.Forgotten, Insights: q.Insights, Listed: retrieve.Listed{Place: q.Place, Source: from(q.Source)},
		Situation: retrieve.Situation{Elements: q.Situation, Vectors: vectors.Situation, Model: vectors.SituationModel},
	}
	err = m.Indexed(ctx, func() error {
		r, err := m.Index.Search(ctx, &s)
		if err != nil {
			return err
		}
		defer r.Close()
		at := cmp.Or(q.Filter.ValidAt, m.Clock()).UnixMicro()
		keys = make([]ListKey, len(r.Matches))
		for i, x := range r.Matches {
			keys[i] = ListKey{r.Reader.Key(x.Doc), r.Some.Bounded && recall.Lapsed(r.Reader, x.Doc, at)}
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

// Labels counts the memories that pass a filter by type and by tag, as [List] finds them. Cost: a
// pass over the index.
func Labels(ctx context.Context, m *engine.Memories, f hippo.Filter) (*LabelCounts, error) {
	return engine.Perform(ctx, m, f, "labels", labels)
}

func labels(ctx context.Context, m *engine.Memories, f hippo.Filter) (*LabelCounts, error) {
	if err := m.Scoped.Allow(hippo.RightRead); err != nil {
		return nil, err
	}
	if known := f.KnownAt; engine.IsPast(m, f.Moment) {
		f.KnownAt = time.Time{}
		out, _, err := engine.InPast(ctx, m, known, func(p *engine.Memories) (*LabelCounts, error) { return labels(ctx, p, f) })
		return out, err
	}
	check := hippo.Query{Filter: f}
	if err := check.Validate(); err != nil {
		return nil, err
	}
	f = m.Scope.Narrow(f)
	out := &LabelCounts{}
	err := m.Indexed(ctx, func() error {
		out.Types, out.Tags = m.Index.Labels(&m.Scope, &f)
		return nil
	})
	for _, n := range out.Types {
		out.Memories += n
	}
	return out, err
}
