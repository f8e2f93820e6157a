package memory

import (
	"context"
	"encoding/json"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/store"
)

// Succession says that a memory is superseded by another one that is there.
type Succession struct {
	ID, By hippo.ID
	// Metadata is set on the superseded one as by a [api.Change].
	Metadata map[string]json.RawMessage
}

// Supersede makes a memory supersede another one, in one transaction and as one operation, which one undo takes back whole. It
// returns the one that supersedes. Errors are those of [Modify] with Supersedes.
func Supersede(ctx context.Context, m *engine.Memories, s Succession) (*hippo.Memory, error) {
	return engine.Perform(ctx, engine.Identified(m), s, "supersede", supersede)
}

func supersede(ctx context.Context, m *engine.Memories, a Succession) (*hippo.Memory, error) {
	if done, err := engine.AppliedTo(ctx, m, a.By); err != nil || done != nil {
		return first(done), err
	}
	c := api.Change{Metadata: &a.Metadata, Vote: api.VoteNone}
	if err := screenedChange(&c, m.SecretsAllowed); err != nil {
		return nil, err
	}
	if err := m.Flush(ctx); err != nil {
		return nil, err
	}
	change := func(x *hippo.Memory, day hippo.Day) error {
		if x.ID != a.ID || len(a.Metadata) == 0 {
			return nil
		}
		return applyIfVersion(&c, m, x, day)
	}
	return store.As(m.Scoped, engine.Operation(m, hippo.VerbSupersede)).Supersede(ctx, a.By, []hippo.ID{a.ID}, change)
}
