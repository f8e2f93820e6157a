package web_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/web"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/enginetest"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// site is a dashboard over an engine in RAM, at a Sunday noon.
type site struct {
	t      testing.TB
	engine *engine.Engine
	now    time.Time
	server *httptest.Server
	// sessions are those of the browsers; options may be changed before start.
	sessions *web.Sessions
	options  web.Options
	// bearer is the caller of requests that a server in front has checked; none by default.
	bearer httpd.Caller
}

// newSite returns a site that was not started.
func newSite(t testing.TB) *site {
	t.Helper()
	s := &site{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	now := func() time.Time { return s.now }
	s.engine = enginetest.Open(t, enginetest.Options{Config: engine.Config{Now: now, Tokens: &embedtest.Texts{}}})
	s.sessions = web.NewSessions(now)
	s.options = web.Options{Sessions: s.sessions, Now: now, Version: "1.2.3", Store: "/home/ana/memory.db"}
	return s
}

// handler returns the routes of the site.
func (s *site) handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range web.Routes(func(context.Context) (*engine.Engine, error) { return s.engine, nil }, &s.options) {
		if r.Rights != 0 {
			s.t.Errorf("%s: the route must be open: it checks cookies", r.Pattern)
		}
		mux.Handle(r.Pattern, r.Handler)
	}
	return mux
}

// start serves the site, behind what puts callers into requests.
func (s *site) start() *site {
	h := s.handler()
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		if s.bearer.Scope.Rights != 0 {
			ctx = httpd.WithCaller(ctx, s.bearer)
		}
		h.ServeHTTP(w, r.WithContext(ctx))
	}))
	s.t.Cleanup(s.server.Close)
	return s
}

func open(t *testing.T) *site { t.Helper(); return newSite(t).start() }

// record records a memory of the default namespace a minute after the one before.
func (s *site) record(m hippo.Memory, old ...hippo.ID) *hippo.Memory {
	s.t.Helper()
	return s.recordIn(hippo.LocalScope(""), m, old...)
}

