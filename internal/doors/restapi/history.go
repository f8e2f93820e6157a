package restapi

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/hippo-memory/hippo"
	former "github.com/hippo-memory/hippo/internal/engine/history"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// historyInput asks for the chain of supersession that a memory belongs to.
type historyInput struct{ getInput }

func (in *historyInput) Args() []verb.Arg { return verb.Without(in.getInput.Args(), "query") }

// maxHistory is how many memories a history has at most.
const maxHistory = 100

// history is what a memory supersedes, the memory, and what supersedes it.
type history struct {
	Insights []insight `json:"insights"`
	// Degraded says what the history lacks of the memory as it was known at a time.
	Degraded []string `json:"degraded,omitempty"`
}

func (in *historyInput) call(ctx context.Context, r *request) (reply, error) {
	got, err := in.get(ctx, r)
	if err != nil {
		return reply{}, err
	}
	m := got.Memories[0]
	before, err := older(ctx, r, m)
	if err != nil {
		return reply{}, err
	}
	after, err := newer(ctx, r, m)
	if err != nil {
		return reply{}, err
	}
	list, err := insightsOf(slices.Concat(before, []*hippo.Memory{m}, after), r.server.Now())
	return reply{status: http.StatusOK, data: history{list, got.Degraded}, count: len(list)}, err
}

// older returns what a memory supersedes, directly or not, the newest last.
func older(ctx context.Context, r *request, m *hippo.Memory) ([]*hippo.Memory, error) {
	found := []*hippo.Memory{m}
	known := map[hippo.ID]bool{m.ID: true}
	for i := 0; i < len(found) && len(found) < maxHistory; i++ {
		list, err := former.Predecessors(ctx, r.Memories, found[i].ID)
		if err != nil {
			return nil, err
		}
		for _, x := range list {
			if !known[x.ID] && len(found) < maxHistory {
				known[x.ID] = true
				found = append(found, x)
			}
		}
	}
	found = found[1:]
	slices.Reverse(found)
	return found, nil
}

// newer returns what supersedes a memory, the newest last.
func newer(ctx context.Context, r *request, m *hippo.Memory) (list []*hippo.Memory, err error) {
	known := map[hippo.ID]bool{m.ID: true}
	for !m.SupersededBy.IsZero() && !known[m.SupersededBy] && len(list) < maxHistory {
		next, err := memory.Get(ctx, r.Memories, []hippo.ID{m.SupersededBy})
		if errors.Is(err, hippo.ErrNotFound) { // it was purged meanwhile
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		m = next[0]
		known[m.ID] = true
		list = append(list, m)
	}
	return list, nil
}
