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
	"github.com/hippo-memory/hippo/internal/engine/briefing"
)

// TestChanges: each button does what it says, says so, and can be undone, and that too.
func TestChanges(t *testing.T) {
	t.Parallel()
	for label, did := range map[string]func(m *hippo.Memory) bool{
		"Vote up":   func(m *hippo.Memory) bool { return m.Importance.Value > .5 },
		"Vote down": func(m *hippo.Memory) bool { return m.Importance.Value < .5 },
		"Pin":       func(m *hippo.Memory) bool { return m.Pinned },
		"Forget":    (*hippo.Memory).Forgotten,
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			m := s.record(hippo.Memory{Content: "the gateway timeout is 30 s", Importance: hippo.Importance{Base: .5}})
			b := s.owner()
			p := b.submit(b.open("/ui/memory/"+m.ID.String()), label)
			p.want(http.StatusOK, "Undo")
			if p.path != "/ui/memory/"+m.ID.String() || !did(s.get(m.ID)) {
				t.Fatalf("%s leads to %s and %+v", label, p.path, s.get(m.ID))
			}
			if b.open("/").form("Undo") != nil {
				t.Error("what was said is repeated on the next page")
			}
			undone := b.submit(p, "Undo")
			undone.want(http.StatusOK, "Undone.")
			ignored := cmpopts.IgnoreFields(hippo.Memory{}, "UpdatedAt", "Revision")
			if d := cmp.Diff(m, s.get(m.ID), ignored); d != "" {
				t.Errorf("after the undo: %s", d)
			}
			b.submit(p, "Undo").want(http.StatusOK, "undone already")
			b.submit(undone, "Undo").want(http.StatusOK, "Undone.")
			if !did(s.get(m.ID)) {
				t.Error("the undo was not undone")
			}
		})
	}
}

// TestRestore: a forgotten memory is found by its page and the filter, and comes back.
func TestRestore(t *testing.T) {
	t.Parallel()
	s := open(t)
	m := s.record(hippo.Memory{Content: "the gateway timeout is 30 s"})
	b := s.owner()
	b.submit(b.open("/ui/memory/"+m.ID.String()), "Forget")
	b.open("/").want(http.StatusOK, "1 forgotten one")
	b.open("/ui/browse?forgotten=1").want(http.StatusOK, "the gateway timeout")
	p := b.submit(b.open("/ui/memory/"+m.ID.String()), "Restore")
	p.want(http.StatusOK, "Restored")
	if s.get(m.ID).Forgotten() {
		t.Error("it is still forgotten")
	}
}

// TestEdit: what is not changed stays byte for byte; what is wrong comes back in the form.
func TestEdit(t *testing.T) {
	t.Parallel()
	s := open(t)
	m := s.record(hippo.Memory{
		Content: "\nfirst\nsecond <b>\u202e", Situation: []string{"debugging", "on call"}, Tags: []string{"a", "b"}, Type: "fact",
		Importance: hippo.Importance{Base: .5},
	})
	b := s.owner()
	path := "/ui/memory/" + m.ID.String()
	page := b.open(path)
	b.submit(page, "Save").want(http.StatusOK)
	if d := cmp.Diff(m, s.get(m.ID)); d != "" {
		t.Errorf("saving what was there changes it: %s", d)
	}
	s.now = s.now.Add(time.Hour)
	p := b.submit(page, "Save", "content", "other\r\ntext", "situation", "now", "tags", "c, a", "type", "lesson", "importance", "0.9", "project", "new:p", "valid_until", "2027-01-01")
	p.want(http.StatusOK, "Changed.", "other", "version 2")
	got := s.get(m.ID)
	want := m.Clone()
	want.Content, want.Situation, want.Tags, want.Type = "other\ntext", []string{"now"}, []string{"c", "a"}, "lesson"
	want.Importance.Base, want.Importance.Value = .9, .9
	want.Project, want.ValidUntil = "p", time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	ignored := cmpopts.IgnoreFields(hippo.Memory{}, "UpdatedAt", "Revision", "Version", "ContentHash", "Importance.SetAt")
	if d := cmp.Diff(want, got, ignored); d != "" {
		t.Error(d)
	}
	late := b.submit(page, "Save", "content", "mine")
	late.want(http.StatusUnprocessableEntity, "changed by somebody else", "other")
	if fieldsOf(late.form("Save")).Get("content") != "mine" || s.get(m.ID).Content != "other\ntext" {
		t.Error("what another has changed was lost, or what was entered")
	}
	b.submit(p, "Undo").want(http.StatusOK, "Undone.", "first")
	page = b.open(path)
	if d := cmp.Diff(m, s.get(m.ID), cmpopts.IgnoreFields(hippo.Memory{}, "UpdatedAt", "Revision", "Version")); d != "" {
		t.Errorf("after the undo: %s", d)
	}
	for field, wrong := range map[string]string{"content": " ", "importance": "1.5", "tags": strings.Repeat("x", hippo.MaxTag+1), "situation": "key AKIAIOSFODNN7EXAMPLF", "project": "nowhere", "valid_until": "someday"} {
		p := b.submit(page, "Save", field, wrong, "type", "kept")
		if p.status != http.StatusUnprocessableEntity {
			t.Errorf("%s %q: status %d", field, wrong, p.status)
			continue
		}
		p.want(http.StatusUnprocessableEntity, strings.ToUpper(field[:1])+field[1:])
		if got := fieldsOf(p.form("Save")); got.Get(field) != wrong || got.Get("type") != "kept" {
			t.Errorf("%s: the form comes back as %v", field, got)
		}
	}
	b.submit(page, "Save", "importance", "high").want(http.StatusUnprocessableEntity, "must be a number")
}

