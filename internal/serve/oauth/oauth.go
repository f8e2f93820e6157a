// Package oauth lets an external issuer say who a caller is: it verifies the access tokens of OAuth 2.1, which are JWTs,
// by the keys that the issuer publishes, and shows clients where the issuer is. Sources: RFC 9068 (the tokens), RFC 9728
// (the metadata of a resource), RFC 8414 (those of an issuer), and the chapter on authorization of MCP.
package oauth

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/serve/token"
)

// Options configure a [Verifier].
type Options struct {
	// Issuer is the claim iss, a URL. Its metadata name the keys.
	Issuer string
	// Audiences are the values of aud that are accepted. The first one is the URL by which clients reach this server.
	Audiences []string
	// NamespaceClaim names the claim that holds the namespace of the caller; a token without it is refused. Empty: all
	// callers are in Namespace.
	NamespaceClaim string
	Namespace      string
	// Client fetches metadata and keys; nil: one of its own.
	Client *http.Client
	// Now is the clock; nil means the system's.
	Now func() time.Time
	// Log receives failures to fetch keys, and why tokens are refused, without the tokens; nil discards them.
	Log *slog.Logger
}

// skew is how far the clocks of the issuer and of this machine may differ.
const skew = time.Minute

// algorithms returns those of signatures that are accepted. None of them has a key that the issuer shares with others,
// so that nobody but the issuer can sign.
func algorithms() []jose.SignatureAlgorithm {
	return []jose.SignatureAlgorithm{
		jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
	}
}

// Verifier knows who the access tokens of an issuer are of. It is safe for concurrent use.
type Verifier struct {
	Options
	keys *keySet
}

var _ httpd.Authenticator = (*Verifier)(nil)

// New returns a Verifier. It fetches nothing before it sees a token. An option that cannot be used is a [*hippo.FieldError].
func New(o Options) (*Verifier, error) {
	if o.Now == nil {
		o.Now = time.Now //nolint:forbidigo // the system clock is the default
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := checkURL("oauth-issuer", o.Issuer); err != nil {
		return nil, err
	}
	if len(o.Audiences) == 0 {
		return nil, hippo.Fieldf("oauth-audience", "is required: the URL by which clients reach this server, such as https://memory.example.org/mcp")
	}
	if err := checkURL("oauth-audience", o.Audiences[0]); err != nil {
		return nil, err
	}
	if slices.Contains(o.Audiences, "") {
		return nil, hippo.Fieldf("oauth-audience", "must not be empty")
	}
	return &Verifier{Options: o, keys: newKeySet(o.Issuer, o.Client, o.Now)}, nil
}

// checkURL refuses a URL that is not secure: whoever can change what an issuer says can be anybody.
func checkURL(field, text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "https" && u.Scheme != "http":
		return hippo.Fieldf(field, "must be a URL such as https://memory.example.org, without a query, got %.100q", text)
	case u.Scheme == "http" && !isLocal(u.Hostname()):
		return hippo.Fieldf(field, "must begin with https, or be of this machine, got %.100q", text)
	}
	return nil
}

