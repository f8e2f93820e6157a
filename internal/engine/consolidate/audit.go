package consolidate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
)

// IdleDays is the usual number of active days without a use from which a memory is idle: the days of grace of archival, a
// month and a half of work days, in which what a project still needs comes up.
const IdleDays = 30

// auditor looks for problems.
type auditor struct {
	*state
	idle     int
	live     map[hippo.ID]*Subject // neither forgotten nor archived
	settled  map[pair]bool         // pairs that are compatible
	findings map[hippo.ID]api.Finding
}

// Audit returns the problems of a view, in the order of [api.Problems], then of IDs, and the number of memories that
// were looked at: those that are neither forgotten nor archived. Of o it uses Duplicates and Archive.Tags; idle is the number of
// active days from which a memory without a use is idle. The view is only read. Errors are those of [New].
//
// Cost: for each memory some hundred comparisons for duplicates, and some thousand postings and 16 comparisons of
// texts for contradictions, at most; seconds for 100,000 memories, on one core.
func Audit(ctx context.Context, v *View, idle int, o Options) (list []api.Finding, memories int, err error) {
	if err := o.validate(); err != nil {
		return nil, 0, err
	}
	if idle < 1 {
		return nil, 0, hippo.Fieldf("idle", "must be 1 active day or more, got %d", idle)
	}
	if err := v.validate(); err != nil {
		return nil, 0, err
	}
	a := newAuditor(v, idle, &o, v.pause(ctx))
	a.stale()
	a.declared()
	for _, list := range a.projects() {
		if err := a.project(list); err != nil {
			return nil, 0, err
		}
	}
	if err := a.misfiled(); err != nil {
		return nil, 0, err
	}
	a.unused()
	list = make([]api.Finding, 0, len(a.findings))
	for _, f := range a.findings {
		list = append(list, f)
	}
	slices.SortFunc(list, func(x, y api.Finding) int {
		return cmp.Or(cmp.Compare(slices.Index(api.Problems(), x.Problem), slices.Index(api.Problems(), y.Problem)), x.ID.Compare(y.ID))
	})
	return list, len(a.live), nil
}

// newAuditor returns an auditor of what is neither forgotten nor archived.
func newAuditor(v *View, idle int, o *Options, stop pause) *auditor {
	view := *v
	view.Subjects = slices.DeleteFunc(slices.Clone(v.Subjects), func(x Subject) bool { return x.Forgotten() || x.Archived })
	a := &auditor{
		state: &state{View: &view, options: o, stop: stop}, idle: idle,
		live: make(map[hippo.ID]*Subject, len(view.Subjects)), settled: make(map[pair]bool), findings: make(map[hippo.ID]api.Finding),
	}
	for i := range view.Subjects {
		a.live[view.Subjects[i].ID] = &view.Subjects[i]
	}
	for i := range v.Relations {
		if r := &v.Relations[i]; r.Kind == hippo.CompatibleWith && r.ValidAt(v.Now) {
			a.settled[pairOf(r.From, r.To)] = true
		}
	}
	return a
}

// find adds a finding, unless the memory has one already. Of several that it is to be superseded by the last counts.
func (a *auditor) find(f api.Finding) {
	if old, ok := a.findings[f.ID]; !ok || old.Remedy == api.RemedySupersede && f.Remedy == api.RemedySupersede {
		a.findings[f.ID] = f
	}
}

