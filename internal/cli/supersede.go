package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
)

// jsonConflict is a [hippo.Conflict] as JSON.
type jsonConflict struct {
	A      hippo.ID `json:"a"`
	B      hippo.ID `json:"b"`
	Reason string   `json:"reason"`
}

// conflicts prints the pairs of hits that seem to contradict each other.
func (s *shell) conflicts(a *hippo.Answer) {
	for i, c := range a.Conflicts {
		if i == 0 {
			fmt.Fprintln(s.out)
		}
		fmt.Fprintf(s.out, "conflict: %s, %s: %s\n", c.A, c.B, c.Reason)
	}
}

// resembling tells what a memory just recorded repeats and probably replaces. That
// it cannot be looked up is no failure: the memory is stored.
func (s *shell) resembling(ctx context.Context, e *engine.Engine, m *hippo.Memory) {
	like, err := e.Resembling(ctx, m)
	if err != nil {
		fmt.Fprintln(s.errw, "hippo: not compared with other insights:", err)
		return
	}
	for _, id := range like.DuplicateOf {
		fmt.Fprintf(s.errw, "hippo: duplicate of %s\n", id)
	}
	for _, r := range like.Replaces {
		fmt.Fprintf(s.errw, "hippo: likely replaces %s: %s (%s)\n", r.Memory.ID, clip(r.Memory.Content, previewLength), r.Reason)
	}
	if len(like.Replaces) > 0 {
		fmt.Fprintf(s.errw, "to confirm: hippo modify %s --supersedes ID\n", m.ID)
	}
}

// replaced is [resolve] for --supersedes, which its errors name.
func replaced(ctx context.Context, e *engine.Engine, refs []string) ([]hippo.ID, error) {
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
