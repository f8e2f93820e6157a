package entry

import (
	"maps"
	"slices"

	"github.com/hippo-memory/hippo/internal/sync/clock"
)

// Dot names an entry by the replica that wrote it and its number there. A replica numbers its entries from 1, without gaps.
type Dot struct {
	Origin clock.Replica
	Seq    uint64
}

// Compare orders dots by origin, then by number.
func (d Dot) Compare(other Dot) int {
	if c := d.Origin.Compare(other.Origin); c != 0 {
		return c
	}
	switch {
	case d.Seq < other.Seq:
		return -1
	case d.Seq > other.Seq:
		return 1
	}
	return 0
}

// Vector records what a replica has seen: for each replica, all entries up to a number. A missing replica counts as 0.
type Vector map[clock.Replica]uint64

// Covers reports whether the vector includes an entry.
func (v Vector) Covers(d Dot) bool { return v[d.Origin] >= d.Seq }

// CoversAll reports whether the vector includes everything in other.
func (v Vector) CoversAll(other Vector) bool {
	for r, n := range other {
		if v[r] < n {
			return false
		}
	}
	return true
}

// Add marks an entry and all before it as seen. The vector must not be nil.
func (v Vector) Add(d Dot) { v[d.Origin] = max(v[d.Origin], d.Seq) }

// Union returns a new vector of everything that either vector includes.
func (v Vector) Union(other Vector) Vector {
	out := make(Vector, len(v)+len(other))
	for _, one := range []Vector{v, other} {
		for r, n := range one {
			out.Add(Dot{r, n})
		}
	}
	return out
}

// Beyond returns the part of the vector that other lacks, or nil if it lacks nothing.
func (v Vector) Beyond(other Vector) Vector {
	var out Vector
	for r, n := range v {
		if n > other[r] {
			if out == nil {
				out = make(Vector)
			}
			out[r] = n
		}
	}
	return out
}

// Replicas returns the replicas in the vector, in order.
func (v Vector) Replicas() []clock.Replica {
	return slices.SortedFunc(maps.Keys(v), clock.Replica.Compare)
}
