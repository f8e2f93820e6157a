package shelf

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
	"github.com/hippo-memory/hippo/internal/sync/merge"
)

// Bounds of what is written: a reader fetches whole files, so they are small, and has few to list.
const (
	maxFiles    = 64            // of a replica; before there is one more all are written again as a new generation
	maxPlain    = entry.MaxLine // bytes of entries in a file, and one entry more
	maxEntries  = 1 << 12       // in a file
	countedFrom = 256           // entries below which superseded ones are not worth counting
)

// publisher is a run that writes.
type publisher struct{ *run }

// write publishes what the folder lacks of the own replicas.
func (r publisher) write(ctx context.Context, all bool) error {
	var known, broken []file
	for _, replica := range r.state.Own {
		bad, err := r.check(ctx, replica)
		if err != nil {
			return err
		}
		known, broken = append(known, r.known(replica)...), append(broken, bad...)
	}
	if err := r.writeTrust(ctx); err != nil {
		return err
	}
	for _, replica := range r.state.Own {
		if err := r.writeReplica(ctx, replica, all); err != nil {
			return err
		}
	}
	if err := r.rewritePurged(ctx, known); err != nil {
		return err
	}
	if err := r.remove(ctx, broken); err != nil {
		return err
	}
	if err := r.folder.Commit(ctx); err != nil {
		return err
	}
	r.state.Checked = r.seen
	for _, replica := range r.state.Own {
		if n := r.seen[replica]; n > 0 {
			r.state.Seen.Add(entry.Dot{Origin: replica, Seq: n})
		}
	}
	return nil
}

// check looks through the files of an own replica that this machine does not know, and returns those that cannot be used and whose entries
// the store has.
func (r publisher) check(ctx context.Context, replica clock.Replica) (broken []file, err error) {
	for _, f := range r.view.segments[replica] {
		if _, ok := r.state.Files[f.path]; ok {
			continue
		}
		o, err := r.fetch(ctx, &f)
		switch {
		case ctx.Err() != nil, errors.Is(err, hippo.ErrUnsupported):
			return nil, err
		case r.skip(f.path, err) && f.to <= r.seen[replica]:
			broken = append(broken, f)
		case err == nil && f.to <= r.seen[replica]: // else there is a gap before it
			if err := r.compare(ctx, &f, o); err != nil {
				return nil, err
			}
			r.state.Files[f.path] = File{f.size, o.entries}
		}
	}
	return broken, nil
}

// writeReplica publishes what the files of an own replica do not cover, or all of it as a new generation.
func (r publisher) writeReplica(ctx context.Context, replica clock.Replica, all bool) (err error) {
	generation := uint64(1)
	for _, f := range r.view.segments[replica] {
		generation = max(generation, f.generation)
	}
	list, to := r.known(replica), r.seen[replica]
	missing, gone := gaps(list, 1, to), replaced(list)
	if all = all || len(list)+len(missing) > maxFiles; !all {
		if all, err = r.superseded(ctx, replica, list); err != nil {
			return err
		}
	}
	if all && to > 0 {
		generation, missing = generation+1, []span{{1, to}}
		gone = slices.DeleteFunc(list, func(f file) bool { return f.to > to })
	}
	for _, s := range missing {
		if err := r.publish(ctx, replica, generation, s); err != nil {
			return err
		}
	}
	return r.remove(ctx, gone)
}

// replaced returns the files whose numbers newer ones have, which stay behind if a machine stops before it has removed them.
func replaced(list []file) []file {
	return slices.DeleteFunc(slices.Clone(list), func(f file) bool {
		newer := slices.DeleteFunc(slices.Clone(list), func(o file) bool {
			return o.generation < f.generation || o.generation == f.generation && (o.from != f.from || o.to != f.to || o.path <= f.path)
		})
		return len(gaps(newer, f.from, f.to)) > 0
	})
}

// superseded reports whether half of the entries of the files do not count any more. That is counted when a quarter was added.
func (r publisher) superseded(ctx context.Context, replica clock.Replica, list []file) (bool, error) {
	published, live := uint64(0), uint64(0)
	for _, f := range list {
		published += uint64(r.state.Files[f.path].Entries)
	}
	if published < countedFrom || published*4 < r.state.Counted[replica]*5 {
		return false, nil
	}
	for s, err := range r.store.Segments(ctx, only(r.seen, replica, 0)) {
		if err != nil {
			return false, err
		}
		if s.Replica == replica {
			live += uint64(len(s.Entries))
		}
	}
	half := 2*live <= published
	if half {
		published = max(live, 1)
	}
	r.state.Counted = r.state.Counted.Union(nil)
	r.state.Counted[replica] = published
	return half, nil
}

