package cli

import (
	"context"
	"slices"

	"github.com/hippo-memory/hippo/internal/app"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/agents"
)

// missingFiles says which of the files that a memory names are gone; empty: none.
type missingFiles func(*hippo.Memory) string

// filesOf compares the files that memories name with the working tree of the current folder. It finds nothing for a moment, for a tree is of now,
// and where no memory names a file. A project that cannot be found is no reason to show nothing.
func filesOf(ctx context.Context, s *shell, m *client.Client, at hippo.Moment, ms []*hippo.Memory) missingFiles {
	nothing := func(*hippo.Memory) string { return "" }
	if at != (hippo.Moment{}) || s.json || s.lines || !slices.ContainsFunc(ms, agents.NamesFile) {
		return nothing
	}
	c, err := s.config()
	if err != nil {
		return nothing
	}
	id := app.Project(ctx, c, ".")
	if id.Tree == "" {
		return nothing
	}
	if m, err = m.ForProject(ctx, id.Name, id.Former...); err != nil {
		return nothing
	}
	return agents.MissingFiles(id.Tree, m.CurrentProject()...)
}

// momentOf returns the moment that a query is about; zero: now.
func momentOf(q *hippo.Query) hippo.Moment {
	return hippo.Moment{ValidAt: q.Filter.ValidAt, KnownAt: q.Filter.KnownAt}
}

// foundIn returns the memories of an answer.
func foundIn(a *hippo.Answer) []*hippo.Memory {
	out := make([]*hippo.Memory, len(a.Hits))
	for i := range a.Hits {
		out[i] = a.Hits[i].Memory
	}
	return out
}
