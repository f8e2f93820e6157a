package web_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// TestBulk: every action changes the selected memories, or all that pass the filter, and one undo takes it back.
func TestBulk(t *testing.T) {
	t.Parallel()
	for label, c := range map[string]struct {
		fields []string
		did    func(m *hippo.Memory) bool
	}{
		"Add tags":    {[]string{"tags", "new, kept"}, func(m *hippo.Memory) bool { return slices.Equal(m.Tags, []string{"kept", "new"}) }},
		"Remove tags": {[]string{"tags", "kept"}, func(m *hippo.Memory) bool { return len(m.Tags) == 0 }},
		"Move":        {[]string{"to", "new:p"}, func(m *hippo.Memory) bool { return m.Project == "p" }},
		"Confirm":     {nil, func(m *hippo.Memory) bool { return m.Importance.Value > m.Importance.Base }},
		"Forget":      {nil, (*hippo.Memory).Forgotten},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			var ids []hippo.ID
			for i := range 25 {
				m := hippo.Memory{Content: fmt.Sprint("note ", i), Tags: []string{"kept"}, Type: []string{"odd", "even"}[i%2], Trust: hippo.TrustLow, Source: hippo.Source{Kind: hippo.SourceHook}}
				m.Importance.Base = .3
				ids = append(ids, s.record(m).ID)
			}
			changed := func() (n int) {
				for _, id := range ids {
					if c.did(s.get(id)) {
						n++
					}
				}
				return n
			}
			b := s.owner()
			page := b.open("/ui/browse?type=even")
			b.submit(page, label, c.fields...).want(http.StatusOK, "Selection: is empty")
			p := b.submit(page, label, append(c.fields, "id", ids[1].String())...)
			p.want(http.StatusOK, "1 memory.")
			if n := changed(); n != 1 || !c.did(s.get(ids[1])) {
				t.Fatalf("%d memories were changed, want one", n)
			}
			again := b.submit(page, label, append(c.fields, "id", ids[1].String())...)
			again.want(http.StatusOK, "Nothing was changed")
			p = b.submit(page, label, append(c.fields, "all", "1")...)
			p.want(http.StatusOK, "11 memories.")
			if n := changed(); n != 12 {
				t.Errorf("%d memories were changed, want those of the filter", n)
			}
			b.submit(p, "Undo").want(http.StatusOK, "Undone.")
			if n := changed(); n != 1 {
				t.Errorf("after the undo %d memories are changed, want one", n)
			}
		})
	}
}

func TestBulk_restore(t *testing.T) {
	t.Parallel()
	s := open(t)
	m := s.record(hippo.Memory{Content: "a note"})
	b := s.owner()
	b.submit(b.open("/ui/browse"), "Forget", "all", "1")
	b.submit(b.open("/ui/browse?forgotten=1"), "Restore", "all", "1").want(http.StatusOK, "Restored 1 memory.")
	if s.get(m.ID).Forgotten() {
		t.Error("it is still forgotten")
	}
}

// TestBulk_wrong: a wrong field changes nothing and says what is wrong.
func TestBulk_wrong(t *testing.T) {
	t.Parallel()
	s := open(t)
	m := s.record(hippo.Memory{Content: "a note"})
	b := s.owner()
	page := b.open("/ui/browse")
	for _, c := range []struct {
		label, says string
		fields      []string
	}{
		{"Add tags", "Tags: must name at least one", []string{"all", "1"}},
		{"Add tags", "Tags[0]", []string{"all", "1", "tags", strings.Repeat("x", hippo.MaxTag+1)}},
		{"Move", "nowhere", []string{"all", "1", "to", "nowhere"}},
		{"Forget", "Id: must be the id", []string{"id", "nothing"}},
		{"Forget", "Filter: must be", []string{"all", "1", "filter", "%zz"}},
		{"Forget", "no memory passes", []string{"all", "1", "filter", "type=none"}},
	} {
		p := b.submit(page, c.label, c.fields...)
		if !strings.Contains(textOf(p.root), c.says) {
			t.Errorf("%s with %v says %d %s", c.label, c.fields, p.status, p.text())
		}
	}
	if got := s.get(m.ID); got.Version != m.Version || got.Forgotten() || got.Project != "" || len(got.Tags) > 0 {
		t.Errorf("the memory is %+v", got)
	}
	csrf := fieldsOf(page.form("Forget"))["csrf"]
	b.send("/ui/bulk", url.Values{"csrf": csrf, "do": {"purge"}, "all": {"1"}}).want(http.StatusBadRequest, "must be one of the buttons")
}

// TestExport: a file has what was selected, in a form that imports read, and no cell of it is a formula.
func TestExport(t *testing.T) {
	t.Parallel()
	s := open(t)
	for i := range 25 {
		s.record(hippo.Memory{Content: fmt.Sprint("=note ", i), Type: []string{"odd", "even"}[i%2], Situation: []string{"a", "b"}, Tags: []string{"t"}})
	}
	for name, b := range map[string]*browser{"owner": s.owner(), "reader": s.enter(hippo.Scope{Rights: hippo.RightRead})} {
		page := b.open("/ui/browse?type=even")
		lines := b.submit(page, "Export", "all", "1")
		n := 0
		src, err := formats.Read(strings.NewReader(lines.body))
		if err != nil {
			t.Fatal(err)
		}
		for m, err := range src.Entries() {
			if err != nil || m.Type != "even" {
				t.Errorf("%s: the file has %+v (%v)", name, m, err)
			}
			n++
		}
		if disposition := lines.header.Get("Content-Disposition"); n != 12 || disposition != `attachment; filename="memories.jsonl"` {
			t.Errorf("%s: the file %s has %d memories", name, disposition, n)
		}
		rows, err := csv.NewReader(strings.NewReader(b.submit(page, "Export", "all", "1", "format", "csv").body)).ReadAll()
		if err != nil || len(rows) != 13 || rows[0][1] != "content" || rows[1][1] != "'=note 23" || rows[1][2] != "a; b" {
			t.Errorf("%s: the rows are %q (%v)", name, rows, err)
		}
		md := b.submit(page, "Export", "all", "1", "format", "md").body
		if strings.Count(md, "\n## ")+1 != 12 || !strings.Contains(md, "\n\n=note 1\n\n* Situation: a; b\n* Type: even\n") {
			t.Errorf("%s: the text is\n%s", name, md)
		}
		b.submit(page, "Export").want(http.StatusBadRequest, "Selection: is empty")
		b.submit(page, "Export", "all", "1", "format", "xml").want(http.StatusBadRequest, "Format: must be")
	}
}

// BenchmarkBulk tags 5,000 memories and takes that back.
func BenchmarkBulk(b *testing.B) {
	s := newSite(b).start()
	for i := range 5000 {
		s.record(hippo.Memory{Content: fmt.Sprint("note ", i)})
	}
	browser := s.owner()
	for b.Loop() {
		p := browser.submit(browser.open("/ui/browse"), "Add tags", "tags", "new", "all", "1")
		p.want(http.StatusOK, "Tagged 5,000 memories.")
		browser.submit(p, "Undo").want(http.StatusOK, "Undone.")
	}
}