func (s *site) recordIn(scope hippo.Scope, m hippo.Memory, old ...hippo.ID) *hippo.Memory {
	s.t.Helper()
	s.now = s.now.Add(time.Minute)
	if m.Trust == hippo.TrustNone {
		m.Trust = hippo.TrustDefault
	}
	out, err := memory.Record(s.t.Context(), s.engine.In(scope), &m, old...)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func (s *site) get(id hippo.ID) *hippo.Memory {
	s.t.Helper()
	ms, err := memory.Get(s.t.Context(), s.engine.In(hippo.LocalScope("")), []hippo.ID{id})
	if err != nil {
		s.t.Fatal(err)
	}
	return ms[0]
}

// browser is a browser without scripts: it keeps cookies and does not follow redirects.
type browser struct {
	*site
	client http.Client
}

func (s *site) browser() *browser {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return &browser{s, http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// enter returns a browser that has used a one-time link of a caller with this scope.
func (s *site) enter(scope hippo.Scope) *browser {
	s.t.Helper()
	b := s.browser()
	if p := b.open(s.sessions.Link(httpd.Caller{Name: "ana", Scope: scope})); p.status != http.StatusOK {
		s.t.Fatalf("the link answers %d", p.status)
	}
	return b
}

func (s *site) owner() *browser { s.t.Helper(); return s.enter(hippo.LocalScope("")) }

// shown is a page that a browser has.
type shown struct {
	t      testing.TB
	path   string
	status int
	header http.Header
	body   string
	root   *html.Node
}

func (b *browser) do(r *http.Request) *shown {
	b.t.Helper()
	res, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	err = errors.Join(err, res.Body.Close())
	if err != nil {
		b.t.Fatal(err)
	}
	root, err := html.Parse(strings.NewReader(string(body)))
	if err != nil {
		b.t.Fatal(err)
	}
	return &shown{b.t, r.URL.RequestURI(), res.StatusCode, res.Header, string(body), root}
}

// open gets a page; it follows a redirect as a browser does.
func (b *browser) open(path string) *shown {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.server.URL+path, http.NoBody)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.do(r)
}

// send posts a form.
func (b *browser) send(path string, fields url.Values, headers ...string) *shown {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.server.URL+path, strings.NewReader(fields.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return b.do(r)
}

// submit sends the form of a page whose button has a label, with some fields changed, and returns the page that
// follows.
func (b *browser) submit(p *shown, label string, changes ...string) *shown {
	b.t.Helper()
	form := p.form(label)
	if form == nil {
		b.t.Fatalf("%s has no form with the button %q:\n%s", p.path, label, p.text())
	}
	fields := fieldsOf(form)
	for i := 0; i+1 < len(changes); i += 2 {
		if !fields.Has(changes[i]) && !isBox(form, changes[i]) {
			b.t.Fatalf("the form %q has no field %q", label, changes[i])
		}
		fields.Set(changes[i], changes[i+1])
	}
	button, action := buttonOf(form, label), attribute(form, "action")
	if name := attribute(button, "name"); name != "" {
		fields.Set(name, attribute(button, "value"))
	}
	action = cmp.Or(attribute(button, "formaction"), action)
	if cmp.Or(attribute(button, "formmethod"), attribute(form, "method")) != "post" {
		return b.open(action + "?" + fields.Encode())
	}
	out := b.send(action, fields, "Origin", b.server.URL, "Sec-Fetch-Site", "same-origin")
	if out.status == http.StatusSeeOther {
		return b.open(out.header.Get("Location"))
	}
	return out
}

// form returns the first form that has a button with a label; nil if there is none.
func (p *shown) form(label string) *html.Node {
	for _, f := range p.all("form") {
		if buttonOf(f, label) != nil {
			return f
		}
	}
	return nil
}

// buttonOf returns the first button of a form with a label; nil if there is none.
func buttonOf(form *html.Node, label string) *html.Node {
	for _, b := range within(form, "button") {
		if textOf(b) == label {
			return b
		}
	}
	return nil
}

// isBox reports whether a form has a check box with a name, which sends nothing while it is not checked.
func isBox(form *html.Node, name string) bool {
	return slices.ContainsFunc(within(form, "input"), func(n *html.Node) bool { return attribute(n, "type") == "checkbox" && attribute(n, "name") == name })
}

// fieldsOf returns what a browser sends of a form.
func fieldsOf(form *html.Node) url.Values {
	out := url.Values{}
	for _, n := range within(form, "input") {
		if attribute(n, "type") != "checkbox" || hasAttribute(n, "checked") {
			out.Add(attribute(n, "name"), attribute(n, "value"))
		}
	}
	for _, n := range within(form, "textarea") {
		text := ""
		if n.FirstChild != nil {
			text = n.FirstChild.Data
		}
		out.Add(attribute(n, "name"), strings.ReplaceAll(text, "\n", "\r\n"))
	}
	for _, n := range within(form, "select") {
		options := within(n, "option")
		chosen := options[0]
		for _, o := range options {
			if hasAttribute(o, "selected") {
				chosen = o
			}
		}
		value := attribute(chosen, "value")
		if !hasAttribute(chosen, "value") {
			value = textOf(chosen)
		}
		out.Add(attribute(n, "name"), value)
	}
	return out
}

func (p *shown) all(tag string) []*html.Node { return within(p.root, tag) }

// main returns the content of the page.
func (p *shown) main() *html.Node { return p.byID("main") }

func (p *shown) byID(id string) *html.Node {
	for n := range p.root.Descendants() {
		if n.Type == html.ElementNode && attribute(n, "id") == id {
			return n
		}
	}
	p.t.Fatalf("%s has no element %q", p.path, id)
	return nil
}

// text returns the text of the content of the page.
func (p *shown) text() string { return textOf(p.main()) }

// want checks the status of the page and texts in it.
func (p *shown) want(status int, texts ...string) {
	p.t.Helper()
	if p.status != status {
		p.t.Fatalf("%s: status %d, want %d\n%s", p.path, p.status, status, p.text())
	}
	for _, s := range texts {
		if !strings.Contains(textOf(p.root), s) {
			p.t.Errorf("%s: %q is missing in\n%s", p.path, s, textOf(p.root))
		}
	}
}

func within(root *html.Node, tag string) []*html.Node {
	var out []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == tag {
			out = append(out, n)
		}
	}
	return out
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func hasAttribute(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}

// textOf returns the text of a node, runs of space as one.
func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode && c.Parent.Data != "script" && c.Parent.Data != "style" {
			b.WriteString(c.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
