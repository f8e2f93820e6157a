package consolidate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/contradict"
)

// archiver archives.
type archiver struct {
	*state
	*corpus
	found []candidate
	// gone are the memories that are archived, and needed those that say what an archived one says, by position.
	gone, needed map[int]bool
}

// candidate is a memory that may be archived, with its group and its surprise at its age.
type candidate struct {
	Action
	at    int
	group *group
	value float64
}

// archive proposes to archive what says little, and what a memory that is near it in its group says as well, which then
// stays for it. The most central member of a group, the one with the highest surprise, and those that others are duplicates of,
// stay as well. So does what is left when a share of all memories is archived: conversations are low in surprise and dense all over.
func (s *archiver) archive(groups []group) error {
	s.gone, s.needed = make(map[int]bool), make(map[int]bool)
	room := int(s.options.Archive.Share * float64(len(s.items)))
	for i := range s.items {
		if s.items[i].Archived {
			s.gone[i] = true
			room--
		}
	}
	for i := range groups {
		if err := s.stop(); err != nil {
			return err
		}
		g := &groups[i]
		s.need(g)
		if s.dense(g) {
			s.find(g)
		}
	}
	slices.SortFunc(s.found, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.at, b.at)) })
	for i := range s.found {
		if err := s.stop.at(i, checkEvery); err != nil {
			return err
		}
		if room <= 0 {
			break
		}
		if c := &s.found[i]; s.spared(c) {
			s.gone[c.at] = true
			room--
			s.propose(c.Action)
		}
	}
	return nil
}

// spared reports whether a candidate is not needed for another one, and a memory near it stays, which is needed then.
func (s *archiver) spared(c *candidate) bool {
	if s.options.Archive.Near == 0 {
		return true
	}
	near, cosine := s.nearest(c.group, c.at)
	if near < 0 || s.needed[c.at] {
		return false
	}
	s.needed[near] = true
	c.Reason += fmt.Sprintf("; %s stays, with a cosine of %.2f", s.items[near].ID.Short(), cosine)
	return true
}

// need marks what says what the archived members of a group say.
func (s *archiver) need(g *group) {
	for _, m := range g.members {
		if s.items[m.at].Archived {
			if near, _ := s.nearest(g, m.at); near >= 0 {
				s.needed[near] = true
			}
		}
	}
}

// nearest returns the member of a group that is most like one of them, of the central ones that are not archived and say what it
// says, and their cosine; -1 if none is near enough. A group of more than maxCited members is one that cannot be divided.
func (s *archiver) nearest(g *group, at int) (near int, cosine float64) {
	near, cosine = -1, s.options.Archive.Near
	for _, m := range g.members[:min(len(g.members), maxCited)] {
		if m.at == at || s.gone[m.at] {
			continue
		}
		if c := vector.Cosine(&s.items[at].code, &s.items[m.at].code); (c > cosine || c == cosine && near < 0) && s.says(m.at, at) {
			near, cosine = m.at, c
		}
	}
	return near, cosine
}

// says reports whether a memory says what another one says: it has as much of its words, and no other name, number or value.
func (s *archiver) says(at, other int) bool {
	both := 0
	for _, t := range s.items[other].terms {
		if _, ok := slices.BinarySearch(s.items[at].terms, t); ok {
			both++
		}
	}
	return float64(both) >= s.options.Archive.Words*float64(len(s.items[other].terms)) && !differ(s.items[at].Content, s.items[other].Content, contradict.Parse(s.items[at].Content))
}

// find looks for candidates in a dense group.
func (s *archiver) find(g *group) {
	c := s.corpus
	best := g.members[0].at
	for _, m := range g.members {
		if c.items[m.at].Surprise.Score > c.items[best].Surprise.Score || c.items[m.at].Surprise.Score == c.items[best].Surprise.Score && m.at < best {
			best = m.at
		}
	}
	for n, m := range g.members {
		x := &c.items[m.at]
		if n == 0 || m.at == best || x.front || s.stays(x) {
			continue
		}
		if value := s.decayed(x); value < s.options.Archive.Below {
			s.found = append(s.found, candidate{at: m.at, group: g, value: value, Action: Action{Kind: api.ActionArchive, ID: x.ID, Reason: fmt.Sprintf(
				"surprise %.2f, %.2f at its age of %d days, below %.2f; one of %d memories with a mean cosine of %.2f",
				x.Surprise.Score, value, int(s.age(x.Memory)/day), s.options.Archive.Below, len(g.members), g.density)}})
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
	case !(x.Surprise.Score > 0):
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
	return x.Surprise.Score * max(decay, o.Floor)
}

// prune proposes to drop the learned relations that have faded. The decay itself is never stored: weights decay when
// they are read, so that two consolidations on one day do not count twice.
func (s *state) prune() error {
	var list []hippo.Relation
	for i := range s.Relations {
		if err := s.stop.at(i, checkEvery); err != nil {
			return err
		}
		if r := &s.Relations[i]; s.options.Relations.Faded(r, s.Now) {
			list = append(list, *r)
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b hippo.Relation) int { return a.Compare(&b) })
	s.propose(Action{Kind: api.ActionPrune, Relations: list, Reason: fmt.Sprintf(
		"%d learned relations with a weight below %.2f after a half-life of %.0f days", len(list), s.options.Relations.Forget, s.options.Relations.HalfLife)})
	return nil
}
