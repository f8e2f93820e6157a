package exchange

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/shelf"
)

const (
	// week is how long conflicts are listed.
	week = 7 * 24 * time.Hour
	// operationsAtOnce is how many operations are read at a time.
	operationsAtOnce = 500
)

// Status is the state of the remotes.
type Status struct {
	Remotes []RemoteStatus
	// Conflicts are the operations of the last week that keep what was set at once on several machines and is not shown, the newest first. Those
	// that were undone are left out.
	Conflicts []api.Operation
}

// RemoteStatus is the state of one remote.
type RemoteStatus struct {
	Carrier Carrier
	// Synced is when this machine has exchanged all with it last; zero: never.
	Synced   time.Time
	Machines []Machine
	// Unsent is how many numbers of entries of this store it lacks.
	Unsent  uint64
	Skipped []shelf.Skipped
	// Failure is why exchanges fail; nil: the last one worked. Err is why this state is not complete.
	Failure *Failure
	Err     error
	// Team is what a team gets and gives; nil: the remote is not one of a team.
	Team *TeamStatus
}

// Machine is a holder of the vault: a machine, an invitation or the recovery key.
type Machine struct {
	ID, Name string
	Kind     shelf.Kind
	// Self: it is this one.
	Self bool
	// Since is when it was admitted, Until when an invitation expires, Seen when the machine wrote last, by its clock.
	Since, Until, Seen time.Time
	// Behind is how many numbers of its entries this store lacks.
	Behind uint64
	// Ahead is how far its clock was ahead of this one at least.
	Ahead time.Duration
	// RetiredBy names the machine that has retired it.
	RetiredBy string
}

// KindMachine is the kind of the holders that are machines.
const KindMachine = shelf.Machine

// Known returns what was seen of each remote of a store when it was used last, by the folder for keys and states. Nothing is opened but
// that; there may be none.
func Known(dir string) ([]RemoteStatus, error) {
	if !files(dir).exist() {
		return nil, nil
	}
	list, err := files(dir).list()
	out := make([]RemoteStatus, len(list))
	for i, r := range list {
		out[i] = knownOf(r)
	}
	return out, err
}

func knownOf(r *remote) RemoteStatus {
	return RemoteStatus{Carrier: r.carrier, Synced: r.synced, Failure: r.failure, Err: r.broken}
}

// Status asks each remote. The error is [hippo.ErrNotFound] if there is none.
func (x *Remotes) Status(ctx context.Context) (*Status, error) {
	list, err := x.files.list()
	if err != nil {
		return nil, err
	}
	out := &Status{}
	for _, r := range list {
		out.Remotes = append(out.Remotes, statusOf(ctx, x, r))
	}
	out.Conflicts, err = conflicts(ctx, x.store, x.Now().Add(-week))
	return out, err
}

func statusOf(ctx context.Context, x *Remotes, r *remote) (out RemoteStatus) {
	out = knownOf(r)
	if out.Err != nil {
		return out
	}
	f, err := r.open(ctx, &x.Options)
	if err != nil {
		out.Err = err
		return out
	}
	defer func() { out.Err = errors.Join(out.Err, shut(f)) }()
	to := &replica{store: x.store}
	if r.team != nil {
		m, err := openTeam(ctx, x, r)
		if err != nil {
			out.Err = err
			return out
		}
		defer func() { out.Err = errors.Join(out.Err, m.close()) }()
		to.store = m.copy
		if sends, receives, err := m.plan(ctx); err != nil {
			out.Err = err
		} else {
			status := m.status(sends, receives)
			out.Team = &status
		}
	}
	return statusIn(ctx, x, r, to, out, f)
}

// statusIn adds what the folder of a remote says.
func statusIn(ctx context.Context, x *Remotes, r *remote, to *replica, out RemoteStatus, f shelf.Folder) RemoteStatus {
	own, seen, err := to.Replica(ctx)
	if err != nil {
		out.Err = err
		return out
	}
	members, res, err := shelf.Open(f, r.key, r.state, x.Now).Status(ctx, to)
	out.Skipped, out.Unsent = res.Skipped, seen[own]
	out.Err = errors.Join(out.Err, err)
	for _, m := range members {
		one := machineOf(m, own, x.Now())
		if one.Self {
			out.Unsent = unsent(m, own)
		}
		out.Machines = append(out.Machines, one)
	}
	return out
}

func machineOf(m *shelf.Member, own clock.Replica, now time.Time) Machine {
	out := Machine{ID: m.ID, Name: m.Name, Kind: m.Kind, Since: m.Since}
	if m.Kind == shelf.Invitation {
		out.Until = m.Until
	}
	if m.RetiredBy != nil {
		out.RetiredBy = m.RetiredBy.Name
	}
	for i := range m.Replicas {
		r := &m.Replicas[i]
		if r.Replica == own {
			out.Self = true
		}
		if r.Last.After(out.Seen) {
			out.Seen = r.Last
		}
		out.Behind += r.Written - min(r.Joined, r.Written)
	}
	if ahead := out.Seen.Sub(now); !out.Seen.IsZero() && ahead > 0 && !out.Self {
		out.Ahead = ahead
	}
	return out
}

// unsent returns how many numbers of a replica of this machine its remote lacks.
func unsent(m *shelf.Member, own clock.Replica) uint64 {
	for i := range m.Replicas {
		if r := &m.Replicas[i]; r.Replica == own {
			return r.Joined - min(r.Joined, r.Written)
		}
	}
	return 0
}

// conflicts returns the operations since a time that keep what lost, but for those that were undone.
func conflicts(ctx context.Context, s *store.Store, since time.Time) ([]api.Operation, error) {
	var out []api.Operation
	undone := make(map[hippo.ID]bool)
	for offset := 0; ; offset += operationsAtOnce {
		list, err := store.Operations(ctx, s.In(hippo.LocalScope("")), driver.OperationQuery{Offset: offset, Limit: operationsAtOnce})
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(list, func(o api.Operation) bool { return o.At.Before(since) })
		recent := list
		if at >= 0 {
			recent = list[:at]
		}
		for i := range recent {
			o := &recent[i]
			switch {
			case undone[o.ID]:
			case !o.Undoes.IsZero():
				undone[o.Undoes] = true
			case o.Verb == hippo.VerbSync && o.By.Kind == hippo.SourceSync:
				out = append(out, *o)
			}
		}
		if at >= 0 || len(list) < operationsAtOnce {
			return out, nil
		}
	}
}
