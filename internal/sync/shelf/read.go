package shelf

import (
	"cmp"
	"context"
	"slices"

	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// filesJoined is how many files are joined in a transaction.
const filesJoined = 16

// read joins what the store lacks. A file that cannot be used costs itself alone.
func (r *run) read(ctx context.Context) error {
	for replica, list := range r.view.segments {
		for failed := true; failed; {
			chosen := choose(list, r.seen[replica])
			failed = false
			for some := range slices.Chunk(chosen, filesJoined) {
				bad, err := r.join(ctx, some)
				if err != nil {
					return err
				}
				failed = failed || len(bad) > 0
				list = slices.DeleteFunc(slices.Clone(list), func(f file) bool { return slices.Contains(bad, f) })
			}
		}
	}
	var err error
	r.own, r.seen, err = r.store.Replica(ctx)
	return err
}

// choose returns the files that hold all that the list has after a number, in the order of numbers: of several generations the newest.
func choose(list []file, after uint64) []file {
	var out []file
	for _, f := range slices.SortedFunc(slices.Values(list), func(a, b file) int {
		return cmp.Or(-cmp.Compare(a.generation, b.generation), cmp.Compare(a.from, b.from))
	}) {
		if f.to > after && len(gaps(out, max(f.from, after+1), f.to)) > 0 {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b file) int { return cmp.Compare(a.from, b.from) })
	return out
}

// join joins files in one transaction, and returns those that cannot be used: an older generation of the same numbers may take their place.
func (r *run) join(ctx context.Context, list []file) (bad []file, err error) {
	var batch []*entry.Segment
	for i := range list {
		f := &list[i]
		o, err := r.fetch(ctx, f)
		if err == nil && f.replica == r.own {
			if err := r.compare(ctx, f, o); err != nil {
				return nil, err
			}
		}
		if r.skip(f.path, err) {
			bad = append(bad, *f)
			continue
		}
		batch, r.Entries = append(batch, o.segments...), r.Entries+o.entries
	}
	if err := ctx.Err(); err != nil || len(batch) == 0 {
		return bad, err
	}
	return bad, r.store.Join(ctx, batch)
}

// fetch reads a file.
func (r *run) fetch(ctx context.Context, f *file) (*opened, error) {
	b, err := get(ctx, r.folder, f.path)
	if err != nil {
		return nil, err
	}
	r.Read, r.BytesRead = r.Read+1, r.BytesRead+int64(len(b))
	return r.key.unseal(f, b, r.trust.mayWrite)
}

// compare returns a [*TakenError] if the store has written a number of an own replica otherwise than a file of the folder. An entry that
// counts now did so when the file was written, so that the file has it.
func (r *run) compare(ctx context.Context, f *file, o *opened) error {
	stamps := make(map[uint64]clock.Time, o.entries)
	for _, s := range o.segments {
		for _, e := range s.Entries {
			stamps[e.Seq] = e.Time
		}
	}
	for s, err := range r.store.Segments(ctx, only(r.seen, f.replica, f.from-1)) {
		if err != nil {
			return err
		}
		for _, e := range s.Entries {
			if t, ok := stamps[e.Seq]; s.Replica == f.replica && e.Seq <= f.to && (!ok || t != e.Time) {
				return taken(ctx, r, f.replica, o.by)
			}
		}
	}
	return nil
}

// taken returns the error that a store of another machine writes a replica, with the number up to which that one and the own store agree.
func taken(ctx context.Context, r *run, replica clock.Replica, by *Member) error {
	out := &TakenError{Replica: replica, By: by.Name, SameMachine: by.ID == r.key.id()}
	stamps := make(map[uint64]clock.Time)
	for i := range r.view.segments[replica] {
		o, err := r.fetch(ctx, &r.view.segments[replica][i])
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			continue
		}
		for _, s := range o.segments {
			for _, e := range s.Entries {
				stamps[e.Seq] = e.Time
			}
		}
	}
	for s, err := range r.store.Segments(ctx, only(r.seen, replica, 0)) {
		if err != nil {
			return err
		}
		for _, e := range s.Entries {
			if t, ok := stamps[e.Seq]; s.Replica == replica && (!ok || t != e.Time) {
				return out
			}
			if s.Replica == replica {
				out.Agreed = e.Seq
			}
		}
	}
	return out
}
