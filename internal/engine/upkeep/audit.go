package upkeep

import (
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/agents/cited"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/consolidate"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// validateAudit returns what is wrong with the options, and sets defaults.
func validateAudit(o *api.Audit) error {
	if o.Idle < 0 {
		return hippo.Fieldf("idle", "must be 1 active day or more, got %d", o.Idle)
	}
	if o.Limit < 0 || o.Limit > hippo.MaxCount {
		return hippo.Fieldf("limit", "must be between 1 and %d, got %d", hippo.MaxCount, o.Limit)
	}
	if o.Idle == 0 {
		o.Idle = consolidate.IdleDays
	}
	if o.Limit == 0 {
		o.Limit = hippo.DefaultCount
	}
	return nil
}

// shownOfFinding is the number of characters of a text that an [api.AuditFinding] has.
const shownOfFinding = 200

// Audit looks for stale, contradictory, repeated, misfiled and unused memories of the scope: see [consolidate.Audit]. It changes
// nothing, and is no use of a memory.
func Audit(ctx context.Context, m *engine.Memories, o api.Audit) (*api.AuditReport, error) {
	return engine.Perform(ctx, m, o, "audit", audit)
}

func audit(ctx context.Context, m *engine.Memories, o api.Audit) (*api.AuditReport, error) {
	if err := m.Scoped.Allow(hippo.RightRead); err != nil {
		return nil, err
	}
	if err := validateAudit(&o); err != nil {
		return nil, err
	}
	if err := m.Flush(ctx); err != nil { // what was used so far counts
		return nil, err
	}
	var out *api.AuditReport
	err := planned(ctx, m, func(v *consolidate.View) error {
		if f := m.Scope.Narrow(hippo.Filter{Projects: o.Projects}); f.Projects != nil {
			var asked []consolidate.Subject
			for _, x := range v.Subjects {
				if slices.Contains(f.Projects, x.Project) {
					asked = append(asked, x)
				} else if !x.Forgotten() {
					v.Beside = append(v.Beside, x)
				}
			}
			v.Subjects = asked
		}
		var err error
		if v.Places, err = placesOf(ctx, m); err != nil {
			return err
		}
		list, memories, err := consolidate.Audit(ctx, v, o.Idle, optionsOf(m.Engine, nil))
		if err == nil {
			out = auditOf(v, list, o.Limit)
			out.Memories = memories
		}
		return err
	})
	return out, err
}

// placesOf returns the projects of the scope, with the working trees that are at hand. Only the owner of a store learns what is
// in them.
func placesOf(ctx context.Context, m *engine.Memories) ([]consolidate.Place, error) {
	p, err := memory.ProjectsIn(ctx, m)
	if err != nil {
		return nil, err
	}
	var out []consolidate.Place
	folders := m.Defaults.Repositories.Folders()
	owner := m.Scope.Namespace == "" && m.Scope.Projects == nil
	for _, names := range p.All() {
		if names[0] == hippo.Unassigned {
			continue
		}
		x := consolidate.Place{Names: names, Title: folders.Title(names[0])}
		for _, n := range names {
			for _, called := range folders.Called(n) {
				if !slices.Contains(x.Called, called) {
					x.Called = append(x.Called, called)
				}
			}
			if root := folders.Tree(n); owner && x.Has == nil && cited.Exists(root) {
				x.Has = cited.In(root)
			}
		}
		out = append(out, x)
	}
	return out, nil
}

// auditOf returns the first findings of each problem, with texts.
func auditOf(v *consolidate.View, list []api.Finding, limit int) *api.AuditReport {
	out := &api.AuditReport{Counts: make(map[api.Problem]int)}
	text := make(map[hippo.ID]string)
	for _, f := range list {
		if out.Counts[f.Problem]++; out.Counts[f.Problem] <= limit {
			out.Findings = append(out.Findings, api.AuditFinding{Finding: f})
			text[f.ID] = ""
			if !f.Other.IsZero() {
				text[f.Other] = ""
			}
		}
	}
	for i := range v.Subjects {
		x := v.Subjects[i].Memory
		if _, ok := text[x.ID]; ok {
			text[x.ID] = memory.Excerpt(x.Content, shownOfFinding)
		}
	}
	for i := range out.Findings {
		f := &out.Findings[i]
		f.Text, f.OtherText = text[f.ID], text[f.Other]
	}
	return out
}
