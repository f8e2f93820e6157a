package store

import (
	"context"
	"errors"
	"maps"

	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
	"github.com/hippo-memory/hippo/internal/sync/merge"
)

// errWritten ends a renewal during which the store was written.
var errWritten = errors.New("the store was written meanwhile")

// RenewReplica gives the store a new identity, because another store writes under the old one: its data was copied or restored in a way that
// the store could not detect. Both have written the same up to a number. What this store has written since gets numbers of the new identity,
// so that no entry of either is lost. If the store has another identity than old, RenewReplica does nothing.
func RenewReplica(ctx context.Context, s *Store, old clock.Replica, agreed uint64) error {
	b, err := replicas(s)
	for err == nil {
		var r driver.Replica
		if r, _, err = b.Replica(ctx); err != nil || r.ID != old {
			break
		}
		var own []*entry.Held
		if own, err = ownSince(ctx, b, r, agreed); err != nil {
			break
		}
		err = driver.Write(ctx, s.backend, driver.Durable, func(tx driver.Tx) error {
			replica := driver.ReplicaOf(tx)
			if replica == nil {
				return nil
			}
			if now, _ := replica.Replica(); now.ID != r.ID || now.Seq != r.Seq {
				return errWritten
			}
			return renumber(replica, r, agreed, own)
		})
		if !errors.Is(err, errWritten) {
			break
		}
		err = nil
	}
	return wrap("renew the replica", err)
}

// ownSince returns the entries of a store above a number.
func ownSince(ctx context.Context, b driver.Replicas, r driver.Replica, after uint64) (own []*entry.Held, err error) {
	for after < r.Seq {
		list, err := b.EntriesOf(ctx, r.ID, after, r.Seq, segmentBatch)
		if err != nil || len(list) == 0 {
			return own, err
		}
		own, after = append(own, list...), list[len(list)-1].Seq
	}
	return own, nil
}

// renumber gives a store a new identity, and its entries above a number new numbers. They have seen what the old ones had seen.
func renumber(tx driver.ReplicaTx, old driver.Replica, agreed uint64, own []*entry.Held) error {
	if err := tx.SetReplica(driver.Replica{ID: old.ID, Clock: old.Clock, Seq: min(agreed, old.Seq)}); err != nil {
		return err
	}
	r, err := renew(tx, old)
	if err != nil {
		return err
	}
	now := make(map[entry.Dot]entry.Dot, len(own))
	var list []*entry.Held
	var segment *entry.Held // the first of the segment, with its new number
	for _, h := range own {
		r.Seq++
		now[h.Dot] = entry.Dot{Origin: r.ID, Seq: r.Seq}
		c := &entry.Held{Entry: h.Renumbered(now[h.Dot]), From: r.Seq}
		if segment != nil && segment.Seq == h.From {
			c.From, c.Vector = segment.From, segment.Vector
		} else if c.Vector = maps.Clone(h.Vector); agreed > 0 {
			c.Vector = c.Vector.Union(entry.Vector{old.ID: agreed})
		}
		segment = &entry.Held{Entry: &entry.Entry{Dot: entry.Dot{Seq: h.From}}, From: c.From, Vector: c.Vector}
		if vote, ok := merge.Reundone(c.Parts[merge.Vote], now); ok {
			c.Set(merge.Vote, vote)
		}
		list = append(list, &entry.Held{Entry: &entry.Entry{Dot: h.Dot, Subject: h.Subject}, From: h.From}, c)
	}
	if err := tx.Hold(list...); err != nil {
		return err
	}
	return tx.SetReplica(r)
}
