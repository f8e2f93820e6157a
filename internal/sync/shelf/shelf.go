// Package shelf exchanges what stores have changed apart from each other by way of a folder that nobody has to trust: one of Dropbox,
// Syncthing, a stick, or a ref of Git.
//
// The folder holds
//
//	format                                          the version, and the vault: who began it, and the key to encrypt to
//	keys/<holder>-<digest>.age                      the identity of the vault, wrapped for a machine, an invitation or the recovery key
//	r/<replica>/<generation>-<from>-<to>-<digest>.age   what a replica has written, from one number to another
//
// A file is written once, by one machine, and named by its content: one that does not match its name has not arrived yet. Other names are
// ignored. There is no lock and no list of files, so nothing that two machines write, and a folder that shows its files late, in another
// order, or lacks some, delays entries and loses none. That a file is missing never means that something was deleted.
//
// Files are encrypted by age to the vault. Age does not say who wrote: each file of a replica is signed by a machine of the vault. Who
// belongs to the vault, and which replica is whose, is a set of signed statements ([statement]), which every machine keeps and repeats.
package shelf

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// Format is the version of the folder that this program reads and writes.
const Format = 1

// Folder is what carries files between machines. Names have slashes. An error leaves the folder as it was, or with some of the changes.
type Folder interface {
	// List returns the sizes of all files by name.
	List(ctx context.Context) (map[string]int64, error)
	Get(ctx context.Context, name string) ([]byte, error)
	// Put writes a file as a whole, unless there is one of that name.
	Put(ctx context.Context, name string, data []byte) error
	// Remove deletes a file. It may be missing.
	Remove(ctx context.Context, name string) error
	// Commit sends what was put and removed since, where a carrier sends several files at once.
	Commit(ctx context.Context) error
}

// Store is what a shelf exchanges the entries of.
type Store interface {
	// Replica returns the identity of the store, after it has noticed that its data were copied or restored, and which entries it
	// has seen, its own ones included.
	Replica(ctx context.Context) (clock.Replica, entry.Vector, error)
	// Segments yields what the store has seen and a vector has not, without gaps, by replica and number.
	Segments(ctx context.Context, after entry.Vector) iter.Seq2[*entry.Segment, error]
	// Join joins segments in one transaction. The vector moves as far as they leave no number out.
	Join(ctx context.Context, list []*entry.Segment) error
}

// Shelf is a folder as one machine uses it. Its methods must not be called at once, nor by two processes with one state.
type Shelf struct {
	folder Folder
	key    *Key
	state  *State
	now    func() time.Time
}

// Open returns the shelf in a folder. The caller stores the state after each call, failed ones as well.
func Open(f Folder, key *Key, state *State, now func() time.Time) *Shelf {
	return &Shelf{folder: f, key: key, state: state, now: now}
}

// State is what a machine remembers of a shelf. Without it nothing is lost: the own files are read once to learn it again.
type State struct {
	// Files are those of the own replicas, which this machine wrote or has looked through.
	Files map[string]File `json:"files,omitempty"`
	// Seen is the highest number of each replica that the folder has had.
	Seen entry.Vector `json:"seen,omitempty"`
	// Checked is what the store had seen when all of it was published, and nothing that was purged was left in own files.
	Checked entry.Vector `json:"checked,omitempty"`
	// Own are the replicas that this machine writes, Holders the names of the files from which that is known.
	Own     []clock.Replica `json:"own,omitempty"`
	Holders []string        `json:"holders,omitempty"`
	// Statements are all that were seen.
	Statements []signed `json:"statements,omitempty"`
	// Team: the vault is one of a team, as this machine learned when it joined.
	Team bool `json:"team,omitempty"`
	// Counted is how many entries of a replica were published when those that count were counted.
	Counted entry.Vector `json:"counted,omitempty"`
	// Tail are the entries that the store has published last.
	Tail *tail `json:"tail,omitempty"`
}

// File is a file of an own replica: its bytes and entries.
type File struct {
	Size    int64 `json:"size"`
	Entries int   `json:"entries"`
}

// Result is what a call has done.
type Result struct {
	Read, Written, Removed int // files
	BytesRead, BytesSent   int64
	Entries                int // that were read
	// Skipped are the files that could not be used. All others were.
	Skipped []Skipped
	// Backwards are the replicas of which the folder has had more than it has now, by restoring or emptying it. What this machine writes is
	// written again at once; what others write is there again after they have synced.
	Backwards []clock.Replica
	// Idle: there was nothing to do, and nothing but the names of the files was read.
	Idle bool
}

// Skipped is a file that could not be used. The error is [hippo.ErrUnavailable] for one that has not arrived as a whole, or whose writer is
// not known yet, [hippo.ErrCorrupt] for a damaged one, [hippo.ErrForbidden] for one that its writer had no right to write, and
// [hippo.ErrUnsupported] for one of a newer program.
type Skipped struct {
	Name string
	Err  error
}

// TakenError says that another store writes as the same replica. The store needs a new identity. It is [hippo.ErrConflict].
type TakenError struct {
	Replica clock.Replica
	By      string // the name of a machine
	// SameMachine: the other one also has the key of this machine, which has to join again.
	SameMachine bool
	// Agreed is the number up to which both have written the same.
	Agreed uint64
}

