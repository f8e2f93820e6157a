package memory

import (
	"context"
	"fmt"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/store"
)

// Status returns the state of the memory. It changes nothing.
func Status(ctx context.Context, m *engine.Memories) (api.Status, error) {
	s, err := engine.Perform(ctx, m, engine.None{}, "status", packedStatus)
	if err != nil {
		return api.Status{}, err
	}
	for i, failed := range s.Failures {
		if failed != nil {
			s.Status.Models[i].Err = failed.Err()
		}
	}
	s.Status.Ranker = m.Defaults.Ranker
	return s.Status, nil
}

// statusResult is a [api.Status] in a form that can travel: the errors of the models are beside it.
type statusResult struct {
	Status   api.Status
	Failures []*engine.Failure
}

func packedStatus(ctx context.Context, m *engine.Memories, _ engine.None) (statusResult, error) {
	s, err := status(ctx, m)
	if err != nil {
		return statusResult{}, err
	}
	out := statusResult{Status: s, Failures: make([]*engine.Failure, len(s.Models))}
	for i := range s.Models {
		if err := s.Models[i].Err; err != nil {
			out.Failures[i], s.Models[i].Err = engine.NewFailure(err), nil
		}
	}
	return out, nil
}

func status(ctx context.Context, m *engine.Memories) (api.Status, error) {
	if err := m.Scoped.Allow(hippo.RightRead); err != nil {
		return api.Status{}, err
	}
	s := api.Status{Ranker: m.Defaults.Ranker}
	var x index.Stats
	err := m.Indexed(ctx, func() error {
		if err := m.Embedding.LoadStored(ctx); err != nil {
			return err
		}
		s.Models, s.Degraded = m.Embedding.Status(&m.Scope), m.Embedding.Degraded(&m.Scope)
		s.Memories, s.Forgotten = m.Index.Count(&m.Scope)
		s.Archived = m.Index.Archived(&m.Scope)
		s.Unassigned = Unassigned(m)
		s.Memories -= countIn(m, project.Registry)
		if m.Scope.Allows(hippo.RightAdmin) {
			s.Degraded = append(s.Degraded, m.Surprise.Notes()...)
		}
		x = m.Index.Stats()
		return nil
	})
	if err != nil {
		return api.Status{}, err
	}
	h, err := m.Store.Head(ctx)
	if err != nil {
		return api.Status{}, err
	}
	s.Day, s.Date = h.Calendar.Day, h.Calendar.Date
	if !m.Scope.Allows(hippo.RightAdmin) {
		return s, nil
	}
	problems, err := m.Store.Problems(ctx)
	if err != nil {
		return s, err
	}
	host, err := store.HostOf(ctx, m.Store)
	s.Store = &api.StoreStatus{Revision: h.Revision, Indexed: x.Revision, Saved: x.Saved, Problems: problems, Host: host}
	return s, err
}

// Namespaces returns those of the store that have memories, for who maintains all of it. The error is [hippo.ErrUnsupported] for an
// engine that another process or machine answers for.
func Namespaces(ctx context.Context, e *engine.Engine) (names []string, err error) {
	if e.Remote != nil {
		return nil, fmt.Errorf("the namespaces of a store that another process has open: %w", hippo.ErrUnsupported)
	}
	err = e.Indexed(ctx, func() error {
		names = e.Index.Namespaces()
		return nil
	})
	return names, err
}

// Projects returns the projects that have memories, in alphabetical order.
func Projects(ctx context.Context, m *engine.Memories) ([]string, error) {
	return engine.Perform(ctx, m, engine.None{}, "projects", projects)
}

func projects(ctx context.Context, m *engine.Memories, _ engine.None) (names []string, err error) {
	if err := m.Scoped.Allow(hippo.RightRead); err != nil {
		return nil, err
	}
	err = m.Indexed(ctx, func() error {
		names = slices.DeleteFunc(m.Index.Projects(&m.Scope), func(p string) bool { return p == project.Registry })
		return nil
	})
	return names, err
}