func isLocal(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// claims are those of an access token that count here.
type claims struct {
	jwt.Claims
	Scope string `json:"scope"`
	// Scp is another form of Scope that some issuers use: a list, or a text.
	Scp json.RawMessage `json:"scp"`
}

// LooksLikeToken reports whether a text may be an access token and not one of package token.
func LooksLikeToken(text string) bool { return strings.Count(text, ".") == 2 }

// Authenticate implements [httpd.Authenticator]. It fetches keys when it needs them, at most every ten seconds.
func (v *Verifier) Authenticate(text string) (httpd.Caller, bool) {
	c, err := v.verify(text)
	if err != nil {
		v.Log.Info("access token refused", "reason", err)
	}
	return c, err == nil
}

// verify returns the caller of a token. Its errors hold nothing of the token.
func (v *Verifier) verify(text string) (httpd.Caller, error) {
	t, err := jwt.ParseSigned(text, algorithms())
	if err != nil || len(t.Headers) != 1 {
		return httpd.Caller{}, errors.New("no JWT with one signature of a known algorithm")
	}
	if err := checkType(&t.Headers[0]); err != nil {
		return httpd.Caller{}, err
	}
	keys, err := v.keys.find(t.Headers[0].KeyID, t.Headers[0].Algorithm)
	if err != nil {
		return httpd.Caller{}, err
	}
	var c claims
	var all map[string]any
	if !slices.ContainsFunc(keys, func(k jose.JSONWebKey) bool { return t.Claims(k.Key, &c, &all) == nil }) {
		return httpd.Caller{}, errors.New("no key of the issuer fits")
	}
	if err := v.check(&c); err != nil {
		return httpd.Caller{}, err
	}
	namespace := v.Namespace
	if v.NamespaceClaim != "" {
		text, ok := all[v.NamespaceClaim].(string)
		if !ok {
			return httpd.Caller{}, errors.New("the claim with the namespace is missing, or no text")
		}
		namespace = text
	}
	return httpd.Caller{Name: "oauth:" + c.Subject, Scope: scopeOf(&c, namespace)}, nil
}

// checkType refuses signed texts of the issuer that are something else than a token, such as a notice of a logout.
func checkType(h *jose.Header) error {
	kind, ok := h.ExtraHeaders[jose.HeaderType].(string)
	if !ok && h.ExtraHeaders[jose.HeaderType] == nil {
		return nil
	}
	switch strings.TrimPrefix(strings.ToLower(kind), "application/") {
	case "jwt", "at+jwt":
		return nil
	default:
		return errors.New("the type is neither JWT nor at+jwt")
	}
}

// maxSubject is the largest length of the name of a caller in bytes.
const maxSubject = 256

// check checks the claims that every token has.
func (v *Verifier) check(c *claims) error {
	switch {
	case c.Issuer != v.Issuer:
		return errors.New("it is of another issuer")
	case !slices.ContainsFunc(v.Audiences, c.Audience.Contains):
		return errors.New("it is for another audience")
	case c.Expiry == nil:
		return errors.New("it does not expire")
	case c.Subject == "" || len(c.Subject) > maxSubject || strings.ContainsFunc(c.Subject, func(r rune) bool { return !unicode.IsPrint(r) }):
		return errors.New("it has no subject that can be shown")
	}
	return c.ValidateWithLeeway(jwt.Expected{Time: v.Now()}, skew)
}

// scopeOf returns what the scopes of a token allow. They have the names of the rights of package token; others are of
// no account here.
func scopeOf(c *claims, namespace string) hippo.Scope {
	names := strings.Fields(c.Scope)
	var list []string
	var text string
	if json.Unmarshal(c.Scp, &list) == nil {
		names = append(names, list...)
	} else if json.Unmarshal(c.Scp, &text) == nil {
		names = append(names, strings.Fields(text)...)
	}
	out := hippo.Scope{Namespace: namespace}
	for _, name := range names {
		out.Rights |= token.ScopeOf(token.Right(name), namespace, nil).Rights
	}
	return out
}

// MetadataPath begins the path of the metadata of a resource. Source: RFC 9728, section 3.
const MetadataPath = "/.well-known/oauth-protected-resource"

// MetadataURL returns where the metadata of this server are, for the header WWW-Authenticate.
func (v *Verifier) MetadataURL() string {
	u, err := url.Parse(v.Audiences[0])
	if err != nil { // New has parsed it
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: MetadataPath + strings.TrimSuffix(u.Path, "/")}).String()
}

// Host returns the name by which clients reach this server.
func (v *Verifier) Host() string {
	u, err := url.Parse(v.Audiences[0])
	if err != nil { // New has parsed it
		return ""
	}
	if host, _, err := net.SplitHostPort(u.Host); err == nil {
		return host
	}
	return u.Host
}

// metadata are those of a protected resource. Source: RFC 9728, section 2.
type metadata struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
	Methods  []string `json:"bearer_methods_supported"`
	Name     string   `json:"resource_name"`
}

// Routes returns the routes of the metadata, which are open to everyone.
func (v *Verifier) Routes() []httpd.Route {
	m := metadata{Resource: v.Audiences[0], Servers: []string{v.Issuer}, Methods: []string{"header"}, Name: "Hippo"}
	for _, r := range token.Rights() {
		m.Scopes = append(m.Scopes, string(r))
	}
	body, _ := json.Marshal(m) //nolint:errchkjson // texts always have a JSON form
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "max-age=3600")
		_, _ = w.Write(body) // the client may be gone
	})
	return []httpd.Route{{Pattern: "GET " + MetadataPath, Handler: h}, {Pattern: "GET " + MetadataPath + "/{path...}", Handler: h}}
}
