package embedding

import (
	"context"
	"errors"
	"time"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

const (
	// settlePoll is how often [Settle] looks how far the models are.
	settlePoll = 2 * time.Millisecond
	// stalled is how long no memory may be embedded before Settle gives up.
	stalled = 30 * time.Second
)

// Settling says how [Settle] works.
type Settling struct {
	// Hurry: the process ends soon. Only the models in the program embed, and they wait for no search.
	Hurry bool
	// Progress is called with how many memories the model that is furthest behind has embedded, and of how many; nil: nothing
	// is reported.
	Progress func(embedded, memories int)
}

// Settle embeds in the background until the preferred model of each channel has embedded all memories, ctx ends, a model fails, or
// the machine runs on its battery and more than a few memories are missing. It returns how many memories lack a vector that no
// other process is about to make. The index must be up to date with the store.
func Settle(ctx context.Context, f *Follower, s Settling) (missing int) {
	if s.Hurry {
		f.pace.hurried.Add(1)
		defer f.pace.hurried.Add(-1)
	}
	working, since := false, now()
	tick := time.NewTicker(settlePoll)
	defer tick.Stop()
	for last := -1; ; {
		m, have, all := furthestBehind(f, s.Hurry)
		if m == nil {
			return 0
		}
		missing = all - have
		if s.Progress != nil {
			s.Progress(have, all)
		}
		if missing != last {
			last, since = missing, now()
		}
		err := m.lastError()
		switch {
		case m.lease.elsewhere(ctx):
			return 0
		case waitsForPower(ctx, f, m), now().Sub(since) >= stalled, working && err != nil && !errors.Is(err, embed.ErrNotReady):
			return missing
		}
		if !working {
			working = true
			reportState(f, m, nil) // it may have failed before
			f.Wake()
		}
		select {
		case <-ctx.Done():
			return missing
		case <-tick.C:
		}
	}
}

// furthestBehind returns the preferred model of a channel that lacks the most vectors, nil if none lacks any, with how many memories
// it has embedded, and of how many. Hurry: of the optional ones.
func furthestBehind(f *Follower, hurry bool) (behind *modelState, have, all int) {
	var seen [retrieve.Channels]bool
	for _, m := range f.models {
		if seen[m.Channel] || m.Instant {
			continue
		}
		seen[m.Channel] = true
		n, of := f.index.Vectors.Embedded(nil, m.id)
		if of-n > all-have && (m.Optional || !hurry) {
			behind, have, all = m, n, of
		}
	}
	return behind, have, all
}
