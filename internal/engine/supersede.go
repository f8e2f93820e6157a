package engine

import (
	"context"
	"encoding/json"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
)

// Succession says that a memory is superseded by another one that is there.
type Succession struct {
	ID, By hippo.ID
	// Metadata is set on the superseded one as by a [Modification].
	Metadata map[string]json.RawMessage
}

// Supersede makes a memory supersede another one, in one transaction and as one operation, which one undo takes back whole. It
// returns the one that supersedes. Errors are those of [Memories.Modify] with Supersedes.
func Supersede(ctx context.Context, m *Memories, s Succession) (*hippo.Memory, error) {
	versions, err := versionsOf(ctx, m, []hippo.ID{s.ID, s.By})
	if err != nil {
		return nil, err
	}
	return perform(ctx, m, supersedeArgs{s, versions}, supersede)
}

// supersedeArgs are the arguments of [Supersede].
type supersedeArgs struct {
	Succession
	Versions versions
}

func supersede(ctx context.Context, m *Memories, a supersedeArgs) (*hippo.Memory, error) {
	if done, err := applied(ctx, m, a.Versions); err != nil || done != nil {
		return byID(done, a.By), err
	}
	c := Modification{Metadata: &a.Metadata, Vote: VoteNone}
	if err := c.screened(m.secretsAllowed); err != nil {
		return nil, err
	}
	if err := m.Flush(ctx); err != nil {
		return nil, err
	}
	change := once(m, a.Versions, func(x *hippo.Memory, day hippo.Day) error {
		if x.ID != a.ID || len(a.Metadata) == 0 {
			return nil
		}
		return c.applyTo(m, x, day)
	})
	return store.As(m.scoped, as(m, hippo.VerbSupersede)).Supersede(ctx, a.By, []hippo.ID{a.ID}, change)
}

// byID returns the memory with an ID; nil if there is none.
func byID(ms []*hippo.Memory, id hippo.ID) *hippo.Memory {
	for _, x := range ms {
		if x.ID == id {
			return x
		}
	}
	return nil
}
