package exchange

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// memoriesOf returns the memories of the default namespace that can be read.
func memoriesOf(ctx context.Context, s *store.Store) (map[hippo.ID]*hippo.Memory, error) {
	out := make(map[hippo.ID]*hippo.Memory)
	for m, err := range s.In(hippo.LocalScope("")).All(ctx) {
		if driver.Readable(err) != nil {
			return nil, err
		}
		if m != nil {
			out[m.ID] = m
		}
	}
	return out, nil
}

// groupsOf returns the names that are known to be one project.
func groupsOf(ms map[hippo.ID]*hippo.Memory) [][]string {
	var cards []*hippo.Memory
	for _, m := range ms {
		if m.Project == project.Registry && m.Type == hippo.EntityType && !m.Forgotten() {
			cards = append(cards, m)
		}
	}
	slices.SortFunc(cards, func(a, b *hippo.Memory) int {
		if c := b.UpdatedAt.Compare(a.UpdatedAt); c != 0 {
			return c
		}
		return a.ID.Compare(b.ID)
	})
	var lists [][]string
	for _, m := range cards {
		if e := hippo.ParseEntity(m.Content); e.Kind == project.EntityKind {
			lists = append(lists, e.Names())
		}
	}
	return project.Groups(lists)
}

// uniteProjects notes which names of projects are those of one repository, such as the names that a shallow clone on one machine and a full
// one on another gave to it. The rules are those by which a folder finds its project; a fork stays apart. Somebody can undo it.
//
// It reads all memories, but only if the changed ones bring a name that the remote has not brought before.
func uniteProjects(ctx context.Context, s *store.Store, r *remote, changed []hippo.ID) error {
	if known, err := bringsKnown(ctx, s, r.names, changed); err != nil || known {
		return err
	}
	ms, err := memoriesOf(ctx, s)
	if err != nil {
		return err
	}
	names := make(map[string]bool)
	for _, m := range ms {
		names[m.Project] = names[m.Project] || project.IsRepository(m.Project)
	}
	maps.DeleteFunc(names, func(_ string, repository bool) bool { return !repository })
	known, groups := slices.Sorted(maps.Keys(names)), groupsOf(ms)
	for _, name := range known {
		same := project.Resolve(project.Identity{Name: name}, known, groups)
		if len(same) < 2 || slices.ContainsFunc(groups, func(g []string) bool { return containsAll(g, same) }) {
			continue
		}
		groups = append(groups, same)
		card := cardOf(same, ms)
		if ms[card.ID] != nil {
			continue // somebody took it back
		}
		r := &store.Received{Verb: hippo.VerbMerge, By: card.Source, Reason: "one repository has these names", Record: []*hippo.Memory{card}, Logged: true}
		if _, err := store.Receive(ctx, s, r); err != nil {
			return err
		}
	}
	r.names = known
	return nil
}

// bringsKnown reports whether memories have no names of repositories but known ones, and say nothing of names themselves.
func bringsKnown(ctx context.Context, s *store.Store, known []string, changed []hippo.ID) (bool, error) {
	if len(changed) > hippo.MaxCount {
		return false, nil
	}
	ms, err := s.In(hippo.LocalScope("")).Get(ctx, changed)
	if err != nil {
		return false, driver.Readable(err)
	}
	return !slices.ContainsFunc(ms, func(m *hippo.Memory) bool {
		return m.Project == project.Registry || project.IsRepository(m.Project) && !slices.Contains(known, m.Project)
	}), nil
}

func containsAll(list, some []string) bool {
	return !slices.ContainsFunc(some, func(n string) bool { return !slices.Contains(list, n) })
}

// cardOf returns the entity that says that some names are one project, the same on each machine that finds it out.
func cardOf(names []string, ms map[hippo.ID]*hippo.Memory) *hippo.Memory {
	names = names[:min(len(names), hippo.MaxAliases)]
	e := hippo.Entity{Name: names[0], Kind: project.EntityKind, Aliases: names[1:]}
	var at time.Time
	for _, m := range ms {
		if slices.Contains(names, m.Project) && m.CreatedAt.After(at) {
			at = m.CreatedAt
		}
	}
	return &hippo.Memory{
		CreatedAt: at, UpdatedAt: at, Version: 1, ID: formats.ImportID(project.EntityKind, strings.Join(slices.Sorted(slices.Values(names)), "\n")), Content: e.Content(), Type: hippo.EntityType,
		Project: project.Registry, Trust: hippo.TrustNormal, Source: hippo.Source{Kind: hippo.SourceSync},
		Importance: hippo.Importance{Base: hippo.DefaultImportance, Value: hippo.DefaultImportance, SetAt: at},
	}
}
