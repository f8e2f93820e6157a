package wire

import (
	"context"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/exchange"
	"github.com/hippo-memory/hippo/internal/sync/shelf"
)

// SyncVerb is something that is done with all remotes of a store.
type SyncVerb struct {
	// Name is that of the subcommand of hippo sync and the last part of the path, Summary what it does.
	Name, Summary string
	// OfMachine: it takes the name or the ID of a machine.
	OfMachine bool
	do        func(ctx context.Context, x *exchange.Remotes, machine string) ([]exchange.Outcome, error)
}

// SyncVerbs returns these verbs.
func SyncVerbs() []SyncVerb {
	on := func(do func(*exchange.Remotes, context.Context) ([]exchange.Outcome, error)) func(context.Context, *exchange.Remotes, string) ([]exchange.Outcome, error) {
		return func(ctx context.Context, x *exchange.Remotes, _ string) ([]exchange.Outcome, error) {
			return do(x, ctx)
		}
	}
	return []SyncVerb{
		{"now", "Sync with all remotes", false, on((*exchange.Remotes).Sync)},
		{"verify", "Read every file of all remotes, and name those that are damaged", false, on((*exchange.Remotes).Verify)},
		{"rebuild", "Sync, and write all files of this machine again", false, on((*exchange.Remotes).Rebuild)},
		{"retire", "End the right of a lost machine to write, and take over what it has written", true, func(ctx context.Context, x *exchange.Remotes, machine string) ([]exchange.Outcome, error) {
			return x.Retire(ctx, machine)
		}},
	}
}

// Do carries the verb out.
func (v *SyncVerb) Do(ctx context.Context, x *exchange.Remotes, machine string) ([]SyncOutcome, error) {
	list, err := v.do(ctx, x, machine)
	return SyncOutcomesOf(list), err
}

// SyncOutcome is what was done with a remote as JSON.
type SyncOutcome struct {
	Carrier string `json:"carrier"`
	// RecoveryKey is that of a vault that was begun.
	RecoveryKey string `json:"recovery_key,omitempty"`
	SyncTraffic
	// Changed are the memories that look different now, Conflicts those that were changed at once on several machines.
	Changed   []hippo.ID `json:"changed"`
	Conflicts []hippo.ID `json:"conflicts"`
	Invalid   []hippo.ID `json:"invalid,omitempty"`
	Skipped   []SyncSkip `json:"skipped,omitempty"`
	Backwards []string   `json:"backwards,omitempty"`
	// Unfinished: hippo sync init was stopped before it showed the recovery key.
	Unfinished bool       `json:"unfinished,omitempty"`
	Team       *SyncTeam  `json:"team,omitempty"`
	Error      *ErrorBody `json:"error,omitempty"`

	Err error `json:"-"` // what Error says
}

// SyncTraffic is how much was exchanged with a remote as JSON. Received are entries.
type SyncTraffic struct {
	SentFiles int   `json:"sent_files"`
	SentBytes int64 `json:"sent_bytes"`
	Received  int   `json:"received"`

	ReadFiles, RemovedFiles int `json:"-"`
}

// SyncSkip is a file of a remote that could not be used as JSON.
type SyncSkip struct {
	File  string     `json:"file"`
	Code  hippo.Code `json:"code"`
	Error string     `json:"message"`

	Err error `json:"-"`
}

// SyncOutcomeOf returns an outcome as JSON.
func SyncOutcomeOf(o *exchange.Outcome) SyncOutcome {
	out := SyncOutcome{
		Carrier: o.Carrier.String(), SyncTraffic: SyncTraffic{o.Written, o.BytesSent, o.Entries, o.Read, o.Removed},
		Changed: append([]hippo.ID{}, o.Changed...), Conflicts: append([]hippo.ID{}, o.Conflicts...), Invalid: o.Invalid, Skipped: skips(o.Skipped),
		Unfinished: o.Unfinished, Team: syncTeamOf(o.Team), Error: bodyOf(o.Err), Err: o.Err,
	}
	for _, r := range o.Backwards {
		out.Backwards = append(out.Backwards, r.String())
	}
	return out
}

// SyncOutcomesOf returns outcomes as JSON.
func SyncOutcomesOf(list []exchange.Outcome) []SyncOutcome {
	out := make([]SyncOutcome, len(list))
	for i := range list {
		out[i] = SyncOutcomeOf(&list[i])
	}
	return out
}

func skips(list []shelf.Skipped) (out []SyncSkip) {
	for _, x := range list {
		out = append(out, SyncSkip{x.Name, hippo.CodeOf(x.Err), x.Err.Error(), x.Err})
	}
	return out
}

