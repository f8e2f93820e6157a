package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// ListQuery asks for memories by filter, newest first.
type ListQuery struct {
	Filter hippo.Filter
	// Forgotten lists the forgotten memories instead; of Filter only Projects,
	// Types and Tags apply to them.
	Forgotten bool
	Offset    int
	// Count 0 means [hippo.DefaultCount]; at most [hippo.MaxCount].
	Count int
}

// Listing is one page of a list.
type Listing struct {
	Memories []*hippo.Memory
	// Total counts all pages.
	Total int
	// Day is the active day that the list is of.
	Day hippo.Day
}

// List returns memories by the time they were created, newest first. It is not
// an access and does not advance the active day.
func (e *Engine) List(ctx context.Context, q ListQuery) (*Listing, error) {
	check := hippo.Query{Filter: q.Filter, Offset: q.Offset, Count: q.Count}
	if err := check.Validate(); err != nil {
		return nil, err
	}
	q.Count = cmp.Or(q.Count, hippo.DefaultCount)
	list, err := e.list(ctx, q)
	if err != nil {
		return nil, err
	}
	head, err := e.store.Head(ctx)
	list.Day = head.Calendar.Day
	return list, err
}

func (e *Engine) list(ctx context.Context, q ListQuery) (*Listing, error) {
	if q.Forgotten {
		return e.listForgotten(ctx, q)
	}
	if err := e.index.CatchUp(ctx); err != nil {
		return nil, err
	}
	rows := e.rows(q.Filter)
	slices.SortFunc(rows, func(a, b listed) int {
		return cmp.Or(cmp.Compare(b.created, a.created), a.id.Compare(b.id))
	})
	ids := make([]hippo.ID, 0, q.Count)
	for _, r := range pageOf(rows, q.Offset, q.Count) {
		ids = append(ids, r.id)
	}
	ms, err := e.store.Get(ctx, ids)
	return &Listing{Memories: ms, Total: len(rows)}, err
}

// listed is what a list is ordered by; created in microseconds since 1970.
type listed struct {
	id      hippo.ID
	created int64
}

// rows returns all memories that pass the filter, in no order.
func (e *Engine) rows(f hippo.Filter) []listed {
	var out []listed
	e.index.View(func(v *index.View) {
		for _, m := range v.Search(index.Query{Filter: f}).Matches {
			r := v.Row(m.Doc)
			out = append(out, listed{id: r.ID, created: r.CreatedAt})
		}
	})
	return out
}

func (e *Engine) listForgotten(ctx context.Context, q ListQuery) (*Listing, error) {
	var all []*hippo.Memory
	for m, err := range e.Export(ctx) {
		if driver.Readable(err) != nil {
			return nil, err
		}
		if err == nil && m.Forgotten() && keeps(q.Filter, m) {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b *hippo.Memory) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), a.ID.Compare(b.ID))
	})
	return &Listing{Memories: pageOf(all, q.Offset, q.Count), Total: len(all)}, nil
}

func keeps(f hippo.Filter, m *hippo.Memory) bool {
	if len(f.Projects) > 0 && !slices.Contains(f.Projects, m.Project) || len(f.Types) > 0 && !slices.Contains(f.Types, m.Type) {
		return false
	}
	for _, t := range f.Tags {
		if !slices.Contains(m.Tags, t) {
			return false
		}
	}
	return true
}

func pageOf[T any](all []T, offset, count int) []T {
	from := min(offset, len(all))
	return all[from:min(len(all), from+count)]
}
