package ingest

import (
	"cmp"
	"context"

	"github.com/hippo-memory/hippo/internal/agents/transcript"
)

// exclusions are the folders of a transcript in which capture is turned off.
type exclusions struct {
	known  map[string]string // what turns it off, by folder; empty for nothing
	reason string            // what turned it off for a turn that is new
}

// allowed returns the turns in folders in which capture is not turned off.
func (s *session) allowed(ctx context.Context, turns []transcript.Turn) []transcript.Turn {
	if s.config.Excluded == nil {
		return turns
	}
	if s.off.known == nil {
		s.off.known = map[string]string{}
	}
	out := make([]transcript.Turn, 0, len(turns))
	for i := range turns {
		dir := cmp.Or(turns[i].Cwd, s.options.Dir)
		why, ok := s.off.known[dir]
		if !ok {
			why = s.config.Excluded(ctx, dir)
			s.off.known[dir] = why
		}
		switch {
		case why == "":
			out = append(out, turns[i])
		case turns[i].At > s.ledger.data.Offset:
			s.off.reason = why
		}
	}
	return out
}