func (e *TakenError) Error() string {
	if e.SameMachine {
		return fmt.Sprintf("two machines write as %s, because one was copied from the other: on one of them run hippo sync join with a new invitation", e.By)
	}
	return fmt.Sprintf("the store was copied from the one on %s and needs an identity of its own: if that machine is no longer used, run hippo sync retire %[1]s", e.By)
}

// Unwrap makes it an [hippo.ErrConflict].
func (e *TakenError) Unwrap() error { return hippo.ErrConflict }

// run is one call.
type run struct {
	*Shelf
	Result
	view  *view
	trust *trust
	store Store
	own   clock.Replica
	seen  entry.Vector
	// record: the file with the statements of this machine has to be written.
	record bool
}

// Sync reads what others have written, then writes what they lack. After an error in the midst of writing, what was read is joined and what
// was written can be used. Errors before anything is written: [hippo.ErrForbidden] for a key that the vault does not know,
// [hippo.ErrUnsupported] for a newer format, [*TakenError], and those of the folder and of the store.
func (s *Shelf) Sync(ctx context.Context, store Store) (Result, error) {
	return s.sync(ctx, store, false)
}

// Rebuild is Sync and writes all own files again.
func (s *Shelf) Rebuild(ctx context.Context, store Store) (Result, error) {
	return s.sync(ctx, store, true)
}

func (s *Shelf) sync(ctx context.Context, store Store, all bool) (Result, error) {
	r, err := s.start(ctx, store, false)
	if err != nil {
		return Result{}, err
	}
	if r.Idle = !all && r.idle(); r.Idle {
		return r.Result, nil
	}
	if err := r.loadTrust(ctx); err != nil {
		return r.Result, err
	}
	if err := r.read(ctx); err != nil {
		return r.Result, err
	}
	if err := r.claim(ctx); err != nil {
		return r.Result, err
	}
	if err := (publisher{r}).write(ctx, all); err != nil {
		return r.Result, fmt.Errorf("write to the shelf (what others wrote was read): %w", err)
	}
	return r.Result, nil
}

// start lists the folder, and reads who belongs to the vault if that is wanted.
func (s *Shelf) start(ctx context.Context, store Store, trusted bool) (*run, error) {
	v, err := viewOf(ctx, s.folder)
	if err != nil {
		return nil, err
	}
	if s.state.Files == nil {
		s.state.Files = make(map[string]File)
	}
	maps.DeleteFunc(s.state.Files, func(name string, f File) bool { size, ok := v.sizes[name]; return !ok || size != f.Size })
	r := &run{Shelf: s, view: v, store: store}
	now := make(entry.Vector)
	for replica := range v.segments {
		now = now.Union(v.written(replica))
	}
	r.Backwards = s.state.Seen.Beyond(now).Replicas()
	s.state.Seen = s.state.Seen.Union(now)
	if store != nil {
		if r.own, r.seen, err = store.Replica(ctx); err != nil {
			return nil, err
		}
		if err := recognize(ctx, r); err != nil {
			return nil, err
		}
	}
	if trusted {
		err = r.loadTrust(ctx)
	}
	return r, err
}

// claim states that this machine writes as the replica of the store, and what the store has of others that do not use the folder: it was
// copied or restored from one of them, or gets their entries by another way.
func (r *run) claim(ctx context.Context) error {
	switch owner := r.trust.owner(r.own); {
	case !r.trust.owns[r.own]:
		r.say(r.key, statement{Claim: r.own.String()})
	case owner.ID != r.key.id():
		return taken(ctx, r, r.own, owner)
	}
	for _, replica := range r.seen.Replicas() {
		if r.trust.owner(replica) == nil {
			r.say(r.key, statement{Claim: replica.String(), Relay: true})
		}
	}
	r.state.Own = r.trust.owned(r.key.id())
	return nil
}

// idle reports whether there is nothing to do.
func (r *run) idle() bool {
	s := r.state
	if _, ok := r.view.sizes[formatName]; !ok || !slices.Equal(r.view.holders(), s.Holders) || !slices.Contains(s.Own, r.own) || !s.Checked.CoversAll(r.seen) {
		return false
	}
	for replica, list := range r.view.segments {
		if slices.ContainsFunc(list, func(f file) bool { return f.to > r.seen[replica] }) {
			return false
		}
	}
	for _, replica := range s.Own {
		known := r.known(replica)
		if len(known) < len(r.view.segments[replica]) || len(gaps(known, 1, r.seen[replica])) > 0 {
			return false
		}
	}
	return true
}

// known returns the files of an own replica that are as this machine knows them.
func (r *run) known(replica clock.Replica) []file {
	return slices.DeleteFunc(slices.Clone(r.view.segments[replica]), func(f file) bool {
		_, ok := r.state.Files[f.path]
		return !ok
	})
}

// skip reports whether a file cannot be used, and notes that.
func (r *run) skip(name string, err error) bool {
	if err != nil && !slices.ContainsFunc(r.Skipped, func(s Skipped) bool { return s.Name == name }) {
		r.Skipped = append(r.Skipped, Skipped{name, err})
	}
	return err != nil
}

// only returns what to ask a store for to get the entries of one replica after a number.
func only(seen entry.Vector, replica clock.Replica, after uint64) entry.Vector {
	v := maps.Clone(seen)
	v[replica] = after
	return v
}
