package driver

import (
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// Replica is the sync state of a store: its identity, its clock and its position. The zero value means that sync is off.
type Replica struct {
	ID    clock.Replica
	Clock clock.Clock
	// Seq is the number of the last entry that the store wrote.
	Seq uint64
	// From is the first number of the open segment, or 0 if no segment is open.
	From uint64
}

// Replicas is implemented by back ends that support sync. No other method of a [Backend] exposes the sync data. The back end stores and
// returns entries unchanged.
type Replicas interface {
	// Replica returns the sync state of the store and the vector of entries that it has seen, including its own.
	Replica(ctx context.Context) (Replica, entry.Vector, error)
	// EntriesOf returns at most limit entries of a replica, ordered by number, with numbers above after and up to and including upTo. The
	// result may lack entries that newer ones have replaced since the caller read the vector.
	EntriesOf(ctx context.Context, origin clock.Replica, after, upTo uint64, limit int) ([]*entry.Held, error)
}

// ReplicaTx is implemented by the transactions of back ends that support sync. A store with sync off pays no cost.
type ReplicaTx interface {
	// Replica returns the sync state of the store without reading from storage. moved reports that the data was copied or
	// restored to another place after the last call of SetReplica.
	Replica() (r Replica, moved bool)
	// SetReplica replaces the sync state. Its ID and Seq become part of the vector.
	SetReplica(Replica) error
	// Vector returns the vector of entries that the store has seen, including its own. The caller owns the result.
	Vector() (entry.Vector, error)
	// SetVector records that the store has seen, for each replica in the vector, all entries up to the given number.
	SetVector(entry.Vector) error
	// Held returns the entries of memories, ordered by memory and dot. The caller passes each memory once.
	Held(subjects ...hippo.ID) ([]*entry.Held, error)
	// Hold stores entries and replaces those with the same dots. An entry without parts removes the stored one.
	Hold(list ...*entry.Held) error
	// SegmentVector returns the vector of a segment, or nil if the store has no entry of that segment.
	SegmentVector(origin clock.Replica, from uint64) (entry.Vector, error)
	// Await records that a relation from one memory is waiting for its target to arrive.
	Await(from, to hippo.ID) error
	// Arrived returns the memories whose relations were waiting for the given memory, and removes them from the waiting list.
	Arrived(to hippo.ID) ([]hippo.ID, error)
}

// ReplicaOf returns the [ReplicaTx] of a transaction, or nil if the store does not sync.
func ReplicaOf(tx Tx) ReplicaTx {
	t := EntriesOf(tx)
	if t == nil {
		return nil
	}
	if r, _ := t.Replica(); r.ID.IsZero() {
		return nil
	}
	return t
}

// EntriesOf is [ReplicaOf], but it is nil only if the back end does not support sync. A store that synced before keeps its entries.
func EntriesOf(tx Tx) ReplicaTx {
	t, _ := innermost(tx).(ReplicaTx)
	return t
}

// innermost returns the transaction of the back end.
func innermost(tx Tx) Tx {
	for {
		t, ok := tx.(interface{ Unwrap() Tx })
		if !ok {
			return tx
		}
		tx = t.Unwrap()
	}
}

// Remover is implemented by transactions that tell a memory that a restore has removed from one that was purged.
type Remover interface {
	// MarkRemoved records that nobody purged these memories, which this transaction has purged: a restore removed them, because its backup
	// lacks them. [History.Purged] does not return them.
	MarkRemoved(ids ...hippo.ID) error
}

// MarkRemoved is [Remover.MarkRemoved]. A back end that is no Remover counts the memories as purged.
func MarkRemoved(tx Tx, ids ...hippo.ID) error {
	if r, ok := innermost(tx).(Remover); ok {
		return r.MarkRemoved(ids...)
	}
	return nil
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
