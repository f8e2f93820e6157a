package httpd

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
)

// guarded refuses what pages of other sites make a browser send: requests for a name that is not of this server (DNS
// rebinding), and requests of another origin.
func (s *Server) guarded(next http.HandlerFunc) http.HandlerFunc {
	names := append([]string{"localhost"}, s.Hosts...)
	if name, err := os.Hostname(); err == nil {
		names = append(names, name)
	}
	protection := http.NewCrossOriginProtection()
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.TLS == nil && !knownHost(r.Host, names):
			s.refuse(w, r, "host", "is not a name of this server: see --http-host")
		case !sameOrigin(r) || protection.Check(r) != nil:
			s.refuse(w, r, "origin", "is another site: it may not use this server")
		default:
			next(w, r)
		}
	}
}

func (s *Server) refuse(w http.ResponseWriter, r *http.Request, field, why string) {
	note(r.Context(), func(e *entry) { e.refused = RefusedSite })
	s.problem(w, r, Problem{Status: http.StatusForbidden, Code: hippo.CodeForbidden, Field: field, Detail: field + ": " + why})
}

// knownHost reports whether the header Host is an address or one of the names.
func knownHost(host string, names []string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"), ".")
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, host) })
}

// sameOrigin reports whether the header Origin, if there is one, is that of this server.
func sameOrigin(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	u, err := url.Parse(origins[0])
	return err == nil && len(origins) == 1 && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}
