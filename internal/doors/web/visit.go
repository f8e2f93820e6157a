package web

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// cookieName is that of the cookie of the session, themeCookie that of the colours.
const (
	cookieName  = "hippo_session"
	themeCookie = "hippo_theme"
)

// maxForm bounds the body of a request, in bytes. A content in percent-encoding fits.
const maxForm = 3*hippo.MaxContent + 1<<20

// visit is one request of a caller.
type visit struct {
	*server
	w http.ResponseWriter
	r *http.Request
	// caller is whose scope applies; session is nil if the caller came with the request instead of a cookie.
	caller  httpd.Caller
	session *session
	cookie  string
	// memories are nil until the caller is known to have the rights.
	memories *engine.Memories
	now      time.Time
	// operations are those of the changes that this request has made.
	operations []hippo.ID
}

// page is what a visit shows.
type page struct {
	Title   string
	Content templ.Component
	// Head is what the page adds to the head of the document; nil: nothing.
	Head templ.Component
	// Status is that of the answer; 0 means 200.
	Status int
}

// viewFunc returns a page; actionFunc changes something, and answers by itself.
type (
	viewFunc   func(*visit) (page, error)
	actionFunc func(*visit) error
)

// view returns a handler for a page that needs rights.
func (s *server) view(need hippo.Rights, f viewFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := s.begin(w, r, need)
		if err != nil {
			s.fail(v, err)
			return
		}
		p, err := f(v)
		if err != nil {
			s.fail(v, err)
			return
		}
		s.render(v, cmp.Or(p.Status, http.StatusOK), p)
	})
}

// action returns a handler for a form. It refuses what other sites sent.
func (s *server) action(need hippo.Rights, f actionFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := s.begin(w, r, need)
		if err == nil {
			err = v.notForged()
		}
		if err == nil {
			err = f(v)
		}
		if err != nil {
			s.fail(v, err)
		}
	})
}

// download returns a handler for a file that a caller who may read gets.
func (s *server) download(f actionFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := s.begin(w, r, hippo.RightRead)
		if err == nil {
			err = f(v)
		}
		if err != nil {
			s.fail(v, err)
		}
	})
}

// errNoCaller: nobody is logged in. errForged: another site may have sent the form.
var (
	errNoCaller = errors.New("not logged in")
	errForged   = errors.New("this form has expired; reload the page and try again")
)

// begin finds out who sends a request, and whether the caller has the rights. The visit is never nil.
func (s *server) begin(w http.ResponseWriter, r *http.Request, need hippo.Rights) (*visit, error) {
	v := &visit{server: s, w: w, r: r, now: s.options.Now()}
	if !s.identify(v) {
		return v, errNoCaller
	}
	if !v.caller.Scope.Allows(need) {
		return v, hippo.ErrForbidden
	}
	e, err := s.open(r.Context())
	if err != nil {
		return v, err
	}
	v.memories = e.In(v.caller.Scope)
	return v, nil
}

// identify sets the caller, and the session if there is one; false if nobody is logged in.
func (s *server) identify(v *visit) bool {
	if c := httpd.CallerOf(v.r.Context()); c.Scope.Rights != 0 {
		v.caller = c
		return true
	}
	cookie, err := v.r.Cookie(cookieName)
	if err != nil {
		return false
	}
	x, ok := s.options.Sessions.get(cookie.Value)
	if !ok {
		return false
	}
	v.session, v.cookie, v.caller = x, cookie.Value, x.caller
	if x.token != "" {
		c, ok := s.checkToken(x.token)
		if !ok {
			s.options.Sessions.end(cookie.Value)
			v.session = nil
			return false
		}
		v.caller = c
	}
	return true
}

// checkToken returns the caller of a token.
func (s *server) checkToken(token string) (httpd.Caller, bool) {
	if s.options.Login == nil {
		return httpd.Caller{}, false
	}
	c, ok := s.options.Login(token)
	return c, ok && c.Scope.Rights != 0
}

// notForged checks that the form comes from a page of this server: by what the browser says of its origin, and by the
// token of the session in the form or in a header. No browser adds the header of a caller without a session by itself.
func (v *visit) notForged() error {
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxForm)
	if err := v.r.ParseForm(); err != nil {
		return hippo.Fieldf("form", "must be one of this page, of at most %d bytes", maxForm)
	}
	if v.forgeries.Check(v.r) != nil {
		return errForged
	}
	if v.session == nil {
		return nil
	}
	token := v.r.Header.Get("X-Csrf-Token")
	if token == "" {
		token = v.r.PostForm.Get("csrf")
	}
	if v.session.forged(token) {
		return errForged
	}
	return nil
}

// fail answers a request that failed. The details of internal errors are logged, not shown.
func (s *server) fail(v *visit, err error) {
	code := hippo.CodeOf(err)
	status := map[hippo.Code]int{
		hippo.CodeInvalid: http.StatusBadRequest, hippo.CodeNotFound: http.StatusNotFound, hippo.CodeForbidden: http.StatusForbidden,
		hippo.CodeConflict: http.StatusConflict, hippo.CodeSecret: http.StatusUnprocessableEntity, hippo.CodeUnavailable: http.StatusServiceUnavailable,
		hippo.CodeReadOnly: http.StatusConflict, hippo.CodeFull: http.StatusInsufficientStorage, hippo.CodeUnsupported: http.StatusNotImplemented,
	}[code]
	title, text := "This did not work", messageOf(err)
	switch {
	case errors.Is(err, errNoCaller):
		status = http.StatusUnauthorized
	case errors.Is(err, errForged):
		status = http.StatusForbidden
		text = errForged.Error()
	case status == 0:
		status = http.StatusInternalServerError
		text = "The server could not do this. Its log says why."
		s.options.Log.ErrorContext(v.r.Context(), "dashboard", "path", v.r.Pattern, "code", code, "error", wire.ErrorOf(err, "").Error.Message)
	case code == hippo.CodeNotFound:
		title, text = "Not found", "There is nothing here, or you may not see it."
	case code == hippo.CodeForbidden:
		title, text = "Not allowed", "Your token does not allow this."
	}
	if v.r.Header.Get("HX-Request") != "" { // the part of the page that was asked for is not in this one
		h := v.w.Header()
		h.Set("HX-Retarget", "#main")
		h.Set("HX-Reselect", "#main")
		h.Set("HX-Reswap", "outerHTML")
	}
	p := page{Title: title, Content: errorContent(title, text)}
	if errors.Is(err, errNoCaller) {
		p = loginPage(v, "")
	}
	s.render(v, status, p)
}

// messageOf returns the text of an error without secrets, as a sentence.
func messageOf(err error) string { return sentence(wire.ErrorOf(err, "").Error.Message) }

func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// showMissing answers paths that are no page.
func showMissing(v *visit) (page, error) { return page{}, hippo.ErrNotFound }
