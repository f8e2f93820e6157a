package hippo_test

import (
	"testing"

	"github.com/hippo-memory/hippo"
)

// A preference of the user belongs to no project, unless it is about the one that it was said in; what is no preference, and what
// somebody else says, stays.
func TestScope_ProjectFor(t *testing.T) {
	t.Parallel()
	const shop = "github.com/acme/shop#11111111"
	scope := hippo.LocalScope(shop)
	for _, c := range []struct{ source, kind, text, want string }{
		{"user", "preference", "User prefers pytest over unittest in every repository.", ""},
		{"user", "Rule", "Always use podman and/or buildah, in CI/CD as well", ""},
		{"user", "preference", "Node.js over Deno, e.g. for scripts", ""},
		{"user", "rule", "Never edit internal/gen/types.go", shop},
		{"user", "rule", "Run ./check before each commit", shop},
		{"user", "rule", "Keep README.md short", shop},
		{"user", "rule", "Call Flush() last", shop},
		{"user", "rule", "Do not use store.Raw", shop},
		{"user", "preference", "In this repository tabs are four wide", shop},
		{"user", "preference", "Shop has no emoji in its commits", shop},
		{"user", "decision", "Podman replaces docker", shop},
		{"user", "rule", "Use ninja here, make breaks the cache", shop},
		{"user", "rule", "Hier nimm ninja", shop},
		{"user", "rule", "Prefer sphere over cube", ""},
		{"agent", "preference", "User prefers pytest", shop},
	} {
		m := &hippo.Memory{Content: c.text, Type: c.kind, Source: hippo.Source{Kind: hippo.SourceKind(c.source)}}
		if got := scope.ProjectFor(m); got != c.want {
			t.Errorf("%s %s %q: got %q, want %q", c.source, c.kind, c.text, got, c.want)
		}
	}
	for _, m := range []hippo.Memory{
		{Type: "preference", Source: hippo.Source{Kind: hippo.SourceAgent}},
		{Type: "Observation", Tags: []string{"Preference"}, Source: hippo.Source{Kind: hippo.SourceUser}},
	} {
		if m.Content = "Use tabs"; scope.ProjectUnsaid(&m) != "" {
			t.Errorf("%+v is not of the user", m)
		}
	}
	for _, m := range []hippo.Memory{
		{Type: "preference", Source: hippo.Source{Kind: hippo.SourceTool}},
		{Type: "preference", Content: "Use tabs here", Source: hippo.Source{Kind: hippo.SourceAgent}},
		{Type: "Observation", Source: hippo.Source{Kind: hippo.SourceUser}},
	} {
		if scope.ProjectUnsaid(&m) != shop {
			t.Errorf("%+v is in no project", m)
		}
	}
	limited := hippo.Scope{Projects: []string{shop}, Project: shop}
	if got := limited.ProjectFor(&hippo.Memory{Content: "Use tabs", Type: "rule", Source: hippo.Source{Kind: hippo.SourceUser}}); got != shop {
		t.Errorf("a caller who may not use what belongs to no project: got %q", got)
	}
}
