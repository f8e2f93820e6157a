package engine_test

import (
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
)

// TestSearch_ShowsThePassage: a hit in a long memory says where it was found, one in a short memory
// does not, and nothing points beyond a text.
func TestSearch_ShowsThePassage(t *testing.T) {
	t.Parallel()
	for name, models := range map[string][]embedding.Model{
		"passages": {slow(embedtest.NewWords("word"))},
		"lexical":  nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := openWithModels(t, models...)
			long := f.record(strings.Repeat("grün beans ", 300)+"the pump failed at night "+strings.Repeat("rice and corn ", 300), .5)
			short := f.record("a pump is there", .5)
			if err := f.Embed(t.Context(), func(int, int) {}); err != nil {
				t.Fatal(err)
			}
			hits := map[hippo.ID]hippo.Hit{}
			for _, h := range f.search(hippo.Query{Text: "pump"}).Hits {
				hits[h.Memory.ID] = h
			}
			if got := hits[short]; got.Memory == nil || got.Passage != (hippo.Span{}) {
				t.Errorf("the short one: %+v", got)
			}
			got := hits[long]
			if got.Memory == nil {
				t.Fatal("the long one is not found")
			}
			if models == nil {
				if got.Passage != (hippo.Span{}) {
					t.Errorf("without vectors: %+v", got.Passage)
				}
				return
			}
			if text := got.Memory.Content[got.Passage.From:got.Passage.To]; !strings.Contains(text, "pump failed") || len(text) > 1200 {
				t.Errorf("the passage is %q", text)
			}
		})
	}
}
