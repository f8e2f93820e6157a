package memory

import (
	"context"
	"fmt"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
	"github.com/hippo-memory/hippo/internal/store"
)

// ListProjects returns the projects that have memories, those of none last.
func ListProjects(ctx context.Context, m *engine.Memories) ([]api.Project, error) {
	return engine.Perform(ctx, m, engine.None{}, "list_projects", listProjects)
}

func listProjects(ctx context.Context, m *engine.Memories, _ engine.None) ([]api.Project, error) {
	p, err := ProjectsIn(ctx, m)
	if err != nil {
		return nil, err
	}
	counts := make(map[string]int)
	err = m.Indexed(ctx, func() error {
		counts = index.CountByProject(m.Index, &m.Scope)
		return nil
	})
	var out []api.Project
	for _, g := range append(p.All(), []string{""}) {
		x := api.Project{Name: g[0], Also: g[1:], Current: slices.Contains(g, m.Scope.Project)}
		for _, n := range g {
			x.Memories += counts[n]
		}
		if x.Name != "" || x.Memories > 0 {
			out = append(out, x)
		}
	}
	return out, err
}

// KnownProjects returns the projects that a filter names, each by all of its names, as [ResolveProject] finds them; nil for none given. A name
// that the store does not know is [hippo.ErrNotFound].
func KnownProjects(ctx context.Context, m *engine.Memories, given ...string) ([]string, error) {
	var out []string
	for _, name := range given {
		names := []string{name}
		if name != "" {
			var err error
			if names, err = ResolveProject(ctx, m, name); err != nil {
				return nil, err
			}
		}
		out = append(out, names...)
	}
	return out, nil
}

// SpelledProject returns the project that a program records for: a known one whose name differs by letters or blanks alone, or a new one of that
// name.
func SpelledProject(ctx context.Context, m *engine.Memories, name string) (string, error) {
	if name == "" || name == hippo.AllProjects {
		return name, nil
	}
	names, err := ResolveProject(ctx, m, NewProject+name)
	if err != nil {
		return "", err
	}
	return names[0], nil
}

// MergeProjects moves the memories of a project to another one, whose name stands for both from then on, as one operation that [Undo] undoes whole.
// With Rename the other one is a new name. It needs a caller who may use all projects. An unknown project is
// [hippo.ErrNotFound]; one and itself are [hippo.ErrInvalid].
func MergeProjects(ctx context.Context, m *engine.Memories, q api.MergeProjects) (*api.ProjectMoved, error) {
	q.From = byFolder(ctx, m, q.From)
	if !q.Rename {
		q.Into = byFolder(ctx, m, q.Into)
	}
	return engine.Perform(ctx, m, q, "merge_projects", mergeProjects)
}

func mergeProjects(ctx context.Context, m *engine.Memories, q api.MergeProjects) (*api.ProjectMoved, error) {
	if err := m.Scoped.Allow(hippo.RightRead | hippo.RightWrite); err != nil {
		return nil, err
	}
	if m.Scope.Projects != nil {
		return nil, fmt.Errorf("%w: only a caller who may use all projects can merge or rename one", hippo.ErrForbidden)
	}
	from, into, err := endsOf(ctx, m, &q)
	if err != nil {
		return nil, err
	}
	out := &api.ProjectMoved{Name: into[0], From: from[0]}
	if slices.Contains(into, from[0]) {
		if m.Retried { // the first attempt merged them
			return out, nil
		}
		return nil, hippo.Fieldf("into", "must be another project than from: %q and %q are one", q.From, q.Into)
	}
	ids, err := idsIn(ctx, m, from)
	if err != nil {
		return nil, err
	}
	p, err := ProjectsIn(ctx, m)
	if err != nil {
		return nil, err
	}
	r := &store.Revision{}
	if from[0] != "" && from[0] != hippo.Unassigned { // what was nowhere stays a name of nothing
		if err := p.note(ctx, m, r, append(slices.Clone(into), from...)); err != nil {
			return nil, err
		}
	}
	for _, id := range ids {
		r.Change = append(r.Change, store.Changed{ID: id, Do: func(x *hippo.Memory, _ hippo.Day) error {
			if slices.Contains(from, x.Project) { // nobody has moved it elsewhere meanwhile
				x.Project = into[0]
			}
			return nil
		}})
	}
	out.Memories = len(ids)
	return out, reviseProjects(ctx, m, fmt.Sprintf("project %q into %q", from[0], into[0]), r)
}

// endsOf returns the names of the two projects.
func endsOf(ctx context.Context, m *engine.Memories, q *api.MergeProjects) (from, into []string, err error) {
	if from, err = resolveProject(ctx, m, q.From); err != nil {
		return nil, nil, fmt.Errorf("from: %w", err)
	}
	if !q.Rename {
		into, err = resolveProject(ctx, m, q.Into)
		if err != nil {
			return nil, nil, fmt.Errorf("into: %w", err)
		}
	} else {
		p, err := ProjectsIn(ctx, m)
		if err != nil {
			return nil, nil, err
		}
		if slices.ContainsFunc(p.All(), func(g []string) bool { return slices.Contains(g, q.Into) }) && !m.Retried {
			return nil, nil, hippo.Fieldf("into", "must be a new name: there is a project %q, into which merge moves the memories", q.Into)
		}
		into = []string{q.Into}
	}
	for _, g := range []*[]string{&from, &into} {
		if len(*g) > 1 { // the current one, with what belongs to none
			*g = slices.DeleteFunc(*g, func(n string) bool { return n == "" })
		}
		if slices.Contains(*g, hippo.AllProjects) {
			return nil, nil, hippo.Fieldf("project", "must be one project, got %q", hippo.AllProjects)
		}
	}
	probe := hippo.Memory{Content: "x", Project: into[0]}
	return from, into, probe.Validate()
}

// idsIn returns the memories of some projects, forgotten ones too.
func idsIn(ctx context.Context, m *engine.Memories, projects []string) (ids []hippo.ID, err error) {
	err = m.Indexed(ctx, func() error {
		ids = nil
		for _, forgotten := range []bool{false, true} {
			found, err := idsOf(ctx, m.Index, &retrieve.Query{
				Scope: m.Scope, Filter: hippo.Filter{Projects: projects, Archived: true}, Forgotten: forgotten,
			})
			if err != nil {
				return err
			}
			ids = append(ids, found...)
		}
		return nil
	})
	return ids, err
}

func idsOf(ctx context.Context, x *index.Index, q *retrieve.Query) (ids []hippo.ID, err error) {
	r, err := x.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for i := range r.Matches {
		ids = append(ids, r.Reader.Key(r.Matches[i].Doc).ID)
	}
	return ids, nil
}
