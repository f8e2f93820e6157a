package entry

import (
	"maps"
	"slices"

	"github.com/hippo-memory/hippo/internal/sync/clock"
)

// Dot names an entry: the replica that wrote it, and its number there. Numbers begin at 1 and leave none out.
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

// Vector says what somebody has seen: of each replica, all entries up to a number. What is left out is 0.
type Vector map[clock.Replica]uint64

// Covers reports whether an entry was seen.
func (v Vector) Covers(d Dot) bool { return v[d.Origin] >= d.Seq }

// CoversAll reports whether all was seen that another vector has.
func (v Vector) CoversAll(other Vector) bool {
	for r, n := range other {
		if v[r] < n {
			return false
		}
	}
	return true
}

// Add notes that an entry, and all before it, was seen. The vector must not be nil.
func (v Vector) Add(d Dot) { v[d.Origin] = max(v[d.Origin], d.Seq) }

// Union returns a new vector of what at least one of two has seen.
func (v Vector) Union(other Vector) Vector {
	out := make(Vector, len(v)+len(other))
	for _, one := range []Vector{v, other} {
		for r, n := range one {
			out.Add(Dot{r, n})
		}
	}
	return out
}

// Beyond returns what a vector has that another one lacks; nil if nothing.
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

// Replicas returns the replicas of which something was seen, in order.
func (v Vector) Replicas() []clock.Replica {
	return slices.SortedFunc(maps.Keys(v), clock.Replica.Compare)
}
