package httpd

import (
	"net/http"
	"strings"

	"github.com/hippo-memory/hippo"
)

// Authenticator knows who a token is of.
type Authenticator interface {
	// Authenticate returns the caller that a token stands for; false if it is unknown, expired or revoked. It is
	// called for every request.
	Authenticate(token string) (Caller, bool)
}

// maxToken is the largest length of a token in bytes.
const maxToken = 8 << 10

// tokenOf returns the token of a request: Authorization with the scheme Bearer, or X-API-Key. Given is false if there is
// none; a token that is malformed, and two that differ, are given and empty.
func tokenOf(r *http.Request) (token string, given bool) {
	texts := r.Header.Values("X-API-Key")
	for _, v := range r.Header.Values("Authorization") {
		texts = append(texts, bearer(v))
	}
	for i, text := range texts {
		if i > 0 && text != texts[0] {
			return "", true // which of them counts must not be a guess
		}
	}
	if len(texts) == 0 {
		return "", false
	}
	if token = texts[0]; len(token) > maxToken || strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return "", true
	}
	return token, true
}

// bearer returns the token in a value of Authorization; empty for another scheme.
func bearer(value string) string {
	scheme, rest, _ := strings.Cut(value, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimLeft(rest, " ")
}

// challenge is the value of WWW-Authenticate.
const challenge = `Bearer realm="hippo"`

// authorized calls the handler of a route with the caller of the request in its context, if the caller has the rights.
func (s *Server) authorized(route *Route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		token, given := tokenOf(r)
		var c Caller
		known := false
		if token != "" && s.Tokens != nil {
			c, known = s.Tokens.Authenticate(token)
		}
		note(r.Context(), func(e *entry) { e.caller = c.Name })
		switch {
		case given && !known:
			if !s.limits.failed(r) {
				s.tooMany(w, r)
				return
			}
			note(r.Context(), unauthorized)
			w.Header().Set("WWW-Authenticate", challenge+`, error="invalid_token"`)
			s.problem(w, r, Problem{Status: http.StatusUnauthorized, Code: hippo.CodeForbidden, Detail: "the token is unknown, expired or revoked: see hippo token list"})
			return
		case route.Rights != 0 && !given:
			note(r.Context(), unauthorized)
			w.Header().Set("WWW-Authenticate", challenge)
			s.problem(w, r, Problem{Status: http.StatusUnauthorized, Code: hippo.CodeForbidden, Detail: "a token is needed: Authorization: Bearer TOKEN, or X-API-Key: TOKEN"})
			return
		case !c.Scope.Allows(route.Rights):
			note(r.Context(), unauthorized)
			w.Header().Set("WWW-Authenticate", challenge+`, error="insufficient_scope"`)
			s.problem(w, r, Problem{Status: http.StatusForbidden, Code: hippo.CodeForbidden, Detail: "the token does not allow this"})
			return
		}
		if known && !s.limits.allow(c.Name) {
			s.tooMany(w, r)
			return
		}
		route.Handler.ServeHTTP(w, r.WithContext(WithCaller(r.Context(), c)))
	}
}

func unauthorized(e *entry) { e.refused = RefusedAuth }

func (s *Server) tooMany(w http.ResponseWriter, r *http.Request) {
	note(r.Context(), func(e *entry) { e.refused = RefusedRate })
	w.Header().Set("Retry-After", "1")
	s.problem(w, r, Problem{Status: http.StatusTooManyRequests, Code: hippo.CodeUnavailable, Detail: "too many requests: try again in a second"})
}
