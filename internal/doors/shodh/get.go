package shodh

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
)

func getMemory(ctx context.Context, c *call) (reply, error) {
	m, err := find(ctx, c)
	if err != nil {
		return reply{}, err
	}
	return showOne(ctx, c, m)
}

// showOne answers with one memory.
func showOne(ctx context.Context, c *call, m *hippo.Memory) (reply, error) {
	cal, err := transfer.New(c.Memories).Calendar(ctx)
	if err != nil {
		return reply{}, err
	}
	return reply{body: memoryOf(m, c.Importance(m, cal.Day), c.Now())}, nil
}

// showAll returns memories as they are on an active day.
func showAll(c *call, ms []*hippo.Memory, day hippo.Day) []memoryJSON {
	out := make([]memoryJSON, len(ms))
	for i, m := range ms {
		out[i] = memoryOf(m, c.Importance(m, day), c.Now())
	}
	return out
}

// find returns the live memory that the path names: by its ID, by a short form of it, or by a content
// hash. A reference that names none, whatever its form, is [hippo.ErrNotFound], as the document has it; one that
// names several is a [*hippo.AmbiguousError].
func find(ctx context.Context, c *call) (*hippo.Memory, error) {
	ref := strings.TrimSpace(c.id)
	id, err := memory.Resolve(ctx, c.Memories, ref, api.PreferLive)
	if _, malformed := errors.AsType[*hippo.FieldError](err); malformed || errors.Is(err, hippo.ErrNotFound) {
		return nil, notFound(ref)
	}
	if err != nil {
		return nil, err
	}
	ms, err := memory.Get(ctx, c.Memories, []hippo.ID{id})
	switch {
	case errors.Is(err, hippo.ErrNotFound):
		return nil, notFound(ref)
	case err != nil:
		return nil, err
	}
	m := ms[0]
	if isHash := len(ref) == 2*len(m.ContentHash); m.Forgotten() || isHash && !strings.EqualFold(hex.EncodeToString(m.ContentHash[:]), ref) {
		return nil, notFound(ref)
	}
	return m, nil
}

func notFound(ref string) error {
	return fmt.Errorf("%w: no memory with id %.80q", hippo.ErrNotFound, ref)
}
