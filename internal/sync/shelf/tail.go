package shelf

import (
	"context"

	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// maxTail is how many entries a tail has at most.
const maxTail = 64

// tail are the stamps of the entries of a replica from one number to another, as they were published.
type tail struct {
	Replica string            `json:"replica"`
	From    uint64            `json:"from"`
	To      uint64            `json:"to"`
	Stamps  map[uint64]string `json:"stamps"`
}

// newTail returns the last entries of a file.
func newTail(replica clock.Replica, list []*entry.Segment) *tail {
	t := &tail{Replica: replica.String(), From: list[0].From, To: list[len(list)-1].To, Stamps: make(map[uint64]string)}
	var all []*entry.Entry
	for _, s := range list {
		all = append(all, s.Entries...)
	}
	if n := len(all) - maxTail; n > 0 {
		t.From, all = all[n-1].Seq+1, all[n:]
	}
	for _, e := range all {
		t.Stamps[e.Seq] = e.Time.String()
	}
	return t
}

// recognize looks whether the store still has written what it has published last. One that was restored in a way that it could not notice
// may have written other entries under the same numbers: then the own files are read again, which finds them.
func recognize(ctx context.Context, r *run) error {
	t := r.state.Tail
	if t == nil || t.Replica != r.own.String() {
		return nil
	}
	for s, err := range r.store.Segments(ctx, only(r.seen, r.own, t.From-1)) {
		if err != nil {
			return err
		}
		for _, e := range s.Entries {
			if s.Replica == r.own && e.Seq <= t.To && t.Stamps[e.Seq] != e.Time.String() {
				clear(r.state.Files)
				r.state.Checked, r.state.Tail = nil, nil
				return nil
			}
		}
	}
	return nil
}
