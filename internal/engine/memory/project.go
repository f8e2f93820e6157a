package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
	"github.com/hippo-memory/hippo/internal/store"
)

// maxNamed is the number of projects that an error lists.
const maxNamed = 10

// Locate returns the memory in the project of a folder: by the name that the store knows it by, with all other names that
// it has, see [project.Resolve]. What it finds out it remembers in the store, if the caller may write everywhere.
func Locate(ctx context.Context, m *engine.Memories, id project.Identity) (*engine.Memories, error) {
	names := []string{id.Name}
	if id.Name != "" && id.Name != hippo.Unassigned {
		var err error
		if names, err = engine.Perform(ctx, m, id, "locate", locate); err != nil {
			return nil, err
		}
	}
	scope := m.Scope
	scope.Project, scope.Also = names[0], names[1:]
	return inScope(m, scope), nil
}

// Narrow returns the memory of one project, as [ResolveProject] reads its name: what belongs to others, or to none, does not exist for it.
func Narrow(ctx context.Context, m *engine.Memories, name string) (*engine.Memories, error) {
	names, err := ResolveProject(ctx, m, name)
	if err != nil || names[0] == hippo.AllProjects {
		return m, err
	}
	scope := m.Scope
	scope.Projects = slices.DeleteFunc(names, func(p string) bool { return !m.Scope.Contains(m.Scope.Namespace, p) })
	return inScope(m, scope), nil
}

// inScope returns the memory for another scope.
func inScope(m *engine.Memories, scope hippo.Scope) *engine.Memories {
	c := *m
	c.Scope = scope
	if c.Remote == nil {
		c.Scoped = m.Store.In(scope)
	}
	return &c
}

func locate(ctx context.Context, m *engine.Memories, id project.Identity) ([]string, error) {
	p, err := ProjectsIn(ctx, m)
	if err != nil {
		return nil, err
	}
	names := project.Resolve(id, p.known, p.groups())
	if len(names) == 1 || p.knows(names) || m.Scope.Projects != nil || !m.Scope.Allows(hippo.RightWrite) {
		return names, nil
	}
	_ = p.remember(ctx, m, names) // who cannot write finds it out again
	return names, nil
}

// ProjectNames are the projects of a scope.
type ProjectNames struct {
	// known are those that have memories, in alphabetical order.
	known []string
	cards []projectCard
}

// projectCard says which names are one project.
type projectCard struct {
	id    hippo.ID
	names []string // the one to use first
}

