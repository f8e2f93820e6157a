package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/store"
)

// Status returns the state of the memory. It changes nothing.
func (m *Memories) Status(ctx context.Context) (api.Status, error) {
	s, err := perform(ctx, m, none{}, "status", packedStatus)
	if err != nil {
		return api.Status{}, err
	}
	for i, failed := range s.Failures {
		if failed != nil {
			s.Status.Models[i].Err = failed.err()
		}
	}
	s.Status.Ranker = m.defaults.ranker
	return s.Status, nil
}

// statusResult is a [api.Status] in a form that can travel: the errors of the models are beside it.
type statusResult struct {
	Status   api.Status
	Failures []*failure
}

func packedStatus(ctx context.Context, m *Memories, _ none) (statusResult, error) {
	s, err := status(ctx, m)
	if err != nil {
		return statusResult{}, err
	}
	out := statusResult{Status: s, Failures: make([]*failure, len(s.Models))}
	for i := range s.Models {
		if err := s.Models[i].Err; err != nil {
			out.Failures[i], s.Models[i].Err = newFailure(err), nil
		}
	}
	return out, nil
}

func status(ctx context.Context, m *Memories) (api.Status, error) {
	if err := m.scoped.Allow(hippo.RightRead); err != nil {
		return api.Status{}, err
	}
	s := api.Status{Ranker: m.defaults.ranker}
	var x index.Stats
	err := m.indexed(ctx, func() error {
		if err := m.embedding.LoadStored(ctx); err != nil {
			return err
		}
		s.Models, s.Degraded = m.embedding.Status(&m.scope), m.embedding.Degraded(&m.scope)
		s.Memories, s.Forgotten = m.index.Count(&m.scope)
		s.Archived = m.index.Archived(&m.scope)
		s.Unassigned = unassigned(m)
		s.Memories -= countIn(m, registry)
		if m.scope.Allows(hippo.RightAdmin) {
			s.Degraded = append(s.Degraded, m.surprise.Notes()...)
		}
		x = m.index.Stats()
		return nil
	})
	if err != nil {
		return api.Status{}, err
	}
	h, err := m.store.Head(ctx)
	if err != nil {
		return api.Status{}, err
	}
	s.Day, s.Date = h.Calendar.Day, h.Calendar.Date
	if !m.scope.Allows(hippo.RightAdmin) {
		return s, nil
	}
	problems, err := m.store.Problems(ctx)
	if err != nil {
		return s, err
	}
	host, err := store.HostOf(ctx, m.store)
	s.Store = &api.StoreStatus{Revision: h.Revision, Indexed: x.Revision, Saved: x.Saved, Problems: problems, Host: host}
	return s, err
}

// Namespaces returns those of the store that have memories, for who maintains all of it. The error is [hippo.ErrUnsupported] for an
// engine that another process or machine answers for.
func Namespaces(ctx context.Context, e *Engine) (names []string, err error) {
	if e.remote != nil {
		return nil, fmt.Errorf("the namespaces of a store that another process has open: %w", hippo.ErrUnsupported)
	}
	err = e.indexed(ctx, func() error {
		names = e.index.Namespaces()
		return nil
	})
	return names, err
}

// Projects returns the projects that have memories, in alphabetical order.
func (m *Memories) Projects(ctx context.Context) ([]string, error) {
	return perform(ctx, m, none{}, "projects", projects)
}

func projects(ctx context.Context, m *Memories, _ none) (names []string, err error) {
	if err := m.scoped.Allow(hippo.RightRead); err != nil {
		return nil, err
	}
	err = m.indexed(ctx, func() error {
		names = slices.DeleteFunc(m.index.Projects(&m.scope), func(p string) bool { return p == registry })
		return nil
	})
	return names, err
}
