package web

import (
	"bytes"
	"context"
	"net/http"
	"slices"

	"github.com/hippo-memory/hippo"
)

// The templates of the pages are the files *.templ, compiled to the code beside them.
//
//go:generate go -C ../../../tools tool templ generate -log-level=warn -path ../internal/doors/web

// layout is what a document shows around a page.
type layout struct {
	page
	forms
	assets *assets
	// Path is that of the page, to mark it among the places.
	Path   string
	Places []place
	// In: somebody is logged in, with the name Who.
	In    bool
	Who   string
	Theme string
	Toast *toast
}

// forms is what the forms of a page need.
type forms struct {
	CSRF string
	// Here is the path and query of the page, to which actions return.
	Here string
	// Write: the caller may write.
	Write bool
}

// formsOf returns what the forms of the page need that is asked for.
func formsOf(v *visit) forms {
	f := forms{Here: "/", Write: v.caller.Scope.Allows(hippo.RightWrite)}
	if v.r.Method == http.MethodGet {
		f.Here = v.r.URL.RequestURI()
	}
	if v.session != nil {
		f.CSRF = v.session.csrf
	}
	return f
}

// place is a page that every page links to.
type place struct{ path, name string }

// placesOf returns the pages that every page links to for a caller.
func placesOf(v *visit) []place {
	list := []place{
		{"/", "Search"}, {"/ui/browse", "Browse"}, {"/ui/new", "Add"}, {"/ui/import", "Import"}, {"/ui/timeline", "Timeline"}, {"/ui/review", "Review"}, {"/ui/status", "Status"}, {"/ui/settings", "Settings"},
	}
	if x := v.options.Sync; x != nil && x.Why == nil && operates(v) {
		list = slices.Insert(list, len(list)-1, place{"/ui/sync", "Sync"})
	}
	write := v.caller.Scope.Allows(hippo.RightWrite)
	return slices.DeleteFunc(list, func(p place) bool { return (p.path == "/ui/new" || p.path == "/ui/import") && !write })
}

// render writes a page. A template that fails is an error of the programmer; what was written before it is not sent.
func (s *server) render(v *visit, status int, p page) {
	l := layout{page: p, forms: formsOf(v), assets: s.assets, Path: v.r.URL.Path, Places: placesOf(v), Theme: themeOf(v.r)}
	l.In, l.Who = v.caller.Scope.Rights != 0, v.caller.Name
	if v.session != nil && !isLive(v.r) {
		l.Toast = v.session.takeToast()
	}
	var b bytes.Buffer
	if err := document(l).Render(context.WithoutCancel(v.r.Context()), &b); err != nil {
		s.options.Log.ErrorContext(v.r.Context(), "dashboard: template", "path", v.r.Pattern, "error", err.Error())
		http.Error(v.w, "the page cannot be shown", http.StatusInternalServerError)
		return
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(status)
	_, _ = v.w.Write(b.Bytes()) // the browser went away
}

// isLive reports whether a request was sent while somebody types. Its answer shows no toast.
func isLive(r *http.Request) bool {
	source := r.Header.Get("HX-Source")
	return source == "form#search" || source == "form#new"
}

// themeOf returns the colours that the browser asks for: "light" or "dark"; empty for those of the system.
func themeOf(r *http.Request) string {
	if c, err := r.Cookie(themeCookie); err == nil && (c.Value == "light" || c.Value == "dark") {
		return c.Value
	}
	return ""
}
