package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
)

// TestScope: memories of another namespace or project do not exist, on any page and for any action.
func TestScope(t *testing.T) {
	t.Parallel()
	s := open(t)
	foreign := s.recordIn(hippo.Scope{Namespace: "other", Rights: hippo.AllRights}, hippo.Memory{Content: "the gateway of a stranger", Tags: []string{"gateway"}, Source: hippo.Source{Kind: hippo.SourceHook}})
	hidden := s.record(hippo.Memory{Content: "the gateway of a stranger", Project: "stranger", Source: hippo.Source{Kind: hippo.SourceHook}})
	mine := s.record(hippo.Memory{Content: "the gateway is mine", Project: "mine"})
	b := s.enter(hippo.Scope{Rights: hippo.AllRights, Projects: []string{"mine"}})
	for _, path := range []string{
		"/", "/?q=gateway", "/ui/browse", "/ui/browse?tag=gateway", "/ui/timeline", "/ui/review", "/ui/review?part=pairs", "/ui/review?part=audit", "/ui/status",
		"/ui/settings", "/ui/memory/" + mine.ID.String(), "/ui/memory/" + mine.ID.String() + "/graph",
	} {
		p := b.open(path)
		p.want(http.StatusOK)
		if strings.Contains(strings.ReplaceAll(p.body, "project=stranger", ""), "stranger") {
			t.Errorf("%s shows what is not in the scope", path)
		}
	}
	for _, path := range []string{"/?q=gateway&project=", "/ui/browse?project="} {
		b.open(path+"stranger").want(http.StatusNotFound, `no project "stranger"; known: mine.`)
		if here, nowhere := b.open(path+"stranger").body, b.open(path+"nowhere").body; strings.ReplaceAll(here, "stranger", "nowhere") != nowhere {
			t.Errorf("%s tells a project of others from none", path)
		}
	}
	b.open("/").want(http.StatusOK, "1 memory in 1 project")
	csrf := fieldsOf(b.open("/ui/memory/" + mine.ID.String()).form("Forget")).Get("csrf")
	for _, m := range []*hippo.Memory{foreign, hidden} {
		path := "/ui/memory/" + m.ID.String()
		b.open(path).want(http.StatusNotFound)
		b.open(path + "/graph").want(http.StatusNotFound)
		b.open(path + "/history").want(http.StatusNotFound)
		b.open("/ui/memory/" + m.ID.Short()).want(http.StatusNotFound)
		for _, action := range []string{"edit", "split", "undo", "vote", "pin", "accept", "forget", "restore", "holds", "move"} {
			b.send(path+"/"+action, url.Values{"csrf": {csrf}, "vote": {"up"}, "content": {"x"}}).want(http.StatusNotFound)
		}
		for _, ids := range [][2]string{{mine.ID.String(), m.ID.String()}, {m.ID.String(), mine.ID.String()}} {
			b.send("/ui/merge", url.Values{"csrf": {csrf}, "keep": {ids[0]}, "drop": {ids[1]}}).want(http.StatusNotFound)
			b.send("/ui/compatible", url.Values{"csrf": {csrf}, "a": {ids[0]}, "b": {ids[1]}}).want(http.StatusNotFound)
		}
	}
	if m := s.get(hidden.ID); m.Forgotten() || m.Pinned || m.Importance.Value != m.Importance.Base || !m.SupersededBy.IsZero() {
		t.Errorf("a memory outside of the scope was changed: %+v", m)
	}
}

// TestRights: who may only read sees no button for changes, and is refused.
func TestRights(t *testing.T) {
	t.Parallel()
	s := open(t)
	m := s.record(hippo.Memory{Content: "the gateway is down", Source: hippo.Source{Kind: hippo.SourceHook}})
	s.record(hippo.Memory{Content: "the gateway is down"})
	reader := s.enter(hippo.Scope{Rights: hippo.RightRead})
	path := "/ui/memory/" + m.ID.String()
	for _, p := range []string{"/", "/?q=gateway", path, path + "/graph", path + "/history", "/ui/review", "/ui/review?part=pairs", "/ui/status", "/ui/settings"} {
		got := reader.open(p)
		got.want(http.StatusOK)
		for _, f := range got.all("form") {
			if action := attribute(f, "action"); attribute(f, "method") == "post" && action != "/ui/logout" && action != "/ui/theme" {
				t.Errorf("%s has the form %s", p, action)
			}
		}
		if strings.Contains(got.body, "memory.db") {
			t.Errorf("%s names the store", p)
		}
	}
	csrf := fieldsOf(reader.open("/").form("Sign out")).Get("csrf")
	for _, action := range []string{path + "/edit", path + "/split", path + "/undo", "/ui/new", "/ui/new/compare", "/ui/bulk", "/ui/import", "/ui/import/confirm", path + "/vote", path + "/pin", path + "/accept", path + "/forget", path + "/restore", path + "/holds", "/ui/merge", "/ui/compatible", "/ui/undo", "/ui/sync/now", "/ui/sync/undo", "/ui/settings/tokens", "/ui/settings/tokens/revoke"} {
		reader.send(action, url.Values{"csrf": {csrf}, "vote": {"up"}, "content": {"x"}}).want(http.StatusForbidden, "Not allowed")
	}
	reader.open("/ui/new").want(http.StatusForbidden)
	reader.open("/ui/import").want(http.StatusForbidden)
	writer := s.enter(hippo.Scope{Rights: hippo.RightWrite})
	writer.open("/").want(http.StatusForbidden)
	none := s.enter(hippo.Scope{})
	none.open("/").want(http.StatusForbidden)
}
