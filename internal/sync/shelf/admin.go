package shelf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"filippo.io/age"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// Exists reports whether a folder holds a vault, or a part of one.
func Exists(ctx context.Context, f Folder) (bool, error) {
	v, err := viewOf(ctx, f)
	return err == nil && v.used(), err
}

// Keep stores the key and the state of a machine. It is called before the folder is changed, so that a stop at any moment leaves no vault
// that nobody can open.
type Keep func(*Key, *State) error

// Init begins a vault in a folder that holds none, and returns the recovery key, which is shown once. begun is the key of an Init that was
// stopped, or nil: its vault gets one more recovery key. team is nil for a vault of the machines of one person. The error is [hippo.ErrConflict] if there is another vault.
func Init(ctx context.Context, f Folder, machine string, team *Team, begun *Key, now func() time.Time, keep Keep) (string, error) {
	v, err := viewOf(ctx, f)
	if err != nil {
		return "", err
	}
	r := &run{Shelf: Open(f, begun, &State{Team: team != nil}, now), view: v, trust: &trust{}}
	if v.used() {
		err = r.resume(ctx)
	} else {
		err = r.begin(machine, team)
	}
	if err != nil {
		return "", err
	}
	recovery, err := randomKey(r.key.vault, r.key.root)
	if err != nil {
		return "", err
	}
	r.say(r.key, statement{Admit: recovery.admission(r.key, "recovery key", Recovery)})
	if err := keep(r.key, r.state); err != nil {
		return "", err
	}
	if err := r.writeTrust(ctx); err != nil {
		return "", err
	}
	return recovery.code(), f.Commit(ctx)
}

// begin makes this machine the first one of a vault.
func (r *run) begin(machine string, team *Team) error {
	if r.key == nil {
		vault, err := age.GenerateX25519Identity()
		if err != nil {
			return err
		}
		if r.key, err = randomKey(vault, nil); err != nil {
			return err
		}
	}
	r.say(r.key, statement{Admit: r.key.admission(r.key, machine, Machine)})
	if team != nil {
		r.say(r.key, statement{Team: team})
	}
	return nil
}

// resume goes on with the vault that this machine has begun.
func (r *run) resume(ctx context.Context) error {
	if r.key != nil {
		err := r.loadTrust(ctx)
		if err == nil || !errors.Is(err, hippo.ErrForbidden) {
			return err
		}
	}
	return fmt.Errorf("%w: the folder holds a vault: run hippo sync invite on a machine that uses it, and hippo sync join here", hippo.ErrConflict)
}

// Join makes this machine one of the vault, by the code of an invitation, which is used up, or by the recovery key. The errors are
// [hippo.ErrInvalid] for a code with a typo, [hippo.ErrNotFound] for one that this folder does not know, and [hippo.ErrForbidden] for
// an invitation that has expired.
func Join(ctx context.Context, f Folder, code, machine string, now func() time.Time, keep Keep) error {
	guest, r, err := guestRun(ctx, f, code, now)
	if err != nil {
		return err
	}
	m := r.trust.members[guest.id()]
	if r.key, err = randomKey(guest.vault, guest.root); err != nil {
		return err
	}
	r.say(guest, statement{Admit: r.key.admission(guest, machine, Machine)})
	if err := keep(r.key, r.state); err != nil {
		return err
	}
	if err := r.writeTrust(ctx); err != nil {
		return err
	}
	if m.Kind == Invitation {
		if err := r.removeRecords(ctx, r.view.keys[m.ID]); err != nil {
			return err
		}
	}
	return f.Commit(ctx)
}

// Invite returns a code with which one more machine can join until a time. It is a secret: who has it and the folder can read everything.
func (s *Shelf) Invite(ctx context.Context, until time.Time) (string, error) {
	return s.invite(ctx, until, false)
}

// InviteSame is [Shelf.Invite] for another machine of the same person, which can do in a team what this one can.
func (s *Shelf) InviteSame(ctx context.Context, until time.Time) (string, error) {
	return s.invite(ctx, until, true)
}

