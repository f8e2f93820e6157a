package consolidate

import (
	"cmp"
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
)

// The kinds of the relations that a plan proposes.
const (
	// DuplicateOf leads from a memory to the better one that says the same.
	DuplicateOf = "duplicate_of"
	// Summarizes leads from a summary to each memory that it is made of.
	Summarizes = "summarizes"
)

// SummaryType is the type of a memory that is a summary.
const SummaryType = hippo.SummaryType

// Action is a proposed change.
type Action struct {
	Kind api.ActionKind
	// ID is the memory that changes; of a link, the one that says the same as a better one; zero for a
	// summary and for relations that are pruned.
	ID hippo.ID
	// Reason says why, with the numbers that decided.
	Reason string
	// Relations are declared, or removed by [api.ActionPrune].
	Relations []hippo.Relation
	// Summary is the new memory, without times, and Supersedes the summary that it replaces, if there
	// is one.
	Summary    *hippo.Memory
	Supersedes hippo.ID
}

// Plan is what to change.
type Plan struct {
	Horizon api.Horizon
	// Topics are the coarse clusters, Groups the fine ones that they consist of. They are not computed for
	// [api.Daily].
	Topics, Groups []api.Cluster
	// Actions are in the order of [api.ActionKinds], then of the IDs of their memories.
	Actions []Action
	// Left is the number of near-duplicates beyond [Duplicates.Links], which the next plans link.
	Left int
}

// Count returns the number of actions of a kind.
func (p *Plan) Count(k api.ActionKind) int {
	n := 0
	for i := range p.Actions {
		if p.Actions[i].Kind == k {
			n++
		}
	}
	return n
}

// New returns the plan for a view. The error is a [*hippo.FieldError] for a view, a horizon or options that cannot
// be used, or that of ctx.
//
// Cost: about n*k comparisons of vectors for each of 25 iterations and three levels of clusters, k at most 16,
// and at most some hundred for the duplicates of each memory; seconds for 100,000 memories, on one core. RAM: some
// 200 bytes a memory and 4 bytes a distinct word of it, beside the view.
func New(ctx context.Context, v *View, h api.Horizon, o Options) (*Plan, error) {
	w, err := windowOf(h)
	if err != nil {
		return nil, err
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	if err := v.validate(); err != nil {
		return nil, err
	}
	s := &state{View: v, options: &o, stop: v.pause(ctx), window: w, plan: &Plan{Horizon: h}}
	s.arrange()
	if err := s.prune(); err != nil {
		return nil, err
	}
	for _, list := range s.projects() {
		if err := s.project(list); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(s.plan.Actions, func(a, b Action) int {
		return cmp.Or(cmp.Compare(slices.Index(api.ActionKinds(), a.Kind), slices.Index(api.ActionKinds(), b.Kind)), a.ID.Compare(b.ID))
	})
	return s.plan, nil
}

// Clusters returns the topics and the groups of a view, as a plan has them. Errors are those of [New].
func Clusters(ctx context.Context, v *View, o Options) (topics, groups []api.Cluster, err error) {
	if err := o.validate(); err != nil {
		return nil, nil, err
	}
	if err := v.validate(); err != nil {
		return nil, nil, err
	}
	s := &state{View: v, options: &o, stop: v.pause(ctx), plan: &Plan{}}
	for _, list := range s.projects() {
		items, err := itemsOf(s.stop, list)
		if err != nil {
			return nil, nil, err
		}
		if _, err := s.clusters(items); err != nil {
			return nil, nil, err
		}
	}
	return s.plan.Topics, s.plan.Groups, nil
}

// project plans for the memories of one project, which are in the order of their IDs.
func (s *state) project(list []*Subject) error {
	items, err := itemsOf(s.stop, list)
	if err != nil {
		return err
	}
	// Duplicates count for what archival keeps, so they are looked for whenever it runs.
	if s.window.duplicates || s.window.archive {
		if err := s.duplicates(items); err != nil {
			return err
		}
	}
	if !s.window.summaries && !s.window.archive {
		return nil
	}
	groups, err := s.clusters(items)
	if err != nil {
		return err
	}
	if s.window.summaries {
		if err := (&summarizer{s, items}).summarize(groups); err != nil {
			return err
		}
	}
	if s.window.archive {
		if err := (&archiver{state: s, corpus: items}).archive(groups); err != nil {
			return err
		}
	}
	return s.stop()
}

// propose adds an action.
func (s *state) propose(a Action) { s.plan.Actions = append(s.plan.Actions, a) }