// SyncInvitation is an invitation as JSON.
type SyncInvitation struct {
	Code    string    `json:"code"`
	Carrier string    `json:"carrier"`
	Until   time.Time `json:"until"`
}

// SyncStatus is the state of the remotes of a store as JSON.
type SyncStatus struct {
	Remotes []SyncRemote `json:"remotes"`
	// Conflicts are the operations of the last week that keep what is not shown.
	Conflicts []Operation `json:"conflicts"`
}

// SyncRemote is the state of a remote as JSON.
type SyncRemote struct {
	SyncKnown
	Unsent   uint64        `json:"unsent"`
	Machines []SyncMachine `json:"machines"`
	Skipped  []SyncSkip    `json:"skipped,omitempty"`
	Team     *SyncTeam     `json:"team,omitempty"`
}

// SyncKnown is what was seen of a remote when it was used last as JSON.
type SyncKnown struct {
	Carrier string    `json:"carrier"`
	Synced  time.Time `json:"synced,omitzero"`
	// Failure is why exchanges fail; absent if the last one worked. Error is why the rest is not complete.
	Failure *SyncFailure `json:"failure,omitempty"`
	Error   *ErrorBody   `json:"error,omitempty"`
}

// SyncFailure is why exchanges with a remote have failed since the last one that worked as JSON.
type SyncFailure struct {
	Code    hippo.Code `json:"code"`
	Message string     `json:"message"`
	Since   time.Time  `json:"since"`
	Last    time.Time  `json:"last"`
	Times   int        `json:"times"`
}

// SyncMachine is a holder of a vault as JSON.
type SyncMachine struct {
	ID    string     `json:"id"`
	Name  string     `json:"name"`
	Kind  shelf.Kind `json:"kind"`
	Self  bool       `json:"self,omitempty"`
	Since time.Time  `json:"since"`
	Until time.Time  `json:"until,omitzero"`
	// Seen is when it wrote last, Behind how many of its entries this store lacks, ClockAhead how many seconds its clock was ahead.
	Seen       time.Time `json:"seen,omitzero"`
	Behind     uint64    `json:"behind"`
	ClockAhead float64   `json:"clock_ahead,omitempty"`
	RetiredBy  string    `json:"retired_by,omitempty"`
}

// SyncStatusOf returns a state as JSON.
func SyncStatusOf(s *exchange.Status) SyncStatus {
	out := SyncStatus{Remotes: make([]SyncRemote, 0, len(s.Remotes)), Conflicts: make([]Operation, 0, len(s.Conflicts))}
	for i := range s.Remotes {
		r := &s.Remotes[i]
		one := SyncRemote{SyncKnown: syncKnownOf(r), Unsent: r.Unsent, Machines: make([]SyncMachine, 0, len(r.Machines)), Skipped: skips(r.Skipped), Team: syncTeamOf(r.Team)}
		for j := range r.Machines {
			one.Machines = append(one.Machines, machineOf(&r.Machines[j]))
		}
		out.Remotes = append(out.Remotes, one)
	}
	for i := range s.Conflicts {
		out.Conflicts = append(out.Conflicts, OperationOf(&s.Conflicts[i].Operation, s.Conflicts[i].Memories))
	}
	return out
}

// SyncKnownOf returns what was seen of remotes as JSON.
func SyncKnownOf(list []exchange.RemoteStatus) []SyncKnown {
	out := make([]SyncKnown, len(list))
	for i := range list {
		out[i] = syncKnownOf(&list[i])
	}
	return out
}

func syncKnownOf(r *exchange.RemoteStatus) SyncKnown {
	out := SyncKnown{Carrier: r.Carrier.String(), Synced: seconds(r.Synced), Error: bodyOf(r.Err)}
	if f := r.Failure; f != nil {
		out.Failure = &SyncFailure{f.Code, f.Text, seconds(f.Since), seconds(f.At), f.Times}
	}
	return out
}

func machineOf(m *exchange.Machine) SyncMachine {
	return SyncMachine{
		ID: m.ID, Name: m.Name, Kind: m.Kind, Self: m.Self, Since: seconds(m.Since), Until: seconds(m.Until), Seen: seconds(m.Seen), Behind: m.Behind,
		ClockAhead: m.Ahead.Round(time.Millisecond).Seconds(), RetiredBy: m.RetiredBy,
	}
}

// seconds returns a time as JSON has it.
func seconds(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// bodyOf returns an error as JSON; nil for none.
func bodyOf(err error) *ErrorBody {
	if err == nil {
		return nil
	}
	e := ErrorOf(err, "")
	return &e.Error
}
