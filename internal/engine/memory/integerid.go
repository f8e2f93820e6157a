package memory

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/store"
)

// NumberMark begins a reference that is a number.
const NumberMark = "#"

// NumberRef returns the reference by which [Resolve] finds the memory with a number.
func NumberRef(number int64) string { return NumberMark + strconv.FormatInt(number, 10) }

// Numbers returns whole numbers for memories, below 2^53, for programs that know them by one: the ids of their rows in
// the file of another program, and [hippo.ID.Number] elsewhere. Unknown IDs are left out.
func Numbers(ctx context.Context, m *engine.Memories, ids []hippo.ID) (map[hippo.ID]int64, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return engine.Perform(ctx, m, ids, "numbers", numbers)
}

func numbers(ctx context.Context, m *engine.Memories, ids []hippo.ID) (map[hippo.ID]int64, error) {
	ms, err := m.Scoped.Get(ctx, engine.Distinct(ids))
	if err != nil {
		return nil, err
	}
	here := make([]hippo.ID, len(ms))
	for i, x := range ms {
		here[i] = x.ID
	}
	return store.Numbers(ctx, m.Store, here)
}

// numbered returns the memories that a number means, the forgotten ones apart. Several may share a row in the file of
// another program.
func numbered(ctx context.Context, m *engine.Memories, ref string) (live, forgotten []hippo.ID, err error) {
	n, err := strconv.ParseInt(strings.TrimPrefix(ref, NumberMark), 10, 64)
	if err != nil || n < 0 {
		return nil, nil, hippo.Fieldf("ID", "must be the number of a memory, such as 42, got %.60s", strings.TrimPrefix(ref, NumberMark))
	}
	if end, ok := hippo.EndOfNumber(n); ok {
		err = m.Indexed(ctx, func() error {
			live, forgotten = m.Index.Lookup(&m.Scope, end)
			return nil
		})
		other := func(id hippo.ID) bool { return id.Number() != n }
		return slices.DeleteFunc(live, other), slices.DeleteFunc(forgotten, other), err
	}
	ids, err := store.Bearers(ctx, m.Store, n)
	if err != nil || len(ids) == 0 {
		return nil, nil, err
	}
	ms, err := m.Scoped.Get(ctx, ids)
	for _, x := range ms {
		if x.Forgotten() {
			forgotten = append(forgotten, x.ID)
		} else {
			live = append(live, x.ID)
		}
	}
	return live, forgotten, err
}

// minRef is the minimum length of a reference that is no number.
const minRef = 4

// Lookup returns the memories that a reference means, the forgotten ones apart.
func Lookup(ctx context.Context, m *engine.Memories, ref string) (live, forgotten []hippo.ID, err error) {
	if strings.HasPrefix(ref, NumberMark) {
		return numbered(ctx, m, ref)
	}
	if IsPlace(ref) {
		return nil, nil, hippo.Fieldf("ID", "must be that of a memory, and %.60q is a place in code: what a search shows of code cannot be changed, voted on or forgotten", ref)
	}
	if len(ref) < minRef || strings.Trim(ref, "0123456789abcdefABCDEF-") != "" {
		return nil, nil, hippo.Fieldf("ID", "must be a UUID, or at least %d digits of its end or beginning, got %.60q", minRef, ref)
	}
	err = m.Indexed(ctx, func() error {
		live, forgotten = m.Index.Lookup(&m.Scope, strings.ToLower(ref))
		return nil
	})
	return live, forgotten, err
}

// IsPlace reports whether a reference is a file with a line, by which searches show code: pool/pool.go:7.
func IsPlace(ref string) bool {
	i := strings.LastIndexByte(ref, ':')
	return i > 0 && i < len(ref)-1 && strings.Trim(ref[i+1:], "0123456789") == ""
}

// unknownRef is the error for a reference that fits no memory.
func unknownRef(ref string) error {
	if strings.HasPrefix(ref, NumberMark) {
		return fmt.Errorf("%w: no memory with the number %s", hippo.ErrNotFound, ref)
	}
	return fmt.Errorf("%w: no memory with id %q", hippo.ErrNotFound, ref)
}
