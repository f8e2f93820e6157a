package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Status describes the state of a memory within the scope of a caller.
type Status struct {
	// Memories is the number of searchable memories, Forgotten that of hidden ones.
	Memories, Forgotten int
	// Archived is the number of those in Memories that lists leave out.
	Archived int
	// Unassigned is the number of those of which nobody could tell the project.
	Unassigned int
	// Day is the active day and Date the calendar date it began on.
	Day    hippo.Day
	Date   string
	Ranker hippo.Ranker
	// Models are the embedding models, the preferred one first.
	Models []ModelStatus
	// Degraded lists the parts that are not available, with the reasons.
	Degraded []string
	// Store is the state of the store itself; nil without [hippo.RightAdmin].
	Store *StoreStatus
}

// ModelStatus is the state of a model. Its counts are those of the caller's scope.
type ModelStatus = embedding.ModelStatus

// StoreStatus is the state of a store, of all scopes.
type StoreStatus struct {
	Revision hippo.Revision
	// Indexed is the revision that the index has reached, Saved that of its file, 0 if
	// there is none.
	Indexed, Saved hippo.Revision
	// Problems lists unreadable data.
	Problems []Problem
	// Host is the file of another program that holds the store; nil: it has a file of its own.
	Host *Host
}

// Host is the state of the file of another program.
type Host = driver.Host

// Problem is a piece of data that cannot be read.
type Problem = driver.Problem

// Status returns the state of the memory. It changes nothing.
func (m *Memories) Status(ctx context.Context) (Status, error) {
	s, err := perform(ctx, m, none{}, "status", packedStatus)
	if err != nil {
		return Status{}, err
	}
	for i, failed := range s.Failures {
		if failed != nil {
			s.Status.Models[i].Err = failed.err()
		}
	}
	s.Status.Ranker = m.defaults.ranker
	return s.Status, nil
}

// statusResult is a [Status] in a form that can travel: the errors of the models are beside it.
type statusResult struct {
	Status   Status
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

func status(ctx context.Context, m *Memories) (Status, error) {
	if err := m.scoped.Allow(hippo.RightRead); err != nil {
		return Status{}, err
	}
	s := Status{Ranker: m.defaults.ranker}
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
			s.Degraded = append(s.Degraded, m.notes()...)
		}
		x = m.index.Stats()
		return nil
	})
	if err != nil {
		return Status{}, err
	}
	h, err := m.store.Head(ctx)
	if err != nil {
		return Status{}, err
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
	s.Store = &StoreStatus{Revision: h.Revision, Indexed: x.Revision, Saved: x.Saved, Problems: problems, Host: host}
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
