package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hippo-memory/hippo"
)

// contents returns the beginnings of all memories of the default namespace that are not forgotten.
func (s *site) contents() []string {
	s.t.Helper()
	var out []string
	p := s.owner().open("/ui/browse")
	for _, a := range p.all("a") {
		if attribute(a, "class") == "text" {
			out = append(out, textOf(a))
		}
	}
	return out
}

func TestAdd(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.record(hippo.Memory{Content: "of the other project", Project: "other"})
	b := s.owner()
	page := b.open("/ui/new")
	p := b.submit(page, "Add", "content", "The gateway times out\r\nafter 30 s.", "situation", "debugging\r\n\r\non call", "tags", "net, gateway", "type", "fact", "importance", "0.8",
		"project", "other", "valid_from", "2026-02-01", "valid_until", "2026-04-01")
	p.want(http.StatusOK, "Recorded.", "The gateway times out", "Undo")
	id, err := hippo.ParseID(strings.TrimPrefix(p.path, "/ui/memory/"))
	if err != nil {
		t.Fatal(err)
	}
	got := s.get(id)
	want := &hippo.Memory{
		ID: id, Content: "The gateway times out\nafter 30 s.", Situation: []string{"debugging", "on call"}, Tags: []string{"net", "gateway"}, Type: "fact", Project: "other",
		ValidFrom: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), ValidUntil: time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), Trust: hippo.TrustHigh, Version: 1,
		Source: hippo.Source{Kind: hippo.SourceUser, Client: "dashboard"}, Importance: hippo.Importance{Base: .8, Value: .8},
	}
	ignored := cmpopts.IgnoreFields(hippo.Memory{}, "CreatedAt", "UpdatedAt", "EventTime", "Revision", "ContentHash", "Accesses", "Surprise", "Importance.SetAt", "Importance.SetDay")
	if d := cmp.Diff(want, got, ignored, cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
	again := b.submit(page, "Add", "content", "The gateway times out\r\nafter 30 s.")
	again.want(http.StatusOK, "sent twice")
	if again.path != p.path || len(s.contents()) != 2 {
		t.Errorf("the second form leads to %s, and the memories are %q", again.path, s.contents())
	}
	b.submit(p, "Undo").want(http.StatusOK, "Undone.")
	if !s.get(id).Forgotten() {
		t.Error("the undo leaves the memory")
	}
}

// TestAdd_wrong: what is wrong comes back in the form with all that was entered, and nothing is recorded.
func TestAdd_wrong(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.record(hippo.Memory{Content: "of a project", Project: "known"})
	b := s.owner()
	for field, wrong := range map[string]string{
		"content": " ", "importance": "1.5", "tags": strings.Repeat("x", hippo.MaxTag+1), "project": "unknown", "valid_from": "someday", "valid_until": "2026-99-01",
		"situation": "key AKIAIOSFODNN7EXAMPLF",
	} {
		entered := []string{"content", "kept content", "type", "kept", field, wrong}
		p := b.submit(b.open("/ui/new"), "Add", entered...)
		if p.status != http.StatusUnprocessableEntity {
			t.Errorf("%s %q: status %d", field, wrong, p.status)
			continue
		}
		if got := fieldsOf(p.form("Add")); got.Get(field) != wrong || got.Get("type") != "kept" || textOf(p.main()) == "" {
			t.Errorf("%s: the form comes back as %v", field, got)
		}
		p.want(http.StatusUnprocessableEntity, strings.ToUpper(field[:1])+field[1:])
		fixed := b.submit(p, "Add", "content", "fixed "+field, "importance", "", "tags", "", "project", "", "valid_from", "", "valid_until", "", "situation", "")
		fixed.want(http.StatusOK, "Recorded.")
	}
	if got := s.contents(); len(got) != 8 {
		t.Errorf("the memories are %q", got)
	}
}

