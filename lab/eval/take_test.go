package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// TestTaken_keeps_the_answers: every store has the answers of its questions, and the size that
// was asked for; every question that fits is asked once.
func TestTaken_keeps_the_answers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		docs, questions := rapid.IntRange(1, 40).Draw(t, "docs"), rapid.IntRange(0, 30).Draw(t, "questions")
		size := rapid.IntRange(1, 50).Draw(t, "size")
		s := &eval.Set{Name: "set", Setting: eval.SettingCorpus, Groups: []eval.Group{{}}}
		for i := range docs {
			s.Groups[0].Docs = append(s.Groups[0].Docs, &hippo.Memory{Content: "text", Source: hippo.Source{URI: fmt.Sprint("d", i)}})
		}
		want := 0
		for i := range questions {
			q := eval.Question{ID: fmt.Sprint("q", i), Category: "none"}
			if n := rapid.IntRange(0, 3).Draw(t, "answers"); n > 0 {
				q.Category, q.Relevant = "natural", make(map[string]float64)
				for range n {
					q.Relevant[fmt.Sprint("d", rapid.IntRange(0, docs-1).Draw(t, "answer"))] = 1
				}
			}
			if len(q.Relevant) <= size {
				want++
			}
			s.Questions = append(s.Questions, q)
		}
		got := taken(s, size)
		if d := cmp.Diff(got, taken(s, size)); d != "" {
			t.Fatalf("a second draw differs: %s", d)
		}
		if len(got.Questions) != want {
			t.Fatalf("%d questions, want %d", len(got.Questions), want)
		}
		for _, q := range got.Questions {
			i := slices.IndexFunc(got.Groups, func(g eval.Group) bool { return g.Name == q.Group })
			if i < 0 || len(got.Groups[i].Docs) != min(size, docs) {
				t.Fatalf("%s is asked of %q, want a store of %d", q.ID, q.Group, min(size, docs))
			}
			if len(q.Relevant) > 0 && eval.Recall(namesIn(got.Groups[i]), q.Relevant, docs) != 1 {
				t.Fatalf("the store of %s lacks some of its answers", q.ID)
			}
		}
	})
}

func namesIn(g eval.Group) []string {
	var names []string
	for _, m := range g.Docs {
		names = append(names, eval.Name(m))
	}
	return names
}
