package web_test

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/web"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// Every page and every change gives one tenant the same answer, byte for byte but for the IDs, in a store of its own and in one that other
// tenants and projects use: no count, word or existence of what the others have.
func TestTenants_EveryAnswer(t *testing.T) {
	t.Parallel()
	for _, mine := range []hippo.Scope{
		{Namespace: "a", Rights: hippo.AllRights &^ hippo.RightMetrics},
		{Namespace: "a", Rights: hippo.RightRead | hippo.RightWrite},
		{Projects: []string{"p"}, Project: "p", Rights: hippo.AllRights &^ hippo.RightMetrics},
	} {
		alone, shared := answersOf(t, mine, false), answersOf(t, mine, true)
		if !strings.Contains(alone["09 GET /ui/browse"], "A secret plan of the weir is open") {
			t.Errorf("%+v: the tenant does not see what is theirs: %v", mine, slices.Sorted(maps.Keys(alone)))
		}
		for _, name := range slices.Sorted(maps.Keys(alone)) {
			if alone[name] != shared[name] {
				lines := func(text string) []string { return strings.SplitAfter(text, ">") }
				t.Errorf("%+v: %s: -alone +shared:\n%s", mine, name, cmp.Diff(lines(alone[name]), lines(shared[name])))
			}
		}
	}
}

// tenant is a site in which one tenant has memories, and others have some if the store is shared.
type tenant struct {
	*site
	scope  hippo.Scope
	shared bool
	theirs *hippo.Memory // the last of the others
}

// others records memories of other tenants, if there are any. The time passes either way.
func (s *tenant) others(n int) {
	for i := range n {
		if !s.shared {
			s.now = s.now.Add(time.Minute)
			continue
		}
		scope := hippo.Scope{Namespace: []string{"", "b"}[i%2], Rights: hippo.AllRights}
		m := hippo.Memory{
			Namespace: scope.Namespace, Project: "other", Content: fmt.Sprintf("The secret plan of the weir by the heron is %d", i/2), Tags: []string{"weir", "sluice"}, Type: "decision",
			Situation: []string{"planning"}, Source: hippo.Source{Kind: hippo.SourceHook, Session: "s"}, Trust: hippo.TrustLow,
		}
		s.theirs = s.recordIn(scope, m)
		if _, err := memory.Cast(s.t.Context(), s.engine.In(scope), api.Reinforce{Up: []hippo.ID{s.theirs.ID}, Query: "secret plan"}); err != nil {
			s.t.Fatal(err)
		}
	}
}

// answersOf returns the answers to all requests of a tenant.
func answersOf(t *testing.T, mine hippo.Scope, shared bool) map[string]string {
	t.Helper()
	s := &tenant{site: newSite(t), scope: mine, shared: shared}
	store := &tokens{list: []web.Token{{Name: "my own", Scope: mine}}}
	if shared {
		store.list = append(store.list, web.Token{Name: "theirs", Scope: hippo.Scope{Namespace: "b", Rights: hippo.RightRead}})
	}
	s.options.Tokens = store
	patterns := make(map[string]bool)
	for _, r := range web.Routes(nil, &s.options) {
		patterns[r.Pattern] = true
	}
	s.start()
	s.others(6)
	own := hippo.Memory{Namespace: mine.Namespace, Project: "p", Tags: []string{"weir"}, Situation: []string{"planning"}}
	record := func(content string, kind hippo.SourceKind) *hippo.Memory {
		m := own
		m.Content, m.Source.Kind, m.Trust = content, kind, hippo.TrustLow
		defer s.others(2)
		return s.recordIn(mine, m)
	}
	first := record("A secret plan of the weir", hippo.SourceHook)
	second := record("A secret plan of the weir is open", hippo.SourceAgent)
	s.others(6)
	foreign := hippo.ID{1, 0x94, 0x8f, 6: 0x70, 8: 0x80, 15: 1} // unknown to everybody
	if shared {
		foreign = s.theirs.ID
	}
	out := make(map[string]string)
	b := s.enter(mine)
	note := func(name string, p *shown) {
		if err := s.engine.Flush(t.Context()); err != nil { // the counts of uses in later answers do not depend on the time a call takes
			t.Fatal(err)
		}
		p.header.Del("Date")
		p.header.Del("Content-Length") // of random texts, such as keys of forms
		p.header.Del("Set-Cookie")
		out[name] = anonymous(fmt.Sprintf("%d %v %s", p.status, p.header, p.body))
	}
	for i, path := range pagesOf(first.ID, foreign) {
		note(fmt.Sprintf("%02d GET %s", i, anonymous(path)), b.open(path))
		delete(patterns, "GET "+patternOf(path))
	}
	for i, c := range changesOf(first.ID, second.ID, foreign) {
		p := b.open("/ui/settings")
		fields := c.fields
		for _, f := range p.all("form") {
			if key := fieldsOf(f).Get("csrf"); key != "" {
				fields.Set("csrf", key)
			}
		}
		note(fmt.Sprintf("%02d POST %s", i, anonymous(c.path)), b.send(c.path, fields, "Origin", s.server.URL, "Sec-Fetch-Site", "same-origin"))
		delete(patterns, "POST "+patternOf(c.path))
	}
	for _, unsigned := range []string{"GET /ui/enter/{key}", "POST /ui/login", "GET /ui/static/{name}"} {
		delete(patterns, unsigned) // they are for everybody
	}
	if len(patterns) > 0 {
		t.Errorf("not tried: %v", slices.Sorted(maps.Keys(patterns)))
	}
	return out
}

