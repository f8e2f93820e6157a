package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/contradict"
	"github.com/hippo-memory/hippo/internal/index"
)

// instead records m in the place of others.
func (e *Engine) instead(ctx context.Context, m *hippo.Memory, old []hippo.ID) (*hippo.Memory, error) {
	old, err := replaceable(old)
	if err != nil {
		return nil, err
	}
	if err := e.Flush(ctx); err != nil {
		return nil, err
	}
	if _, err := e.store.AddInstead(ctx, m, old); err != nil {
		return nil, err
	}
	return m, nil
}

// supersede is [Engine.Modify] of a memory that takes the place of others.
func (e *Engine) supersede(ctx context.Context, id hippo.ID, c Modification) (*hippo.Memory, error) {
	old, err := replaceable(*c.Supersedes)
	if err != nil {
		return nil, err
	}
	if err := e.Flush(ctx); err != nil {
		return nil, err
	}
	return e.store.Supersede(ctx, id, old, func(m *hippo.Memory, day hippo.Day) error {
		e.apply(c, m, day)
		return nil
	})
}

func replaceable(ids []hippo.ID) ([]hippo.ID, error) {
	ids = distinct(ids)
	if len(ids) == 0 || len(ids) > hippo.MaxIDs {
		return nil, hippo.Fieldf("supersedes", "must have 1 to %d elements, got %d", hippo.MaxIDs, len(ids))
	}
	return ids, nil
}

// Resemblance is what a memory has in common with others of its project.
type Resemblance struct {
	// DuplicateOf are those with the same text, see [hippo.HashContent].
	DuplicateOf []hippo.ID
	// Replaces are those that state the same with another value, so that the memory
	// probably replaces them.
	Replaces []Rival
}

// Rival is a memory that says otherwise than another one.
type Rival struct {
	Memory *hippo.Memory
	// Reason says in what: "30 s / 60 s", its own value last.
	Reason string
}

const (
	// resembleBytes bounds the part of a text that others like it are looked for by:
	// its resembleWords rarest words, which cost the least to look for and say the most.
	resembleBytes, resembleWords = 1000, 12
	// resembleMost are compared with it, resembleNamed named.
	resembleMost, resembleNamed = 16, 5
	// Those after the first resembleLeast must have resembleShare of the best score,
	// that of the text itself. It is low: the value in which two texts differ is a
	// rare word, and weighs as much as several others.
	resembleLeast, resembleShare = 10, .15
	// hintsAtATime is how many memories are looked up at a time.
	hintsAtATime = 2
)

// Resembling looks among the live memories of the same project and namespace for
// those that a stored memory repeats or probably replaces: they are not superseded,
// and the latter hold when it begins. At most five of each are named, the most alike
// first. It changes nothing. Cost: a search by words for the beginning of the text.
// Of many at a time only two are looked up, and the others resemble nothing: when
// thousands are recorded in a row, nobody reads hints.
func (e *Engine) Resembling(ctx context.Context, m *hippo.Memory) (*Resemblance, error) {
	if e.hinting.Add(1) > hintsAtATime {
		e.hinting.Add(-1)
		return &Resemblance{}, nil
	}
	defer e.hinting.Add(-1)
	if err := e.index.CatchUp(ctx); err != nil {
		return nil, err
	}
	ms, err := e.store.Get(ctx, e.alike(m))
	if err != nil {
		return nil, err
	}
	out := &Resemblance{}
	text := contradict.Parse(m.Content)
	for _, o := range ms {
		if o.ContentHash == m.ContentHash {
			out.DuplicateOf = append(out.DuplicateOf, o.ID)
		} else if o.ValidAt(begins(m)) {
			if reason, ok := contradict.Parse(o.Content).Revised(text); ok {
				out.Replaces = append(out.Replaces, Rival{o, string(reason)})
			}
		}
	}
	out.DuplicateOf = out.DuplicateOf[:min(len(out.DuplicateOf), resembleNamed)]
	out.Replaces = out.Replaces[:min(len(out.Replaces), resembleNamed)]
	return out, nil
}

// alike returns the memories that have most words in common with m.
func (e *Engine) alike(m *hippo.Memory) []hippo.ID {
	q := index.Query{Filter: hippo.Filter{Projects: []string{m.Project}, Namespace: m.Namespace}}
	best := newBest(resembleMost + 1) // it finds itself, too
	e.index.View(func(v *index.View) {
		if q.Text = rarest(v, head(m.Content)); q.Text == "" {
			return
		}
		for _, x := range v.Search(q).Matches {
			if !best.wants(x.Score) {
				continue
			}
			if row := v.Row(x.Doc); !row.Superseded {
				best.Add(candidate{id: row.ID, created: row.CreatedAt, relevance: x.Score})
			}
		}
	})
	list := best.Sorted()
	var ids []hippo.ID
	for i, c := range list {
		if c.id != m.ID && (i <= resembleLeast || c.relevance >= resembleShare*list[0].relevance) {
			ids = append(ids, c.id)
		}
	}
	return ids
}

// head returns the beginning of a text.
func head(text string) string {
	n := min(len(text), resembleBytes)
	for n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// rarest returns the words of a text that the fewest memories have.
func rarest(v *index.View, text string) string {
	v.Aim(index.Query{})
	rarity := make(map[string]float64)
	var words []string
	for w := range wordsOf(text) {
		if _, ok := rarity[w]; !ok {
			rarity[w] = v.Rarity(w)
			words = append(words, w)
		}
	}
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(rarity[b], rarity[a]) })
	return strings.Join(words[:min(len(words), resembleWords)], " ")
}

// begins is when the fact of a memory begins to hold.
func begins(m *hippo.Memory) time.Time {
	if m.ValidFrom.IsZero() {
		return m.When()
	}
	return m.ValidFrom
}

const (
	// conflictHits is how many hits of a page are compared with each other.
	conflictHits = 20
	// conflictsNamed is how many pairs an answer names.
	conflictsNamed = 5
)

// conflicts returns the pairs among the first hits that hold at the same time, for
// the same project, and seem to contradict each other. What different people said is
// not compared: everybody speaks for themselves. At is the zero time for now.
func (e *Engine) conflicts(hits []hippo.Hit, at time.Time) []hippo.Conflict {
	if at.IsZero() {
		at = e.now()
	}
	type side struct {
		m    *hippo.Memory
		text contradict.Text
	}
	var sides []side
	for _, h := range hits[:min(len(hits), conflictHits)] {
		if h.Memory.SupersededBy.IsZero() && h.Memory.ValidAt(at) {
			sides = append(sides, side{h.Memory, contradict.Parse(h.Memory.Content)})
		}
	}
	slices.SortStableFunc(sides, func(a, b side) int {
		return cmp.Or(begins(b.m).Compare(begins(a.m)), b.m.ID.Compare(a.m.ID))
	})
	var out []hippo.Conflict
	for i, a := range sides {
		for _, b := range sides[i+1:] {
			if !sameTopic(a.m, b.m) || len(out) == conflictsNamed {
				continue
			}
			if reason, ok := a.text.Contradicts(b.text); ok {
				out = append(out, hippo.Conflict{A: a.m.ID, B: b.m.ID, Reason: string(reason)})
			}
		}
	}
	return out
}

// sameTopic reports whether two memories speak of the same things.
func sameTopic(a, b *hippo.Memory) bool {
	return a.Project == b.Project && (a.Source.Author == b.Source.Author || a.Source.Author == "" || b.Source.Author == "")
}
