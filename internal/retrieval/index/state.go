package index

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// state publishes snapshots. Searches load the current one; edits make the next one.
type state struct {
	current atomic.Pointer[snapshot]
	touches touches // accesses that no snapshot shows yet

	mu      sync.Mutex // held by edits, guards what follows
	pending pending
	changed int // rows since the last save
}

func newState(models []embed.Model) *state {
	s := &state{}
	s.pending.clear()
	s.current.Store(&snapshot{models: models})
	return s
}

// edit publishes the current snapshot as f changes it. Edits exclude each other; searches do
// not wait for them.
func (s *state) edit(f func(d *draft)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.draft()
	f(d)
	s.publish(d)
}

// draft begins a draft; s.mu is held.
func (s *state) draft() *draft {
	d := &draft{
		snapshot: *s.current.Load(), pending: &s.pending,
		owned: make(map[*part]bool), chunks: make(map[*rowChunk]bool), stale: make(map[chunkKey]bool),
	}
	d.parts = slices.Clone(d.parts)
	return d
}

// publish makes a draft the current snapshot; s.mu is held.
func (s *state) publish(d *draft) {
	d.show()
	next := d.snapshot
	s.changed += d.changed
	s.current.Store(&next)
}

// newest returns the current snapshot with all accesses that were counted, as far as no edit
// is under way.
func (s *state) newest() *snapshot {
	if s.mu.TryLock() {
		defer s.mu.Unlock()
		if list := s.touches.take(); len(list) > 0 {
			d := s.draft()
			d.count(list)
			s.publish(d)
		}
	}
	return s.current.Load()
}

// unsaved counts the rows that changed since the last save.
func (s *state) unsaved() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// Touch counts one access on day for each of these memories, before the store knows of it: the
// index adds it to what the store says until [Index.Settle]. Unknown IDs are ignored. Touch never
// waits for an edit: the accesses appear in the next snapshot, which the next search publishes
// unless an edit is running.
func (s *state) Touch(ids []hippo.ID, day hippo.Day) {
	s.touches.mu.Lock()
	defer s.touches.mu.Unlock()
	for _, id := range ids {
		s.touches.list = append(s.touches.list, touch{id, use{int32Of(int(day)), 1}})
	}
}

// Count returns how many memories of a scope can be found, and how many are forgotten.
func (s *state) Count(scope *hippo.Scope) (live, forgotten int) {
	for _, p := range s.current.Load().parts {
		if in, ok := p.scope(scope); ok {
			live += p.live.common(in.docs)
			forgotten += p.hidden.common(in.docs)
		}
	}
	return live, forgotten
}

// Archived counts the archived memories of a scope, forgotten ones left out. Cost: a pass over the rows of the
// segments that have any.
func (s *state) Archived(scope *hippo.Scope) (n int) {
	for _, p := range s.current.Load().parts {
		in, ok := p.scope(scope)
		if !ok || p.archived == 0 {
			continue
		}
		for d := range in.all() {
			if p.live.has(d) {
				n += p.stored.row(d).archived()
			}
		}
	}
	return n
}

// Namespaces returns those that have memories, forgotten ones included, in alphabetical order.
func (s *state) Namespaces() []string {
	seen := make(map[string]bool)
	for _, p := range s.current.Load().parts {
		for _, t := range p.tenants {
			if p.anyKnown(t.docRange) {
				seen[p.names.text(t.namespace)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// Projects returns the projects of a scope that have memories, forgotten ones included, in
// alphabetical order and without the empty one.
func (s *state) Projects(scope *hippo.Scope) []string {
	seen := make(map[string]bool)
	for _, p := range s.current.Load().parts {
		in, ok := p.scope(scope)
		if !ok {
			continue
		}
		for _, x := range in.projects {
			if p.anyKnown(x.docRange) {
				seen[p.names.text(x.project)] = true
			}
		}
	}
	delete(seen, "")
	return slices.Sorted(maps.Keys(seen))
}

// Labels counts the memories of a scope that can be found and pass a filter, by type and by tag. The type
// of those without one is "". Cost: a pass over the rows, 4 ms of 100,000.
func (s *state) Labels(scope *hippo.Scope, f *hippo.Filter) (types, tags map[string]int) {
	types, tags = make(map[string]int), make(map[string]int)
	for _, p := range s.current.Load().parts {
		in, ok := p.scope(scope)
		if !ok {
			continue
		}
		c, possible := p.compile(&retrieve.Query{Scope: *scope, Filter: *f}, &in)
		if !possible {
			continue
		}
		kinds, labels := make([]int, p.names.len()), make([]int, p.names.len())
		for d := range c.reach.all() {
			if !c.passes(p, d) {
				continue
			}
			kinds[p.shown.row(d).kind]++
			for _, t := range p.columns.tags(&p.columns.extras[d]) {
				labels[t]++
			}
		}
		addCounts(types, kinds, p.names.text)
		addCounts(tags, labels, p.names.text)
	}
	return types, tags
}

// addCounts adds counts by the number of a name.
func addCounts(to map[string]int, counts []int, name func(uint32) string) {
	for i, n := range counts {
		if n > 0 {
			to[name(uint32(i))] += n
		}
	}
}
