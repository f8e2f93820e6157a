package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/verb"
)

// printConflicts prints the pairs of hits that seem to contradict each other.
func printConflicts(s *shell, a *hippo.Answer, ids hippo.ShortIDs) {
	for i, c := range a.Conflicts {
		if i == 0 {
			fmt.Fprintln(s.out)
		}
		fmt.Fprintf(s.out, "conflict: %s, %s: %s\n", ids.Of(c.A), ids.Of(c.B), termtext.Line(c.Reason))
	}
}

// printComparison prints which insights a new one duplicates and probably supersedes. If the
// comparison failed, that is only a warning, because the insight is stored.
func printComparison(s *shell, r *api.Recorded) {
	if r.Degraded != "" {
		s.warn("%s", r.Degraded)
	}
	shown := append(slices.Clone(r.Duplicates), r.ID)
	for _, x := range r.Replaces {
		shown = append(shown, x.Memory.ID)
	}
	ids := shortIDs(s, shown...)
	for _, id := range r.Duplicates {
		s.warn("%s has the same text already; to take this one back: hippo forget %s --purge", ids.Of(id), ids.Of(r.ID))
	}
	for _, x := range r.Replaces {
		s.warn("likely replaces %s: %s (%s)", ids.Of(x.Memory.ID), wire.Clip(x.Memory.Content, previewLength), x.Reason)
		fmt.Fprintf(s.errw, "to confirm: hippo modify %s --supersedes %s\n", ids.Of(r.ID), ids.Of(x.Memory.ID))
	}
}

// resolveSuperseded is [resolve] for --supersedes, which its errors name.
func resolveSuperseded(ctx context.Context, m *client.Client, given verb.Refs) ([]hippo.ID, error) {
	ids, err := resolve(ctx, m, given.Texts, api.PreferLive)
	if bad, ok := errors.AsType[*hippo.FieldError](err); ok {
		return nil, hippo.Fieldf(given.Name, "%s", bad.Why)
	}
	return ids, err
}
