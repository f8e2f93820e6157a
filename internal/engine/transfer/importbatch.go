package transfer

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store"
)

// maxImportBatch is how many memories one transaction of an import holds: large enough that the
// commit does not count, small enough to stay responsive.
const maxImportBatch = 500

// importBytes is how many bytes of text a batch has at most, but for its last memory: what travels at a time.
const importBytes = 1 << 20

// importArgs are a batch of an import.
type importArgs struct {
	Calendar hippo.Calendar
	Entries  []importEntry
	// Preview: nothing is stored.
	Preview bool `json:",omitempty"`
	// Logged, Before, Again, Joined and Placed are those of a [store.Batch].
	Logged, Again  bool           `json:",omitempty"`
	Joined, Placed bool           `json:",omitempty"`
	Before         map[string]int `json:",omitempty"`
}

// importEntry is a memory of a batch. It has an ID, by which a second attempt finds what the first one stored.
type importEntry struct {
	Memory        *hippo.Memory
	SecretAllowed bool `json:",omitempty"`
}

// importOutcome is what became of an entry: an outcome, or why it cannot be stored.
type importOutcome struct {
	Outcome store.Outcome   `json:",omitempty"`
	Failure *engine.Failure `json:",omitempty"`
}

// importBatch stores the entries of a batch that can be stored, in one transaction. Of a repeated batch those that the
// first attempt stored are present.
func importBatch(ctx context.Context, m *engine.Memories, a importArgs) ([]importOutcome, error) {
	if err := m.Scoped.Allow(hippo.RightWrite); err != nil {
		return nil, err
	}
	out, valid := make([]importOutcome, len(a.Entries)), make([]*hippo.Memory, 0, len(a.Entries))
	for i, e := range a.Entries {
		if err := checkImported(m, e); err != nil {
			out[i].Failure = engine.NewFailure(err)
		} else {
			valid = append(valid, e.Memory)
		}
	}
	outcomes, err := []store.Outcome(nil), error(nil)
	b := store.Batch{Calendar: a.Calendar, Memories: valid, Logged: a.Logged, Before: a.Before, Again: a.Again, Joined: a.Joined, Placed: a.Placed, Weights: m.Weights}
	switch {
	case len(valid) == 0:
	case a.Preview:
		outcomes, err = store.PreviewImport(ctx, m.Scoped, &b)
	default:
		if b.Released, err = memory.ReleasedBy(ctx, m, hippo.IDsOf(valid...)); err != nil {
			return nil, err
		}
		outcomes, err = store.ImportBatch(ctx, store.As(m.Scoped, engine.Operation(m, hippo.VerbImport)), &b)
	}
	if err != nil {
		return nil, err
	}
	for i := range out {
		if out[i].Failure == nil {
			out[i].Outcome, outcomes = outcomes[0], outcomes[1:]
		}
	}
	return out, nil
}

// checkImported reports why an entry cannot be stored.
func checkImported(m *engine.Memories, e importEntry) error {
	x := e.Memory
	if x == nil {
		return hippo.Fieldf("Memory", "must be there")
	}
	if x.Source.Kind == "" {
		x.Source.Kind = hippo.SourceImport
		x.Trust = max(x.Trust, hippo.DefaultTrust(hippo.SourceImport))
	}
	if !e.SecretAllowed {
		if err := memory.ScreenedImport(x); err != nil {
			return err
		}
	}
	x.Namespace = ""
	if err := m.Scoped.Place(x); err != nil {
		return err
	}
	return x.Validate()
}