func (s *Shelf) invite(ctx context.Context, until time.Time, same bool) (string, error) {
	r, err := s.start(ctx, nil, true)
	if err != nil {
		return "", err
	}
	guest, err := randomKey(s.key.vault, s.key.root)
	if err != nil {
		return "", err
	}
	a := guest.admission(s.key, "invitation", Invitation)
	a.Until, a.Same = until.UnixMilli(), same
	r.say(s.key, statement{Admit: a})
	if err := r.writeTrust(ctx); err != nil {
		return "", err
	}
	if err := r.writeRecord(ctx, r.trust.members[guest.id()]); err != nil {
		return "", err
	}
	return guest.code(), s.folder.Commit(ctx)
}

// Retire revokes the right of a lost machine to write and takes over its files. Purged texts leave those files as well. Retire does not stop
// a person who has the machine and its key from reading the folder. To prevent that, begin a new vault in another folder. machine is a name or
// an ID. The error is [hippo.ErrNotFound] unless exactly one machine matches.
func (s *Shelf) Retire(ctx context.Context, store Store, machine string) (Result, error) {
	if res, err := s.Sync(ctx, store); err != nil {
		return res, err
	}
	r, err := s.start(ctx, store, true)
	if err != nil {
		return Result{}, err
	}
	found := slices.DeleteFunc(slices.Collect(maps.Values(r.trust.members)), func(m *Member) bool {
		return m.Name != machine && m.ID != machine || m.ID == s.key.id() || m.Kind != Machine
	})
	if len(found) != 1 {
		return r.Result, fmt.Errorf("%w: %d other machines are named %q: run hippo sync status for their IDs", hippo.ErrNotFound, len(found), machine)
	}
	limit := make(entry.Vector)
	for replica, claims := range r.trust.claims {
		if r.trust.owner(replica) == found[0].acting() || slices.Contains(claims, found[0]) {
			limit = limit.Union(r.view.written(replica))
		}
	}
	r.say(s.key, statement{Retire: &retirement{found[0].ID, limit}})
	if err := r.writeTrust(ctx); err != nil {
		return r.Result, err
	}
	if err := s.folder.Commit(ctx); err != nil {
		return r.Result, err
	}
	return s.Sync(ctx, store)
}

// ReplicaStatus is a replica in the folder and in the store.
type ReplicaStatus struct {
	Replica clock.Replica
	// Written is the highest number in the folder, Joined that of the store: one is behind the other by the difference.
	Written, Joined uint64
	Files           int
	// Last is when the newest file was written, by the clock of the machine that wrote it; zero if it cannot be read.
	Last time.Time
}

// Status lists the holders of the vault by name, and reads the newest file of each replica.
func (s *Shelf) Status(ctx context.Context, store Store) ([]*Member, Result, error) {
	r, err := s.start(ctx, store, true)
	if err != nil {
		return nil, Result{}, err
	}
	out := slices.SortedFunc(maps.Values(r.trust.members), func(a, b *Member) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	for _, m := range out {
		for _, replica := range r.trust.owned(m.ID) {
			list := r.view.segments[replica]
			x := ReplicaStatus{Replica: replica, Written: r.view.written(replica)[replica], Joined: r.seen[replica], Files: len(list)}
			for i := range list {
				if list[i].to != x.Written {
					continue
				}
				if o, err := r.fetch(ctx, &list[i]); !r.skip(list[i].path, err) {
					x.Last = o.at
				}
			}
			m.Replicas = append(m.Replicas, x)
		}
	}
	return slices.DeleteFunc(out, func(m *Member) bool { return m.Kind == Invitation && len(r.view.keys[m.ID]) == 0 }), r.Result, ctx.Err()
}

// Verify reads every file. Own ones that are damaged are written again by the next [Shelf.Sync]; those of others are named.
func (s *Shelf) Verify(ctx context.Context) (Result, error) {
	r, err := s.start(ctx, nil, true)
	if err != nil {
		return Result{}, err
	}
	for _, list := range r.view.segments {
		for i := range list {
			if o, err := r.fetch(ctx, &list[i]); !r.skip(list[i].path, err) {
				r.Entries += o.entries
			} else if ctx.Err() == nil {
				delete(s.state.Files, list[i].path)
			}
		}
	}
	return r.Result, ctx.Err()
}
