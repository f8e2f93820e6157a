package httpd

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/termtext"
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

// challenge returns the header WWW-Authenticate: what went wrong, empty if nothing did, and where a client finds the issuer,
// empty if there is none, with the scopes to ask it for. Sources: RFC 6750, section 3, and RFC 9728, section 5.1.
func challenge(metadata, failure, scopes string) string {
	text := `Bearer realm="hippo"`
	if failure != "" {
		text += `, error="` + failure + `"`
	}
	if metadata != "" {
		text += `, scope="` + scopes + `", resource_metadata="` + metadata + `"`
	}
	return text
}

const (
	challengeHeader   = "WWW-Authenticate"
	insufficientScope = "insufficient_scope"
)

type metadataKey struct{}

// InsufficientScope is for a handler that refuses a part of what its route does, such as one of many tools, with 403. It
// sets the header by which a client learns which scope to ask the issuer for. Without an issuer nobody could give it one:
// then it does nothing, and returns false. Source: the chapter on authorization of MCP.
func InsufficientScope(ctx context.Context, h http.Header, need hippo.Rights) bool {
	metadata, ok := ctx.Value(metadataKey{}).(string)
	if ok {
		note(ctx, unauthorized)
		h.Set(challengeHeader, challenge(metadata, insufficientScope, scopesFor(need)))
	}
	return ok
}

// usualScopes are those that a client asks for which has no token yet.
const usualScopes = "read write"

// scopesFor returns the scope that has some rights, by the names that tokens have for them.
func scopesFor(r hippo.Rights) string {
	switch {
	case r&(hippo.RightAdmin|hippo.RightPurge) != 0:
		return "admin"
	case r&hippo.RightMetrics != 0:
		return "metrics"
	case r&hippo.RightSync != 0:
		return "sync"
	case r&hippo.RightWrite != 0:
		return "write"
	default:
		return "read"
	}
}

// authorized calls next, the rest of a route, with the caller of the request in its context, if the caller has the rights.
func (s *Server) authorized(route *Route, next http.HandlerFunc) http.HandlerFunc {
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
			w.Header().Set(challengeHeader, challenge(s.Metadata, "invalid_token", usualScopes))
			s.problem(w, r, Problem{Status: http.StatusUnauthorized, Code: hippo.CodeForbidden, Detail: "the token is unknown, expired or revoked, or was issued for another server: see hippo token list"})
			return
		case route.Rights != 0 && !given:
			note(r.Context(), unauthorized)
			w.Header().Set(challengeHeader, challenge(s.Metadata, "", usualScopes))
			s.problem(w, r, Problem{Status: http.StatusUnauthorized, Code: hippo.CodeForbidden, Detail: "a token is needed: Authorization: Bearer TOKEN, or X-API-Key: TOKEN"})
			return
		case !c.Scope.Allows(route.Rights):
			note(r.Context(), unauthorized)
			w.Header().Set(challengeHeader, challenge(s.Metadata, insufficientScope, scopesFor(route.Rights)))
			s.problem(w, r, Problem{Status: http.StatusForbidden, Code: hippo.CodeForbidden, Detail: "the token does not allow this"})
			return
		}
		if known && !s.limits.allow(c.Scope.Namespace+"\x00"+c.Name) {
			s.tooMany(w, r)
			return
		}
		if known && !s.withinQuota(w, r, c.Scope.Namespace) {
			return
		}
		ctx := WithCaller(r.Context(), c)
		if s.Metadata != "" {
			ctx = context.WithValue(ctx, metadataKey{}, s.Metadata)
		}
		next(w, r.WithContext(ctx))
	}
}

// withinQuota counts a request of a namespace, and refuses it if there were too many.
func (s *Server) withinQuota(w http.ResponseWriter, r *http.Request, namespace string) bool {
	if s.Quota == nil {
		return true
	}
	n := s.Quota(r.Context(), namespace)
	if n <= 0 {
		return true
	}
	wait := s.limits.within(namespace, n)
	if wait == 0 {
		return true
	}
	note(r.Context(), func(e *entry) { e.refused = RefusedRate })
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	s.problem(w, r, Problem{
		Status: http.StatusTooManyRequests, Code: hippo.CodeUnavailable,
		Detail: fmt.Sprintf("namespace %q may send %d requests a minute: try again later; hippo tenant limit %s --requests NUMBER raises the limit", namespace, n, termtext.Argument(namespace)),
	})
	return false
}

func unauthorized(e *entry) { e.refused = RefusedAuth }

func (s *Server) tooMany(w http.ResponseWriter, r *http.Request) {
	note(r.Context(), func(e *entry) { e.refused = RefusedRate })
	w.Header().Set("Retry-After", "1")
	s.problem(w, r, Problem{Status: http.StatusTooManyRequests, Code: hippo.CodeUnavailable, Detail: "too many requests: try again in a second"})
}
