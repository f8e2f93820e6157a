package oauth_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/serve/oauth"
	"github.com/hippo-memory/hippo/internal/serve/oauth/oauthtest"
)

const audience = "https://memory.example.org/mcp"

// fixture is a verifier of an issuer, with a clock.
type fixture struct {
	*oauth.Verifier
	issuer *oauthtest.Issuer

	mu  sync.Mutex
	now time.Time
}

func (f *fixture) clock() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *fixture) advance(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
}

func newFixture(t *testing.T, change func(*oauth.Options)) *fixture {
	t.Helper()
	f := &fixture{issuer: oauthtest.New(), now: time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)}
	t.Cleanup(f.issuer.Close)
	o := oauth.Options{Issuer: f.issuer.URL, Audiences: []string{audience, "api://hippo"}, Now: f.clock}
	if change != nil {
		change(&o)
	}
	var err error
	if f.Verifier, err = oauth.New(o); err != nil {
		t.Fatal(err)
	}
	return f
}

// claims returns those of a token that is good for an hour.
func (f *fixture) claims() map[string]any {
	return map[string]any{"iss": f.issuer.URL, "aud": audience, "sub": "ann", "exp": f.clock().Add(time.Hour).Unix(), "iat": f.clock().Unix(), "scope": "openid read"}
}

func TestVerifier_Scopes(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	write := hippo.RightRead | hippo.RightWrite
	for _, c := range []struct {
		with map[string]any
		want hippo.Rights
	}{
		{nil, hippo.RightRead},
		{map[string]any{"scope": "write"}, write},
		{map[string]any{"scope": "read write"}, write},
		{map[string]any{"scope": "admin"}, hippo.AllRights},
		{map[string]any{"scope": "metrics"}, hippo.RightMetrics},
		{map[string]any{"scope": "Admin readwrite admin:x"}, 0},
		{map[string]any{"scope": nil}, 0},
		{map[string]any{"scope": nil, "scp": []string{"write", "openid"}}, write},
		{map[string]any{"scope": nil, "scp": "openid read"}, hippo.RightRead},
		{map[string]any{"scope": nil, "scp": 7}, 0},
		{map[string]any{"aud": []string{"other", "api://hippo"}}, hippo.RightRead},
		{map[string]any{"nbf": f.clock().Add(30 * time.Second).Unix(), "iat": f.clock().Add(30 * time.Second).Unix()}, hippo.RightRead},
		{map[string]any{"exp": f.clock().Add(-30 * time.Second).Unix()}, hippo.RightRead},
	} {
		got, ok := f.Authenticate(f.issuer.Token("first", f.claims(), c.with))
		if d := cmp.Diff(httpd.Caller{Name: "oauth:ann", Scope: hippo.Scope{Rights: c.want}}, got); !ok || d != "" {
			t.Errorf("%v: %v %s", c.with, ok, d)
		}
	}
	for _, a := range []jose.SignatureAlgorithm{jose.RS256, jose.PS256, jose.EdDSA} {
		f.issuer.Publish(string(a), oauthtest.NewKey(a))
		f.advance(time.Minute)
		if _, ok := f.Authenticate(f.issuer.Token(string(a), f.claims(), nil)); !ok {
			t.Errorf("%s is refused", a)
		}
	}
}

// Every claim that is wrong, missing or of another type.
func TestVerifier_Claims(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	past := func(d time.Duration) int64 { return f.clock().Add(-d).Unix() }
	for _, with := range []map[string]any{
		{"iss": "https://evil.example.org"},
		{"iss": nil},
		{"iss": f.issuer.URL + "/"},
		{"iss": []string{f.issuer.URL}},
		{"aud": "https://other.example.org/mcp"},
		{"aud": nil},
		{"aud": []string{}},
		{"aud": audience + "/"},
		{"aud": "https://memory.example.org"},
		{"aud": 7},
		{"exp": nil},
		{"exp": past(2 * time.Minute)},
		{"exp": past(0) - 61},
		{"exp": 0},
		{"exp": "tomorrow"},
		{"exp": -1},
		{"nbf": past(-2 * time.Minute)},
		{"iat": past(-2 * time.Minute)},
		{"sub": nil},
		{"sub": ""},
		{"sub": "a\nb"},
		{"sub": strings.Repeat("x", 257)},
		{"sub": 7},
		{"scope": 7},
		{"scope": []string{"admin"}},
	} {
		if c, ok := f.Authenticate(f.issuer.Token("first", f.claims(), with)); ok {
			t.Errorf("%v is accepted: %+v", with, c)
		}
	}
}

