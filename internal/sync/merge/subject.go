// Package merge joins what stores have changed apart from each other, so that nobody has to resolve a conflict.
//
// The state of a memory is a set of entries ([Subject]). A part of an entry leaves the set when another entry takes its place whose writer
// had seen it; parts that were set at once both stay, and the one with the highest stamp is shown. Joining is commutative,
// associative and idempotent: stores that have the same entries have the same state, in whatever order, by whatever path and how
// often they got them. Nothing here reads a clock or a file.
package merge

import (
	"cmp"
	"maps"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// MaxVotes is how many votes and openings of each replica are kept of a memory: the newest.
const MaxVotes = 64

// rule names a rule of merging, for tests that switch one off and want to see that it is missed.
type rule uint

const (
	ruleSeen rule = 1 << iota // what the writer had seen goes
	ruleKeep                  // what it had not seen stays
	rulePurge
	ruleOrigin  // ties are decided by the origin
	ruleOrder   // votes are replayed in the order of stamps
	ruleBase    // votes count on the importance that did not see them
	ruleForget  // forgetting hides what it has seen
	ruleFloor   // a write is above what it replaces
	ruleBeyond  // a write says what it has seen beyond the vector
	ruleRemoval // a removed relation is remembered
	ruleUses    // uses are counted by replica
	ruleMost    // of votes the newest of each replica stay
)

// Subject is what a store holds of one memory: of each part the entries of which none replaces the other.
type Subject struct {
	ID   hippo.ID
	held map[entry.Dot]*entry.Held
	off  rule // rules that are switched off
}

// NewSubject returns the state of a memory with some entries. It does not change them.
func NewSubject(id hippo.ID, list ...*entry.Held) *Subject {
	s := &Subject{ID: id, held: make(map[entry.Dot]*entry.Held, len(list))}
	for _, h := range list {
		s.Join(h)
	}
	return s
}

// Held returns the entries with the parts of them that count, by dot.
func (s *Subject) Held() []*entry.Held {
	return slices.SortedFunc(maps.Values(s.held), func(a, b *entry.Held) int { return a.Compare(b.Dot) })
}

// Join adds an entry of the memory. It does not change it.
func (s *Subject) Join(h *entry.Held) {
	_, purge := h.Parts[Purged]
	switch purge = purge && !s.ID.IsZero() && s.off&rulePurge == 0; {
	case purge:
		joinPurge(s, h)
	case s.Purged():
	default:
		joinParts(s, h)
	}
}

// Purged reports whether the memory was deleted for good.
func (s *Subject) Purged() bool {
	return !s.ID.IsZero() && s.off&rulePurge == 0 && s.Winner(Purged) != nil
}

// joinPurge leaves the purge with the lowest stamp, and nothing else.
func joinPurge(s *Subject, h *entry.Held) {
	if old := s.Winner(Purged); old != nil && s.compare(old, h) <= 0 {
		return
	}
	c := &entry.Held{Entry: h.Clone(), From: h.From, Vector: h.Vector}
	for _, name := range h.Names() {
		if name != Purged {
			c.Drop(name)
		}
	}
	s.held = map[entry.Dot]*entry.Held{h.Dot: c}
}

func joinParts(s *Subject, h *entry.Held) {
	c := &entry.Held{Entry: h.Clone(), From: h.From, Vector: h.Vector}
	if old := s.held[h.Dot]; old != nil {
		for name, value := range old.Parts {
			if _, ok := c.Parts[name]; !ok {
				c.Set(name, value)
			}
		}
	}
	for _, name := range c.Names() {
		joinPart(s, c, name)
		if s.off&ruleRemoval != 0 && IsRelation(name) && string(h.Parts[name]) == "null" {
			c.Drop(name)
		}
	}
	if len(c.Parts) == 0 {
		delete(s.held, h.Dot)
		return
	}
	s.held[h.Dot] = c
	if _, ok := c.Parts[Vote]; ok {
		trimVotes(s, c)
	}
}

// joinPart drops a part of a new entry that another entry replaces, and drops it of those that the new one replaces.
func joinPart(s *Subject, h *entry.Held, name string) {
	for dot, o := range s.held {
		if _, ok := o.Parts[name]; !ok || dot == h.Dot {
			continue
		}
		if replaces(s, o, h, name) {
			h.Drop(name)
			return
		}
		if replaces(s, h, o, name) {
			dropPart(s, o, name)
		}
	}
}

// dropPart removes a part of an entry that is held. Callers may have the entry as it was.
func dropPart(s *Subject, h *entry.Held, name string) {
	c := &entry.Held{Entry: h.Clone(), From: h.From, Vector: h.Vector}
	if c.Drop(name); len(c.Parts) == 0 {
		delete(s.held, h.Dot)
		return
	}
	s.held[h.Dot] = c
}

// replaces reports whether a part of an entry takes the place of that of another one.
func replaces(s *Subject, h, other *entry.Held, name string) bool {
	switch {
	case name == Vote:
		return false
	case name == Uses && s.off&ruleUses == 0: // each replica counts its own
		return h.Origin == other.Origin && h.Seq > other.Seq
	case s.off&ruleSeen != 0:
		return false
	case s.off&ruleKeep != 0:
		return s.compare(h, other) > 0
	}
	return h.Dot != other.Dot && h.Saw(other.Dot)
}

// trimVotes leaves the newest votes of a replica.
func trimVotes(s *Subject, h *entry.Held) {
	if s.off&ruleMost != 0 {
		return
	}
	own := slices.DeleteFunc(s.with(Vote), func(o *entry.Held) bool { return o.Origin != h.Origin })
	slices.SortFunc(own, func(a, b *entry.Held) int { return cmp.Compare(b.Seq, a.Seq) })
	for _, o := range own[min(MaxVotes, len(own)):] {
		dropPart(s, o, Vote)
	}
}

// compare orders entries by stamp, and those of one stamp by number.
func (s *Subject) compare(a, b *entry.Held) int {
	if s.off&ruleOrigin != 0 {
		return cmp.Compare(a.Time, b.Time)
	}
	return cmp.Or(a.Stamp().Compare(b.Stamp()), cmp.Compare(a.Seq, b.Seq))
}

// Register returns the entries that set a part and do not replace each other, by stamp: the last one is shown.
func (s *Subject) Register(part string) []*entry.Held {
	out := s.with(part)
	slices.SortFunc(out, s.compare)
	return out
}

// with returns the entries that set a part, in no order.
func (s *Subject) with(part string) []*entry.Held {
	var out []*entry.Held
	for _, h := range s.held {
		if _, ok := h.Parts[part]; ok {
			out = append(out, h)
		}
	}
	return out
}

// Winner returns the entry whose value of a part is shown; nil if there is none.
func (s *Subject) Winner(part string) *entry.Held {
	list := s.Register(part)
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}

// Parts returns the names of all parts, in order.
func (s *Subject) Parts() []string {
	names := make(map[string]bool)
	for _, h := range s.held {
		for name := range h.Parts {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
