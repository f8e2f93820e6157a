// Package exchange syncs a store with its remotes: the folders by which the machines of a user exchange what their stores have changed.
// What this machine needs for it lies in a folder beside the store, which no other user can read: for each remote a file with its
// carrier and the key, one with the state, and for a repository of Git a copy of the ref.
package exchange

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/sync/shelf"
)

const (
	// lockRetry is how often the lock is tried that another process holds, and lockTime how long.
	lockRetry = 50 * time.Millisecond
	lockTime  = 30 * time.Second
	lockFile  = "lock"
)

// Options are what a store is synced with.
type Options struct {
	// Dir is the folder for keys and states. It is made by the first remote.
	Dir string
	Now func() time.Time
	Access
	// Changed is called when something that others wrote has changed memories; nil: nobody asks.
	Changed func()
	// Screen returns why a memory may hold a secret, and OpenCopy opens or makes the store at a path; only teams need them.
	Screen   func(*hippo.Memory) error
	OpenCopy func(ctx context.Context, path string) (*store.Store, error)
}

// Remotes are the remotes of a store on this machine. One process at a time has those of a store.
type Remotes struct {
	Options
	files files
	store *store.Store
	lock  *flock.Flock // nil before there is a folder to lock
}

// Open returns the remotes of a store, for one use: until Close no other process has them. It waits for another one that syncs the store, but
// no longer than 30 s. The error is [hippo.ErrUnsupported] for a store of a kind that cannot be one of several.
func Open(ctx context.Context, s *store.Store, o Options) (*Remotes, error) {
	x := &Remotes{Options: o, files: files(o.Dir), store: s}
	_, _, err := store.Replica(ctx, s)
	if _, absent := os.Stat(o.Dir); err == nil && absent == nil {
		err = x.take(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// take makes the folder and locks it.
func (x *Remotes) take(ctx context.Context) error {
	if x.lock != nil {
		return nil
	}
	if err := os.MkdirAll(x.Dir, 0o700); err != nil {
		return fmt.Errorf("%w: %w", hippo.ErrUnavailable, err)
	}
	lock := flock.New(filepath.Join(x.Dir, lockFile), flock.SetPermissions(0o600))
	waiting, done := context.WithTimeout(ctx, lockTime)
	defer done()
	_, err := lock.TryLockContext(waiting, lockRetry)
	switch {
	case err == nil:
		x.lock = lock
		now := x.Now()
		_ = os.Chtimes(lock.Path(), now, now) // see [LastUse]
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: another process syncs the store, and has not ended yet: try again later: %w", hippo.ErrUnavailable, err)
	default:
		return fmt.Errorf("%w: lock the remotes of the store: %w", hippo.ErrUnavailable, err)
	}
}

// LastUse returns when a process last began to use the remotes of a store, by the folder for keys and states; ok is false if there are none.
// Cost: that of reading a small folder.
func LastUse(dir string) (at time.Time, ok bool) {
	if !files(dir).exist() {
		return time.Time{}, false
	}
	info, err := os.Stat(filepath.Join(dir, lockFile))
	if err != nil {
		return time.Time{}, true
	}
	return info.ModTime(), true
}

// Close lets other processes have the remotes. The store stays open.
func (x *Remotes) Close() error {
	if x.lock == nil {
		return nil
	}
	return x.lock.Close()
}

// enable makes the store one of several.
func enable(ctx context.Context, s *store.Store) error {
	id, _, err := store.Replica(ctx, s)
	if err != nil || !id.IsZero() {
		return err
	}
	return store.EnableSync(ctx, s)
}

// Outcome is what a call has done with a remote.
type Outcome struct {
	Carrier Carrier
	shelf.Result
	// Changed are the memories that look different now, Conflicts those that were changed at once here and elsewhere, and Invalid those that
	// this program cannot store as others have set them.
	Changed, Conflicts, Invalid []hippo.ID
	// Unfinished: the recovery key was not shown yet, because Init was stopped. The next one shows it.
	Unfinished bool
	// Team is what a team gets and gives; nil: the remote is not one of a team.
	Team *TeamStatus
	// Err is why nothing, or not all, could be done.
	Err error

	asked bool
}

// Init begins a vault in a folder that holds none, and sends it what the store has, or, for a team, what may leave of some projects. One that
// was stopped goes on. The recovery key is shown once: it is returned whenever the vault was begun, and the Outcome says how sending went.
func (x *Remotes) Init(ctx context.Context, c Carrier, machine string, team *shelf.Team) (recovery string, out Outcome, err error) {
	r := x.files.remote(c)
	r.unfinished, r.team = true, team
	begun := x.files.begun(c)
	err = x.begin(ctx, r, func(f shelf.Folder, keep shelf.Keep) (err error) {
		recovery, err = shelf.Init(ctx, f, machine, team, begun, x.Now, keep)
		if err != nil && begun == nil && r.key != nil {
			if there, failed := shelf.Exists(ctx, f); failed == nil && !there { // there is nothing to go on with
				err = errors.Join(err, r.remove())
			}
		}
		return err
	})
	if err != nil {
		return "", out, err
	}
	out = x.use(ctx, r, (*shelf.Shelf).Sync)
	out.Unfinished = false
	return recovery, out, nil
}

// Shown ends an Init: the recovery key was shown, and the next Init does not show another one.
func Shown(x *Remotes, c Carrier) error {
	r, err := x.files.one(c)
	if err != nil {
		return err
	}
	r.unfinished = false
	return r.save()
}

// Join makes this machine one of the vault in a folder, by the code of an invitation or the recovery key, and exchanges all with it. team is
// what to exchange with a team; nil: the vault is of the machines of one person. Nothing is sent to a vault of the other kind.
func (x *Remotes) Join(ctx context.Context, code string, c Carrier, machine string, team *shelf.Team) (out Outcome, err error) {
	r := x.files.remote(c)
	r.team = team
	err = x.begin(ctx, r, func(f shelf.Folder, keep shelf.Keep) error {
		is, err := shelf.Peek(ctx, f, code, x.Now)
		if err == nil {
			err = sameKind(is, team)
		}
		if err != nil {
			return err
		}
		return shelf.Join(ctx, f, code, machine, x.Now, keep)
	})
	if err != nil {
		return out, err
	}
	return x.use(ctx, r, (*shelf.Shelf).Sync), nil
}

// begin gets the key of a remote and keeps it, before the folder is changed and before the store becomes one of several.
func (x *Remotes) begin(ctx context.Context, r *remote, admit func(shelf.Folder, shelf.Keep) error) error {
	if err := x.take(ctx); err != nil {
		return err
	}
	f, err := r.open(ctx, &x.Options)
	if err != nil {
		return err
	}
	err = admit(f, func(k *shelf.Key, s *shelf.State) error {
		r.key, r.state = k, s
		return r.save()
	})
	if err := errors.Join(err, shut(f)); err != nil {
		return err
	}
	if err := r.saveState(); err != nil || r.team != nil { // a team syncs its copy
		return err
	}
	return enable(ctx, x.store)
}

// Add uses one more folder for the vault of a remote that there is: its machines need no invitation to it. Without a carrier of that remote
// it is that of the machines of one person, or the only one.
func (x *Remotes) Add(ctx context.Context, c, of Carrier) (out Outcome, err error) {
	list, err := x.files.list()
	if err != nil {
		return out, err
	}
	if slices.ContainsFunc(list, func(one *remote) bool { return one.carrier == c }) {
		return out, fmt.Errorf("%w: the store already syncs with %v", hippo.ErrConflict, c)
	}
	like, err := vaultOf(list, of)
	if err != nil {
		return out, err
	}
	if like.key == nil {
		return out, like.broken
	}
	r := x.files.remote(c)
	r.key, r.team, r.state = like.key, like.team, &shelf.State{Statements: like.state.Statements, Team: like.team != nil}
	if out = x.use(ctx, r, (*shelf.Shelf).Sync); out.Err != nil {
		return out, errors.Join(out.Err, r.remove())
	}
	return out, nil
}

// vaultOf returns a remote of the vault to add a folder to.
func vaultOf(list []*remote, of Carrier) (*remote, error) {
	var found []*remote
	names := make(map[string]bool)
	for _, r := range list {
		names[r.vault()] = true
		if of == "" && r.team == nil || r.carrier == of {
			found = append(found, r)
		}
	}
	if len(found) == 0 && of == "" && len(names) == 1 {
		found = list
	}
	if i := slices.IndexFunc(found, func(r *remote) bool { return r.key != nil }); i >= 0 {
		return found[i], nil
	}
	if len(found) == 0 {
		return nil, hippo.Fieldf("of", "must name a remote of the team to add a carrier to, as hippo sync status lists them")
	}
	return found[0], nil
}

// Remove forgets a remote, and reports whether it was the last one: then the store is alone again. The folder keeps what it has.
func (x *Remotes) Remove(ctx context.Context, c Carrier) (last bool, err error) {
	r, err := x.files.one(c)
	if err != nil {
		return false, err
	}
	list, err := x.files.list()
	if err != nil {
		return false, err
	}
	if err := r.remove(); err != nil {
		return false, err
	}
	list = slices.DeleteFunc(list, func(one *remote) bool { return one.carrier == r.carrier })
	if r.team != nil && !slices.ContainsFunc(list, func(one *remote) bool { return one.vault() == r.vault() }) {
		err = x.files.removeCopy(r.vault())
	}
	if !slices.ContainsFunc(list, func(one *remote) bool { return one.team == nil }) {
		err = errors.Join(err, store.DisableSync(ctx, x.store))
	}
	return len(list) == 0, err
}
