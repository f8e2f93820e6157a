package importer

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/store"
)

// filing puts the memories of an import into projects: into the one that the caller names, or else, since other programs call a project by the
// name of its folder, into the one that has such a repository.
type filing struct {
	given []string // the project for all of them, by its names; nil: each has its own
	here  project.Identity
	known [][]string
	// foreign: the names are those of another program.
	foreign bool
	// of are the projects by what the source calls them. One that nobody can tell keeps its name.
	of map[string]string
	// stored counts the memories by project; present are those that were here before.
	stored  map[string]int
	present []hippo.ID
}

func newFiling(ctx context.Context, m *engine.Memories, kind formats.Kind, o *Options) (*filing, error) {
	f := &filing{foreign: !formats.Own(kind), of: make(map[string]string), stored: make(map[string]int)}
	f.here = o.Here
	at, err := memory.Locate(ctx, m, f.here)
	if err != nil {
		return nil, err
	}
	if how, _ := memory.ReadProject(o.Project); how >= memory.NamesNone {
		if _, err := memory.NameProject(ctx, at, o.Project); err != nil {
			return nil, err
		}
		f.given, err = memory.ResolveProject(ctx, at, o.Project)
		return f, err
	}
	scope, _ := engine.CallerOf(at)
	f.here.Name, f.here.Former = scope.Project, scope.Also
	list, err := memory.ListProjects(ctx, m)
	for _, p := range list {
		f.known = append(f.known, append([]string{p.Name}, p.Also...))
	}
	return f, err
}

// place sets the projects of entries.
func (f *filing) place(entries iter.Seq2[*hippo.Memory, error]) iter.Seq2[*hippo.Memory, error] {
	return func(yield func(*hippo.Memory, error) bool) {
		for m, err := range entries {
			if err == nil {
				m.Project = f.projectOf(m.Project)
			}
			if !yield(m, err) {
				return
			}
		}
	}
}

// projectOf returns the project for what a source calls one.
func (f *filing) projectOf(name string) string {
	if p, ok := f.of[name]; ok {
		return p
	}
	p := name
	switch {
	case strings.HasPrefix(name, hippo.AllProjects): // what this program keeps about projects
		return name
	case f.given != nil:
		p = f.given[0]
	case !f.foreign || name == "" || name == hippo.Unassigned || project.IsRepository(name):
		return name
	default:
		if names := project.Named(name, f.here, f.known); names != nil {
			p = names[0]
		}
	}
	f.of[name] = p
	return p
}

// visit counts what is stored.
func (f *filing) visit(o store.Outcome, m *hippo.Memory) {
	switch o { //nolint:exhaustive // the others are not stored
	case store.Added, store.Updated:
		f.stored[m.Project]++
	case store.Present, store.Kept:
		if f.given != nil {
			f.present = append(f.present, m.ID)
		}
	}
}

// Filed is what the memories of some names of a source have become.
type Filed struct {
	Names    []string `json:"named"`
	Project  string   `json:"project"`
	Memories int      `json:"memories"`
	// Untold: it is no known project, but the name of the source.
	Untold bool `json:"untold,omitempty"`
}

// report returns where memories went that the source has names of projects for.
func (f *filing) report() []Filed {
	out := []Filed{}
	for _, p := range slices.Sorted(maps.Keys(f.stored)) {
		x := Filed{Project: p, Memories: f.stored[p]}
		for _, name := range slices.Sorted(maps.Keys(f.of)) {
			if name != "" && f.of[name] == p {
				x.Names = append(x.Names, name)
			}
		}
		x.Untold = f.given == nil && slices.Contains(x.Names, p)
		if len(x.Names) > 0 {
			out = append(out, x)
		}
	}
	return out
}

// elsewhere returns how many of the memories that were here before are in other projects than the one that was given.
func (f *filing) elsewhere(ctx context.Context, m *engine.Memories) (n int) {
	for ids := range slices.Chunk(f.present, hippo.MaxIDs) {
		ms, err := memory.Get(ctx, m, ids)
		if err != nil {
			return n // it is only a remark
		}
		for _, x := range ms {
			if !slices.Contains(f.given, x.Project) {
				n++
			}
		}
	}
	return n
}
