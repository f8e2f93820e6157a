package entry

import (
	"slices"

	"github.com/hippo-memory/hippo/internal/sync/clock"
)

// Held is an entry as a store holds it, together with what its writer had seen of other replicas.
type Held struct {
	*Entry
	// From is the first number of the entry's segment, and Vector is the segment's vector.
	From   uint64
	Vector Vector
}

// Saw reports whether the writer had seen another entry or had written it earlier.
func (h *Held) Saw(d Dot) bool {
	if d.Origin == h.Origin {
		return d.Seq <= h.Seq
	}
	return h.Vector.Covers(d) || h.Seen.Covers(d) || slices.Contains(h.Also, d)
}

// HeldOf returns the entries of a segment as a store holds them.
func HeldOf(s *Segment) []*Held {
	out := make([]*Held, len(s.Entries))
	for i, e := range s.Entries {
		out[i] = &Held{e, s.From, s.Vector}
	}
	return out
}

// Segments returns the segments that cover a replica's numbers from one to another without gaps. list holds the replica's entries that
// still count, ordered by number.
func Segments(replica clock.Replica, from, to uint64, list []*Held) []*Segment {
	out := []*Segment{{Replica: replica, From: from, To: to, Vector: Vector{}}}
	for i, h := range list {
		s := out[len(out)-1]
		switch {
		case i == 0:
			s.Vector = h.Vector
		case h.From != list[i-1].From || len(s.Entries) == MaxEntries:
			s.To = h.Seq - 1
			s = &Segment{Replica: replica, From: h.Seq, To: to, Vector: h.Vector}
			out = append(out, s)
		}
		s.Entries = append(s.Entries, h.Entry)
	}
	return out
}
