package cli

import (
	"context"
	"slices"

	"github.com/hippo-memory/hippo/internal/app"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/agents/cited"
)

// filesOf returns the check of the files that memories name, in the working tree of the current folder. It is nil for a moment, for a tree
// is of now, and where no memory names a file. A project that cannot be found is no reason to show nothing.
func filesOf(ctx context.Context, s *shell, m *client.Client, at hippo.Moment, ms []*hippo.Memory) *cited.Check {
	names := func(m *hippo.Memory) bool { return m.Project != "" && len(cited.Paths(m.Content)) > 0 }
	if at != (hippo.Moment{}) || s.json || s.lines || !slices.ContainsFunc(ms, names) {
		return nil
	}
	c, err := s.config()
	if err != nil {
		return nil
	}
	id := app.Project(ctx, c, ".")
	if id.Tree == "" {
		return nil
	}
	if m, err = m.ForProject(ctx, id.Name, id.Former...); err != nil {
		return nil
	}
	trees := make(cited.Trees)
	trees.Add(id.Tree, m.CurrentProject()...)
	return cited.NewCheck(trees)
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
