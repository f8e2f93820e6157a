// Package merge joins the changes that stores have made independently, so that nobody has to resolve a conflict.
//
// The state of a memory is a set of entries ([Subject]). A part of an entry leaves the set when a new entry sets the same part and its
// writer had seen the old one. Concurrent values of a part all stay, and the one with the highest stamp wins. Joining is commutative,
// associative and idempotent: stores that have received the same entries have the same state. The order, the path and the number of
// deliveries do not matter. This package never reads a clock or a file.
package merge

import (
	"cmp"
	"maps"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// MaxVotes is the maximum number of votes and openings that a memory keeps from each replica. The newest stay.
const MaxVotes = 64

// rule names a rule of merging. Tests switch a rule off to check that its absence causes a failure.
type rule uint

const (
	ruleSeen rule = 1 << iota // an entry replaces what its writer had seen
	ruleKeep                  // an entry does not replace what its writer had not seen
	rulePurge
	ruleOrigin  // the origin decides ties
	ruleOrder   // votes apply in stamp order
	ruleBase    // an importance takes only votes that its writer had not seen
	ruleForget  // a forgetting hides only what its writer had seen
	ruleFloor   // a write has a higher stamp than the value it replaces
	ruleBeyond  // a write lists what its writer had seen beyond the vector
	ruleRemoval // a removed relation leaves an entry
	ruleUses    // each replica counts its own uses
	ruleMost    // only the newest votes of each replica stay
)

// Subject is the state of one memory in a store. For each part, it holds the entries that no other entry has replaced.
type Subject struct {
	ID   hippo.ID
	held map[entry.Dot]*entry.Held
	off  rule // the rules that a test switches off
}

// NewSubject returns the state of a memory that has received the given entries. It does not change the entries.
func NewSubject(id hippo.ID, list ...*entry.Held) *Subject {
	s := &Subject{ID: id, held: make(map[entry.Dot]*entry.Held, len(list))}
	for _, h := range list {
		s.Join(h)
	}
	return s
}

// Held returns the entries in dot order. Each entry has only the parts that no other entry has replaced.
func (s *Subject) Held() []*entry.Held {
	return slices.SortedFunc(maps.Values(s.held), func(a, b *entry.Held) int { return a.Compare(b.Dot) })
}

// Join adds an entry to the state of the memory. It does not change h.
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

// Purged reports whether somebody has deleted the memory for good.
func (s *Subject) Purged() bool {
	return !s.ID.IsZero() && s.off&rulePurge == 0 && s.Winner(Purged) != nil
}

// joinPurge keeps the purge with the lowest stamp and drops everything else.
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

// joinPart drops a part from the new entry if a held entry replaces it. It drops the part from each held entry that the new one replaces.
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

// dropPart removes a part from a held entry. It changes a copy, because callers may still use the original.
func dropPart(s *Subject, h *entry.Held, name string) {
	c := &entry.Held{Entry: h.Clone(), From: h.From, Vector: h.Vector}
	if c.Drop(name); len(c.Parts) == 0 {
		delete(s.held, h.Dot)
		return
	}
	s.held[h.Dot] = c
}

// replaces reports whether the value that h has for a part replaces the value in other.
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

// trimVotes keeps only the newest votes of the replica that wrote h.
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

// compare orders entries by stamp. Entries with the same stamp are in order of their numbers.
func (s *Subject) compare(a, b *entry.Held) int {
	if s.off&ruleOrigin != 0 {
		return cmp.Compare(a.Time, b.Time)
	}
	return cmp.Or(a.Stamp().Compare(b.Stamp()), cmp.Compare(a.Seq, b.Seq))
}

// Register returns the current entries of a part in stamp order. The last one wins.
func (s *Subject) Register(part string) []*entry.Held {
	out := s.with(part)
	slices.SortFunc(out, s.compare)
	return out
}

// with returns the entries that set a part, in no particular order.
func (s *Subject) with(part string) []*entry.Held {
	var out []*entry.Held
	for _, h := range s.held {
		if _, ok := h.Parts[part]; ok {
			out = append(out, h)
		}
	}
	return out
}

// Winner returns the entry whose value of a part wins, or nil if no entry sets the part.
func (s *Subject) Winner(part string) *entry.Held {
	list := s.Register(part)
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}

// Parts returns the sorted names of all parts that the entries set.
func (s *Subject) Parts() []string {
	names := make(map[string]bool)
	for _, h := range s.held {
		for name := range h.Parts {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
