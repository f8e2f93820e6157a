// Package web is the dashboard: pages for people over the verbs of the engine, rendered on the server.
//
// A page works without scripts; htmx makes changes and searches replace a part of it. A browser gets a session by a
// one-time link or a token, see [Sessions]. All access goes through the scope of the session. Changes are forms with a
// token against forgery, and each can be undone.
//
// Texts of memories are data from anywhere: templates escape them, the Content-Security-Policy allows no inline script
// or style, and characters that hide or reorder text are shown by their code points.
package web

import (
	"cmp"
	"log/slog"
	"net/http"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/exchange"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// Options of [Routes]; nil and zero fields are useful.
type Options struct {
	// Sessions are those of the browsers; nil: a new set, into which only Login leads.
	Sessions *Sessions
	// Login returns the caller whose token it is. It is asked again at each request of a session that began with the
	// token, so that a token that was revoked ends its sessions. Nil: there is no login by token.
	Login func(token string) (httpd.Caller, bool)
	// Tokens are managed on the page of settings by callers with [hippo.RightAdmin]; nil hides them.
	Tokens Tokens
	// Sync is how callers who run the server reach the remotes of the store; nil: they do not.
	Sync *exchange.Served
	// Version is that of the program, Store the name of the store; both are shown, Store to callers with
	// [hippo.RightAdmin].
	Version, Store string
	// AuditTime is how long an audit may take; 0 means eight minutes.
	AuditTime time.Duration
	// Now is the clock; nil means the system's.
	Now func() time.Time
	// Log receives failures without content; nil discards them.
	Log *slog.Logger
}

// server is what the handlers share.
type server struct {
	open      httpd.Opener
	options   Options
	assets    *assets
	forgeries *http.CrossOriginProtection
	audits    *audits
}

// Routes returns the routes of the dashboard: "/" and those below "/ui/". They check their callers themselves, by
// cookie, or take the caller of the request.
func Routes(open httpd.Opener, o *Options) []httpd.Route {
	s := &server{open: open, assets: newAssets(), forgeries: http.NewCrossOriginProtection(), audits: newAudits()}
	if o != nil {
		s.options = *o
	}
	if s.options.Now == nil {
		s.options.Now = time.Now //nolint:forbidigo // the system clock is the default
	}
	if s.options.Sessions == nil {
		s.options.Sessions = NewSessions(s.options.Now)
	}
	if s.options.Log == nil {
		s.options.Log = slog.New(slog.DiscardHandler)
	}
	s.options.AuditTime = cmp.Or(s.options.AuditTime, auditTime)
	var routes []httpd.Route
	add := func(pattern string, h http.Handler) {
		routes = append(routes, httpd.Route{Pattern: pattern, Handler: headers(h), MaxBody: maxForm})
	}
	for pattern, f := range s.views() {
		add("GET "+pattern, s.view(hippo.RightRead, f))
	}
	for pattern, f := range s.actions() {
		add("POST "+pattern, s.action(hippo.RightWrite, f))
	}
	add("GET /ui/new", s.view(hippo.RightRead|hippo.RightWrite, showNew))
	add("POST /ui/settings/tokens", s.action(hippo.RightAdmin, createToken))
	add("POST /ui/settings/tokens/revoke", s.action(hippo.RightAdmin, revokeToken))
	add("GET /ui/sync", s.view(operator, showSync))
	add("POST /ui/sync/now", s.action(operator, syncNow))
	add("POST /ui/sync/undo", s.action(operator, undoConflict))
	add("POST /ui/theme", s.action(hippo.RightRead, setTheme))
	add("POST /ui/logout", s.action(0, logout))
	add("GET /ui/enter/{key}", http.HandlerFunc(s.enter))
	add("POST /ui/login", http.HandlerFunc(s.login))
	add("GET /ui/static/{name}", s.assets)
	add("GET /ui/export", s.download(export))
	routes = append(routes,
		httpd.Route{Pattern: "POST /ui/import", Handler: headers(http.HandlerFunc(s.receive)), MaxBody: -1, Stream: true},
		httpd.Route{Pattern: "GET /ui/import", Handler: headers(s.view(hippo.RightRead|hippo.RightWrite, showImport)), MaxBody: maxForm, Reply: importTime},
		httpd.Route{Pattern: "POST /ui/import/confirm", Handler: headers(s.action(hippo.RightWrite, importSent)), MaxBody: maxForm, Reply: importTime},
	)
	routes = append(routes, httpd.Route{Pattern: "GET /ui/review/audit", Handler: headers(http.HandlerFunc(s.makeAudit)), MaxBody: maxForm, Reply: s.options.AuditTime + time.Minute})
	return routes
}

// views returns the pages by path.
func (s *server) views() map[string]viewFunc {
	return map[string]viewFunc{
		"/{$}":                    showSearch,
		"/ui/browse":              showBrowse,
		"/ui/memory/{id}":         showMemory,
		"/ui/memory/{id}/graph":   showGraph,
		"/ui/memory/{id}/history": showHistory,
		"/ui/timeline":            showTimeline,
		"/ui/review":              showReview,
		"/ui/status":              showStatus,
		"/ui/settings":            showSettings,
		"/ui/":                    showMissing,
	}
}

// actions returns the changes by path.
func (s *server) actions() map[string]actionFunc {
	return map[string]actionFunc{
		"/ui/memory/{id}/edit":    edit,
		"/ui/memory/{id}/split":   split,
		"/ui/memory/{id}/undo":    takeBackOperation,
		"/ui/memory/{id}/vote":    vote,
		"/ui/memory/{id}/pin":     pin,
		"/ui/memory/{id}/accept":  accept,
		"/ui/memory/{id}/forget":  forget,
		"/ui/memory/{id}/restore": restore,
		"/ui/memory/{id}/holds":   holds,
		"/ui/memory/{id}/move":    move,
		"/ui/new":                 add,
		"/ui/new/compare":         compare,
		"/ui/bulk":                bulk,
		"/ui/compatible":          compatible,
		"/ui/merge":               merge,
		"/ui/undo":                undo,
	}
}

// headers sets the headers that every answer has.
func headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "+
			"form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}