// TestAdd_compare: what is recorded already is shown before, and can be replaced.
func TestAdd_compare(t *testing.T) {
	t.Parallel()
	s := open(t)
	old := s.record(hippo.Memory{Content: "The timeout of the gateway is 30 s"})
	b := s.owner()
	compared := func(content string) *shown {
		fields := fieldsOf(b.open("/ui/new").form("Add"))
		fields.Set("content", content)
		return b.send("/ui/new/compare", fields, "Origin", s.server.URL, "Sec-Fetch-Site", "same-origin")
	}
	compared("The timeout of the gateway is 30 s").want(http.StatusOK, "already recorded")
	compared("Bananas are yellow").want(http.StatusOK, "No other memory says this.")
	compared("the key is AKIAIOSFODNN7EXAMPLF").want(http.StatusOK, "secret")
	p := compared("The timeout of the gateway is 60 s")
	p.want(http.StatusOK, "It replaces this memory", "30 s / 60 s")
	form := fieldsOf(p.form("Add"))
	if form.Has("supersedes") || form.Get("content") == "" {
		t.Fatalf("the form is %v", form)
	}
	form.Set("supersedes", old.ID.String())
	done := b.send("/ui/new", form, "Origin", s.server.URL, "Sec-Fetch-Site", "same-origin")
	if done.status != http.StatusSeeOther || s.get(old.ID).SupersededBy.IsZero() {
		t.Fatalf("status %d, the former one is %+v", done.status, s.get(old.ID))
	}
	b.submit(b.open(done.header.Get("Location")), "Undo").want(http.StatusOK, "Undone.")
	if !s.get(old.ID).SupersededBy.IsZero() || len(s.contents()) != 1 {
		t.Errorf("after the undo the former one is %+v among %q", s.get(old.ID), s.contents())
	}
	b.send("/ui/new", url.Values{"csrf": form["csrf"], "content": {"x y"}, "supersedes": {"nothing"}}).want(http.StatusUnprocessableEntity, "Supersedes: must be the id")
}

func TestSplit(t *testing.T) {
	t.Parallel()
	s := open(t)
	m := s.record(hippo.Memory{Content: "The gateway is slow.\nThe cache is cold.", Tags: []string{"net"}, Situation: []string{"on call"}, Project: "p", Trust: hippo.TrustLow})
	b := s.owner()
	page := b.open("/ui/memory/" + m.ID.String())
	for _, wrong := range []string{"only one", "---\n---", "a\n---\nkey AKIAIOSFODNN7EXAMPLF"} {
		p := b.submit(page, "Split", "content", wrong)
		p.want(http.StatusUnprocessableEntity)
		if got := fieldsOf(p.form("Split")).Get("content"); strings.ReplaceAll(got, "\r", "") != wrong {
			t.Errorf("the form comes back with %q", got)
		}
	}
	if len(s.contents()) != 1 {
		t.Fatalf("the memories are %q", s.contents())
	}
	p := b.submit(page, "Split", "content", "The gateway is slow.\r\n---\r\nThe cache is cold.\r\n---\r\n")
	p.want(http.StatusOK, "Split into 2 memories.", "The gateway is slow.")
	if got := s.contents(); len(got) != 3 {
		t.Errorf("the memories are %q", got)
	}
	id, err := hippo.ParseID(strings.TrimPrefix(p.path, "/ui/memory/"))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.get(id); got.Project != "p" || got.Trust != hippo.TrustLow || !cmp.Equal(got.Tags, m.Tags) || !cmp.Equal(got.Situation, m.Situation) || s.get(m.ID).SupersededBy != id {
		t.Errorf("the first part is %+v, and the former one %+v", got, s.get(m.ID))
	}
	b.submit(p, "Undo").want(http.StatusOK, "Undone.")
	if !s.get(m.ID).SupersededBy.IsZero() || len(s.contents()) != 1 {
		t.Errorf("after the undo the memories are %q", s.contents())
	}
}
