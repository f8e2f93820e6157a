package web_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/web"
)

// tokens are tokens in RAM.
type tokens struct{ list []web.Token }

func (t *tokens) List(context.Context) ([]web.Token, error) { return slices.Clone(t.list), nil }

func (t *tokens) Create(_ context.Context, x web.Token) (string, error) {
	if slices.ContainsFunc(t.list, func(o web.Token) bool { return o.Name == x.Name && o.Scope.Namespace == x.Scope.Namespace }) {
		return "", hippo.ErrConflict
	}
	t.list = append(t.list, x)
	return "the-secret-of-" + x.Name, nil
}

func (t *tokens) Revoke(_ context.Context, namespace, name string) error {
	n := len(t.list)
	t.list = slices.DeleteFunc(t.list, func(o web.Token) bool { return o.Name == name && o.Scope.Namespace == namespace })
	if len(t.list) == n {
		return errors.New("no such token")
	}
	return nil
}

// TestTokens: an administrator creates and revokes tokens that give no more than the own one.
func TestTokens(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	store := &tokens{list: []web.Token{
		{Name: "of another namespace", Scope: hippo.Scope{Namespace: "other", Rights: hippo.RightRead}},
		{Name: "of all projects", Scope: hippo.Scope{Rights: hippo.RightRead}},
	}}
	s.options.Tokens = store
	s.start()
	b := s.owner()
	p := b.open("/ui/settings")
	p.want(http.StatusOK, "of all projects")
	if strings.Contains(p.body, "of another namespace") {
		t.Error("tokens of another namespace are shown")
	}
	made := b.submit(p, "Create", "name", "laptop", "rights", "write", "projects", "shop, docs", "days", "30")
	made.want(http.StatusOK, "the-secret-of-laptop", "shop, docs", "31 Mar 2026")
	want := web.Token{Name: "laptop", Scope: hippo.Scope{Rights: hippo.RightRead | hippo.RightWrite, Projects: []string{"shop", "docs"}}, Created: s.now, Expires: s.now.AddDate(0, 0, 30)}
	if d := cmp.Diff(want, store.list[2]); d != "" {
		t.Error(d)
	}
	if p := b.open("/ui/settings"); strings.Contains(p.body, "the-secret-of-laptop") {
		t.Error("the secret is shown again")
	}
	b.submit(p, "Create", "name", "laptop").want(http.StatusOK, "Conflict")
	b.submit(p, "Create", "name", "of another namespace").want(http.StatusOK, "the-secret-of-of another namespace")
	if len(store.list) != 4 {
		t.Errorf("a name of another tenant cannot be used: %v", store.list)
	}
	store.list = store.list[:3]
	b.submit(p, "Create", "name", " ").want(http.StatusOK, "Name: is required")
	b.submit(p, "Create", "name", "x", "days", "0").want(http.StatusOK, "Days: must be between 1 and 3650")
	b.submit(p, "Create", "name", "x", "rights", "all").want(http.StatusOK, "Rights: must be one of read, write, admin")

	csrf := fieldsOf(p.form("Create")).Get("csrf")
	b.send("/ui/settings/tokens/revoke", url.Values{"csrf": {csrf}, "name": {"of another namespace"}}).want(http.StatusNotFound)
	b.submit(p, "Revoke for good").want(http.StatusOK, "Revoked")
	if len(store.list) != 2 || store.list[1].Name != "laptop" {
		t.Errorf("left are %v", store.list)
	}

	narrow := s.enter(hippo.Scope{Rights: hippo.AllRights, Projects: []string{"shop"}})
	p = narrow.open("/ui/settings")
	if strings.Contains(p.body, "laptop") {
		t.Error("a token of more projects is shown")
	}
	narrow.submit(p, "Create", "name", "wide", "projects", "docs").want(http.StatusForbidden)
	narrow.submit(p, "Create", "name", "same").want(http.StatusOK, "the-secret-of-same")
	if got := store.list[2].Scope.Projects; !slices.Equal(got, []string{"shop"}) {
		t.Errorf("a token of a caller with one project has %q", got)
	}
	reader := s.enter(hippo.Scope{Rights: hippo.RightRead | hippo.RightWrite})
	if p := reader.open("/ui/settings"); p.form("Create") != nil || strings.Contains(p.body, "same") {
		t.Error("who is no administrator sees tokens")
	}
}

// TestTokens_Hidden: without tokens the page has none, and its actions are not found.
func TestTokens_Hidden(t *testing.T) {
	t.Parallel()
	s := open(t)
	b := s.owner()
	p := b.open("/ui/settings")
	if p.form("Create") != nil {
		t.Error("there is a form for tokens")
	}
	csrf := fieldsOf(p.form("Use")).Get("csrf")
	for _, path := range []string{"/ui/settings/tokens", "/ui/settings/tokens/revoke"} {
		b.send(path, url.Values{"csrf": {csrf}, "name": {"x"}, "rights": {"read"}}).want(http.StatusNotFound)
	}
}

// TestTheme: the colours are remembered by the browser.
func TestTheme(t *testing.T) {
	t.Parallel()
	s := open(t)
	b := s.owner()
	for _, theme := range []string{"dark", "light", ""} {
		p := b.submit(b.open("/ui/settings"), "Use", "theme", theme)
		if got := attribute(p.all("html")[0], "data-theme"); got != theme {
			t.Errorf("got %q, want %q", got, theme)
		}
	}
	b.submit(b.open("/ui/settings"), "Use", "theme", "pink").want(http.StatusBadRequest)
}

// TestFailure: an error of the store is reported without its details.
func TestFailure(t *testing.T) {
	t.Parallel()
	s := open(t)
	b := s.owner()
	if err := s.engine.Close(); err != nil {
		t.Fatal(err)
	}
	p := b.open("/")
	if p.status < 500 {
		t.Errorf("status %d", p.status)
	}
	p.want(p.status, "This did not work")
}
