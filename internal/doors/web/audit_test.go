package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// audited is a site with one finding of each kind.
type audited struct {
	*site
	expired, superseded, older, newer, twin, best, unused, misfiled hippo.ID
}

// openAudited returns a site where 31 active days have passed.
func openAudited(t *testing.T) *audited {
	t.Helper()
	s := &audited{site: open(t)}
	half := hippo.Importance{Base: .5}
	note := func(m hippo.Memory, old ...hippo.ID) hippo.ID {
		if m.Importance == (hippo.Importance{}) {
			m.Importance = half
		}
		return s.record(m, old...).ID
	}
	const export = "the nightly export of the ledger writes its files to the archive"
	s.expired = note(hippo.Memory{Content: "the office is closed", ValidUntil: s.now.AddDate(0, 0, 1)})
	s.superseded = note(hippo.Memory{Content: "releases come from the branch main"})
	note(hippo.Memory{Content: "releases come from the branch trunk"}, s.superseded)
	s.older, s.newer = note(hippo.Memory{Content: "the gateway timeout is 30 s"}), note(hippo.Memory{Content: "the gateway timeout is 60 s"})
	s.twin = note(hippo.Memory{Content: export, Tags: []string{"ledger"}})
	s.best = note(hippo.Memory{Content: export, Importance: hippo.Importance{Base: .6}})
	s.unused = note(hippo.Memory{Content: "bread needs salt"})
	s.days(31, "gateway timeout", "nightly export of the ledger", "office closed")
	s.search("releases branch trunk", 1)
	note(hippo.Memory{Content: "pipelines have two stages", Project: "atlas"})
	s.misfiled = note(hippo.Memory{Content: "atlas: each resource has an owner", Project: hippo.Unassigned})
	return s
}

// days lets active days pass on each of which something is searched for.
func (s *site) days(n int, queries ...string) {
	s.t.Helper()
	for range n {
		s.now = s.now.AddDate(0, 0, 1)
		for _, q := range queries {
			s.search(q, 2)
		}
	}
}

// search uses what an agent finds.
func (s *site) search(text string, count int) {
	s.t.Helper()
	if _, err := query.Search(s.t.Context(), s.engine.In(hippo.LocalScope("")), hippo.Query{Text: text, Count: count, Detail: hippo.Detail{Each: true}}); err != nil {
		s.t.Fatal(err)
	}
}

// audit waits for the audit of a page and returns the page with it, a minute later.
func (b *browser) audit(path string) *shown {
	b.t.Helper()
	wait := b.open(path)
	wait.want(http.StatusOK, "Looking for what is stale")
	n := wait.byID("wait")
	if attribute(n, "hx-trigger") != "load" || attribute(n, "hx-select") != "#audit" || attribute(n, "hx-get") != linkOf(wait, "without scripts") {
		b.t.Fatalf("the page does not load the audit by itself: %v", n.Attr)
	}
	res := b.open(attribute(n, "hx-get"))
	if res.status != http.StatusSeeOther {
		b.t.Fatalf("the audit answers %d: %s", res.status, res.text())
	}
	b.now = b.now.Add(time.Minute)
	p := b.open(res.header.Get("Location"))
	p.byID("audit")
	return p
}

const auditPath = "/ui/review?part=audit"

// TestAudit: the sections have counts, findings with reasons, and what can be done about each; the page says when the audit was
// made.
func TestAudit(t *testing.T) {
	t.Parallel()
	s := openAudited(t)
	b := s.owner()
	checkStructure(t, b.open(auditPath))
	p := b.audit(auditPath)
	p.want(http.StatusOK, "10 memories that were there", "1 minute ago", "Stale 2", "Contradictory 1", "Duplicates 1", "Misfiled 1", "Unused 1", "Stale: 2 findings", "1–2 of 2")
	for problem, want := range map[string][]string{
		"":              {"Valid until 2026-03-02, 30 days ago", "the office is closed", "Still holds", "Superseded, and not used for 31 active days", "branch main", "branch trunk", "Vote up"},
		"stale":         {"the office is closed"},
		"contradictory": {"30 s / 60 s", "This one", "the gateway timeout is 30 s", "The other", "the gateway timeout is 60 s", "The other holds", "Both stay"},
		"duplicate":     {"Same text", "#ledger", "Merge into the other", "Both stay"},
		"misfiled":      {"It says that it is about atlas", "each resource has an owner", "Move to atlas", "Vote up"},
		"unused":        {"Recorded 31 active days ago", "bread needs salt", "Vote up"},
	} {
		p := b.open(auditPath + "&problem=" + problem)
		p.want(http.StatusOK, append(want, "Forget")...)
		checkStructure(t, p)
	}
	if p := b.open("/ui/review"); p.form("Both stay") != nil || linkOf(p, "Audit") != auditPath {
		t.Error("the tab of the captures is that of the audit")
	}
}

