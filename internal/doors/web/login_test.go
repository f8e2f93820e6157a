package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/web"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// TestLink: a one-time link works once, within five minutes, and not for HEAD.
func TestLink(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.record(hippo.Memory{Content: "a secret plan"})
	stranger := s.browser()
	for _, path := range []string{"/", "/ui/browse", "/ui/review", "/ui/nowhere"} {
		p := stranger.open(path)
		p.want(http.StatusUnauthorized, "Sign in")
		if strings.Contains(p.body, "secret plan") {
			t.Errorf("%s shows a memory to a stranger", path)
		}
	}
	link := s.sessions.Link(httpd.Caller{Name: "ana", Scope: hippo.LocalScope("")})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodHead, s.server.URL+link, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	stranger.do(r)
	b := s.browser()
	p := b.open(link)
	p.want(http.StatusOK, "Signed in")
	cookie := p.header.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie %q lacks %s", cookie, want)
		}
	}
	b.open("/").want(http.StatusOK, "a secret plan")
	stranger.open(link).want(http.StatusForbidden, "used already")
	stranger.open("/").want(http.StatusUnauthorized)

	r, err = http.NewRequestWithContext(t.Context(), http.MethodGet, s.server.URL+"/?q=x", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("HX-Request", "true")
	if p := stranger.do(r); p.header.Get("HX-Retarget") != "#main" || p.header.Get("HX-Reselect") != "#main" {
		t.Errorf("a search of a session that has ended does not lead to the login: %v", p.header)
	}

	late := s.sessions.Link(httpd.Caller{Scope: hippo.LocalScope("")})
	s.now = s.now.Add(5*time.Minute + time.Second)
	stranger.open(late).want(http.StatusForbidden)
}

// TestSession_Ends: by time, by logout, and after too many others.
func TestSession_Ends(t *testing.T) {
	t.Parallel()
	s := open(t)
	b := s.owner()
	p := b.submit(b.open("/"), "Sign out")
	p.want(http.StatusUnauthorized, "Sign in")
	b.open("/").want(http.StatusUnauthorized)

	b = s.owner()
	for range 14 { // used every half day, for a week
		s.now = s.now.Add(12 * time.Hour)
		b.open("/").want(http.StatusOK)
	}
	s.now = s.now.Add(time.Hour)
	b.open("/").want(http.StatusUnauthorized)

	b = s.owner()
	s.now = s.now.Add(12*time.Hour + time.Second)
	b.open("/").want(http.StatusUnauthorized)

	b = s.owner()
	for range 1000 {
		s.now = s.now.Add(time.Second)
		s.enter(hippo.LocalScope(""))
	}
	b.open("/").want(http.StatusUnauthorized)
}

// TestLogin: by a token, which ends the session when it is revoked.
func TestLogin(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	valid := true
	s.options.Login = func(token string) (httpd.Caller, bool) {
		return httpd.Caller{Name: "laptop", Scope: hippo.LocalScope("")}, token == "right" && valid
	}
	s.start()
	b := s.browser()
	p := b.open("/ui/browse?type=fact")
	p.want(http.StatusUnauthorized)
	b.submit(p, "Sign in", "token", "wrong").want(http.StatusForbidden, "not known")
	p = b.submit(p, "Sign in", "token", " right\n")
	p.want(http.StatusOK, "Browse", "laptop")
	if p.path != "/ui/browse?type=fact" {
		t.Errorf("the login leads to %s", p.path)
	}
	for _, back := range []string{"//evil.example/", "https://evil.example/", `/\evil.example`, "evil", "/\t/evil.example"} {
		out := b.send("/ui/login", url.Values{"token": {"right"}, "back": {back}})
		if got := out.header.Get("Location"); got != "/" {
			t.Errorf("back %q leads to %q", back, got)
		}
	}
	if out := b.send("/ui/login", url.Values{"token": {"right"}}, "Origin", "https://evil.example"); out.status != http.StatusForbidden {
		t.Errorf("another site logs in: %d", out.status)
	}
	valid = false
	b.open("/").want(http.StatusUnauthorized)
	valid = true
	b.open("/").want(http.StatusUnauthorized)
}

// TestForged: a change needs the token of the session, and no other site may send it.
func TestForged(t *testing.T) {
	t.Parallel()
	s := open(t)
	m := s.record(hippo.Memory{Content: "keep me"})
	b := s.owner()
	path := "/ui/memory/" + m.ID.String()
	fields := fieldsOf(b.open(path).form("Forget"))
	for name, send := range map[string]func() *shown{
		"another site":         func() *shown { return b.send(path+"/forget", fields, "Origin", "https://evil.example") },
		"a cross-site request": func() *shown { return b.send(path+"/forget", fields, "Sec-Fetch-Site", "cross-site") },
		"no token":             func() *shown { return b.send(path+"/forget", url.Values{}) },
		"another token":        func() *shown { return b.send(path+"/forget", url.Values{"csrf": {"guess"}}) },
		"the token of another": func() *shown { return s.owner().send(path+"/forget", fields) },
		"a wrong header":       func() *shown { return b.send(path+"/forget", url.Values{}, "X-Csrf-Token", "guess") },
	} {
		send().want(http.StatusForbidden)
		if s.get(m.ID).Forgotten() {
			t.Fatalf("%s has changed a memory", name)
		}
	}
	if p := b.open(path + "/forget"); p.status != http.StatusNotFound {
		t.Errorf("GET of an action: %d", p.status)
	}
	if p := b.send(path+"/forget", url.Values{}, "X-Csrf-Token", fields.Get("csrf")); p.status != http.StatusSeeOther || !s.get(m.ID).Forgotten() {
		t.Errorf("with the token in a header: %d", p.status)
	}
}

// TestBearer: a caller that came with the request needs no session, and its changes no token.
func TestBearer(t *testing.T) {
	t.Parallel()
	s := open(t)
	m := s.record(hippo.Memory{Content: "keep me"})
	s.bearer = httpd.Caller{Name: "script", Scope: hippo.LocalScope("")}
	b := s.browser()
	b.open("/").want(http.StatusOK, "keep me", "script")
	path := "/ui/memory/" + m.ID.String()
	if p := b.send(path+"/pin", url.Values{"pinned": {"true"}, "back": {path}}); p.status != http.StatusSeeOther || !s.get(m.ID).Pinned {
		t.Errorf("pin: %d", p.status)
	}
	if p := b.send(path+"/pin", url.Values{"pinned": {"false"}}, "Origin", "https://evil.example"); p.status != http.StatusForbidden {
		t.Errorf("from another site: %d", p.status)
	}
	if p := b.send("/ui/undo", url.Values{}); p.status != http.StatusBadRequest {
		t.Errorf("undo without a session: %d", p.status)
	}
}

// TestSessions_Links: the oldest link ends when too many wait.
func TestSessions_Links(t *testing.T) {
	t.Parallel()
	s := open(t)
	caller := httpd.Caller{Scope: hippo.LocalScope("")}
	first := s.sessions.Link(caller)
	s.now = s.now.Add(time.Second)
	second := s.sessions.Link(caller)
	for range 63 {
		s.now = s.now.Add(time.Second)
		s.sessions.Link(caller)
	}
	s.browser().open(first).want(http.StatusForbidden)
	s.browser().open(second).want(http.StatusOK)
	if strings.Contains(first, second) || web.NewSessions(nil).Link(caller) == "" {
		t.Error("links must differ")
	}
}
