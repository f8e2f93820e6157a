package main

import (
	"path/filepath"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// TestJoined_keeps_every_answer: all documents are in one store under names of their own, also
// those whose IDs and names are the same in two sets, and every answer is among them.
func TestJoined_keeps_every_answer(t *testing.T) {
	t.Parallel()
	sets, err := eval.Load(filepath.Join("..", "..", "internal", "retrieval", "eval", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	docs, questions := 0, 0
	for _, s := range sets {
		for range documents(s) {
			docs++
		}
		questions += len(s.Questions)
	}
	got := joined(sets)
	names, ids := make(map[string]bool), make(map[hippo.ID]bool)
	for _, m := range got.Groups[0].Docs {
		names[eval.Name(m)], ids[m.ID] = true, true
	}
	if len(sets) < 2 || len(names) != docs || len(ids) != docs || len(got.Questions) != questions {
		t.Errorf("%d names, %d IDs, %d questions of %d sets; want %d, %d, %d", len(names), len(ids), len(got.Questions), len(sets), docs, docs, questions)
	}
	for _, q := range got.Questions {
		for name := range q.Relevant {
			if !names[name] {
				t.Errorf("%s: no document %s", q.ID, name)
			}
		}
	}
}
