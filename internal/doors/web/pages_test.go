package web_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
)

// TestPages: each page answers, has one heading, unique IDs, labels for its fields, and nothing inline.
func TestPages(t *testing.T) {
	t.Parallel()
	s := open(t)
	old := s.record(hippo.Memory{Content: "the gateway timeout is 30 s", Tags: []string{"gateway"}, Type: "fact", Project: "shop"})
	m := s.record(hippo.Memory{Content: "the gateway timeout is 60 s", Situation: []string{"debugging"}}, old.ID)
	other := s.record(hippo.Memory{Content: "retries need jitter", Source: hippo.Source{Kind: hippo.SourceHook}})
	if _, err := knowledge.Relate(t.Context(), s.engine.In(hippo.LocalScope("")), []hippo.Relation{{From: m.ID, To: other.ID, Kind: "explains", Weight: .5}}); err != nil {
		t.Fatal(err)
	}
	b := s.owner()
	for path, want := range map[string][]string{
		"/":                                      {"3 memories", "shop", "retries need jitter"},
		"/?q=gateway+timeout":                    {"the gateway timeout is 60 s", "Lexical", "Why this hit", "lexical rank 1"},
		"/?q=zzzz":                               {"Nothing found"},
		"/?situation=debugging":                  {"the gateway timeout is 60 s"},
		"/ui/browse":                             {"retries need jitter", "1–3 of 3"},
		"/ui/browse?type=fact":                   {"30 s", "1–1 of 1"},
		"/ui/browse?project=shop":                {"30 s"},
		"/ui/browse?project=none":                {"60 s", "1–2 of 2"},
		"/ui/browse?tag=gateway":                 {"30 s"},
		"/ui/browse?trust=normal":                {"1–2 of 2"},
		"/ui/browse?from=2026-03-02":             {"No memory passes"},
		"/ui/browse?to=2026-03-01":               {"1–3 of 3"},
		"/ui/browse?to=2026-03-01T00:00:00Z":     {"No memory passes"},
		"/ui/browse?to=2h":                       {"No memory passes"},
		"/ui/browse?when=today":                  {"1–3 of 3"},
		"/ui/memory/" + m.ID.String():            {"Supersedes", "the gateway timeout is 30 s", "explains", "Recorded"},
		"/ui/memory/" + old.ID.Short():           {"Superseded by", "60 s", "superseded"},
		"/ui/memory/" + m.ID.String() + "/graph": {"retries need jitter", "explains", "supersedes"},
		"/ui/timeline":                           {"Sunday, 1 March 2026", "retries need jitter"},
		"/ui/review":                             {"retries need jitter", "Accept", "1–3 of 3"},
		"/ui/review?part=pairs":                  {"No two of these"},
		"/ui/review?part=audit":                  {"Looking for what is stale"},
		"/ui/status":                             {"/home/ana/memory.db", "1.2.3", "Growth"},
		"/ui/settings":                           {"ana", "read, write, delete for good, administer"},
	} {
		p := b.open(path)
		p.want(http.StatusOK, want...)
		checkStructure(t, p)
	}
	for _, path := range []string{"/ui/nowhere", "/ui/memory/01234567-89ab-cdef-0123-456789abcdef", "/ui/memory/beefbeef/graph"} {
		p := b.open(path)
		p.want(http.StatusNotFound, "Not found")
		checkStructure(t, p)
	}
	for path, want := range map[string]string{"/?q=x&offset=-1": "Offset: must not be negative", "/?q=x&ranker=magic": "Ranker: must be", "/?q=x&from=2": "Recorded from: must be a time", "/?q=%ff": "Text"} {
		p := b.open(path)
		p.want(http.StatusBadRequest, want, "Search", "Filter")
		p.byID("results")
		checkStructure(t, p)
	}
	for _, path := range []string{"/ui/review?part=audit&offset=x", "/ui/review?part=audit&problem=old", "/ui/memory/x"} {
		p := b.open(path)
		p.want(http.StatusBadRequest, "This did not work")
		checkStructure(t, p)
	}
	// A filter that is wrong stays in its form, to be corrected, with what is wrong by the name that the form has for it.
	for _, path := range []string{"/?q=x&", "/ui/browse?", "/ui/timeline?"} {
		for query, want := range map[string]string{
			"offset=x": "Offset: must be a whole number", "trust=total": "Trust: must be one of none, low, normal, high", "from=someday": "Recorded from: must be a time", "from=2026-03-02&to=2026-03-01": "Recorded to: must not be before from",
		} {
			p := b.open(path + query)
			p.want(http.StatusBadRequest, want, "Project")
			checkStructure(t, p)
		}
	}
	for _, path := range []string{"/?q=x&when=smarch", "/ui/browse?when=smarch"} {
		p := b.open(path)
		p.want(http.StatusBadRequest, `Time: "smarch" is not understood as a time`)
		if !slices.ContainsFunc(p.all("input"), func(n *html.Node) bool { return attribute(n, "name") == "when" && attribute(n, "value") == "smarch" }) {
			t.Errorf("%s: the form has lost its time", path)
		}
	}
}

// checkStructure checks what every page must have, and what the policy of its contents forbids.
func checkStructure(t *testing.T, p *shown) {
	t.Helper()
	if n := len(p.all("h1")); n != 1 {
		t.Errorf("%s has %d headings of the first rank", p.path, n)
	}
	policy := p.header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("%s has the policy %q", p.path, policy)
	}
	ids, labels := map[string]bool{}, map[string]bool{}
	for _, l := range p.all("label") {
		labels[attribute(l, "for")] = true
	}
	for n := range p.root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		for _, a := range n.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.HasPrefix(a.Key, "hx-on") || strings.HasPrefix(a.Val, "javascript:") {
				t.Errorf("%s: <%s %s=%q> is inline", p.path, n.Data, a.Key, a.Val)
			}
			if a.Key == "id" && ids[a.Val] {
				t.Errorf("%s: two elements are %q", p.path, a.Val)
			}
			if a.Key == "id" {
				ids[a.Val] = true
			}
		}
		switch n.Data {
		case "style":
			t.Errorf("%s has an inline style", p.path)
		case "script":
			if attribute(n, "src") == "" {
				t.Errorf("%s has an inline script", p.path)
			}
		case "input", "select", "textarea":
			if attribute(n, "type") != "hidden" && n.Parent.Data != "label" && !labels[attribute(n, "id")] {
				t.Errorf("%s: the field %q has no label", p.path, attribute(n, "name"))
			}
		case "form":
			if attribute(n, "method") == "post" && !strings.Contains(attribute(n, "action"), "login") && fieldsOf(n).Get("csrf") == "" {
				t.Errorf("%s: the form %q has no token", p.path, attribute(n, "action"))
			}
		}
	}
}
