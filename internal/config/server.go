package config

import (
	"net"
	"net/netip"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/secret"
)

// LoginsPath returns the file with the tokens for servers, beside that of the settings; see package login.
func LoginsPath(env func(string) string) string {
	return filepath.Join(filepath.Dir(Path(env)), "logins.json")
}

// ParseServer reads the address of a server: https://HOST or http://HOST, with a port and the path of a proxy if need
// be. The error shows no secret.
func ParseServer(address string) (Store, error) { return parseServer("url", address) }

func parseServer(field, address string) (Store, error) {
	u, err := url.Parse(address)
	switch {
	case err == nil && u.User != nil:
		return Store{}, hippo.Fieldf(field, "must not hold a user, a password or a token: hippo login keeps the token")
	case !strings.Contains(address, "://"):
		return Store{}, hippo.Fieldf(field, "must be like https://host:8420")
	case err != nil || strings.ContainsFunc(address, unicode.IsSpace) || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.Opaque != "":
		return Store{}, hippo.Fieldf(field, "must be like https://host:8420, got %q", secret.RedactURL(address))
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return Store{}, hippo.Fieldf(field, "must have no query and no fragment, got %q", secret.RedactURL(address))
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if port == map[string]string{"https": "443", "http": "80"}[u.Scheme] {
		port = ""
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" {
		host += ":" + port
	}
	return Store{Kind: u.Scheme, Path: strings.TrimRight("//"+host+path.Clean("/"+u.EscapedPath()), "/")}, nil
}

// Plain reports whether what is sent to a server can be read on the way: http to another machine.
func Plain(s Store) bool {
	if s.Kind != "http" {
		return false
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(s.Path, "//"), "/")
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host != "localhost" && (err != nil || !ip.IsLoopback())
}

// Origin returns the scheme, host and port of a server, by which its token is kept.
func Origin(s Store) string {
	host, _, _ := strings.Cut(strings.TrimPrefix(s.Path, "//"), "/")
	return s.Kind + "://" + host
}
