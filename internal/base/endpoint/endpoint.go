// Package endpoint sends requests to servers of OpenAI's API: OpenAI, Ollama, vLLM, llama.cpp, LM Studio,
// text-embeddings-inference and others, which differ in how they say what is wrong.
//
// It follows no redirect, so texts and key reach the configured host only. It does not retry: the caller knows whether
// somebody waits.
//
// Invariant: the key is in the Authorization header of requests, and secrets of the URL are in their address; no error,
// log line or formatted value shows either.
package endpoint

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/secret"
)

// Config says which server to use.
type Config struct {
	// Name begins errors.
	Name string
	// URL is the base address of the server, with or without its version, or the whole address with Path.
	URL string
	// Path is that of the requests after the version, such as "/embeddings".
	Path string
	// Key is sent as bearer token unless it is empty.
	Key secret.Value
	// URLField and KeyField name the two in the errors of [New].
	URLField, KeyField string
	// Client sends the requests; nil means one like [http.DefaultClient]. Its CheckRedirect is not used.
	Client *http.Client
}

// Client is a server. It is safe for concurrent use.
type Client struct {
	endpoint secret.Value   // the address, whose query may hold a key
	key      secret.Value   // sent as bearer token
	secrets  []secret.Value // what errors must not repeat
	name     string
	host     string
	http     *http.Client
}

// New returns a Client, without a request. A Config that breaks a rule is a [hippo.ErrInvalid].
func New(c Config) (*Client, error) {
	u, err := c.endpoint()
	if err != nil {
		return nil, err
	}
	if strings.ContainsFunc(c.Key.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, hippo.Fieldf(c.KeyField, "must be of visible ASCII characters")
	}
	return &Client{
		endpoint: secret.New(u.String()), key: c.Key, secrets: append(secret.InURL(u), c.Key), name: c.Name,
		host: strings.ToLower(u.Host), http: withoutRedirects(c.Client),
	}, nil
}

// Host names the server.
func (c *Client) Host() string { return c.host }

// hasVersion reports whether a segment of a path names the version of an API, such as v1 or
// v1beta.
func hasVersion(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		rest, ok := strings.CutPrefix(segment, "v")
		if ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' && strings.Trim(rest, "0123456789abcdefghijklmnopqrstuvwxyz") == "" {
			return true
		}
	}
	return false
}

// endpoint returns the address of requests.
func (c *Config) endpoint() (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(c.URL))
	switch {
	case err != nil: // the error would quote the URL, and a password in it
		return nil, hippo.Fieldf(c.URLField, "must be a URL")
	case u.User != nil:
		return nil, hippo.Fieldf(c.URLField, "must not hold a user or password: give the key separately")
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return nil, hippo.Fieldf(c.URLField, "must be like http://127.0.0.1:11434/v1, got %q", secret.RedactURL(c.URL))
	}
	u.Fragment, u.RawFragment = "", ""
	path := strings.TrimRight(u.Path, "/")
	switch {
	case strings.HasSuffix(path, c.Path):
	case hasVersion(path):
		path += c.Path
	default:
		path += "/v1" + c.Path
	}
	u.Path, u.RawPath = path, ""
	return u, nil
}

// withoutRedirects returns a copy of c that follows no redirect: net/http would send the
// key to a subdomain, and the texts anywhere.
func withoutRedirects(c *http.Client) *http.Client {
	var copied http.Client
	if c != nil {
		copied = *c
	}
	copied.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &copied
}
