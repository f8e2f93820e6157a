package driver

import (
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// Replica is what a store knows of itself as one of several that exchange their changes. The zero value is a store that is alone.
type Replica struct {
	ID    clock.Replica
	Clock clock.Clock
	// Seq is the number of the last entry that the store has written.
	Seq uint64
	// From is the first number of the segment that is open; 0: none is.
	From uint64
}

// Replicas is implemented by back ends that can be one of several stores which exchange their changes. What they keep for it is seen by none
// of the other methods of a [Backend]. Entries are kept and returned as they were given.
type Replicas interface {
	// Replica returns what the store knows of itself, and which entries it has seen, its own ones included.
	Replica(ctx context.Context) (Replica, entry.Vector, error)
	// EntriesOf returns at most limit entries of a replica by number, those after a number and up to another one. Entries that were written
	// since the vector was read, and replace some of these, may leave them out.
	EntriesOf(ctx context.Context, origin clock.Replica, after, upTo uint64, limit int) ([]*entry.Held, error)
}

// ReplicaTx is implemented by the transactions of such back ends. A store that is alone pays nothing for it.
type ReplicaTx interface {
	// Replica returns what the store knows of itself, without a read. moved: the data are not where they were when
	// SetReplica was called last, because they were copied or restored.
	Replica() (r Replica, moved bool)
	// SetReplica replaces it. Its ID and Seq become a part of the vector.
	SetReplica(Replica) error
	// Vector returns which entries the store has seen, its own ones included. The caller owns it.
	Vector() (entry.Vector, error)
	// SetVector notes that entries were seen: of the replicas that it names, all up to these numbers.
	SetVector(entry.Vector) error
	// Held returns the entries of memories, by memory and dot. Each memory is given once.
	Held(subjects ...hippo.ID) ([]*entry.Held, error)
	// Hold stores entries in place of those with the same dots. One without parts is removed.
	Hold(list ...*entry.Held) error
	// SegmentVector returns the vector of a segment of which an entry was stored; nil if there is none.
	SegmentVector(origin clock.Replica, from uint64) (entry.Vector, error)
	// Await notes that a relation from a memory waits for the one that it leads to.
	Await(from, to hippo.ID) error
	// Arrived returns the memories from which relations wait for one that is there now, and forgets that they do.
	Arrived(to hippo.ID) ([]hippo.ID, error)
}

// ReplicaOf returns a transaction as one of a store that exchanges its changes; nil if it does not.
func ReplicaOf(tx Tx) ReplicaTx {
	for {
		if t, ok := tx.(interface{ Unwrap() Tx }); ok {
			tx = t.Unwrap()
			continue
		}
		t, ok := tx.(ReplicaTx)
		if !ok {
			return nil
		}
		if r, _ := t.Replica(); r.ID.IsZero() {
			return nil
		}
		return t
	}
}

// SortHeld orders entries by memory and dot.
func SortHeld(list []*entry.Held) {
	slices.SortFunc(list, func(a, b *entry.Held) int {
		if c := a.Subject.Compare(b.Subject); c != 0 {
			return c
		}
		return a.Compare(b.Dot)
	})
}