// stale finds what ceased to be valid, and what was superseded and is idle.
func (a *auditor) stale() {
	for i := range a.Subjects {
		x := &a.Subjects[i]
		days := a.idleDays(x.Memory)
		switch {
		case x.SupersededBy.IsZero():
			if !x.ValidUntil.IsZero() && !a.Now.Before(x.ValidUntil) {
				a.find(api.Finding{Problem: api.ProblemStale, ID: x.ID, Remedy: api.RemedyForget, Reason: fmt.Sprintf(
					"valid until %s, %s ago", when.Date(x.ValidUntil, a.zone()), plural(int(a.Now.Sub(x.ValidUntil)/day), "day"))})
			}
		case days >= a.idle && a.live[x.SupersededBy] != nil:
			a.find(api.Finding{Problem: api.ProblemStale, ID: x.ID, Other: x.SupersededBy, Remedy: api.RemedyForget, Reason: fmt.Sprintf(
				"superseded, and not used for %s", plural(days, "active day"))})
		}
	}
}

// project finds the contradictions and duplicates among the memories of one project that hold.
func (a *auditor) project(list []*Subject) error {
	c, err := itemsOf(a.stop, list)
	if err != nil {
		return err
	}
	if err := contradictions(a.stop, c, a.contradicted); err != nil {
		return err
	}
	return a.options.Duplicates.each(a.stop, c, func(x, front *item, d *duplicate) {
		if !a.settled[pairOf(x.ID, front.ID)] {
			a.find(api.Finding{Problem: api.ProblemRepeated, ID: x.ID, Other: front.ID, Remedy: api.RemedyForget, Reason: d.reason()})
		}
	})
}

// contradicted finds a memory that a newer one contradicts; if it is also idle, it is stale.
func (a *auditor) contradicted(older, newer *hippo.Memory, reason string) {
	if a.settled[pairOf(older.ID, newer.ID)] {
		return
	}
	apart := plural(int(newer.When().Sub(older.When()).Abs()/day), "day") + " apart"
	f := api.Finding{Problem: api.ProblemContradictory, ID: older.ID, Other: newer.ID, Remedy: api.RemedySupersede, Reason: reason + ", " + apart}
	if days := a.idleDays(older); days >= a.idle {
		f.Problem, f.Reason = api.ProblemStale, fmt.Sprintf("contradicted (%s, %s), and not used for %s", reason, apart, plural(days, "active day"))
	}
	a.find(f)
}

// unused finds what nobody ever used. What the session context shows by itself, what somebody marked to be kept, and a file that
// is read by its path is used without leaving a trace.
func (a *auditor) unused() {
	for i := range a.Subjects {
		x := &a.Subjects[i]
		if len(x.Accesses) != 1 || x.Accesses[0].Count > 1 || len(x.Feedback) > 0 || x.Importance.Value != x.Importance.Base || x.Pinned || x.Upvoted ||
			!x.SupersededBy.IsZero() || x.Type == hippo.FileType || a.protected(x.Memory) {
			continue
		}
		if days := a.idleDays(x.Memory); days >= a.idle {
			a.find(api.Finding{Problem: api.ProblemUnused, ID: x.ID, Remedy: api.RemedyForget, Reason: fmt.Sprintf(
				"recorded %s ago, never opened, voted or returned by a search since", plural(days, "active day"))})
		}
	}
}

// protected reports whether the tags or the type of a memory say that it counts without being searched for.
func (a *auditor) protected(m *hippo.Memory) bool {
	rules := briefing.Types(briefing.Rules)
	return slices.Contains(rules, strings.ToLower(m.Type)) || slices.ContainsFunc(m.Tags, func(t string) bool {
		t = strings.ToLower(t)
		return slices.Contains(a.options.Archive.Tags, t) || slices.Contains(rules, t)
	})
}

// idleDays is the number of active days since a memory was recorded, returned, opened, voted or given an importance.
func (a *auditor) idleDays(m *hippo.Memory) int {
	last := m.Importance.SetDay
	if n := len(m.Accesses); n > 0 {
		last = max(last, m.Accesses[n-1].Day)
	}
	for i := range m.Feedback {
		last = max(last, m.Feedback[i].Day)
	}
	if last == 0 {
		return 0 // nothing is known of it
	}
	return max(0, int(a.Calendar.Day-last))
}

// plural counts things: "1 day", "2 days".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