// ProjectsIn returns the projects of the scope. Cost: a pass over the rows of the index.
func ProjectsIn(ctx context.Context, m *engine.Memories) (*ProjectNames, error) {
	if err := m.Scoped.Allow(hippo.RightRead); err != nil {
		return nil, err
	}
	out := &ProjectNames{}
	var ids []hippo.ID
	q := retrieve.Query{Scope: m.Scope, Filter: hippo.Filter{Projects: []string{project.Registry}, Types: []string{hippo.EntityType}, Archived: true}}
	err := m.Indexed(ctx, func() error {
		out.known, ids = m.Index.Projects(&m.Scope), nil
		if !slices.Contains(out.known, project.Registry) {
			return nil
		}
		r, err := m.Index.Search(ctx, &q)
		if err != nil {
			return err
		}
		defer r.Close()
		for i := range r.Matches {
			ids = append(ids, r.Reader.Key(r.Matches[i].Doc).ID)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out.known = slices.DeleteFunc(out.known, func(p string) bool { return p == project.Registry })
	ms, err := m.Scoped.Get(ctx, ids)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(ms, func(a, b *hippo.Memory) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	for _, x := range ms {
		if e := hippo.ParseEntity(x.Content); e.Kind == project.EntityKind {
			out.cards = append(out.cards, projectCard{x.ID, e.Names()})
		}
	}
	return out, nil
}

// groups returns the names that are one project: those of cards that share one, since two processes may have written a card each. That
// which was written last says which name to use.
func (p *ProjectNames) groups() [][]string {
	lists := make([][]string, len(p.cards))
	for i, c := range p.cards {
		lists[i] = c.names
	}
	return project.Groups(lists)
}

// All returns the projects that are known, and more names that are, each with all of its names.
func (p *ProjectNames) All(more ...string) [][]string {
	groups := p.groups()
	for _, n := range append(slices.Clone(p.known), more...) {
		if n != "" && !slices.ContainsFunc(groups, func(g []string) bool { return slices.Contains(g, n) }) {
			groups = append(groups, []string{n})
		}
	}
	return groups
}

// knows reports whether one group has all of some names, and the same first.
func (p *ProjectNames) knows(names []string) bool {
	return slices.ContainsFunc(p.groups(), func(g []string) bool {
		return g[0] == names[0] && !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(g, n) })
	})
}

// remember writes down that some names are one project.
func (p *ProjectNames) remember(ctx context.Context, m *engine.Memories, names []string) error {
	r := &store.Revision{}
	if err := p.note(ctx, m, r, names); err != nil {
		return err
	}
	return reviseProjects(ctx, m, "one repository has these names", r)
}

// note adds to a revision that some names are one project: in the card of one of them, or in a new one.
func (p *ProjectNames) note(ctx context.Context, m *engine.Memories, r *store.Revision, names []string) error {
	e := hippo.Entity{Name: names[0], Kind: project.EntityKind, Aliases: names[1:min(len(names), hippo.MaxAliases)]}
	if err := e.Validate(); err != nil {
		return err
	}
	var gone []hippo.ID
	for _, c := range p.cards {
		if !slices.ContainsFunc(c.names, func(n string) bool { return slices.Contains(names, n) }) {
			continue
		}
		if len(r.Change) > 0 && r.Change[0].ID != c.id { // the first one has all of them
			gone = append(gone, c.id)
			r.Change = append(r.Change, store.Changed{ID: c.id, Do: func(x *hippo.Memory, _ hippo.Day) error {
				x.ForgottenAt = m.Clock()
				return nil
			}})
			continue
		}
		r.Change = append(r.Change, store.Changed{ID: c.id, Do: func(x *hippo.Memory, _ hippo.Day) error {
			x.Content = e.Content()
			return nil
		}})
	}
	if len(r.Change) > 0 {
		return GiveBack(ctx, m, r, gone...)
	}
	x := &hippo.Memory{Content: e.Content(), Type: hippo.EntityType, Project: project.Registry, Importance: hippo.Importance{Base: hippo.DefaultImportance}, Source: m.Op.By}
	if err := PrepareRecord(m, x); err != nil {
		return err
	}
	r.Record = []*hippo.Memory{x}
	return store.Identify(x)
}

// reviseProjects applies a revision as an operation of its own.
func reviseProjects(ctx context.Context, m *engine.Memories, reason string, r *store.Revision) error {
	op := engine.Operation(m, hippo.VerbMerge)
	if op.Reason == "" {
		op.Reason = reason
	}
	_, err := store.Revise(ctx, store.As(m.Scoped, op), r)
	return err
}

// ResolveProject returns the names of the project that a person or a model means: a name that the store knows, or an abbreviation
// of exactly one, its beginning, its end, or its end before the "#", or the folder of a repository of this machine that has no remote.
// The case of letters does not count. [ReadProject] knows the other ways to name one. Others are [hippo.ErrNotFound], and the error names what comes near.
func ResolveProject(ctx context.Context, m *engine.Memories, name string) ([]string, error) {
	return engine.Perform(ctx, m, byFolder(ctx, m, name), "resolve_project", resolveProject)
}

// ProjectTitles returns what names projects for people: "shop (local#070cdb4b)" where only its folder, which this machine knows, has a name
// that they know. [ResolveProject] takes it. What it returns serves one call, because it reads the folders once. It is not safe for
// concurrent use.
func ProjectTitles(m *engine.Memories) func(name string) string {
	return m.Defaults.Repositories.Folders().Title
}

// CurrentName returns the name to use of a project: that of the current one for each of its names. Projects that are worked on beside it
// keep theirs.
func CurrentName(s *hippo.Scope, name string) string {
	if name != "" && slices.Contains(s.Also, name) && project.Akin(s.Project, name) {
		return s.Project
	}
	return name
}

// byFolder translates the name of a folder of this machine to the project of its repository. A store on another machine needs that,
// because it does not know these folders. It returns a name unchanged that the store knows, or that is no folder here.
func byFolder(ctx context.Context, m *engine.Memories, name string) string {
	if m.Remote == nil {
		return name
	}
	found := m.Defaults.Repositories.Folders().Find(name)
	if found == "" {
		return name
	}
	if _, err := engine.Perform(ctx, m, name, "resolve_project", resolveProject); !errors.Is(err, hippo.ErrNotFound) {
		return name
	}
	return found
}

func resolveProject(ctx context.Context, m *engine.Memories, name string) ([]string, error) {
	how, name := ReadProject(name)
	switch {
	case how == NamesNothing:
		return nil, hippo.Required("project")
	case how == NamesNew && name == "":
		return nil, hippo.Fieldf("project", "%q must be followed by the name of the new project", NewProject)
	case how == NamesNew:
		return newNames(ctx, m, name)
	case how == NamesAll:
		return []string{hippo.AllProjects}, nil
	case how == NamesNone:
		return []string{""}, nil
	case how == NamesCurrent:
		return m.Scope.Current(), nil
	case name == hippo.Unassigned:
		return []string{name}, nil
	}
	p, err := ProjectsIn(ctx, m)
	if err != nil {
		return nil, err
	}
	groups := p.All(m.Scope.Current()...)
	folders := m.Defaults.Repositories.Folders()
	if !slices.ContainsFunc(groups, func(g []string) bool { return fits(g, name) < 2 }) {
		name = cmp.Or(folders.Find(name), name)
	}
	var like [][]string
	for _, g := range groups {
		switch best := fits(g, name); best {
		case 0:
			return g, nil
		case 1:
			like = append(like, g)
		}
	}
	if slices.Contains(m.Scope.Projects, name) { // nothing is stored for it yet
		return []string{name}, nil
	}
	return onlyOf(folders, name, groups, like)
}

// onlyOf returns the only project that a name is like, of all that are known.
func onlyOf(folders *project.Folders, name string, groups, like [][]string) ([]string, error) {
	switch {
	case len(like) == 1:
		return like[0], nil
	case len(like) > 1:
		return nil, hippo.Fieldf("project", "%q fits several: %s", name, firsts(folders, like))
	case len(groups) == 0:
		return nil, fmt.Errorf("%w: no project %q; nothing is stored for any project", hippo.ErrNotFound, name)
	}
	return nil, fmt.Errorf("%w: no project %q; known: %s", hippo.ErrNotFound, name, firsts(folders, groups))
}

// newNames returns the names of a project that somebody calls new: those of a known one whose name differs by letters alone.
func newNames(ctx context.Context, m *engine.Memories, name string) ([]string, error) {
	p, err := ProjectsIn(ctx, m)
	if err != nil {
		return nil, err
	}
	for _, g := range p.All(m.Scope.Current()...) {
		if fits(g, name) == 0 {
			return g, nil
		}
	}
	return []string{name}, nil
}

// fits says how well a name fits a project: 0 it is one of its names, 1 it abbreviates one, 2 not at all.
func fits(group []string, name string) int {
	out := 2
	for _, n := range group {
		plain, _, _ := strings.Cut(n, "#")
		lower, end := strings.ToLower(name), strings.ToLower(plain)
		switch {
		case strings.EqualFold(n, name):
			return 0
		case strings.HasPrefix(strings.ToLower(n), lower), strings.HasSuffix(n, name), end == lower, strings.HasSuffix(end, "/"+strings.TrimPrefix(lower, "/")):
			out = 1
		}
	}
	return out
}

// firsts lists projects by the names to use.
func firsts(folders *project.Folders, groups [][]string) string {
	var out []string
	for _, g := range groups[:min(len(groups), maxNamed)] {
		out = append(out, folders.Title(g[0]))
	}
	if len(groups) > maxNamed {
		out = append(out, "...")
	}
	return strings.Join(out, ", ")
}

// countIn returns how many memories a project has that can be found. Cost: a pass over the rows of the parts of the index that have it.
func countIn(m *engine.Memories, name string) int {
	if !m.Scope.Contains(m.Scope.Namespace, name) {
		return 0
	}
	types, _ := m.Index.Labels(&m.Scope, &hippo.Filter{Projects: []string{name}, Archived: true})
	n := 0
	for _, k := range types {
		n += k
	}
	return n
}

// Unassigned counts the memories that the caller sees and that are of no project.
func Unassigned(m *engine.Memories) int { return countIn(m, hippo.Unassigned) }
