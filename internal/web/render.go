package web

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/termtext"
)

//go:embed templates
var templateFiles embed.FS

// pages are the templates of the pages by name, each with the layout and the parts.
type pages map[string]*template.Template

// newPages parses the templates; a broken one is an error of the programmer.
func newPages(s *server) pages {
	common := template.Must(template.New("").Funcs(s.functions()).ParseFS(templateFiles, "templates/layout.html", "templates/parts.html"))
	entries, err := templateFiles.ReadDir("templates")
	if err != nil {
		panic(err) // embedded
	}
	out := make(pages)
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".html")
		if name == "layout" || name == "parts" {
			continue
		}
		out[name] = template.Must(template.Must(common.Clone()).ParseFS(templateFiles, "templates/"+e.Name()))
	}
	return out
}

func (s *server) functions() template.FuncMap {
	return template.FuncMap{
		"asset":   func(name string) string { return s.assets.paths[name] },
		"visible": visible,
		"plain":   termtext.Line,
		"bar":     bar,
		"delta":   delta,
		"number":  number,
		"count":   count,
		"button":  newButton,
		"list":    func(items ...any) []any { return items },
		"short":   hippo.ID.Short,
	}
}

// layout is what the template of the layout shows around a page.
type layout struct {
	page
	// Nav is the first part of the path of the page, to mark it.
	Path string
	// In: somebody is logged in, with the name Who; Write: who may write.
	In, Write bool
	Who       string
	CSRF      string
	Theme     string
	Toast     *toast
	// Here is the path and query of this page, to which actions return.
	Here string
}

// render writes a page. A template that fails is an error of the programmer; what was written before it is not sent.
func (s *server) render(v *visit, status int, p page) {
	l := layout{page: p, Path: v.r.URL.Path, Write: v.caller.Scope.Allows(hippo.RightWrite), Theme: themeOf(v.r), Here: "/"}
	l.In, l.Who = v.caller.Scope.Rights != 0, v.caller.Name
	if v.r.Method == http.MethodGet {
		l.Here = v.r.URL.RequestURI()
	}
	if v.session != nil {
		l.CSRF = v.session.csrf
		if v.r.Header.Get("HX-Source") != liveSearch {
			l.Toast = v.session.takeToast()
		}
	}
	var b bytes.Buffer
	if err := s.pages[p.Name].ExecuteTemplate(&b, "layout", l); err != nil {
		s.options.Log.ErrorContext(v.r.Context(), "dashboard: template", "page", p.Name, "error", err.Error())
		http.Error(v.w, "the page cannot be shown", http.StatusInternalServerError)
		return
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(status)
	_, _ = v.w.Write(b.Bytes()) // the browser went away
}

// liveSearch is the source of requests while somebody types, which show no toast.
const liveSearch = "form#search"

// themeOf returns the colours that the browser asks for: "light" or "dark"; empty for those of the system.
func themeOf(r *http.Request) string {
	if c, err := r.Cookie(themeCookie); err == nil && (c.Value == "light" || c.Value == "dark") {
		return c.Value
	}
	return ""
}

// buttonData is a form with one button.
type buttonData struct {
	Path, Label, Class string
	CSRF, Here         string
	Fields             [][2]string
}

// newButton returns the form of an action. The fields are names and values in turns.
func newButton(l layout, class, path, label string, fields ...string) buttonData {
	b := buttonData{Path: path, Label: label, Class: class, CSRF: l.CSRF, Here: l.Here}
	for i := 0; i+1 < len(fields); i += 2 {
		b.Fields = append(b.Fields, [2]string{fields[i], fields[i+1]})
	}
	return b
}
