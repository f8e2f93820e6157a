package engine_test

import (
	"testing"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// Summaries that an undo has forgotten are not proposed again, nor counted as skipped.
func TestConsolidate_LeavesForgottenSummaries(t *testing.T) {
	t.Parallel()
	f, _ := openTidy(t)
	c := f.consolidate(api.Monthly, false)
	if _, err := memory.Undo(t.Context(), f.Memories, c.Operation); err != nil || c.Summarised == 0 {
		t.Fatalf("%+v (%v)", c, err)
	}
	for _, dry := range []bool{true, false} {
		again := f.consolidate(api.Monthly, dry)
		if again.Summarised != 0 || again.Skipped != 0 || again.Linked != c.Linked || again.Archived != c.Archived {
			t.Errorf("after the undo, dry run %t: %+v, before it %+v", dry, again.ConsolidationCounts, c.ConsolidationCounts)
		}
	}
}
