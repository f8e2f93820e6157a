package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
)

// counter is a model that counts the texts it embeds.
type counter struct{ texts int }

func (c *counter) Model() embed.Model { return embed.Model{ID: "counter@1", Dimension: 2} }

func (c *counter) Embed(_ context.Context, _ embed.Role, texts []string) ([][]float32, error) {
	c.texts += len(texts)
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = []float32{float32(len(t)), 1}
	}
	return out, nil
}

// TestDiskCache: a text is embedded once for each role, also by the next process; a record that was
// cut off is embedded again.
func TestDiskCache(t *testing.T) {
	t.Parallel()
	dir, model := t.TempDir(), &counter{}
	ask := func(role embed.Role, embedded int, texts ...string) {
		t.Helper()
		c, err := openDiskCache(model, dir)
		if err != nil {
			t.Fatal(err)
		}
		model.texts = 0
		got, err := c.Embed(t.Context(), role, texts)
		if err != nil || model.texts != embedded {
			t.Errorf("%d texts were embedded, want %d (%v)", model.texts, embedded, err)
		}
		want, _ := (&counter{}).Embed(t.Context(), role, texts)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("vectors (-want +got):\n%s", d)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	ask(embed.Passage, 2, "a", "bb")
	ask(embed.Passage, 1, "bb", "ccc")
	ask(embed.Query, 1, "a")
	file := filepath.Join(dir, "counter_1.vectors")
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, info.Size()-1); err != nil {
		t.Fatal(err)
	}
	ask(embed.Passage, 0, "a", "bb", "ccc")
	ask(embed.Query, 1, "a")
}