func part(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// Every form of a token that is broken or forged.
func TestVerifier_Forms(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	good := f.issuer.Token("first", f.claims(), nil)
	if _, ok := f.Authenticate(good); !ok {
		t.Fatal("the good one is refused")
	}
	parts := strings.Split(good, ".")
	stranger := oauthtest.NewKey(jose.ES256)
	hmac, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: []byte("a secret of both sides, 32 bytes")}, (&jose.SignerOptions{}).WithHeader("kid", "shared"))
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(f.claims())
	if err != nil {
		t.Fatal(err)
	}
	signed, err := hmac.Sign(body)
	if err != nil {
		t.Fatal(err)
	}
	shared, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	admin := part(map[string]any{"iss": f.issuer.URL, "aud": audience, "sub": "eve", "exp": f.clock().Add(time.Hour).Unix(), "scope": "admin"})
	for name, text := range map[string]string{
		"empty":               "",
		"dots":                "..",
		"no JWT":              "hippo_0123",
		"two parts":           parts[0] + "." + parts[1],
		"four parts":          good + "." + parts[2],
		"five parts":          good + ".a.b",
		"no signature":        parts[0] + "." + parts[1] + ".",
		"another signature":   parts[0] + "." + parts[1] + "." + part("x"),
		"other claims":        parts[0] + "." + admin + "." + parts[2],
		"none":                part(map[string]string{"alg": "none"}) + "." + admin + ".",
		"None":                part(map[string]string{"alg": "None", "kid": "first"}) + "." + admin + "." + parts[2],
		"no algorithm":        part(map[string]string{"kid": "first"}) + "." + admin + "." + parts[2],
		"shared secret":       shared,
		"a stranger's key":    oauthtest.Sign(stranger, "first", "at+jwt", f.claims(), nil),
		"an unknown key":      oauthtest.Sign(stranger, "other", "at+jwt", f.claims(), nil),
		"no key ID, stranger": oauthtest.Sign(stranger, "", "at+jwt", f.claims(), nil),
		"logout":              oauthtest.Sign(stranger, "first", "logout+jwt", f.claims(), nil),
		"embedded key":        part(map[string]any{"alg": "ES256", "jwk": jose.JSONWebKey{Key: stranger.Private.Public()}}) + "." + admin + "." + parts[2],
		"critical header":     part(map[string]any{"alg": "ES256", "kid": "first", "crit": []string{"x"}, "x": 1}) + "." + parts[1] + "." + parts[2],
		"no JSON":             base64.RawURLEncoding.EncodeToString([]byte("{")) + "." + parts[1] + "." + parts[2],
		"padding":             parts[0] + "=." + parts[1] + "." + parts[2],
		"JSON form":           `{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`,
	} {
		f.advance(11 * time.Second) // the keys may be fetched again
		if c, ok := f.Authenticate(text); ok {
			t.Errorf("%s is accepted: %+v", name, c)
		}
	}
	for _, kind := range []string{"", "JWT", "application/at+jwt"} {
		f.issuer.Publish("second", stranger)
		f.advance(time.Minute)
		if _, ok := f.Authenticate(oauthtest.Sign(stranger, "second", kind, f.claims(), nil)); !ok {
			t.Errorf("type %q is refused", kind)
		}
	}
	if _, ok := f.Authenticate(oauthtest.Sign(stranger, "second", "logout+jwt", f.claims(), nil)); ok {
		t.Error("a notice of a logout is accepted")
	}
}

// The issuer changes its keys, fails, and comes back.
func TestVerifier_Keys(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	check := func(id, when string, want bool) {
		t.Helper()
		if _, ok := f.Authenticate(f.issuer.Token(id, f.claims(), nil)); ok != want {
			t.Errorf("%s: the key %s is good: %v", when, id, ok)
		}
	}
	check("first", "at first", true)
	check("first", "again", true)
	if n := f.issuer.Fetched.Load(); n != 1 {
		t.Errorf("fetched %d times", n)
	}
	f.issuer.Publish("next", oauthtest.NewKey(jose.ES256))
	f.advance(11 * time.Second)
	check("next", "a new key", true)
	stranger := oauthtest.NewKey(jose.ES256)
	for range 50 {
		_, _ = f.Authenticate(oauthtest.Sign(stranger, "unknown", "at+jwt", f.claims(), nil))
	}
	if n := f.issuer.Fetched.Load(); n > 3 {
		t.Errorf("unknown keys made it fetch %d times", n)
	}
	old := f.issuer.Token("first", f.claims(), nil)
	f.issuer.Withdraw("first")
	f.advance(6 * time.Minute)
	if _, ok := f.Authenticate(old); ok {
		t.Error("a key that was withdrawn is good")
	}
	f.issuer.Break(true)
	f.advance(6 * time.Minute)
	check("next", "the issuer fails", true)
	f.advance(2 * time.Hour)
	check("next", "the issuer fails for long", false)
	f.issuer.Break(false)
	check("next", "a moment later", false)
	f.advance(11 * time.Second)
	check("next", "it is back", true)
}

