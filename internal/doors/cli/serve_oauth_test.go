package cli_test

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/serve/oauth/oauthtest"
)

// A server knows the callers of an issuer by its flags alone: it fetches the metadata and the keys, takes rights and
// namespace from a token, names the issuer to a client, and refuses those of others.
func TestServe_OAuth(t *testing.T) {
	t.Parallel()
	i := oauthtest.New()
	t.Cleanup(i.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0") // the audience has the port
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	audience := "http://" + address + "/mcp"
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	s := serveWeb(t, nil, "--http", address, "--oauth-issuer", i.URL, "--oauth-audience", audience, "--oauth-namespace-claim", "tenant")
	good := map[string]any{"iss": i.URL, "aud": audience, "sub": "ann", "exp": time.Now().Add(time.Hour).Unix(), "scope": "write", "tenant": "one"}
	token := func(with map[string]any) string { return i.Token("first", good, with) }

	a := s.expect(http.StatusUnauthorized, "POST", "/mcp", "", "{}")
	_, metadata, _ := strings.Cut(a.header.Get("WWW-Authenticate"), `resource_metadata="`+s.url)
	text := s.expect(http.StatusOK, "GET", strings.TrimSuffix(metadata, `"`), "", "").body
	if !strings.Contains(text, `"`+i.URL+`"`) || !strings.Contains(text, `"`+audience+`"`) {
		t.Errorf("%s: %s", metadata, text)
	}
	const path = "/api/v1/memories"
	s.expect(http.StatusCreated, "POST", path, token(nil), `{"content":"the gateway needs jitter"}`)
	if text := s.expect(http.StatusOK, "GET", path, token(map[string]any{"scope": "read"}), "").body; !strings.Contains(text, "jitter") {
		t.Errorf("a reader of the same namespace gets %s", text)
	}
	if text := s.expect(http.StatusOK, "GET", path, token(map[string]any{"tenant": "two", "scope": "admin"}), "").body; strings.Contains(text, "jitter") {
		t.Errorf("another namespace gets %s", text)
	}
	a = s.expect(http.StatusForbidden, "POST", path, token(map[string]any{"scope": "read"}), `{"content":"no"}`)
	if c := a.header.Get("WWW-Authenticate"); !strings.Contains(c, `error="insufficient_scope", scope="write"`) {
		t.Errorf("the challenge is %s", c)
	}
	reader := token(map[string]any{"scope": "read"})
	a = s.expect(http.StatusForbidden, "POST", "/mcp", reader, callTool("hippo_record_insight", `{"content":"no"}`))
	if c := a.header.Get("WWW-Authenticate"); !strings.Contains(c, `error="insufficient_scope", scope="write", resource_metadata="`+s.url) {
		t.Errorf("the challenge for a tool is %s", c)
	}
	s.expect(http.StatusOK, "POST", "/mcp", reader, callTool("hippo_search_insights", `{"query":"jitter"}`))
	for name, with := range map[string]map[string]any{
		"another audience": {"aud": "https://elsewhere.example.org"}, "another issuer": {"iss": "https://evil.example.org"},
		"it ended": {"exp": time.Now().Add(-time.Hour).Unix()}, "no namespace": {"tenant": nil}, "no subject": {"sub": nil},
	} {
		a := s.expect(http.StatusUnauthorized, "GET", path, token(with), "")
		if !strings.Contains(a.header.Get("WWW-Authenticate"), `error="invalid_token"`) {
			t.Errorf("%s: %v", name, a.header)
		}
	}
	s.expect(http.StatusUnauthorized, "GET", path, oauthtest.Sign(oauthtest.NewKey("ES256"), "first", "at+jwt", good, nil), "")
	s.says("caller=oauth:ann")
	if n := i.Fetched.Load(); n != 1 {
		t.Errorf("the keys were fetched %d times", n)
	}
	if log := s.log(); strings.Contains(log, "eyJ") || strings.Contains(log, "jitter") {
		t.Errorf("the log has a token or content:\n%s", log)
	}
}
