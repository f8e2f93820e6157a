package client_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
)

// now is the clock of the tests.
func now() time.Time { return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC) }

// opened opens a memory in RAM unless there is a URL, closed at the end of the test.
func opened(t *testing.T, url string, o client.Options) *client.Client {
	t.Helper()
	o.Model, o.Now, o.Zone = cmp.Or(o.Model, "none"), now, time.UTC
	c, err := client.Open(t.Context(), url, &o)
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

func recorded(t *testing.T, c *client.Client, r api.Record) *api.Recorded {
	t.Helper()
	m, err := c.Record(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestOpen_Refuses(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "mysql://h/d", "sqlite:", "sqlite:/dev/null"} {
		wantRefused(t, url, nil)
	}
	for _, o := range []client.Options{{Ranker: "best"}, {Project: "two\nlines"}, {Namespace: "a\x00"}} {
		wantRefused(t, "memory:", &o)
	}
}

func wantRefused(t *testing.T, url string, o *client.Options) {
	t.Helper()
	c, err := client.Open(t.Context(), url, o)
	if err == nil {
		err = errors.Join(errors.New("it was opened"), c.Close())
	}
	if !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("%s: got %v, want invalid", url, err)
	}
}

func TestRecord(t *testing.T) {
	t.Parallel()
	c := opened(t, "memory:", client.Options{Project: "shop", Namespace: "tenant"})
	event, from, until := now().Add(-time.Hour), now().Add(-48*time.Hour), now().Add(48*time.Hour)
	source := hippo.Source{Kind: hippo.SourceUser, Author: "ann", Session: "s", Seq: 3}
	data := map[string]json.RawMessage{"ticket": json.RawMessage(`17`)}
	m := recorded(t, c, api.Record{
		Content: "all options", Situation: []string{"at work", "at night"}, Importance: new(.8), Tags: []string{"x", "y"}, Type: "decision", Pinned: true,
		EventTime: event, ValidFrom: from, ValidUntil: until, Project: new("blog"), Source: source, Metadata: data,
	})
	want := &hippo.Memory{
		ID: m.ID, Content: "all options", Situation: []string{"at work", "at night"}, Tags: []string{"x", "y"}, Type: "decision",
		Importance: hippo.Importance{Base: .8, Value: .8, SetDay: 1, SetAt: now()}, Pinned: true,
		Usage:     hippo.Usage{Accesses: []hippo.Access{{Day: 1, Count: 1}}},
		CreatedAt: now(), UpdatedAt: now(), EventTime: event, ValidFrom: from, ValidUntil: until, Version: 1,
		Source: source, Trust: hippo.TrustHigh, Project: "blog", Namespace: "tenant", ContentHash: hippo.HashContent("all options"),
		Metadata: data,
	}
	got, err := c.Get(t.Context(), api.Get{IDs: []hippo.ID{m.ID}})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []*hippo.Memory{m.Memory, got.Memories[0]} {
		if d := gocmp.Diff(want, x, cmpopts.IgnoreFields(hippo.Memory{}, "Revision")); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
}

// The lists of a request stay those of the caller, and the insight is of the caller's own project.
func TestRecord_Copies(t *testing.T) {
	t.Parallel()
	c := opened(t, "memory:", client.Options{Project: "shop"})
	tags := []string{" x "}
	m := recorded(t, c, api.Record{Content: "this", Tags: tags})
	if m.Project != "shop" || m.Importance.Base != hippo.DefaultImportance || !gocmp.Equal(m.Tags, []string{"x"}) || tags[0] != " x " {
		t.Errorf("got %+v from %q", m.Memory, tags)
	}
}

func TestRecord_Supersedes(t *testing.T) {
	t.Parallel()
	c := opened(t, "memory:", client.Options{})
	old := recorded(t, c, api.Record{Content: "the port is 80"})
	m := recorded(t, c, api.Record{Content: "the port is 443", Supersedes: []hippo.ID{old.ID}, Compare: true})
	got, err := c.Get(t.Context(), api.Get{IDs: []hippo.ID{old.ID}})
	if err != nil || got.Memories[0].SupersededBy != m.ID || m.Degraded != "" {
		t.Errorf("got %+v (%v), want it superseded by %v", got, err, m.ID)
	}
	if again := recorded(t, c, api.Record{Content: "The port is 443 ", Compare: true}); !gocmp.Equal(again.Duplicates, []hippo.ID{m.ID}) {
		t.Errorf("duplicates %v, want %v", again.Duplicates, m.ID)
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	c := opened(t, "memory:", client.Options{})
	recorded(t, c, api.Record{
		Content: "cache of yesterday", Tags: []string{"x"}, Type: "a", EventTime: now().Add(-24 * time.Hour), Situation: []string{"at night"},
	})
	recorded(t, c, api.Record{Content: "cache of tomorrow", Tags: []string{"x", "y"}, Type: "b", ValidFrom: now().Add(24 * time.Hour)})
	recorded(t, c, api.Record{Content: "cache of a project", Project: new("p")})
	for name, tc := range map[string]struct {
		q    api.Search
		want int
	}{
		"all":       {api.Search{}, 3},
		"tags":      {api.Search{Query: hippo.Query{Filter: hippo.Filter{Tags: []string{"x", "y"}}}}, 1},
		"types":     {api.Search{Query: hippo.Query{Filter: hippo.Filter{Types: []string{"a", "b"}}}}, 2},
		"projects":  {api.Search{Projects: []string{"p"}}, 1},
		"none":      {api.Search{Projects: []string{""}}, 2},
		"both":      {api.Search{Projects: []string{"none", "p"}}, 3},
		"valid":     {api.Search{Query: hippo.Query{Filter: hippo.Filter{Moment: hippo.Moment{ValidAt: now()}}}}, 2},
		"created":   {api.Search{Query: hippo.Query{Filter: hippo.Filter{CreatedBefore: now()}}}, 0},
		"when":      {api.Search{Query: hippo.Query{When: "yesterday"}}, 1},
		"situation": {api.Search{Query: hippo.Query{Situation: []string{"at night"}, Strict: true}}, 1},
		"ranker":    {api.Search{Query: hippo.Query{Ranker: hippo.RankerBM25}, Wait: true}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := tc.q
			q.Text, q.Relevance, q.Count, q.Explain, q.NoTouch = "cache", hippo.AtLeast(0), 1, true, true
			a, err := c.Search(t.Context(), q)
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
	if _, err := c.Search(t.Context(), api.Search{Projects: []string{"unknown"}}); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("of an unknown project: %v", err)
	}
}

// Nothing of another namespace can be seen, not even through an ID.
func TestNamespace(t *testing.T) {
	t.Parallel()
	url := "sqlite:" + filepath.Join(t.TempDir(), "m")
	theirs, mine := opened(t, url, client.Options{Namespace: "a"}), opened(t, url, client.Options{Namespace: "b"})
	id := recorded(t, theirs, api.Record{Content: "a secret"}).ID
	ctx := t.Context()
	answer, err := mine.Search(ctx, api.Search{Query: hippo.Query{Text: "secret", Relevance: hippo.AtLeast(0)}})
	if err != nil || answer.Total != 0 {
		t.Errorf("found %+v (%v)", answer, err)
	}
	list, err := mine.List(ctx, api.List{})
	if err != nil || list.Total != 0 {
		t.Errorf("listed %+v (%v)", list, err)
	}
	for name, call := range map[string]func() error{
		"get":     func() error { _, err := mine.Get(ctx, api.Get{IDs: []hippo.ID{id}}); return err },
		"resolve": func() error { _, err := mine.Resolve(ctx, api.Resolve{Ref: id.String()[:30]}); return err },
		"modify": func() error {
			_, err := mine.Modify(ctx, api.Modify{ID: id, Change: api.Change{Content: new("x")}})
			return err
		},
		"reinforce": func() error { _, err := mine.Reinforce(ctx, api.Reinforce{Up: []hippo.ID{id}}); return err },
		"forget":    func() error { _, err := mine.Forget(ctx, id); return err },
		"restore":   func() error { _, err := mine.Restore(ctx, id); return err },
		"purge":     func() error { return mine.Purge(ctx, id) },
		"relations": func() error { _, err := mine.Relations(ctx, api.Relations{IDs: []hippo.ID{id}}); return err },
		"declare": func() error {
			_, err := mine.Relate(ctx, hippo.Relation{From: id, To: hippo.ID{1}, Kind: "x", Weight: 1})
			return err
		},
		"remove": func() error {
			return mine.Unrelate(ctx, hippo.Relation{From: id, To: hippo.ID{1}, Kind: "x"})
		},
	} {
		if err := call(); !errors.Is(err, hippo.ErrNotFound) {
			t.Errorf("%s: got %v, want not found", name, err)
		}
	}
	r, err := mine.Import(ctx, api.Import{Entries: theirs.Export(ctx)})
	if err != nil || r.Added+r.Present != 0 || len(r.Rejected) != 1 || !errors.Is(r.Rejected[0].Err, hippo.ErrInvalid) {
		t.Errorf("import: got %+v (%v), want one that is refused", r, err)
	}
	if got, err := theirs.Get(ctx, api.Get{IDs: []hippo.ID{id}}); err != nil || got.Memories[0].Content != "a secret" || got.Memories[0].Forgotten() {
		t.Errorf("it became %+v (%v)", got, err)
	}
}

// What comes through an export is as it was, with its days of use if the calendar comes along.
func TestImport_KeepsUse(t *testing.T) {
	t.Parallel()
	none := client.Options{}
	from, to, without := opened(t, "memory:", none), opened(t, "memory:", none), opened(t, "memory:", none)
	m := recorded(t, from, api.Record{Content: "used twice", Tags: []string{"x"}})
	ctx := t.Context()
	if _, err := from.Search(ctx, api.Search{Query: hippo.Query{Text: "used"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := from.Reinforce(ctx, api.Reinforce{Up: []hippo.ID{m.ID}}); err != nil { // stores what was counted
		t.Fatal(err)
	}
	st, err := from.Status(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for c, calendar := range map[*client.Client]hippo.Calendar{to: st.Calendar, without: {}} {
		if r, err := c.Import(ctx, api.Import{Entries: from.Export(ctx), Calendar: calendar}); err != nil || r.Added != 1 {
			t.Fatalf("got %+v (%v)", r, err)
		}
	}
	all := func(c *client.Client) *hippo.Memory {
		got, err := c.Get(ctx, api.Get{IDs: []hippo.ID{m.ID}})
		if err != nil {
			t.Fatal(err)
		}
		return got.Memories[0]
	}
	if d := gocmp.Diff(all(from), all(to), cmpopts.IgnoreFields(hippo.Memory{}, "Revision")); d != "" {
		t.Errorf("(-exported +imported):\n%s", d)
	}
	if got := all(without).Accesses; !gocmp.Equal(got, []hippo.Access{{Day: 1, Count: 1}}) {
		t.Errorf("without a calendar: %+v", got)
	}
}

func TestImport_RejectsAndGoesOn(t *testing.T) {
	t.Parallel()
	c := opened(t, "memory:", client.Options{})
	broken := errors.New("broken")
	r, err := c.Import(t.Context(), api.Import{Entries: func(yield func(*hippo.Memory, error) bool) {
		_ = yield(nil, broken) && yield(&hippo.Memory{}, nil) && yield(&hippo.Memory{Content: "fine"}, nil)
	}})
	if err != nil || r.Added != 1 || len(r.Rejected) != 2 || r.Rejected[0].Entry != 1 || !errors.Is(r.Rejected[0].Err, broken) ||
		!errors.Is(r.Rejected[1].Err, hippo.ErrInvalid) {
		t.Errorf("got %+v (%v)", r, err)
	}
}

func TestModify_Changes(t *testing.T) {
	t.Parallel()
	c := opened(t, "memory:", client.Options{})
	m, old := recorded(t, c, api.Record{Content: "before"}), recorded(t, c, api.Record{Content: "old"})
	got, err := c.Modify(t.Context(), api.Modify{ID: m.ID, Change: api.Change{
		Content: new("after"), Situation: &[]string{"s"}, Tags: &[]string{"t"}, Type: new("x"), Importance: new(.4), Pinned: new(true),
		Vote: api.VoteDown, Supersedes: &[]hippo.ID{old.ID},
	}})
	if err != nil || got.Content != "after" || fmt.Sprintf("%q", []any{got.Situation, got.Tags, got.Type}) != `[["s"] ["t"] "x"]` || !got.Pinned ||
		got.Importance.Base != .4 || got.Importance.Value >= .4 || client.ImportanceOn(got, 1) != got.Importance.Value {
		t.Errorf("got %+v (%v)", got, err)
	}
	for name, change := range map[string]api.Change{"none": {}, "vote": {Vote: "sideways"}, "importance": {Importance: new(2.)}} {
		if _, err := c.Modify(t.Context(), api.Modify{ID: m.ID, Change: change}); !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("%s: got %v, want invalid", name, err)
		}
	}
	if _, err := c.Reinforce(t.Context(), api.Reinforce{Up: []hippo.ID{m.ID}, Down: []hippo.ID{m.ID}}); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("got %v, want invalid", err)
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	c := opened(t, "memory:", client.Options{Model: "builtin"})
	recorded(t, c, api.Record{Content: "one", Project: new("p")})
	id := recorded(t, c, api.Record{Content: "two", Project: new("q")}).ID
	if _, err := c.Forget(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	got, err := c.Status(t.Context())
	serving := func(m api.ModelStatus) bool { return m.Serving && m.Embedded == 1 }
	if err != nil || len(got.Models) != 3 || !slices.ContainsFunc(got.Models, serving) {
		t.Fatalf("got %+v (%v)", got, err)
	}
	got.Models, got.Degraded, got.Store = nil, nil, nil // they depend on how far the models are
	want := &api.Status{Memories: 1, Forgotten: 1, Ranker: hippo.RankerHippo, Calendar: hippo.Calendar{Day: 1, Date: "2026-03-02"}}
	if d := gocmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	projects, err := c.Projects(t.Context())
	if d := gocmp.Diff([]api.Project{{Name: "p", Also: []string{}, Memories: 1}, {Name: "q", Also: []string{}}}, projects); err != nil || d != "" {
		t.Errorf("(-want +got):\n%s%v", d, err)
	}
}

// After Close every verb fails, and closing again does nothing.
func TestClose(t *testing.T) {
	t.Parallel()
	c := opened(t, "dir:"+filepath.Join(t.TempDir(), "m"), client.Options{})
	recorded(t, c, api.Record{Content: "kept"})
	for range 2 {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, call := range map[string]func(context.Context) error{
		"record": func(ctx context.Context) error { _, err := c.Record(ctx, api.Record{Content: "x"}); return err },
		"search": func(ctx context.Context) error { _, err := c.Search(ctx, api.Search{}); return err },
		"list":   func(ctx context.Context) error { _, err := c.List(ctx, api.List{}); return err },
	} {
		if err := call(t.Context()); !errors.Is(err, hippo.ErrUnavailable) {
			t.Errorf("%s: got %v, want unavailable", name, err)
		}
	}
}