// pagesOf are all pages, with what they may be asked.
func pagesOf(mine, foreign hippo.ID) []string {
	out := []string{
		"/", "/?q=secret+plan+weir", "/?q=sluice", "/?q=zzzz", "/?q=secret+plan&ranker=bm25&explain=on", "/?q=secret+plan&ranker=hybrid", "/?situation=planning", "/?q=weir&project=other",
		"/?q=weir&tag=sluice",
		"/ui/browse", "/ui/browse?project=other", "/ui/browse?tag=sluice", "/ui/browse?type=decision", "/ui/browse?session=s", "/ui/browse?forgotten=on", "/ui/browse?source=hook",
		"/ui/browse?import=" + foreign.Short(), "/ui/browse?offset=2", "/ui/browse?when=today", "/ui/new", "/ui/import", "/ui/import?file=nothing&project=other", "/ui/timeline", "/ui/timeline?from=2026-03-01&to=2026-03-02",
		"/ui/review", "/ui/review?part=pairs", "/ui/review?part=audit", "/ui/review/audit", "/ui/review?part=audit", "/ui/status", "/ui/settings", "/ui/sync", "/ui/nowhere",
		"/ui/export?all=1", "/ui/export?all=1&filter=tag%3Dsluice&format=csv", "/ui/export?format=md&id=" + foreign.String(),
	}
	for _, id := range []hippo.ID{mine, foreign} {
		out = append(out, "/ui/memory/"+id.String(), "/ui/memory/"+id.String()+"/graph", "/ui/memory/"+id.String()+"/history", "/ui/memory/"+id.Short())
	}
	return out
}

type change struct {
	path   string
	fields url.Values
}

// changesOf are all changes of memories, those of others first.
func changesOf(mine, second, foreign hippo.ID) (out []change) {
	for _, id := range []hippo.ID{foreign, mine} {
		for _, c := range []change{
			{"edit", url.Values{"content": {"The secret plan of the weir is shut"}, "importance": {"0.5"}}},
			{"undo", url.Values{"operation": {foreign.String()}}},
			{"split", url.Values{"content": {"The secret plan of the weir\n---\nThe weir is shut"}}},
			{"vote", url.Values{"vote": {"up"}}},
			{"pin", url.Values{"pinned": {"on"}}},
			{"accept", url.Values{}},
			{"holds", url.Values{}},
			{"move", url.Values{"project": {"other"}}},
			{"forget", url.Values{}},
			{"restore", url.Values{}},
		} {
			out = append(out, change{"/ui/memory/" + id.String() + "/" + c.path, c.fields})
		}
		out = append(out, change{"/ui/compatible", url.Values{"a": {second.String()}, "b": {id.String()}}},
			change{"/ui/merge", url.Values{"keep": {second.String()}, "drop": {id.String()}}}, change{"/ui/undo", url.Values{"operation": {id.String()}}},
			change{"/ui/import/confirm", url.Values{"file": {"nothing"}}}, change{"/ui/import", url.Values{"project": {"other"}}},
			change{"/ui/bulk", url.Values{"do": {"tag"}, "tags": {"x"}, "id": {id.String()}}},
			change{"/ui/bulk", url.Values{"do": {"move"}, "to": {"other"}, "all": {"1"}}},
			change{"/ui/bulk", url.Values{"do": {"forget"}, "all": {"1"}, "filter": {"type=decision"}}},
			change{"/ui/new/compare", url.Values{"content": {"The secret plan of the weir by the heron is 2"}, "project": {"other"}, "supersedes": {id.String()}}},
			change{"/ui/new", url.Values{"content": {"The secret plan of the weir by the heron is 2"}, "project": {"other"}, "supersedes": {id.String()}}},
			change{"/ui/new", url.Values{"content": {"The secret plan of the weir by the heron is 2"}, "supersedes": {id.String()}}})
	}
	out = append(out, change{"/ui/sync/now", url.Values{}}, change{"/ui/sync/undo", url.Values{"operation": {foreign.String()}}})
	return append(out, change{"/ui/settings/tokens", url.Values{"name": {"new"}, "rights": {"read"}, "projects": {"p"}, "days": {"3"}}},
		change{"/ui/settings/tokens/revoke", url.Values{"name": {"theirs"}}}, change{"/ui/theme", url.Values{"theme": {"dark"}}}, change{"/ui/logout", url.Values{}})
}

// patternOf returns the pattern of the route of a path.
func patternOf(path string) string {
	path, _, _ = strings.Cut(path, "?")
	switch path {
	case "/":
		return "/{$}"
	case "/ui/nowhere":
		return "/ui/"
	}
	return regexp.MustCompile(`^(/ui/memory/)[^/]+`).ReplaceAllString(path, "$1{id}")
}

// anonymous writes IDs, keys of forms and hashes in a text as one word.
func anonymous(text string) string {
	text = regexp.MustCompile(`(name="(?:csrf|key|change)" value="|instead=)[A-Za-z0-9_-]*`).ReplaceAllString(text, "${1}KEY")
	return regexp.MustCompile(`\b([0-9a-f]{64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{8})\b`).ReplaceAllString(text, "ID")
}
