package engine

import (
	"context"
	"time"

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
	// Models are those that find memories by meaning, the most wanted first.
	Models []ModelStatus
	// Problems are data that could not be read, with the place they are kept.
	Problems []driver.Problem
	// Degraded names what does not work, with the reason; empty when all is well.
	Degraded []string
}

// ModelStatus is how far a model is.
type ModelStatus struct {
	// ID is that of [embed.Model].
	ID string `json:"id"`
	// Embedded counts the memories with a vector, of all that can be found. An
	// instant model embeds when it is first needed.
	Embedded int  `json:"embedded"`
	Memories int  `json:"memories"`
	Instant  bool `json:"instant,omitempty"`
	// Serves says that searches use this one.
	Serves bool `json:"serves,omitempty"`
	// Error is why it does not get on.
	Error string `json:"error,omitempty"`
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
		Models:    e.meaning.status(),
		Degraded:  e.meaning.degraded(),
		Problems:  problems,
	}, nil
}

// Clock evaluates decayed importance and the like as of an active day.
func (e *Engine) Clock(day hippo.Day) rank.Clock { return e.days.At(day) }

// Zone is where the days of the user begin and end.
func (e *Engine) Zone() *time.Location { return e.store.Zone() }
