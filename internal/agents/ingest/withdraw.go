package ingest

import (
	"context"
	"errors"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/agents/capture"
	"github.com/hippo-memory/hippo/internal/agents/transcript"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// maxKept is how many memories a ledger remembers.
const maxKept = 64

// kept is a memory that was captured from a transcript.
type kept struct {
	ID      string   `json:"id"`
	Project string   `json:"project,omitempty"`
	Turns   []string `json:"turns"`
}

// keep remembers a new memory and its turns.
func (l *ledger) keep(o *Outcome, name string) {
	l.data.Kept = append(l.data.Kept, kept{o.Memory.String(), name, o.Turns})
	l.data.Kept = l.data.Kept[max(0, len(l.data.Kept)-maxKept):]
}

// withdraw purges what was captured from turns that the user asked not to keep since. What somebody has confirmed or
// changed stays.
func (s *session) withdraw(ctx context.Context, turns []transcript.Turn) error {
	var refused []string
	for i, r := range capture.Refused(turns) {
		if r {
			refused = append(refused, turns[i].ID)
		}
	}
	var rest []kept
	for _, k := range s.ledger.data.Kept {
		if !slices.ContainsFunc(k.Turns, func(id string) bool { return slices.Contains(refused, id) }) {
			rest = append(rest, k)
			continue
		}
		if err := s.purge(ctx, &k); err != nil {
			return err
		}
	}
	s.ledger.data.Kept = rest
	return nil
}

func (s *session) purge(ctx context.Context, k *kept) error {
	id, err := hippo.ParseID(k.ID)
	if err != nil {
		return nil //nolint:nilerr // a damaged ledger names nothing
	}
	m, err := s.open(ctx, project.Identity{Name: k.Project})
	if err != nil {
		return err
	}
	ms, err := memory.Get(ctx, m, []hippo.ID{id})
	switch {
	case errors.Is(err, hippo.ErrNotFound), err == nil && (len(ms) == 0 || !ours(ms[0])):
		return nil
	case err != nil:
		return err
	}
	if _, err := memory.Forget(ctx, m, []hippo.ID{id}); err != nil { // gives back what it superseded
		return err
	}
	s.report.Withdrawn++
	return memory.Purge(ctx, m, []hippo.ID{id})
}

// ours reports whether a memory is as it was captured: nobody has confirmed or pinned it.
func ours(m *hippo.Memory) bool {
	return m.Source.Kind == hippo.SourceHook && replaceable(m) && m.Importance.Value <= m.Importance.Base
}
