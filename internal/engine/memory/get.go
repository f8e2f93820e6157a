package memory

import (
	"context"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/store"
)

// Get returns memories by ID, in the order of ids, forgotten ones included. Unknown IDs are a
// [*hippo.UnknownError]. It is not an access.
func Get(ctx context.Context, m *engine.Memories, ids []hippo.ID) ([]*hippo.Memory, error) {
	return engine.Perform(ctx, m, ids, "get", GetHere)
}

// GetHere is [Get] within a verb.
func GetHere(ctx context.Context, m *engine.Memories, ids []hippo.ID) ([]*hippo.Memory, error) {
	ids, err := SomeIDs("IDs", ids)
	if err != nil {
		return nil, err
	}
	return store.GetAll(ctx, m.Scoped, ids)
}

// Resolve resolves a reference to an ID: a UUID, at least 4 characters of the beginning or the
// end of one, such as [hippo.ID.Short], or of the beginning of a content hash, or [NumberRef]. One that fits
// several of the preferred memories is a [*hippo.AmbiguousError], one that fits none [hippo.ErrNotFound].
func Resolve(ctx context.Context, m *engine.Memories, ref string, prefer api.Preference) (hippo.ID, error) {
	if id, err := hippo.ParseID(ref); err == nil {
		return id, nil
	}
	return engine.Perform(ctx, m, ResolveArgs{ref, prefer}, "resolve", ResolveHere)
}

// ResolveArgs are the arguments of [Resolve].
type ResolveArgs struct {
	Ref    string
	Prefer api.Preference
}

// ResolveHere is [Resolve] within a verb.
func ResolveHere(ctx context.Context, m *engine.Memories, a ResolveArgs) (hippo.ID, error) {
	ref, prefer := a.Ref, a.Prefer
	if err := m.Scoped.Allow(hippo.RightRead); err != nil {
		return hippo.ID{}, err
	}
	first, second, err := Lookup(ctx, m, ref)
	if err != nil {
		return hippo.ID{}, err
	}
	switch {
	case prefer == api.PreferNone:
		first = append(first, second...)
	case prefer == api.PreferForgotten && len(second) > 0, len(first) == 0:
		first = second
	}
	switch len(first) {
	case 0:
		return hippo.ID{}, unknownRef(ref)
	case 1:
		return first[0], nil
	default:
		return hippo.ID{}, Ambiguous(ctx, m, ref, first)
	}
}

// shownOfCandidate is the number of characters of a text that an [hippo.AmbiguousError] has.
const shownOfCandidate = 50

// Ambiguous returns the error for a reference that fits several memories.
func Ambiguous(ctx context.Context, m *engine.Memories, ref string, ids []hippo.ID) error {
	ms, err := m.Scoped.Get(ctx, ids)
	if err != nil {
		return err
	}
	short := ShortIDs(m, ids)
	e := &hippo.AmbiguousError{Ref: ref}
	for _, x := range ms {
		text := Excerpt(x.Content, shownOfCandidate)
		if x.Forgotten() {
			text += " (forgotten)"
		}
		e.Candidates = append(e.Candidates, [2]string{short.Of(x.ID), text})
	}
	return e
}

// Excerpt returns the beginning of a text on one line of at most n characters.
func Excerpt(text string, n int) string {
	out := []rune(strings.Join(strings.Fields(text), " "))
	if len(out) > n {
		out = append(out[:n-1], '…')
	}
	return string(out)
}

// ShortIDs returns the short forms of IDs by which [Resolve] finds them, as far as the index knows the
// other memories. Cost: a scan of the index, 0.2 ms of 100,000 memories.
func ShortIDs(m *engine.Memories, ids []hippo.ID) hippo.ShortIDs {
	if len(ids) == 0 {
		return nil
	}
	short, err := engine.Perform(context.Background(), m, ids, "short_ids", shortIDs)
	if err != nil {
		return nil // whole IDs are as good
	}
	return short
}

func shortIDs(_ context.Context, m *engine.Memories, ids []hippo.ID) (short hippo.ShortIDs, _ error) {
	_ = m.Index.Guard(func() error { // one that is too short is refused when it is used, and names the others
		short = hippo.NewShortIDs(ids, m.Index.Distinguish(&m.Scope, ids))
		return nil
	})
	return short, nil
}

// SomeIDs returns IDs without duplicates, if there are any and not too many.
func SomeIDs(field string, ids []hippo.ID) ([]hippo.ID, error) {
	ids = engine.Distinct(ids)
	if len(ids) == 0 {
		return nil, hippo.Required(field)
	}
	if len(ids) > hippo.MaxIDs {
		return nil, hippo.Fieldf(field, "must have at most %d elements, got %d", hippo.MaxIDs, len(ids))
	}
	return ids, nil
}
