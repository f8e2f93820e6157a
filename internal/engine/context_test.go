package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/briefing"
	"github.com/hippo-memory/hippo/internal/engine"
)

// briefed returns what a briefing has, as "section: content".
func briefed(b *briefing.Briefing) []string {
	var out []string
	for _, i := range b.Items {
		out = append(out, string(i.Section)+": "+i.Memory.Content)
	}
	return out
}

// remember records a memory for a project.
func remember(t *testing.T, f *fixture, project string, m hippo.Memory) {
	t.Helper()
	m.Project, m.Trust = project, hippo.TrustDefault
	if m.Importance.Base == 0 {
		m.Importance.Base = .5
	}
	if _, err := f.Record(t.Context(), &m); err != nil {
		t.Fatal(err)
	}
}

func TestContext(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	remember(t, f, "p", hippo.Memory{Content: "Use tabs in all files", Type: "convention"})
	remember(t, f, "p", hippo.Memory{Content: "Rotate the signing keys", Tags: []string{"todo"}})
	remember(t, f, "p", hippo.Memory{Content: "Decision: Postgres for the ledger"})
	remember(t, f, "", hippo.Memory{Content: "The user prefers short answers", Pinned: true})
	remember(t, f, "p", hippo.Memory{Content: "Fixed the flaky gateway test by a fake clock"})
	remember(t, f, "other", hippo.Memory{Content: "Use spaces everywhere", Type: "convention", Pinned: true})
	remember(t, f, "p", hippo.Memory{Content: "A web page says to use rm -rf", Source: hippo.Source{Kind: hippo.SourceTool}})

	b, err := engine.Context(t.Context(), f.In(hippo.LocalScope("p")), briefing.Query{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"rules: The user prefers short answers", "rules: Use tabs in all files", "tasks: Rotate the signing keys",
		"decisions: Decision: Postgres for the ledger", "recent: Fixed the flaky gateway test by a fake clock",
	}
	if got := briefed(b); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if b.LowTrust != 1 {
		t.Errorf("%d of low trust, want 1", b.LowTrust)
	}
}

// A session without a project sees nothing of the projects.
func TestContext_NoProject(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	remember(t, f, "p", hippo.Memory{Content: "A secret of project p", Pinned: true})
	remember(t, f, "", hippo.Memory{Content: "For everyone", Pinned: true})
	b, err := engine.Context(t.Context(), f.Memories, briefing.Query{})
	if got := briefed(b); err != nil || !slices.Equal(got, []string{"rules: For everyone"}) {
		t.Errorf("got %q (%v)", got, err)
	}
}

// What a prompt reminds of is selected alone, and counts as no access.
func TestContext_Prompt(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	remember(t, f, "p", hippo.Memory{Content: "The gateway goes down when the certificate of the proxy expires"})
	remember(t, f, "p", hippo.Memory{Content: "Use tabs in all files", Pinned: true})
	for _, text := range []string{"the moon is far away", "bread needs salt and water", "the train to the sea leaves at noon"} {
		remember(t, f, "p", hippo.Memory{Content: text})
	}
	m := f.In(hippo.LocalScope("p"))
	q := briefing.Query{Prompt: "why did the gateway go down", PromptOnly: true, MaxTokens: 200}
	b, err := engine.Context(t.Context(), m, q)
	if got := briefed(b); err != nil || len(got) != 1 || got[0] != "related: The gateway goes down when the certificate of the proxy expires" {
		t.Fatalf("got %q (%v)", got, err)
	}
	l, err := m.List(t.Context(), engine.ListQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range l.Memories {
		if n := x.Accesses[0].Count; n != 1 {
			t.Errorf("%q has %d accesses, want that of its record", x.Content, n)
		}
	}
	q.Known = func(*hippo.Memory) bool { return true }
	if b, err = engine.Context(t.Context(), m, q); err != nil || len(b.Items) > 0 {
		t.Errorf("got %q again (%v)", briefed(b), err)
	}
}

// A prompt reminds of what is marked as weak in a search, unless the confidence is very low.
func TestContext_WeakPrompt(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	remember(t, f, "p", hippo.Memory{Content: "The gateway goes down when the certificate of the proxy expires"})
	for n := range 20 {
		remember(t, f, "p", hippo.Memory{Content: fmt.Sprintf("note%d has word%d", n, n)})
	}
	m := f.In(hippo.LocalScope("p"))
	for _, c := range []struct {
		prompt       string
		least, below float64
		want         int
	}{
		{"how did the gateway behave after the update yesterday", .3, .5, 1},
		{"how did the gateway behave during the Monday webinar about marketing videos that Griselda Huber gave", 0, .3, 0},
	} {
		a, err := m.Search(t.Context(), hippo.Query{Text: c.prompt, NoTouch: true})
		if err != nil {
			t.Fatal(err)
		}
		if a.Weak == "" || a.Confidence < c.least || a.Confidence >= c.below {
			t.Fatalf("%q: confidence %v, %q", c.prompt, a.Confidence, a.Weak)
		}
		b, err := engine.Context(t.Context(), m, briefing.Query{Prompt: c.prompt, PromptOnly: true, MaxTokens: 200})
		if err != nil || len(b.Items) != c.want {
			t.Errorf("%q: got %q (%v), want %d", c.prompt, briefed(b), err, c.want)
		}
	}
}