// TestAudit_Actions: each action settles its finding, which leaves the list without another audit, and the undo brings it back.
func TestAudit_Actions(t *testing.T) {
	t.Parallel()
	type test struct {
		problem, label string
		id             func(s *audited) hippo.ID
		did            func(s *audited, m *hippo.Memory) bool
	}
	expired, unused := func(s *audited) hippo.ID { return s.expired }, func(s *audited) hippo.ID { return s.unused }
	misfiled := func(s *audited) hippo.ID { return s.misfiled }
	older, twin := func(s *audited) hippo.ID { return s.older }, func(s *audited) hippo.ID { return s.twin }
	forgotten := func(_ *audited, m *hippo.Memory) bool { return m.Forgotten() }
	voted := func(_ *audited, m *hippo.Memory) bool {
		return len(m.Feedback) == 1 && m.Feedback[0].Kind == hippo.FeedbackUp
	}
	for _, x := range []test{
		{"stale", "Still holds", expired, func(_ *audited, m *hippo.Memory) bool { return m.ValidUntil.IsZero() }},
		{"stale", "Vote up", func(s *audited) hippo.ID { return s.superseded }, voted},
		{"contradictory", "The other holds", older, func(s *audited, m *hippo.Memory) bool { return m.SupersededBy == s.newer }},
		{"contradictory", "Forget", older, forgotten},
		{"contradictory", "Both stay", older, nil},
		{"duplicate", "Merge into the other", twin, func(s *audited, m *hippo.Memory) bool {
			return m.SupersededBy == s.best && len(s.get(s.best).Tags) == 1
		}},
		{"duplicate", "Both stay", twin, nil},
		{"misfiled", "Move to atlas", misfiled, func(_ *audited, m *hippo.Memory) bool { return m.Project == "atlas" }},
		{"misfiled", "Vote up", misfiled, voted},
		{"unused", "Forget", unused, forgotten},
		{"unused", "Vote up", unused, voted},
	} {
		t.Run(x.problem+", "+x.label, func(t *testing.T) {
			t.Parallel()
			s := openAudited(t)
			b := s.owner()
			page := b.audit(auditPath + "&problem=" + x.problem)
			there := func(p *shown) bool {
				return strings.Contains(p.body, fmt.Sprintf(`href="/ui/memory/%s"`, x.id(s)))
			}
			if !there(page) {
				t.Fatalf("the finding is missing in %s", page.text())
			}
			p := b.submit(page, x.label)
			p.want(http.StatusOK, "Undo", "Made")
			if there(p) || p.path != page.path || x.did != nil && !x.did(s, s.get(x.id(s))) {
				t.Fatalf("%s leads to %s: %s\n%+v", x.label, p.path, p.text(), s.get(x.id(s)))
			}
			if strings.Contains(b.audit(b.again(p)).body, x.id(s).String()) {
				t.Error("another audit names it again")
			}
			s.now = s.now.Add(time.Minute)
			b.submit(p, "Undo").want(http.StatusOK, "Undone.")
			if p := b.audit(b.again(b.open(page.path))); !there(p) {
				t.Errorf("the undo does not bring it back: %s", p.text())
			}
		})
	}
}

// again returns the path of a new audit.
func (b *browser) again(p *shown) string { b.t.Helper(); return linkOf(p, "Look again") }

// TestAudit_Again: an audit stays until somebody looks again; what changed since is found then, and a reload makes no other one.
func TestAudit_Again(t *testing.T) {
	t.Parallel()
	s := openAudited(t)
	b := s.owner()
	p := b.audit(auditPath)
	m := s.record(hippo.Memory{Content: "the oven is hot", ValidUntil: s.now.Add(2 * time.Minute)})
	s.now = s.now.Add(time.Hour)
	b.open(auditPath).want(http.StatusOK, "Stale 2", "1 hour ago")
	s.owner().open(auditPath).want(http.StatusOK, "Stale 2", "1 hour ago")
	next := b.audit(b.again(p))
	next.want(http.StatusOK, "Stale 3", "the oven is hot", "1 minute ago")
	s.now = s.now.Add(time.Hour)
	b.open(next.path).want(http.StatusOK, "Stale 3", "1 hour ago")
	b.open(b.again(p)).want(http.StatusOK, "Stale 3", "1 hour ago")

	if err := memory.Purge(t.Context(), s.engine.In(hippo.LocalScope("")), []hippo.ID{m.ID, s.best}); err != nil {
		t.Fatal(err)
	}
	for _, problem := range []string{"stale", "duplicate"} {
		p := b.open(auditPath + "&problem=" + problem)
		p.want(http.StatusOK)
		if strings.Contains(p.text(), "the oven") || p.form("Merge into the other") != nil {
			t.Errorf("%s: what was deleted for good is there: %s", problem, p.text())
		}
	}
	b.open(auditPath+"&problem=duplicate").want(http.StatusOK, "All of this is settled.")
	content := "the gateway timeout is a minute"
	if _, err := memory.Modify(t.Context(), s.engine.In(hippo.LocalScope("")), s.newer, api.Change{Content: &content}); err != nil {
		t.Fatal(err)
	}
	b.open(auditPath+"&problem=contradictory").want(http.StatusOK, "All of this is settled.")
}

