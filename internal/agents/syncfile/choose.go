package syncfile

import (
	"context"
	"errors"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// maxCandidates is the number of memories that a block is chosen from.
const maxCandidates = 300

// choose returns the memories of the block: first those that people wrote into the file, then the
// pinned ones, then the others by the engine's ranking without a query, as many as fit. Memories
// of low trust are left out: nobody has confirmed them.
func (s *run) choose(ctx context.Context, p *parsed) ([]*hippo.Memory, error) {
	written, err := s.written(ctx, p)
	if err != nil {
		return nil, err
	}
	candidates := slices.Clone(written)
	for _, pinned := range []bool{true, false} {
		a, err := query.Search(ctx, s.memories, hippo.Query{
			NoTouch: true, Count: maxCandidates,
			Filter: hippo.Filter{Pinned: pinned, MinTrust: hippo.TrustNormal, Moment: hippo.Moment{ValidAt: s.options.Now}},
		})
		if err != nil {
			return nil, err
		}
		for _, h := range a.Hits {
			candidates = append(candidates, h.Memory)
		}
	}
	chosen := s.fit(candidates, len(written))
	// What people wrote into another file counts as written here from the next run on. It stands
	// first at once, so that running again changes nothing.
	var first, rest []*hippo.Memory
	for _, m := range chosen {
		if m.Source.Kind == hippo.SourceSync {
			first = append(first, m)
		} else {
			rest = append(rest, m)
		}
	}
	return append(first, rest...), nil
}

// written returns the memories that people wrote into the file, in the order of the file.
func (s *run) written(ctx context.Context, p *parsed) (out []*hippo.Memory, err error) {
	ids := make([]hippo.ID, 0, len(p.entries)+len(s.recorded))
	for _, e := range p.entries {
		ids = append(ids, e.id)
	}
	for _, id := range append(ids, s.recorded...) {
		ms, err := memory.Get(ctx, s.memories, []hippo.ID{id})
		if errors.Is(err, hippo.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if ms[0].Source.Kind == hippo.SourceSync {
			out = append(out, ms[0])
		}
	}
	return out, nil
}

// holds reports whether a memory is live, and its fact has not ended.
func (s *run) holds(m *hippo.Memory) bool {
	return !m.Forgotten() && m.SupersededBy.IsZero() && (s.options.Now.IsZero() || m.ValidAt(s.options.Now))
}

// fit drops repeated memories, those that do not hold, and those that exceed the budget. The
// first exempt ones, and pinned ones, may exceed it.
func (s *run) fit(ms []*hippo.Memory, exempt int) []*hippo.Memory {
	budget := s.options.Budget
	if budget == 0 {
		budget = DefaultBudget
	}
	var out []*hippo.Memory
	seen := make(map[hippo.ID]bool)
	texts := make(map[string]bool)
	for i, m := range ms {
		text, _ := shown(m)
		if seen[m.ID] || texts[text] || !s.holds(m) {
			continue
		}
		size := len(line(text, "000000")) + 1
		if size > budget && !m.Pinned && i >= exempt {
			continue
		}
		budget -= size
		seen[m.ID], texts[text] = true, true
		out = append(out, m)
	}
	return out
}
