package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/screen/screentest"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// maxRefused is how many of the texts without a secret may be refused.
const maxRefused = 6

// No secret of the corpus is recorded by a source that nobody watches, also where secrets are allowed, nor by another
// unless they are allowed. What only looks like a secret is.
func TestRecord_Corpus(t *testing.T) {
	t.Parallel()
	kinds := hippo.SourceKinds()
	f := open(t, options{})
	for i, c := range screentest.Secrets() {
		m := hippo.Memory{Content: c.Text, Source: hippo.Source{Kind: kinds[i%len(kinds)]}}
		_, err := memory.Record(t.Context(), f.Memories, m.Clone())
		if !errors.Is(err, hippo.ErrSecret) {
			t.Errorf("%s recorded %q (%v)", m.Source.Kind, c.Text, err)
		} else if len(c.Hidden) >= 10 && strings.Contains(err.Error(), c.Hidden[4:10]) {
			t.Errorf("the error shows the secret: %v", err)
		}
		if k := m.Source.Kind; k != hippo.SourceUser && k != hippo.SourceAgent {
			if _, err := memory.Record(t.Context(), memory.AllowSecrets(f.Memories), &m); !errors.Is(err, hippo.ErrSecret) {
				t.Errorf("%s recorded %q, allowed (%v)", k, c.Text, err)
			}
		}
	}
	if n := f.status().Memories; n != 0 {
		t.Errorf("%d secrets were recorded", n)
	}
	refused := 0
	for i, c := range screentest.Harmless() {
		if _, err := memory.Record(t.Context(), f.Memories, &hippo.Memory{Content: c.Text, Source: hippo.Source{Kind: kinds[i%len(kinds)]}}); err != nil {
			refused++
			t.Logf("refused: %v", err)
		}
	}
	if refused > maxRefused {
		t.Errorf("%d texts without a secret are refused, want at most %d", refused, maxRefused)
	}
}
