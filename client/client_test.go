package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/client"
)

// now is the clock of the tests.
func now() time.Time { return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC) }

// opened opens a memory in RAM unless there is a URL, closed at the end of the test.
func opened(t *testing.T, url string, opts ...client.Option) *client.Client {
	t.Helper()
	c, err := client.Open(t.Context(), url, append([]client.Option{client.Model("none"), client.Clock(now, time.UTC)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func recorded(t *testing.T, c *client.Client, content string, opts ...client.RecordOption) *client.Recorded {
	t.Helper()
	m, err := c.Record(t.Context(), content, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestOpen_Refuses(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "postgres://h/d", "sqlite:", "sqlite:/dev/null"} {
		wantRefused(t, url, client.Clock(now, time.UTC))
	}
	for _, o := range []client.Option{client.Ranker("best"), client.Project("two\nlines"), client.Namespace("a\x00")} {
		wantRefused(t, "memory:", o)
	}
}

func wantRefused(t *testing.T, url string, opts ...client.Option) {
	t.Helper()
	c, err := client.Open(t.Context(), url, opts...)
	if err == nil {
		err = errors.Join(errors.New("it was opened"), c.Close())
	}
	if !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("%s: got %v, want invalid", url, err)
	}
}

func TestRecord_Options(t *testing.T) {
	t.Parallel()
	c := opened(t, "memory:", client.Project("shop"), client.Namespace("tenant"))
	event, from, until := now().Add(-time.Hour), now().Add(-48*time.Hour), now().Add(48*time.Hour)
	source := hippo.Source{Kind: hippo.SourceUser, Author: "ann", Session: "s", Seq: 3}
	data := map[string]json.RawMessage{"ticket": json.RawMessage(`17`)}
	m := recorded(t, c, "all options", client.Situation("at work", "at night"), client.Importance(.8), client.Tags("x", "y"),
		client.Type("decision"), client.Pinned(), client.EventTime(event), client.Valid(from, until), client.InProject("blog"),
		client.Source(source), client.Metadata(data))
	want := &hippo.Memory{
		ID: m.ID, Content: "all options", Situation: []string{"at work", "at night"}, Tags: []string{"x", "y"}, Type: "decision",
		Importance: hippo.Importance{Base: .8, Value: .8, SetDay: 1, SetAt: now()}, Pinned: true,
		Usage:     hippo.Usage{Accesses: []hippo.Access{{Day: 1, Count: 1}}},
		CreatedAt: now(), UpdatedAt: now(), EventTime: event, ValidFrom: from, ValidUntil: until, Version: 1,
		Source: source, Trust: hippo.TrustHigh, Project: "blog", Namespace: "tenant", ContentHash: hippo.HashContent("all options"),
		Metadata: data,
	}
	got, err := c.Get(t.Context(), m.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []*hippo.Memory{m.Memory, got[0]} {
		if d := cmp.Diff(want, x, cmpopts.IgnoreFields(hippo.Memory{}, "Revision")); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
}

// FromMemory takes a copy, and puts it into the caller's own namespace and project.
func TestRecord_FromMemory(t *testing.T) {
	t.Parallel()
	c := opened(t, "memory:", client.Project("shop"))
	from := hippo.Memory{Content: "not this", Tags: []string{" x "}, Project: "other", Namespace: "other"}
	m := recorded(t, c, "this", client.FromMemory(from))
	if m.Content != "this" || m.Project != "shop" || m.Namespace != "" || !cmp.Equal(m.Tags, []string{"x"}) || from.Tags[0] != " x " {
		t.Errorf("got %+v from %+v", m.Memory, from)
	}
}

func TestRecord_Supersedes(t *testing.T) {
	t.Parallel()
	c := opened(t, "memory:")
	old := recorded(t, c, "the port is 80")
	m := recorded(t, c, "the port is 443", client.Supersedes(old.ID), client.Compared())
	got, err := c.Get(t.Context(), old.ID)
	if err != nil || got[0].SupersededBy != m.ID || m.Degraded != "" {
		t.Errorf("got %+v (%v), want it superseded by %v", got, err, m.ID)
	}
	if again := recorded(t, c, "The port is 443 ", client.Compared()); !cmp.Equal(again.Duplicates, []hippo.ID{m.ID}) {
		t.Errorf("duplicates %v, want %v", again.Duplicates, m.ID)
	}
}

func TestSearch_Options(t *testing.T) {
	t.Parallel()
	c := opened(t, "memory:")
	recorded(t, c, "cache of yesterday", client.Tags("x"), client.Type("a"), client.EventTime(now().Add(-24*time.Hour)), client.Situation("at night"))
	recorded(t, c, "cache of tomorrow", client.Tags("x", "y"), client.Type("b"), client.Valid(now().Add(24*time.Hour), time.Time{}))
	recorded(t, c, "cache of a project", client.InProject("p"))
	for name, tc := range map[string]struct {
		opts []client.SearchOption
		want int
	}{
		"all":       {nil, 3},
		"tags":      {[]client.SearchOption{client.HasTags("x", "y")}, 1},
		"types":     {[]client.SearchOption{client.OfType("a", "b")}, 2},
		"projects":  {[]client.SearchOption{client.InProjects("p")}, 1},
		"none":      {[]client.SearchOption{client.InProjects("")}, 2},
		"valid":     {[]client.SearchOption{client.ValidAt(now())}, 2},
		"created":   {[]client.SearchOption{client.CreatedBetween(time.Time{}, now())}, 0},
		"when":      {[]client.SearchOption{client.When("yesterday")}, 1},
		"situation": {[]client.SearchOption{client.InSituation("at night")}, 1},
		"filter":    {[]client.SearchOption{client.FromFilter(hippo.Filter{Types: []string{"b"}})}, 1},
		"query":     {[]client.SearchOption{client.FromQuery(hippo.Query{Text: "zebra", Filter: hippo.Filter{Tags: []string{"y"}}})}, 1},
		"ranker":    {[]client.SearchOption{client.RankedBy(hippo.RankerBM25), client.Waiting()}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := c.Search(t.Context(), "cache", append(tc.opts, client.MinRelevance(0), client.Page(0, 1), client.Explained(), client.WithoutTrace())...)
			if err != nil || a.Total != tc.want || len(a.Hits) != min(1, tc.want) {
				t.Fatalf("got %d hits of %d (%v), want %d in all", len(a.Hits), a.Total, err, tc.want)
			}
			for _, h := range a.Hits {
				if h.Explanation == nil || h.Memory.Accesses[0].Count != 1 {
					t.Errorf("got %+v, want it explained and not counted", h)
				}
			}
		})
	}
}

// Nothing of another namespace can be seen, not even through an ID.
func TestNamespace(t *testing.T) {
	t.Parallel()
	url := "sqlite:" + filepath.Join(t.TempDir(), "m")
	theirs, mine := opened(t, url, client.Namespace("a")), opened(t, url, client.Namespace("b"))
	id := recorded(t, theirs, "a secret").ID
	ctx := t.Context()
	answer, err := mine.Search(ctx, "secret", client.MinRelevance(0))
	if err != nil || answer.Total != 0 {
		t.Errorf("found %+v (%v)", answer, err)
	}
	list, err := mine.List(ctx)
	if err != nil || list.Total != 0 {
		t.Errorf("listed %+v (%v)", list, err)
	}
	for name, call := range map[string]func() error{
		"get":       func() error { _, err := mine.Get(ctx, id); return err },
		"resolve":   func() error { _, err := mine.Resolve(ctx, id.String()[:30]); return err },
		"modify":    func() error { _, err := mine.Modify(ctx, id, client.SetContent("x")); return err },
		"reinforce": func() error { _, err := mine.Reinforce(ctx, []hippo.ID{id}, nil); return err },
		"forget":    func() error { _, err := mine.Forget(ctx, id); return err },
		"restore":   func() error { _, err := mine.Restore(ctx, id); return err },
		"purge":     func() error { return mine.Purge(ctx, id) },
		"relations": func() error { _, err := mine.Relations().Of(ctx, id); return err },
		"declare": func() error {
			_, err := mine.Relations().Declare(ctx, hippo.Relation{From: id, To: hippo.ID{1}, Kind: "x", Weight: 1})
			return err
		},
		"remove": func() error {
			return mine.Relations().Remove(ctx, hippo.Relation{From: id, To: hippo.ID{1}, Kind: "x"})
		},
	} {
		if err := call(); !errors.Is(err, hippo.ErrNotFound) {
			t.Errorf("%s: got %v, want not found", name, err)
		}
	}
	r, err := mine.Import(ctx, theirs.Export(ctx))
	if err != nil || r.Added+r.Present != 0 || len(r.Rejected) != 1 || !errors.Is(r.Rejected[0].Err, hippo.ErrInvalid) {
		t.Errorf("import: got %+v (%v), want one that is refused", r, err)
	}
	if got, err := theirs.Get(ctx, id); err != nil || got[0].Content != "a secret" || got[0].Forgotten() {
		t.Errorf("it became %+v (%v)", got, err)
	}
}

// What comes through an export is as it was, with its days of use if the calendar comes along.
func TestImport_KeepsUse(t *testing.T) {
	t.Parallel()
	from, to, without := opened(t, "memory:"), opened(t, "memory:"), opened(t, "memory:")
	m := recorded(t, from, "used twice", client.Tags("x"))
	ctx := t.Context()
	if _, err := from.Search(ctx, "used"); err != nil {
		t.Fatal(err)
	}
	if _, err := from.Reinforce(ctx, []hippo.ID{m.ID}, nil); err != nil { // stores what was counted
		t.Fatal(err)
	}
	st, err := from.Status(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for c, opts := range map[*client.Client][]client.ImportOption{to: {client.ActiveDays(st.Calendar)}, without: nil} {
		if r, err := c.Import(ctx, from.Export(ctx), opts...); err != nil || r.Added != 1 {
			t.Fatalf("got %+v (%v)", r, err)
		}
	}
	all := func(c *client.Client) *hippo.Memory {
		ms, err := c.Get(ctx, m.ID)
		if err != nil {
			t.Fatal(err)
		}
		return ms[0]
	}
	if d := cmp.Diff(all(from), all(to), cmpopts.IgnoreFields(hippo.Memory{}, "Revision")); d != "" {
		t.Errorf("(-exported +imported):\n%s", d)
	}
	if got := all(without).Accesses; !cmp.Equal(got, []hippo.Access{{Day: 1, Count: 1}}) {
		t.Errorf("without a calendar: %+v", got)
	}
}

func TestImport_RejectsAndGoesOn(t *testing.T) {
	t.Parallel()
	c := opened(t, "memory:")
	broken := errors.New("broken")
	r, err := c.Import(t.Context(), func(yield func(*hippo.Memory, error) bool) {
		_ = yield(nil, broken) && yield(&hippo.Memory{}, nil) && yield(&hippo.Memory{Content: "fine"}, nil)
	})
	if err != nil || r.Added != 1 || len(r.Rejected) != 2 || r.Rejected[0].Entry != 1 || !errors.Is(r.Rejected[0].Err, broken) ||
		!errors.Is(r.Rejected[1].Err, hippo.ErrInvalid) {
		t.Errorf("got %+v (%v)", r, err)
	}
}

func TestModify_Changes(t *testing.T) {
	t.Parallel()
	c := opened(t, "memory:")
	m, old := recorded(t, c, "before"), recorded(t, c, "old")
	got, err := c.Modify(t.Context(), m.ID, client.SetContent("after"), client.SetSituation("s"), client.SetTags("t"), client.SetType("x"),
		client.SetImportance(.4), client.SetPinned(true), client.SetVote(client.VoteDown), client.SetSupersedes(old.ID))
	if err != nil || got.Content != "after" || fmt.Sprintf("%q", []any{got.Situation, got.Tags, got.Type}) != `[["s"] ["t"] "x"]` || !got.Pinned ||
		got.Importance.Base != .4 || got.Importance.Value >= .4 || client.ImportanceOn(got, 1) != got.Importance.Value {
		t.Errorf("got %+v (%v)", got, err)
	}
	for name, changes := range map[string][]client.Change{"none": nil, "vote": {client.SetVote("sideways")}, "importance": {client.SetImportance(2)}} {
		if _, err := c.Modify(t.Context(), m.ID, changes...); !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("%s: got %v, want invalid", name, err)
		}
	}
	if _, err := c.Reinforce(t.Context(), []hippo.ID{m.ID}, []hippo.ID{m.ID}); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("got %v, want invalid", err)
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	c := opened(t, "memory:", client.Model("builtin"))
	recorded(t, c, "one", client.InProject("p"))
	id := recorded(t, c, "two", client.InProject("q")).ID
	if _, err := c.Forget(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	got, err := c.Status(t.Context())
	serving := func(m client.ModelStatus) bool { return m.Serving && m.Embedded == 1 }
	if err != nil || len(got.Models) != 3 || !slices.ContainsFunc(got.Models, serving) {
		t.Fatalf("got %+v (%v)", got, err)
	}
	got.Models, got.Degraded = nil, nil // they depend on how far the models are
	want := &client.Status{Memories: 1, Forgotten: 1, Projects: []string{"p", "q"}, Ranker: hippo.RankerHippo, Calendar: hippo.Calendar{Day: 1, Date: "2026-03-02"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// After Close every verb fails, and closing again does nothing.
func TestClose(t *testing.T) {
	t.Parallel()
	c := opened(t, "dir:"+filepath.Join(t.TempDir(), "m"))
	recorded(t, c, "kept")
	for range 2 {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, call := range map[string]func(context.Context) error{
		"record": func(ctx context.Context) error { _, err := c.Record(ctx, "x"); return err },
		"search": func(ctx context.Context) error { _, err := c.Search(ctx, "x"); return err },
		"list":   func(ctx context.Context) error { _, err := c.List(ctx); return err },
	} {
		if err := call(t.Context()); !errors.Is(err, hippo.ErrUnavailable) {
			t.Errorf("%s: got %v, want unavailable", name, err)
		}
	}
}
