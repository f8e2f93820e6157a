package eval_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
)

// TestThirty_IsWhatItSays: thirty notes of 5 to 10 words, each with a question that shares no
// content word with it; alone, and among 170 of 20 to 60 words that answer none of the
// questions.
func TestThirty_IsWhatItSays(t *testing.T) {
	t.Parallel()
	alone, among := thirty(t, "thirty"), thirty(t, "thirty_among")
	if d := cmp.Diff(alone.Questions, among.Questions); d != "" {
		t.Errorf("the sets ask different questions (-alone +among):\n%s", d)
	}
	short := make(map[string]*hippo.Memory)
	for _, m := range alone.Groups[0].Docs {
		short[eval.Name(m)] = m
		if n := len(strings.Fields(m.Content)); n < 5 || n > 10 {
			t.Errorf("%q has %d words, want 5 to 10", m.Content, n)
		}
	}
	others := 0
	for _, m := range among.Groups[0].Docs {
		if s := short[eval.Name(m)]; s != nil {
			if s.Content != m.Content {
				t.Errorf("%q and %q have one name", s.Content, m.Content)
			}
			continue
		}
		others++
		if n := len(strings.Fields(m.Content)); n < 20 || n > 60 {
			t.Errorf("%q has %d words, want 20 to 60", m.Content, n)
		}
	}
	if len(short) != 30 || others != 170 || len(among.Groups[0].Docs) != 200 {
		t.Errorf("%d short and %d other notes, want 30 and 170", len(short), others)
	}
	unanswerable := 0
	for _, q := range alone.Questions {
		if eval.Unanswerable(q.Category) {
			unanswerable++
			continue
		}
		if len(q.Relevant) != 1 {
			t.Errorf("%q has %d answers, want 1", q.Text, len(q.Relevant))
		}
		for name := range q.Relevant {
			if both := shared(q.Text, short[name].Content); len(both) > 0 {
				t.Errorf("%q and %q share %q", q.Text, short[name].Content, both)
			}
		}
	}
	if unanswerable != 10 || len(alone.Questions) != 40 {
		t.Errorf("%d questions, %d of them unanswerable, want 40 and 10", len(alone.Questions), unanswerable)
	}
}

func thirty(t *testing.T, name string) *eval.Set {
	t.Helper()
	sets, err := eval.Load(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if len(sets[0].Rejected) > 0 {
		t.Fatal(sets[0].Rejected)
	}
	return sets[0]
}

// shared returns the stems that two texts share, function words apart.
func shared(a, b string) []string {
	terms := func(text string) (out []string) {
		w := bm25.Words()
		w.Terms(text, func(term []byte) {
			if !w.Stop(string(term)) {
				out = append(out, string(term))
			}
		})
		return out
	}
	other := terms(b)
	return slices.DeleteFunc(terms(a), func(term string) bool { return !slices.Contains(other, term) })
}
