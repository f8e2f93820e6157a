package consolidate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
)

// archiver archives.
type archiver struct {
	*state
	*corpus
}

// archive proposes to archive what says little that the rest of its group does not say. The most central member of
// a group, the one with the highest surprise, and those that others are duplicates of, stay.
func (s *archiver) archive(groups []group) {
	c := s.corpus
	for i := range groups {
		g := &groups[i]
		if !s.dense(g) {
			continue
		}
		best := g.members[0].at
		for _, m := range g.members {
			if c.items[m.at].score > c.items[best].score || c.items[m.at].score == c.items[best].score && m.at < best {
				best = m.at
			}
		}
		for n, m := range g.members {
			x := &c.items[m.at]
			if n == 0 || m.at == best || x.front || s.stays(x) {
				continue
			}
			if value := s.decayed(x); value < s.options.Archive.Below {
				s.propose(Action{Kind: Archive, ID: x.ID, Reason: fmt.Sprintf(
					"surprise %.2f, %.2f at its age of %d days, below %.2f; one of %d memories with a mean cosine of %.2f",
					x.score, value, int(s.age(x.Memory)/day), s.options.Archive.Below, len(g.members), g.density)})
			}
		}
	}
}

// stays reports whether a memory is never archived, not yet, or already.
func (s *archiver) stays(x *item) bool {
	o := &s.options.Archive
	age := s.age(x.Memory)
	switch {
	case x.Archived, x.Pinned, x.Upvoted:
		return true
	case x.Surprise.Score <= 0 || math.IsNaN(x.score):
		return true // nothing is known about it
	case age < time.Duration(o.Grace)*day || !s.window.contains(age):
		return true
	case slices.ContainsFunc(x.Tags, func(t string) bool { return slices.Contains(o.Tags, strings.ToLower(t)) }):
		return true
	}
	return s.used(x.Memory, o.Grace)
}

// used reports whether a memory was used within a number of active days, the day of recording left out.
func (s *archiver) used(m *hippo.Memory, days int) bool {
	if len(m.Accesses) < 2 {
		return false
	}
	last := m.Accesses[len(m.Accesses)-1].Day
	return int(s.Calendar.Day-last) < days
}

// decayed is the surprise of a memory at its age. The floor keeps what was most unexpected.
// Source: claude-hippo 0.5.
func (s *archiver) decayed(x *item) float64 {
	o := &s.options.Archive
	decay := 1.0
	if o.HalfLife > 0 {
		decay = math.Exp2(-s.age(x.Memory).Hours() / 24 / o.HalfLife)
	}
	return x.score * max(decay, o.Floor)
}

// changed is the difference of a surprise below which it stays as it is.
const changed = .01

// rescore proposes the surprise that memories have now, in place of that which they had when they were recorded. What
// has none is left alone.
func (s *state) rescore(ctx context.Context, c *corpus) error {
	if s.options.Novelty == nil || !s.window.surprise {
		return nil
	}
	for i := range c.items {
		x := &c.items[i]
		if x.Surprise.Score <= 0 || !s.window.contains(s.age(x.Memory)) {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		now, ok := s.options.Novelty(x.ID)
		if !ok || !(now.Score > 0 && now.Score <= 1) || !(math.Abs(now.Score-x.Surprise.Score) > changed) {
			continue
		}
		x.score = now.Score
		s.propose(Action{Kind: Rescore, ID: x.ID, Surprise: now, Reason: fmt.Sprintf("surprise %.2f, before %.2f", now.Score, x.Surprise.Score)})
	}
	return nil
}

// prune proposes to drop the learned relations that have faded. The decay itself is never stored: weights decay when
// they are read, so that two consolidations on one day do not count twice.
func (s *state) prune(ctx context.Context) error {
	var list []hippo.Relation
	for i := range s.Relations {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if r := &s.Relations[i]; s.options.Relations.Faded(r, s.Now) {
			list = append(list, *r)
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b hippo.Relation) int { return a.Compare(&b) })
	s.propose(Action{Kind: Prune, Relations: list, Reason: fmt.Sprintf(
		"%d learned relations with a weight below %.2f after a half-life of %.0f days", len(list), s.options.Relations.Forget, s.options.Relations.HalfLife)})
	return nil
}
