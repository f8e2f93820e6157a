package exchange

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
	"github.com/hippo-memory/hippo/internal/sync/shelf"
)

// work is what a call does with a shelf.
type work func(*shelf.Shelf, context.Context, shelf.Store) (shelf.Result, error)

// Sync exchanges all with each remote. The error is [hippo.ErrNotFound] if there is none; those of single remotes are in their outcomes.
func (x *Remotes) Sync(ctx context.Context) ([]Outcome, error) {
	return x.each(ctx, (*shelf.Shelf).Sync)
}

// syncDue is Sync with the remotes that due accepts.
func syncDue(ctx context.Context, x *Remotes, due func(*remote) bool) ([]Outcome, error) {
	list, err := x.files.list()
	if err != nil {
		return nil, err
	}
	return onEach(ctx, x, slices.DeleteFunc(list, func(r *remote) bool { return !due(r) }), (*shelf.Shelf).Sync)
}

// Rebuild is Sync and writes all files of this machine again.
func (x *Remotes) Rebuild(ctx context.Context) ([]Outcome, error) {
	return x.each(ctx, (*shelf.Shelf).Rebuild)
}

// Verify reads every file of each remote.
func (x *Remotes) Verify(ctx context.Context) ([]Outcome, error) {
	return x.each(ctx, func(s *shelf.Shelf, ctx context.Context, _ shelf.Store) (shelf.Result, error) { return s.Verify(ctx) })
}

// Retire ends the right of a lost machine to write to any remote, and goes on with what it has written.
func (x *Remotes) Retire(ctx context.Context, machine string) ([]Outcome, error) {
	return x.each(ctx, func(s *shelf.Shelf, ctx context.Context, to shelf.Store) (shelf.Result, error) {
		return s.Retire(ctx, to, machine)
	})
}

// Invite returns a code with which one more machine can join the vault of a remote until a time, and the carrier of that remote. same: it is
// another machine of the same person, which a team has to know.
func (x *Remotes) Invite(ctx context.Context, c Carrier, until time.Time, same bool) (code string, at Carrier, err error) {
	r, err := x.files.one(c)
	if err != nil {
		return "", c, err
	}
	out := x.use(ctx, r, func(s *shelf.Shelf, ctx context.Context, _ shelf.Store) (res shelf.Result, err error) {
		if same {
			code, err = s.InviteSame(ctx, until)
		} else {
			code, err = s.Invite(ctx, until)
		}
		return res, err
	})
	return code, r.carrier, out.Err
}

func (x *Remotes) each(ctx context.Context, do work) ([]Outcome, error) {
	list, err := x.files.list()
	if err != nil {
		return nil, err
	}
	return onEach(ctx, x, list, do)
}

// onEach does something with the shelf of each remote.
func onEach(ctx context.Context, x *Remotes, list []*remote, do work) ([]Outcome, error) {
	if slices.ContainsFunc(list, func(r *remote) bool { return r.team == nil }) {
		if err := enable(ctx, x.store); err != nil { // the store may have been replaced by one that was alone
			return nil, err
		}
	}
	known := make(map[string]*shelf.State)
	out := make([]Outcome, 0, len(list))
	for _, r := range list {
		if r.key != nil {
			if s := known[r.key.String()]; s != nil {
				learn(r.state, s)
			}
			known[r.key.String()] = r.state
		}
		out = append(out, x.use(ctx, r, do))
	}
	return out, ctx.Err()
}

// use opens the shelf of a remote, does something with it, and keeps its key and state.
func (x *Remotes) use(ctx context.Context, r *remote, do work) (out Outcome) {
	out.Carrier, out.Unfinished, out.Err = r.carrier, r.unfinished, r.broken
	if out.Err != nil {
		return out
	}
	out = through(ctx, x, r, do)
	out.Carrier, out.Unfinished = r.carrier, r.unfinished
	r.note(out.Err, out.asked, x.Now().UTC())
	if len(out.Changed) > 0 && x.Changed != nil {
		x.Changed()
	}
	out.Err = errors.Join(out.Err, r.save())
	return out
}

// through does something with the shelf of a remote, for the store or for what a team shares of it.
func through(ctx context.Context, x *Remotes, r *remote, do work) (out Outcome) {
	f, err := r.open(ctx, &x.Options)
	if err != nil {
		out.Err = err
		return out
	}
	defer func() { out.Err = errors.Join(out.Err, shut(f)) }()
	s := shelf.Open(f, r.key, r.state, x.Now)
	if r.team != nil {
		return useTeam(ctx, x, r, s, do)
	}
	if out = exchange(ctx, &replica{store: x.store}, s, do); out.Err == nil && len(out.Changed) > 0 {
		out.Err = uniteProjects(ctx, x.store, r, out.Changed)
	}
	return out
}

// exchange does something with a shelf. A store that was copied so that it could not notice gets an identity of its own.
func exchange(ctx context.Context, to *replica, s *shelf.Shelf, do work) (out Outcome) {
	out.Result, out.Err = do(s, ctx, to)
	if taken, ok := errors.AsType[*shelf.TakenError](out.Err); ok {
		if out.Err = store.RenewReplica(ctx, to.store, taken.Replica, taken.Agreed); out.Err == nil {
			out.Result, out.Err = do(s, ctx, to)
		}
	}
	out.asked = to.asked
	out.Changed, out.Conflicts, out.Invalid = ids(to.changed), ids(to.conflicts), ids(to.invalid)
	return out
}

// replica is a store as a shelf sees it, and what was joined.
type replica struct {
	store                       *store.Store
	changed, conflicts, invalid []hippo.ID
	asked                       bool // something was exchanged, and not only looked at
	// allowed returns a segment without what its writer had no right to write; nil: it may write all.
	allowed func(*entry.Segment) (*entry.Segment, error)
}

// Replica implements [shelf.Store].
func (r *replica) Replica(ctx context.Context) (clock.Replica, entry.Vector, error) {
	r.asked = true
	_, seen, err := store.Replica(ctx, r.store)
	if err != nil {
		return clock.Replica{}, nil, err
	}
	for _, err := range store.Segments(ctx, r.store, seen) { // a copy is another replica from here on
		if err != nil {
			return clock.Replica{}, nil, err
		}
	}
	return store.Replica(ctx, r.store)
}

// Segments implements [shelf.Store].
func (r *replica) Segments(ctx context.Context, after entry.Vector) iter.Seq2[*entry.Segment, error] {
	return store.Segments(ctx, r.store, after)
}

// Join implements [shelf.Store].
func (r *replica) Join(ctx context.Context, list []*entry.Segment) error {
	if r.allowed != nil {
		list = slices.Clone(list)
		for i := range list {
			var err error
			if list[i], err = r.allowed(list[i]); err != nil {
				return err
			}
		}
	}
	j, err := store.Join(ctx, r.store, list)
	r.changed, r.conflicts, r.invalid = append(r.changed, j.Changed...), append(r.conflicts, j.Conflicts...), append(r.invalid, j.Invalid...)
	return err
}

// ids returns each ID once, in order.
func ids(list []hippo.ID) []hippo.ID {
	once := make(map[hippo.ID]bool, len(list))
	for _, id := range list {
		once[id] = true
	}
	return slices.SortedFunc(maps.Keys(once), hippo.ID.Compare)
}