// TestReview: captures wait until they are accepted or forgotten.
func TestReview(t *testing.T) {
	t.Parallel()
	s := open(t)
	hook := hippo.Source{Kind: hippo.SourceHook}
	a := s.record(hippo.Memory{Content: "capture one", Source: hook})
	c := s.record(hippo.Memory{Content: "capture two", Source: hook, Importance: hippo.Importance{Base: 1}})
	s.record(hippo.Memory{Content: "said by an agent"})
	b := s.owner()
	p := b.open("/ui/review")
	p.want(http.StatusOK, "capture one", "capture two")
	if strings.Contains(p.text(), "said by an agent") {
		t.Error("what an agent recorded waits for a review")
	}
	p = b.submit(p, "Accept") // the newest first
	if m := s.get(c.ID); !briefing.Trusted(m) || briefing.Trusted(s.get(a.ID)) || strings.Contains(p.text(), "capture two") {
		t.Errorf("it was not accepted: %+v", m)
	}
	b.submit(p, "Undo").want(http.StatusOK, "capture two")
	p = b.submit(b.submit(b.open("/ui/review"), "Accept"), "Forget")
	p.want(http.StatusOK, "No capture waits here")
	b.open("/ui/browse").want(http.StatusOK, "1–2 of 2")
	if !s.get(a.ID).Forgotten() {
		t.Error("it was not forgotten")
	}
}

// TestMerge: the newer of two duplicates takes what the older one has, and its place.
func TestMerge(t *testing.T) {
	t.Parallel()
	s := open(t)
	older := s.record(hippo.Memory{Content: "Deploys go out on Tuesday mornings", Tags: []string{"release"}, Situation: []string{"planning"}})
	newer := s.record(hippo.Memory{Content: "deploys go out on Tuesday mornings", Tags: []string{"ops"}})
	former := s.record(hippo.Memory{Content: "the gateway timeout is 30 s", Tags: []string{"former"}})
	holds := s.record(hippo.Memory{Content: "the gateway timeout is 60 s"})
	b := s.owner()
	p := b.open("/ui/review?part=pairs")
	p.want(http.StatusOK, "Duplicate", "Contradiction: 30 s / 60 s", "Newer holds")
	p = b.submit(p, "Merge")
	p.want(http.StatusOK, "Merged")
	if strings.Contains(p.text(), "Duplicate ") {
		t.Error("the pair is still there")
	}
	got := s.get(newer.ID)
	if d := cmp.Diff([]string{"ops", "release"}, got.Tags); d != "" || len(got.Situation) != 1 || s.get(older.ID).SupersededBy != newer.ID {
		t.Errorf("got %+v", got)
	}
	b.submit(p, "Undo").want(http.StatusOK, "Duplicate")
	if d := cmp.Diff(older, s.get(older.ID), cmpopts.IgnoreFields(hippo.Memory{}, "UpdatedAt", "Revision")); d != "" {
		t.Errorf("after the undo: %s", d)
	}
	if p := b.submit(p, "Newer holds"); s.get(former.ID).SupersededBy != holds.ID || len(s.get(holds.ID).Tags) > 0 {
		t.Errorf("got %s, and the tags %q: those of what does not hold are not taken over", p.text(), s.get(holds.ID).Tags)
	}
	p = b.open("/ui/review?part=pairs")
	fields := fieldsOf(p.form("Merge"))
	fields.Set("drop", fields.Get("keep"))
	if p := b.send("/ui/merge", fields); p.status != http.StatusSeeOther {
		t.Errorf("a memory merged with itself: %d", p.status)
	}
	b.open("/").want(http.StatusOK, "Supersedes")
}

// TestUndo_Conflict: what somebody else changed since is not undone.
func TestUndo_Conflict(t *testing.T) {
	t.Parallel()
	s := open(t)
	m := s.record(hippo.Memory{Content: "the gateway timeout is 30 s"})
	a, b := s.owner(), s.owner()
	path := "/ui/memory/" + m.ID.String()
	p := a.submit(a.open(path), "Forget")
	b.submit(b.open(path), "Restore")
	s.now = s.now.Add(time.Second)
	b.submit(b.open(path), "Forget")
	a.submit(p, "Undo").want(http.StatusOK, "changed since, by operation")
	if !s.get(m.ID).Forgotten() {
		t.Error("the change of another was undone")
	}
	if p := b.send("/ui/undo", url.Values{"csrf": {fieldsOf(b.open(path).form("Restore")).Get("csrf")}, "change": fieldsOf(p.form("Undo"))["change"]}); p.status != http.StatusSeeOther {
		t.Errorf("the undo of another session: %d", p.status)
	}
	b.open("/").want(http.StatusOK, "undone already")
}
