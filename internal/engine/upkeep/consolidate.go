package upkeep

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/consolidate"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
	"github.com/hippo-memory/hippo/internal/store"
)

// ConsolidateOptions say what a consolidation does.
type ConsolidateOptions struct {
	Horizon api.Horizon
	// DryRun proposes and changes nothing.
	DryRun bool
	// Constants are those of the plan, but for how relations fade; nil: [consolidate.Default].
	Constants *consolidate.Options
}

// rescored is the number of memories whose surprise a consolidation computes again: about a second in a store of 100,000.
const rescored = 1000

// Consolidate tidies up the memories of the scope: see package consolidate, and docs/consolidation.md. The plan
// is made without a lock, and applied in one transaction as one operation, which [memory.Undo] undoes.
//
// Cost: seconds for 100,000 memories, on one core, and some KB of RAM for each meanwhile. The plan lets searches pass:
// where they never stop it takes twice its time.
func Consolidate(ctx context.Context, m *engine.Memories, o ConsolidateOptions) (*api.Consolidation, error) {
	return engine.Perform(ctx, m, o, "consolidate", consolidateAll)
}

func consolidateAll(ctx context.Context, m *engine.Memories, o ConsolidateOptions) (*api.Consolidation, error) {
	if err := m.Scoped.Allow(hippo.RightRead); err != nil {
		return nil, err
	}
	if !o.DryRun {
		if err := m.Scoped.Allow(hippo.RightWrite); err != nil {
			return nil, err
		}
	}
	if err := m.Flush(ctx); err != nil { // what was learned and used so far counts
		return nil, err
	}
	var out *api.Consolidation
	err := planned(ctx, m, func(v *consolidate.View) (err error) {
		out, err = consolidateView(ctx, m, v, o)
		return err
	})
	return out, err
}

// consolidateView makes a plan and, unless it is a dry run, applies it.
func consolidateView(ctx context.Context, m *engine.Memories, v *consolidate.View, o ConsolidateOptions) (*api.Consolidation, error) {
	plan, err := consolidate.New(ctx, v, o.Horizon, optionsOf(m.Engine, o.Constants))
	if err != nil {
		return nil, err
	}
	leaveForgotten(v, plan)
	out := reportOf(plan, len(v.Subjects))
	if out.DryRun = o.DryRun; o.DryRun {
		return out, nil
	}
	done, err := store.Tidy(ctx, store.As(m.Scoped, engine.Operation(m, hippo.VerbConsolidate)), tidyingOf(v, plan))
	if err != nil {
		return nil, err
	}
	out.Operation, out.Skipped = done.Operation, done.Skipped
	out.Pruned, out.Linked, out.Summarised, out.Archived = done.Dropped, done.Linked, done.Recorded, done.Archived
	if out.Rescored, err = rescoreSome(ctx, m, v); err != nil {
		if done.Operation.IsZero() {
			return nil, err
		}
		return nil, fmt.Errorf("consolidated as operation %s, but surprise was not computed again: %w", done.Operation, err)
	}
	return out, nil
}

// leaveForgotten takes the summaries out of a plan that were recorded and are forgotten, by a person or an undo. The ID of a
// summary follows from its members, so that it could not be recorded again.
func leaveForgotten(v *consolidate.View, p *consolidate.Plan) {
	forgotten := make(map[hippo.ID]bool)
	for i := range v.Subjects {
		if x := v.Subjects[i].Memory; x.Forgotten() {
			forgotten[x.ID] = true
		}
	}
	p.Actions = slices.DeleteFunc(p.Actions, func(a consolidate.Action) bool { return a.Summary != nil && forgotten[a.Summary.ID] })
}

// optionsOf returns the constants of a plan: relations fade as they do in searches.
func optionsOf(e *engine.Engine, constants *consolidate.Options) consolidate.Options {
	o := consolidate.Default()
	if constants != nil {
		o = *constants
	}
	o.Relations = e.Weights.Relations
	return o
}

// planned calls fn with what a plan is made of. One plan is made at a time: each takes the RAM of all memories.
func planned(ctx context.Context, m *engine.Memories, fn func(*consolidate.View) error) error {
	select {
	case m.Planning <- struct{}{}:
		defer func() { <-m.Planning }()
	case <-ctx.Done():
		return ctx.Err()
	}
	v, err := viewOf(ctx, m)
	if err != nil {
		return err
	}
	return fn(v)
}

// viewOf reads what a plan is made of.
func viewOf(ctx context.Context, m *engine.Memories) (*consolidate.View, error) {
	head, err := m.Store.Head(ctx)
	if err != nil {
		return nil, err
	}
	aside := embedding.StandAside(m.Embedding)
	v := &consolidate.View{Now: m.Clock().UTC().Truncate(time.Microsecond), Zone: m.Store.Zone(), Calendar: head.Calendar, Yield: aside}
	codes, err := codesOf(ctx, m)
	if err != nil {
		return nil, err
	}
	memories := make(map[hippo.ID]*hippo.Memory)
	for c, err := range store.AllSince(ctx, m.Scoped, 0) {
		if err != nil {
			return nil, err
		}
		if err := aside(ctx); err != nil {
			return nil, err
		}
		if x := c.Memory; x != nil && !x.IsEntity() {
			memories[x.ID] = x
			v.Subjects = append(v.Subjects, consolidate.Subject{Memory: x, Vector: codes[x.ID], Upvoted: upvoted(x), Archived: x.Archived()})
		}
	}
	for r, err := range store.RelationsAmong(ctx, m.Scoped, memories) {
		if err != nil {
			return nil, err
		}
		v.Relations = append(v.Relations, r)
	}
	return v, ctx.Err()
}