// publish writes the entries of an own replica that count, from one number to another.
func (r publisher) publish(ctx context.Context, replica clock.Replica, generation uint64, s span) error {
	from, at := s.from, s.from-1
	var list []*entry.Segment
	bytes, entries := 0, 0
	flush := func(to uint64) error {
		list[len(list)-1].To = to
		err := r.put(ctx, file{replica: replica, generation: generation, from: from, to: to}, list, entries)
		from, list, bytes, entries = to+1, nil, 0, 0
		return err
	}
	for one, err := range r.store.Segments(ctx, only(r.seen, replica, s.from-1)) {
		if err != nil {
			return err
		}
		if one.Replica != replica || one.From > s.to {
			continue
		}
		at = min(one.To, s.to)
		list = append(list, &entry.Segment{Replica: replica, From: one.From, To: at, Vector: one.Vector})
		for _, e := range one.Entries {
			if e.Seq > s.to {
				break
			}
			if bytes > maxPlain || entries == maxEntries {
				if last := list[len(list)-1]; last.From == e.Seq {
					list = list[:len(list)-1]
				}
				if err := flush(e.Seq - 1); err != nil {
					return err
				}
				list = []*entry.Segment{{Replica: replica, From: e.Seq, To: at, Vector: one.Vector}}
			}
			last := list[len(list)-1]
			last.Entries, bytes, entries = append(last.Entries, e), bytes+len(e.Line()), entries+1
		}
	}
	if at != s.to {
		return fmt.Errorf("%w: the store has the entries of replica %v up to %d, and %d was expected", hippo.ErrConflict, replica, at, s.to)
	}
	return flush(s.to)
}

// put writes a file of an own replica.
func (r publisher) put(ctx context.Context, f file, list []*entry.Segment, entries int) error {
	data, err := r.key.seal(&f, r.now(), list)
	if err != nil {
		return err
	}
	if err := r.folder.Put(ctx, f.path, data); err != nil {
		return err
	}
	r.Written, r.BytesSent = r.Written+1, r.BytesSent+f.size
	r.state.Files[f.path] = File{f.size, entries}
	if f.replica == r.own && (r.state.Tail == nil || f.to >= r.state.Tail.To || r.state.Tail.Replica != r.own.String()) {
		r.state.Tail = newTail(f.replica, list)
	}
	return nil
}

// remove deletes files whose entries are in others.
func (r publisher) remove(ctx context.Context, list []file) error {
	for _, f := range list {
		if err := r.folder.Remove(ctx, f.path); err != nil {
			return err
		}
		r.Removed++
		delete(r.state.Files, f.path)
	}
	return nil
}

// rewritePurged writes the own files again that hold something of a memory that was purged since the last look, or cannot be read.
func (r publisher) rewritePurged(ctx context.Context, known []file) error {
	if len(known) == 0 {
		return nil
	}
	purged := make(map[hippo.ID]bool)
	for s, err := range r.store.Segments(ctx, r.state.Checked) {
		if err != nil {
			return err
		}
		for _, e := range s.Entries {
			if _, ok := e.Parts[merge.Purged]; ok {
				purged[e.Subject] = true
			}
		}
	}
	for _, f := range known {
		if _, ok := r.state.Files[f.path]; !ok || len(purged) == 0 { // it was removed
			continue
		}
		o, err := r.fetch(ctx, &f)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && !o.has(purged) {
			continue
		}
		if err := r.publish(ctx, f.replica, f.generation+1, span{f.from, f.to}); err != nil {
			return err
		}
		if err := r.remove(ctx, []file{f}); err != nil {
			return err
		}
	}
	return nil
}

// has reports whether a file holds something of some memories but that they were purged.
func (o *opened) has(purged map[hippo.ID]bool) bool {
	return slices.ContainsFunc(o.segments, func(s *entry.Segment) bool {
		return slices.ContainsFunc(s.Entries, func(e *entry.Entry) bool {
			_, ok := e.Parts[merge.Purged]
			return purged[e.Subject] && !ok
		})
	})
}
