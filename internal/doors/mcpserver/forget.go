package mcpserver

import (
	"context"
	"fmt"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

type forgetInput struct{ verb.Forget }

// forgot is the structured content of forgetting.
type forgot struct {
	Action string     `json:"action"`
	UUIDs  []hippo.ID `json:"uuids"`
	// Already are those that were forgotten before, which nothing was done to.
	Already []hippo.ID `json:"already,omitempty"`
}

func (in *forgetInput) call(ctx context.Context, s *session) (reply, error) {
	action, text := "forgotten", "Forgot %s; restore undoes it"
	if in.Restore && in.Purge {
		return reply{}, hippo.Fieldf("purge", "and restore exclude each other")
	}
	prefer := api.PreferLive
	switch {
	case in.Restore:
		prefer = api.PreferForgotten
	case in.Purge:
		prefer = api.PreferNone
	}
	ids, err := s.resolve(ctx, in.IDs, prefer)
	var already []hippo.ID
	switch {
	case err != nil:
	case in.Purge:
		action, text = "purged", "Purged %s for good"
		err = memory.Purge(ctx, s.Memories, ids)
	case in.Restore:
		action, text = "restored", "Restored %s"
		_, err = memory.Restore(ctx, s.Memories, ids)
	default:
		ids, already, err = forgetNew(ctx, s, ids)
	}
	if err != nil {
		return reply{}, err
	}
	text = fmt.Sprintf(text, insights(len(ids)))
	if n := len(already); n > 0 && len(ids) > 0 {
		text += fmt.Sprintf("; %d forgotten already", n)
	} else if n > 0 {
		text = insights(n) + " forgotten already: nothing was changed"
	}
	return reply{text: text, data: forgot{Action: action, UUIDs: ids, Already: already}, meta: wire.Meta{IDs: ids}, count: len(ids)}, nil
}

// forgetNew forgets those of some memories that are not forgotten. It returns these, and the others.
func forgetNew(ctx context.Context, s *session, ids []hippo.ID) (done, already []hippo.ID, err error) {
	ms, err := memory.Get(ctx, s.Memories, ids)
	if err != nil {
		return nil, nil, err
	}
	done = []hippo.ID{}
	for _, m := range ms {
		if m.Forgotten() {
			already = append(already, m.ID)
		} else {
			done = append(done, m.ID)
		}
	}
	if len(done) > 0 {
		_, err = memory.Forget(ctx, s.Memories, done)
	}
	return done, already, err
}
