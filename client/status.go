package client

import (
	"context"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// Status is the state of a memory.
type Status struct {
	// Memories is the number of searchable insights, Forgotten that of hidden ones.
	Memories, Forgotten int
	// Archived is the number of those in Memories that are left out, or behind the others, unless [WithArchived] is given.
	Archived int
	// Projects are the projects that have insights, in alphabetical order.
	Projects []string
	// Calendar has the active day, and the date it began on.
	Calendar hippo.Calendar
	Ranker   hippo.Ranker
	// Models are those that embed, the most wanted first.
	Models []ModelStatus
	// Degraded lists the parts that are not available, with the reasons.
	Degraded []string
	// Problems lists unreadable data.
	Problems []string
}

// ModelStatus is the state of an embedding model.
type ModelStatus struct {
	ID string
	// Embedded of Memories have a vector of the model.
	Embedded, Memories int
	// Instant models embed while the index is built.
	Instant bool
	// Serving says that searches use this one.
	Serving bool
	// Err is the last error in the background; nil for none.
	Err error
	// Rate is how many memories a second were embedded last; 0: unknown, or all are embedded.
	Rate float64
	// Remaining is an estimate of the time until all are embedded; 0: unknown.
	Remaining time.Duration
	// Paused is why nothing is embedded now; empty if it is.
	Paused string
}

// Status returns the state of the memory. It changes nothing.
func (c *Client) Status(ctx context.Context) (*Status, error) {
	st, err := c.memories.Status(ctx)
	if err != nil {
		return nil, err
	}
	projects, err := c.memories.Projects(ctx)
	if err != nil {
		return nil, err
	}
	out := &Status{
		Memories: st.Memories, Forgotten: st.Forgotten, Archived: st.Archived, Projects: projects,
		Calendar: hippo.Calendar{Day: st.Day, Date: st.Date}, Ranker: st.Ranker, Degraded: st.Degraded,
	}
	for _, m := range st.Models {
		out.Models = append(out.Models, ModelStatus{
			ID: m.ID, Embedded: m.Embedded, Memories: m.Memories, Instant: m.Instant, Serving: m.Serving, Err: m.Err,
			Rate: m.Rate, Remaining: m.Remaining, Paused: m.Paused,
		})
	}
	if st.Store != nil {
		for _, p := range st.Store.Problems {
			out.Problems = append(out.Problems, p.String())
		}
	}
	return out, nil
}

// ImportanceOn returns the decayed importance of an insight on an active day, in [0, 1].
func ImportanceOn(m *hippo.Memory, day hippo.Day) float64 {
	w := rank.DefaultWeights()
	return w.Usage.Importance(m.Importance.Value, m.Importance.SetDay, day, m.Pinned)
}
