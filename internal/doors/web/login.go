package web

import (
	"net/http"
	"net/url"
	"strings"
)

// loginBody is the form in which a token is entered.
type loginBody struct {
	// Problem is what is wrong, ByToken whether tokens are accepted, Back where the browser wanted to go.
	Problem string
	ByToken bool
	Back    string
}

func loginPage(v *visit, problem string) page {
	back := "/"
	if v.r.Method == http.MethodGet && v.r.URL.Path != "/ui/login" && !strings.HasPrefix(v.r.URL.Path, "/ui/enter/") {
		back = localPath(v.r.URL.RequestURI(), "/")
	}
	return page{Title: "Sign in", Content: loginContent(loginBody{problem, v.options.Login != nil, back})}
}

// enter begins a session by a one-time link. The page that it shows leads on: a browser that came from another site
// would not send the new cookie if it were redirected.
func (s *server) enter(w http.ResponseWriter, r *http.Request) {
	v := &visit{server: s, w: w, r: r, now: s.options.Now()}
	if r.Method != http.MethodGet {
		w.WriteHeader(http.StatusNoContent) // HEAD must not use up the link
		return
	}
	key, ok := s.options.Sessions.redeem(r.PathValue("key"))
	if !ok {
		s.render(v, http.StatusForbidden, loginPage(v, "This link was used already, or is older than five minutes."))
		return
	}
	s.setCookie(w, r, key)
	s.render(v, http.StatusOK, page{Title: "Signed in", Head: enterHead(), Content: enterContent()})
}

// login begins a session by a token.
func (s *server) login(w http.ResponseWriter, r *http.Request) {
	v := &visit{server: s, w: w, r: r, now: s.options.Now()}
	if err := v.notForged(); err != nil {
		s.fail(v, err)
		return
	}
	token := strings.TrimSpace(r.PostForm.Get("token"))
	c, ok := s.checkToken(token)
	if !ok {
		s.render(v, http.StatusForbidden, loginPage(v, "This token is not known, was revoked, or has expired."))
		return
	}
	s.setCookie(w, r, s.options.Sessions.begin(c, token))
	http.Redirect(w, r, localPath(r.PostForm.Get("back"), "/"), http.StatusSeeOther)
}

// logout ends the session.
func logout(v *visit) error {
	if v.session != nil {
		v.options.Sessions.end(v.cookie)
	}
	http.SetCookie(v.w, &http.Cookie{Name: cookieName, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(v.w, v.r, "/", http.StatusSeeOther)
	return nil
}

func (s *server) setCookie(w http.ResponseWriter, r *http.Request, key string) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: key, Path: "/", MaxAge: int(lifeTime.Seconds()),
		HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
	})
}

// localPath returns a path on this server, or other if the text is none.
func localPath(text, other string) string {
	u, err := url.Parse(text)
	if err != nil || u.IsAbs() || u.Host != "" || u.Opaque != "" || !strings.HasPrefix(text, "/") ||
		strings.HasPrefix(text, "//") || strings.ContainsAny(text, "\\\r\n\t") {
		return other
	}
	return text
}
