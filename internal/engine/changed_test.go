package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// The context shows the newer of two memories of which one changes a value of the other, a record names the older one, and a
// search has a contradiction of it behind the newer.
func TestChangedValues(t *testing.T) {
	t.Parallel()
	for older, newer := range map[string]string{
		"The user prefers tabs in Go files":      "The user prefers spaces in Go files after all",
		"The api of the shop listens on port 80": "The api of the shop listens on port 81",
		"Use yarn in the docs repo":              "Use pnpm in the docs repo",
		"Paulo drinks wine at dinner":            "Paulo doesn't drink wine at dinner",
	} {
		f := open(t, options{})
		f.note(hippo.Memory{Content: older, Source: hippo.Source{Kind: hippo.SourceUser}, Trust: hippo.TrustHigh})
		f.advance(1, 24*time.Hour)
		draft := &hippo.Memory{Content: newer, Source: hippo.Source{Kind: hippo.SourceUser}, Trust: hippo.TrustHigh}
		if c, err := memory.Compare(t.Context(), f.Memories, draft); err != nil || len(c.Replaces) != 1 || c.Replaces[0].Memory.Content != older {
			t.Errorf("%q: the record names %+v (%v)", newer, c, err)
		}
		f.note(*draft)
		b, err := query.Context(t.Context(), f.Memories, briefing.Query{Prompt: older})
		if err != nil || !strings.Contains(b.Text, newer) || strings.Contains(b.Text, older+" [") {
			t.Errorf("%q: the context is %q (%v)", newer, b.Text, err)
		}
	}
	f := open(t, options{})
	f.note(hippo.Memory{Content: "Ana of the gateway team likes tea"})
	if c, err := memory.Compare(t.Context(), f.Memories, &hippo.Memory{Content: "Ana of the gateway team likes coffee"}); err != nil || len(c.Replaces) != 0 {
		t.Errorf("what holds side by side is named: %+v (%v)", c, err)
	}
}