func TestVerifier_Concurrent(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	text := f.issuer.Token("first", f.claims(), nil)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, ok := f.Authenticate(text); !ok {
				t.Error("refused")
			}
		})
	}
	all.Wait()
	if n := f.issuer.Fetched.Load(); n != 1 {
		t.Errorf("fetched %d times", n)
	}
}

func TestVerifier_Namespace(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(o *oauth.Options) { o.NamespaceClaim = "tenant" })
	c, ok := f.Authenticate(f.issuer.Token("first", f.claims(), map[string]any{"tenant": "team", "scope": "admin"}))
	if !ok || c.Scope.Namespace != "team" || c.Scope.Rights != hippo.AllRights&^hippo.RightMetrics {
		t.Errorf("got %+v, %v", c, ok)
	}
	for _, with := range []map[string]any{nil, {"tenant": 7}, {"tenant": []string{"team"}}, {"tenant": nil}} {
		if c, ok := f.Authenticate(f.issuer.Token("first", f.claims(), with)); ok {
			t.Errorf("%v is accepted: %+v", with, c)
		}
	}
}

// Metadata that are not of the issuer, or lead elsewhere, are not believed.
func TestVerifier_ForgedMetadata(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	for name, document := range map[string]string{
		"another issuer": `{"issuer":"https://evil.example.org","jwks_uri":"` + f.issuer.URL + `/keys"}`,
		"no keys":        `{"issuer":"@"}`,
		"not secure":     `{"issuer":"@","jwks_uri":"http://evil.example.org/keys"}`,
		"a file":         `{"issuer":"@","jwks_uri":"file:///etc/passwd"}`,
		"no JSON":        `<html>`,
		"too long":       `{"issuer":"@","x":"` + strings.Repeat("x", 1<<20) + `"}`,
	} {
		var url string
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(strings.ReplaceAll(document, "@", url)))
		}))
		url = s.URL
		v, err := oauth.New(oauth.Options{Issuer: url, Audiences: []string{audience}, Now: f.clock})
		if err != nil {
			t.Fatal(err)
		}
		claims := maps.Clone(f.claims())
		claims["iss"] = url
		if _, ok := v.Authenticate(f.issuer.Token("first", claims, nil)); ok {
			t.Errorf("%s is believed", name)
		}
		s.Close()
	}
	redirect := httptest.NewServer(http.RedirectHandler(f.issuer.URL+"/.well-known/oauth-authorization-server", http.StatusFound))
	defer redirect.Close()
	v, err := oauth.New(oauth.Options{Issuer: redirect.URL, Audiences: []string{audience}, Now: f.clock})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := v.Authenticate(f.issuer.Token("first", f.claims(), map[string]any{"iss": redirect.URL})); ok {
		t.Error("a redirect is followed")
	}
}

func TestNew_Refuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		o     oauth.Options
		field string
	}{
		{oauth.Options{Audiences: []string{audience}}, "oauth-issuer"},
		{oauth.Options{Issuer: "http://issuer.example.org", Audiences: []string{audience}}, "oauth-issuer"},
		{oauth.Options{Issuer: "https://issuer.example.org?x=1", Audiences: []string{audience}}, "oauth-issuer"},
		{oauth.Options{Issuer: "https://me:secret@issuer.example.org", Audiences: []string{audience}}, "oauth-issuer"},
		{oauth.Options{Issuer: "https://issuer.example.org"}, "oauth-audience"},
		{oauth.Options{Issuer: "https://issuer.example.org", Audiences: []string{"hippo"}}, "oauth-audience"},
		{oauth.Options{Issuer: "https://issuer.example.org", Audiences: []string{audience, ""}}, "oauth-audience"},
	} {
		_, err := oauth.New(c.o)
		if bad, ok := errors.AsType[*hippo.FieldError](err); !ok || bad.Field != c.field {
			t.Errorf("%+v: got %v", c.o, err)
		}
	}
}

func TestVerifier_Metadata(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	if got := f.MetadataURL(); got != "https://memory.example.org/.well-known/oauth-protected-resource/mcp" || f.Host() != "memory.example.org" {
		t.Errorf("got %s and %s", got, f.Host())
	}
	s := httpd.New(f.Routes(), httpd.Options{})
	for _, path := range []string{oauth.MetadataPath, oauth.MetadataPath + "/mcp"} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost"+path, http.NoBody))
		var got map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatalf("%s: %d %v", path, w.Code, err)
		}
		want := map[string]any{
			"resource": audience, "authorization_servers": []any{f.issuer.URL}, "scopes_supported": []any{"read", "write", "admin", "metrics", "sync"},
			"bearer_methods_supported": []any{"header"}, "resource_name": "Hippo",
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
}