// TestAudit_Pages: many findings have pages, and what was settled does not leave holes.
func TestAudit_Pages(t *testing.T) {
	t.Parallel()
	s := open(t)
	const unused = 45
	for i := range unused {
		s.record(hippo.Memory{Content: fmt.Sprintf("word%dx alone", i), Importance: hippo.Importance{Base: .5}})
	}
	s.days(31, "nothing of that")
	b := s.owner()
	findings := func(p *shown) int { return strings.Count(p.body, `class="pair"`) }
	p := b.audit(auditPath)
	p.want(http.StatusOK, "Unused: 45 findings", "1–20 of 45")
	for range 3 {
		p = b.submit(p, "Forget")
	}
	p.want(http.StatusOK, "1–23 of 45")
	if findings(p) != 20 {
		t.Errorf("there are %d findings on the page", findings(p))
	}
	p = b.open(linkOf(p, "Next"))
	p.want(http.StatusOK, "24–43 of 45")
	p = b.open(linkOf(p, "Next"))
	p.want(http.StatusOK, "44–45 of 45")
	b.open(linkOf(p, "Previous")).want(http.StatusOK, "24–43 of 45")
	b.open(auditPath+"&offset=1000").want(http.StatusOK, "45 findings")
	b.open(auditPath+"&problem=stale").want(http.StatusOK, "Stale: 0 findings", "Nothing of this kind")
}

// TestAudit_Empty: a store without problems says so.
func TestAudit_Empty(t *testing.T) {
	t.Parallel()
	s := open(t)
	b := s.owner()
	b.audit(auditPath).want(http.StatusOK, "0 memories", "Nothing is stale, contradictory, repeated, misfiled or unused.")
}

// TestAudit_Scope: an audit has what its caller sees, though others have looked before; who may only read has no buttons.
func TestAudit_Scope(t *testing.T) {
	t.Parallel()
	s := openAudited(t)
	s.record(hippo.Memory{Content: "the shop is closed", Project: "shop", ValidUntil: s.now.Add(2 * time.Minute)})
	s.now = s.now.Add(time.Hour)
	s.owner().audit(auditPath).want(http.StatusOK, "Stale 3", "the shop is closed", "the office is closed")
	reader := s.enter(hippo.Scope{Rights: hippo.RightRead, Projects: []string{"shop"}})
	p := reader.audit(auditPath)
	p.want(http.StatusOK, "Stale 1", "1 memory", "the shop is closed")
	if strings.Contains(p.text(), "office") || p.form("Forget") != nil {
		t.Errorf("a reader of a project sees %s", p.text())
	}
	s.enter(hippo.Scope{Rights: hippo.RightRead, Namespace: "other"}).audit(auditPath).want(http.StatusOK, "0 memories")
	s.browser().open("/ui/review/audit").want(http.StatusUnauthorized)
	s.enter(hippo.Scope{Rights: hippo.RightWrite}).open("/ui/review/audit").want(http.StatusForbidden)
}

// TestAudit_Deadline: an audit that takes too long is stopped, which the page says, and none is kept.
func TestAudit_Deadline(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.options.AuditTime = time.Nanosecond
	s.start().record(hippo.Memory{Content: "bread needs salt"})
	b := s.owner()
	b.open("/ui/review/audit").want(http.StatusServiceUnavailable, "took longer than 1ns", "hippo audit")
	b.open(auditPath).want(http.StatusOK, "Looking for what is stale")
}

// TestCompatible_Bad: what is no pair is refused.
func TestCompatible_Bad(t *testing.T) {
	t.Parallel()
	s := open(t)
	m := s.record(hippo.Memory{Content: "bread needs salt"})
	b := s.owner()
	csrf := fieldsOf(b.open("/ui/memory/" + m.ID.String()).form("Forget")).Get("csrf")
	id := m.ID.String()
	b.send("/ui/compatible", url.Values{"csrf": {csrf}, "a": {id}, "b": {"x"}}).want(http.StatusBadRequest, "B: must be the id of a memory")
	b.send("/ui/compatible", url.Values{"csrf": {csrf}, "a": {id}, "b": {"01234567-89ab-cdef-0123-456789abcdef"}}).want(http.StatusNotFound)
	if p := b.send("/ui/compatible", url.Values{"csrf": {csrf}, "a": {id}, "b": {id}}); p.status != http.StatusSeeOther {
		t.Errorf("a memory and itself: %d", p.status)
	}
	if p := b.open("/"); p.form("Undo") != nil {
		t.Errorf("a memory is compatible with itself: %s", textOf(p.root))
	}
}
