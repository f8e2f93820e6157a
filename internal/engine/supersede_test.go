package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
)

// note records a memory in the place of others, a day after the one before.
func (l *life) note(m hippo.Memory, old ...hippo.ID) *hippo.Memory {
	l.t.Helper()
	l.now = l.now.AddDate(0, 0, 1)
	out, err := l.Record(l.t.Context(), &m, old...)
	if err != nil {
		l.t.Fatal(err)
	}
	return out
}

func fact(content string) hippo.Memory { return hippo.Memory{Content: content} }

func TestRecord_Supersedes(t *testing.T) {
	t.Parallel()
	l := newLife(t)
	old := l.note(fact("the gateway timeout is thirty seconds, said the gateway team about the gateway timeout"))
	now := l.note(fact("sixty seconds since the move"), old.ID)
	l.wantOrder(hippo.Query{Text: "gateway timeout"}, now.Content, old.Content)
	a := l.search(hippo.Query{Text: "gateway timeout"})
	if a.Hits[1].Memory.SupersededBy != now.ID || a.Total != 2 || a.Distribution.Sum() != 2 || a.Hits[0].Relevance != a.Hits[1].Relevance {
		t.Errorf("got %+v", a)
	}
	before := hippo.Filter{ValidAt: now.CreatedAt.Add(-time.Hour)}
	l.wantOrder(hippo.Query{Text: "gateway timeout", Filter: before}, old.Content)
	after := hippo.Filter{ValidAt: now.CreatedAt}
	l.wantOrder(hippo.Query{Text: "gateway timeout", Filter: after})
	l.wantOrder(hippo.Query{Text: "sixty seconds", Filter: after}, now.Content)

	if _, err := l.Record(t.Context(), &hippo.Memory{Content: "ninety"}, old.ID); !errors.Is(err, hippo.ErrConflict) || !strings.Contains(err.Error(), now.ID.String()) {
		t.Errorf("superseding what is superseded: %v", err)
	}
	if _, err := l.Record(t.Context(), &hippo.Memory{Content: "ninety"}, now.ID, hippo.ID{1}); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("superseding what is not there: %v", err)
	}
	if list, err := l.List(t.Context(), engine.ListQuery{}); err != nil || list.Total != 2 {
		t.Errorf("%d memories are stored (%v), want 2", list.Total, err)
	}
}

func TestModify_Supersedes(t *testing.T) {
	t.Parallel()
	l := newLife(t)
	old, now := l.note(fact("port 80")), l.note(fact("port 8080"))
	list := []hippo.ID{old.ID, old.ID}
	m, err := l.Modify(t.Context(), now.ID, engine.Modification{Supersedes: &list, Content: new("port 8081")})
	if err != nil || m.Content != "port 8081" || !m.ValidFrom.Equal(now.CreatedAt) {
		t.Fatalf("got %+v, %v", m, err)
	}
	ms, err := l.Get(t.Context(), []hippo.ID{old.ID})
	if err != nil || ms[0].SupersededBy != now.ID || !ms[0].ValidUntil.Equal(now.CreatedAt) || ms[0].Accesses[0].Count != 1 {
		t.Errorf("got %+v, %v", ms, err)
	}
	l.wantOrder(hippo.Query{Text: "port 80"}, "port 8081", "port 80")
	list = nil
	var field *hippo.FieldError
	if _, err := l.Modify(t.Context(), now.ID, engine.Modification{Supersedes: &list}); !errors.As(err, &field) || field.Field != "supersedes" {
		t.Errorf("no ids: %v", err)
	}
}

