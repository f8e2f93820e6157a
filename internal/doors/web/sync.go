package web

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/exchange"
)

// operator is the right of whoever runs the server, see [operates].
const operator = hippo.RightAdmin | hippo.RightMetrics

const (
	// syncTime is how long a page waits for a sync, which is shorter than the time of an answer.
	syncTime = 45 * time.Second
	// maxConflicts is how many conflicts are shown.
	maxConflicts = 50
)

// syncBody is the state of the remotes of the store.
type syncBody struct {
	// Why is why there are none.
	Why       string
	Remotes   []remoteView
	Conflicts []conflictView
	// More is how many conflicts are left out.
	More int
}

// remoteView is a remote and its machines.
type remoteView struct {
	Name     string
	Facts    []fact
	Problems []string
	Machines []machineView
}

type machineView struct {
	Name, Behind, Clock, State string
	Seen                       moment
}

// conflictView is a value that is not shown: the memory as it would be with it.
type conflictView struct {
	Operation hippo.ID
	Reason    string
	Item      item
}

// operates reports whether the caller runs the server: no token that is restricted to a namespace or to projects does.
func operates(v *visit) bool {
	s := &v.caller.Scope
	return s.Allows(operator) && s.Namespace == "" && s.Projects == nil
}

// showSync shows the remotes, and the conflicts of a week.
func showSync(v *visit) (page, error) {
	if !operates(v) {
		return page{}, hippo.ErrForbidden
	}
	var b syncBody
	st, err := v.options.Sync.Status(v.r.Context())
	switch {
	case errors.Is(err, hippo.ErrNotFound), errors.Is(err, hippo.ErrUnsupported):
		_, why, _ := strings.Cut(wire.ErrorOf(err, "").Error.Message, ": ") // without the kind of error
		b.Why = sentence(why)
	case err != nil:
		return page{}, err
	default:
		x := wire.SyncStatusOf(st)
		for i := range x.Remotes {
			b.Remotes = append(b.Remotes, remoteOf(v, &x.Remotes[i]))
		}
		if b.Conflicts, err = conflictsOf(v, st.Conflicts[:min(len(st.Conflicts), maxConflicts)]); err != nil {
			return page{}, err
		}
		b.More = len(st.Conflicts) - min(len(st.Conflicts), maxConflicts)
	}
	return page{Title: "Sync", Content: syncContent(formsOf(v), b)}, nil
}

func remoteOf(v *visit, r *wire.SyncRemote) remoteView {
	synced := v.moment(r.Synced)
	if r.Synced.IsZero() {
		synced.Text = "never"
	}
	out := remoteView{Name: r.Carrier, Facts: []fact{{"Last synced", synced.Text}}}
	switch {
	case r.Failure != nil:
		out.Problems = append(out.Problems, fmt.Sprintf("Fails since %s (%s): %s", v.moment(r.Failure.Since).Text, count(r.Failure.Times, "time", "times"), r.Failure.Message))
	case r.Error != nil:
		out.Problems = append(out.Problems, "Not all of this is of now: "+r.Error.Message)
	}
	if r.Error == nil {
		out.Facts = append(out.Facts, fact{"To send", count(int(r.Unsent), "entry", "entries")})
	}
	for _, x := range r.Skipped {
		out.Problems = append(out.Problems, "Skipped "+x.File+": "+x.Error)
	}
	for i := range r.Machines {
		if m := &r.Machines[i]; m.Kind == exchange.KindMachine {
			out.Machines = append(out.Machines, machineViewOf(v, m))
		}
	}
	return out
}

func machineViewOf(v *visit, m *wire.SyncMachine) machineView {
	out := machineView{Name: m.Name, Behind: count(int(m.Behind), "entry", "entries"), Clock: "right", Seen: v.moment(m.Seen)}
	if m.ClockAhead >= time.Minute.Seconds() {
		out.Clock = (time.Duration(m.ClockAhead/60) * time.Minute).String() + " ahead"
	}
	if m.Seen.IsZero() {
		out.Seen.Age = "never"
	}
	switch {
	case m.Self:
		out.State = "this machine"
	case m.RetiredBy != "":
		out.State = "retired by " + m.RetiredBy
	}
	return out
}

// conflictsOf returns what operations keep. What is not kept any more is left out.
func conflictsOf(v *visit, list []api.Operation) ([]conflictView, error) {
	var out []conflictView
	for i := range list {
		vs, err := memory.Versions(v.r.Context(), v.memories, api.Versions{Operation: list[i].ID})
		if errors.Is(err, hippo.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, x := range vs {
			if x.Before != nil {
				out = append(out, conflictView{list[i].ID, list[i].Reason, v.newItem(x.Before)})
			}
		}
	}
	return out, nil
}

// syncNow syncs with all remotes, and says on the page how that went.
func syncNow(v *visit) error {
	if !operates(v) {
		return hippo.ErrForbidden
	}
	var list []exchange.Outcome
	err := v.options.Sync.Within(v.r.Context(), syncTime, func(ctx context.Context, x *exchange.Remotes) (err error) {
		list, err = x.Sync(ctx)
		return err
	})
	if err != nil && !errors.Is(err, hippo.ErrUnavailable) {
		return err
	}
	said := toast{Failed: err != nil}
	if err != nil {
		said.Text = messageOf(err)
	} else {
		said.Text, said.Failed = outcomeText(list)
	}
	if v.session != nil {
		v.session.say(said)
	}
	return v.back()
}

// outcomeText says what a sync has done, in a sentence.
func outcomeText(list []exchange.Outcome) (text string, failed bool) {
	changed, conflicts := 0, 0
	for i := range list {
		o := &list[i]
		if o.Err != nil {
			return o.Carrier.String() + ": " + messageOf(o.Err), true
		}
		changed += len(o.Changed)
		conflicts += len(o.Conflicts)
	}
	text = "Synced: " + count(changed, "memory", "memories") + " changed here"
	if conflicts > 0 {
		text += ", " + count(conflicts, "conflict", "conflicts")
	}
	return text + ".", false
}

// undoConflict takes the value that a conflict keeps.
func undoConflict(v *visit) error {
	if !operates(v) {
		return hippo.ErrForbidden
	}
	id, err := hippo.ParseID(v.r.PostForm.Get("operation"))
	if err != nil {
		return hippo.Fieldf("operation", "must be the id of an operation")
	}
	return v.apply("Undone: the other value is shown now.", func(by *engine.Memories) error {
		_, err := memory.Undo(v.r.Context(), by, id)
		return err
	})
}
