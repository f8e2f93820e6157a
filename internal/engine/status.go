package engine

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/rank"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Status describes the state of a memory.
type Status struct {
	// Memories counts those that can be found, Forgotten those that are hidden.
	Memories  int
	Forgotten int
	// Day is the active day and Date the calendar date it began on.
	Day      hippo.Day
	Date     string
	Revision hippo.Revision
	Ranker   hippo.Ranker
	Index    index.Stats
	// Problems are data that could not be read, with the place they are kept.
	Problems []driver.Problem
	// Degraded names what does not work, with the reason; empty when all is well.
	Degraded []string
}

// Status returns the state of the memory. It changes nothing.
func (e *Engine) Status(ctx context.Context) (Status, error) {
	if err := e.index.CatchUp(ctx); err != nil {
		return Status{}, err
	}
	h, err := e.store.Head(ctx)
	if err != nil {
		return Status{}, err
	}
	problems, err := e.store.Problems(ctx)
	if err != nil {
		return Status{}, err
	}
	return Status{
		Memories:  h.Memories - h.Forgotten,
		Forgotten: h.Forgotten,
		Day:       h.Calendar.Day,
		Date:      h.Calendar.Date,
		Revision:  h.Revision,
		Ranker:    e.ranker,
		Index:     e.index.Stats(),
		Problems:  problems,
	}, nil
}

// Clock evaluates decayed importance and the like as of an active day.
func (e *Engine) Clock(day hippo.Day) rank.Clock { return e.days.At(day) }