func TestResembling(t *testing.T) {
	t.Parallel()
	l := newLife(t)
	in := func(project, content string) hippo.Memory {
		m := fact(content)
		m.Project = project
		return m
	}
	l.note(in("q", "The rate limit is 100 requests per minute"))
	l.note(in("p", "Ana wants table tests for the rate limit"))
	ended := in("p", "The rate limit is 50 requests per minute")
	ended.ValidUntil = l.now.AddDate(0, 0, 4)
	l.note(ended)
	first := l.note(in("p", "The rate limit is 100 requests per minute"))
	forgotten := l.note(in("p", "The rate limit is 150 requests per minute"))
	if _, err := l.Forget(t.Context(), []hippo.ID{forgotten.ID}); err != nil {
		t.Fatal(err)
	}
	second := l.note(in("p", "The rate limit is now 200 requests per minute."))
	again := l.note(in("p", "the rate limit is 100 requests per minute "))
	third := l.note(in("p", "The rate limit is 300 requests per minute"), second.ID, again.ID)
	for _, c := range []struct {
		of         *hippo.Memory
		duplicates []hippo.ID
		replaces   []string
	}{
		{first, nil, []string{"100 / 300"}},
		{again, []hippo.ID{first.ID}, []string{"300 / 100"}},
		{third, nil, []string{"100 / 300"}},
	} {
		got, err := l.Resembling(t.Context(), c.of)
		if err != nil {
			t.Fatal(err)
		}
		var reasons []string
		for _, r := range got.Replaces {
			reasons = append(reasons, r.Reason)
		}
		if d := cmp.Diff(c.duplicates, got.DuplicateOf); d != "" {
			t.Errorf("%q, duplicates: %s", c.of.Content, d)
		}
		if c.of == third && cmp.Diff(c.replaces, reasons) != "" {
			t.Errorf("%q replaces %q, want %q", c.of.Content, reasons, c.replaces)
		}
	}
	if got, err := l.Resembling(t.Context(), l.note(fact("!!!"))); err != nil || len(got.DuplicateOf)+len(got.Replaces) > 0 {
		t.Errorf("!!! resembles %+v (%v)", got, err)
	}
}

func TestResembling_NamesAFew(t *testing.T) {
	t.Parallel()
	l := newLife(t)
	for n := range 40 {
		l.note(fact(fmt.Sprintf("The rate limit is %d requests per minute", 10+n%20)))
	}
	got, err := l.Resembling(t.Context(), l.note(fact("The rate limit is 12 requests per minute")))
	if err != nil || len(got.DuplicateOf) != 2 || len(got.Replaces) != 5 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestSearch_Conflicts(t *testing.T) {
	t.Parallel()
	l := newLife(t)
	start := l.now
	by := func(author, content string) hippo.Memory {
		m := fact(content)
		m.Source.Author = author
		return m
	}
	ended := fact("The default branch is master")
	ended.ValidUntil = start.AddDate(0, 0, 10)
	l.note(ended)
	a := l.note(by("", "The default branch is main"))
	b := l.note(by("Ana", "The default branch is trunk"))
	l.note(by("Bob", "The default branch is develop"))
	elsewhere := fact("The default branch is stable")
	elsewhere.Project = "p"
	l.note(elsewhere)
	c := l.note(by("Ana", "The default branch is release"), b.ID)
	l.live(20)
	got := l.search(hippo.Query{Text: "default branch"})
	var reasons []string
	for _, x := range got.Conflicts {
		reasons = append(reasons, x.Reason)
	}
	if d := cmp.Diff([]string{"release / main", "develop / main"}, reasons); d != "" || len(got.Hits) != 6 {
		t.Errorf("%d hits, conflicts (-want +got):\n%s", len(got.Hits), d)
	}
	if x := got.Conflicts[0]; x.A != c.ID || x.B != a.ID {
		t.Errorf("got %+v, want %v and %v", x, c.ID, a.ID)
	}
	past := l.search(hippo.Query{Text: "default branch", Filter: hippo.Filter{ValidAt: start.AddDate(0, 0, 5)}})
	if len(past.Conflicts) == 0 || past.Conflicts[0].Reason != "develop / main" {
		t.Errorf("as of then: %+v", past.Conflicts)
	}
	if none := l.search(hippo.Query{Text: "develop stable", Count: 1}); none.Conflicts != nil {
		t.Errorf("got %+v", none.Conflicts)
	}
}
