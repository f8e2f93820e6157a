package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/termtext"
	"github.com/hippo-memory/hippo/internal/wire"
)

// jsonConflict is a [hippo.Conflict] as JSON.
type jsonConflict struct {
	A      hippo.ID `json:"a"`
	B      hippo.ID `json:"b"`
	Reason string   `json:"reason"`
}

// printConflicts prints the pairs of hits that seem to contradict each other.
func (s *shell) printConflicts(a *hippo.Answer) {
	for i, c := range a.Conflicts {
		if i == 0 {
			fmt.Fprintln(s.out)
		}
		fmt.Fprintf(s.out, "conflict: %s, %s: %s\n", c.A, c.B, termtext.Line(c.Reason))
	}
}

// printResembling prints which memories a new one duplicates and probably replaces. An
// error of that search is only a warning: the memory is stored.
func (s *shell) printResembling(ctx context.Context, e *engine.Engine, m *hippo.Memory) {
	like, err := e.Resembling(ctx, m)
	if err != nil {
		s.warn("not compared with other insights: %v", err)
		return
	}
	for _, id := range like.DuplicateOf {
		s.warn("duplicate of %s", id)
	}
	for _, r := range like.Replaces {
		s.warn("likely replaces %s: %s (%s)", r.Memory.ID, wire.Clip(r.Memory.Content, previewLength), r.Reason)
	}
	if len(like.Replaces) > 0 {
		fmt.Fprintf(s.errw, "to confirm: hippo modify %s --supersedes ID\n", m.ID)
	}
}

// resolveSuperseded is [resolve] for --supersedes, which its errors name.
func resolveSuperseded(ctx context.Context, e *engine.Engine, refs []string) ([]hippo.ID, error) {
	ids, err := resolve(ctx, e, refs)
	if bad, ok := errors.AsType[*hippo.FieldError](err); ok {
		return nil, hippo.Fieldf("supersedes", "%s", bad.Why)
	}
	return ids, err
}

// setTime is [parseTime] into a field.
func setTime(to *time.Time, flag, text string) (err error) {
	*to, err = parseTime(flag, text)
	return err
}