// codesOf returns the vectors of the scope by the first model that has any: by the instant one, if there is one.
func codesOf(ctx context.Context, m *engine.Memories) (codes map[hippo.ID]vector.Code, err error) {
	err = m.Indexed(ctx, func() error {
		m.Embedding.EmbedInstant(ctx)
		for _, model := range m.Embedding.Steady(retrieve.Semantic) {
			if codes = m.Index.Vectors.Codes(model, &m.Scope); len(codes) > 0 {
				break
			}
		}
		return nil
	})
	return codes, err
}

// upvoted reports whether a vote said that a memory helps, also one of a time when votes kept nothing but the importance.
func upvoted(x *hippo.Memory) bool {
	return x.Importance.Value > x.Importance.Base || slices.ContainsFunc(x.Feedback, func(f hippo.Feedback) bool { return f.Kind == hippo.FeedbackUp })
}

// tidyingOf returns what a plan changes in the store.
func tidyingOf(v *consolidate.View, p *consolidate.Plan) *store.Tidying {
	t := &store.Tidying{Seen: make(map[hippo.ID]*hippo.Memory, len(v.Subjects))}
	for i := range v.Subjects {
		t.Seen[v.Subjects[i].ID] = v.Subjects[i].Memory
	}
	for i := range p.Actions {
		switch a := &p.Actions[i]; a.Kind {
		case api.ActionPrune:
			t.Drop = append(t.Drop, a.Relations...)
		case api.ActionLink:
			t.Link = append(t.Link, a.Relations...)
		case api.ActionSummarize:
			t.Summaries = append(t.Summaries, store.Summary{Memory: a.Summary, Relations: a.Relations, Supersedes: a.Supersedes})
		case api.ActionArchive:
			t.Archive = append(t.Archive, a.ID)
		}
	}
	return t
}

// reportOf returns a plan as a proposal.
func reportOf(p *consolidate.Plan, memories int) *api.Consolidation {
	out := &api.Consolidation{
		Horizon: p.Horizon, Memories: memories, Topics: len(p.Topics), Groups: len(p.Groups),
		ConsolidationCounts: api.ConsolidationCounts{
			Linked: p.Count(api.ActionLink), Summarised: p.Count(api.ActionSummarize), Archived: p.Count(api.ActionArchive),
			Left: p.Left,
		},
	}
	listed := make(map[api.ActionKind]int)
	for i := range p.Actions {
		a := &p.Actions[i]
		if a.Kind == api.ActionPrune {
			out.Pruned += len(a.Relations)
		}
		if listed[a.Kind]++; listed[a.Kind] > api.MaxActions {
			continue
		}
		x := api.ConsolidationAction{Kind: a.Kind, Memory: a.ID, Reason: a.Reason}
		if a.Kind == api.ActionLink || a.Kind == api.ActionSummarize {
			for _, r := range a.Relations {
				x.Others = append(x.Others, r.To)
			}
		}
		if a.Summary != nil {
			x.Text = a.Summary.Content
		}
		out.Actions = append(out.Actions, x)
	}
	return out
}

// rescoreSome computes the surprise of some memories again: first those without one, and then others, in turn by the
// active day.
func rescoreSome(ctx context.Context, m *engine.Memories, v *consolidate.View) (changed int, err error) {
	if m.Surprise == nil {
		return 0, nil
	}
	var unscored, rest []hippo.ID
	for i := range v.Subjects {
		switch x := v.Subjects[i].Memory; {
		case x.Forgotten():
		case x.Surprise.Score == 0:
			unscored = append(unscored, x.ID)
		default:
			rest = append(rest, x.ID)
		}
	}
	slices.SortFunc(rest, hippo.ID.Compare)
	ids := unscored[:min(len(unscored), rescored)]
	for i := range min(rescored-len(ids), len(rest)) {
		ids = append(ids, rest[(int(v.Calendar.Day)*rescored+i)%len(rest)])
	}
	return m.Surprise.Rescore(ctx, ids)
}

// ClustersOf computes the clusters of the memories of the scope: see [consolidate.Clusters]. It changes nothing.
func ClustersOf(ctx context.Context, m *engine.Memories) (*api.ClusterList, error) {
	return engine.Perform(ctx, m, engine.None{}, "clusters", clusters)
}

func clusters(ctx context.Context, m *engine.Memories, _ engine.None) (*api.ClusterList, error) {
	if err := m.Scoped.Allow(hippo.RightRead); err != nil {
		return nil, err
	}
	out := &api.ClusterList{}
	err := planned(ctx, m, func(v *consolidate.View) (err error) {
		out.Memories = len(v.Subjects)
		out.Topics, out.Groups, err = consolidate.Clusters(ctx, v, optionsOf(m.Engine, nil))
		return err
	})
	return out, err
}
