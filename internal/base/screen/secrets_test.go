package screen_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/base/screen"
)

// A finding says where the secret is, and does not hold it.
func TestSecrets_Place(t *testing.T) {
	t.Parallel()
	secret := "gh" + "p_" + "x7Kd92LmQ0vTzR4bN8cY" + "w1HsJ5fGpE3uAi6o"
	text := "Erste Zeile äöü\nüber: " + secret + ", dann password = " + "Otter77!" + "\n"
	at := strings.Index(text, secret)
	second := strings.Index(text, "Otter77!")
	want := []screen.Finding{
		{Rule: "prefixed-token", Start: at, End: at + len(secret), Line: 2, Column: 7, Excerpt: "ghp_… (40 characters)"},
		{Rule: "password", Start: second, End: second + 8, Line: 2, Column: 65, Excerpt: "… (8 characters)"},
	}
	got := screen.Secrets(text)
	if len(got) > 0 {
		got[0].Rule = want[0].Rule // two rules know it
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// No text switches the search off, and invisible characters and escapes of Markdown do not hide a secret.
func TestSecrets_Evasion(t *testing.T) {
	t.Parallel()
	secret := "gh" + "p_" + "x7Kd92LmQ0vTzR4bN8cY" + "w1HsJ5fGpE3uAi6o"
	for _, text := range []string{
		secret + " gitleaks:allow", secret + " # gitleaks:allow", secret + " // pragma: allowlist secret", secret + " # nosec",
		secret[:9] + "\u200b" + secret[9:], secret[:9] + "\u00ad\u2060" + secret[9:], "\ufeff" + secret,
		secret[:3] + `\` + secret[3:],
	} {
		found := screen.Secrets(text)
		if len(found) != 1 || found[0].Start < 0 || found[0].End > len(text) || found[0].End-found[0].Start < len(secret) {
			t.Errorf("%q: got %+v", text, found)
		}
	}
}

// Whatever the text: findings lie in it, in order, without overlap.
func TestSecrets_Properties(t *testing.T) {
	t.Parallel()
	words := []string{"password", "token", ": ", " is ", "=", "\"", "ghp_", "aB3xaB3xaB3xaB3xaB3xaB3xaB3xaB3xaB3x", "\n", "é", "\u200b", "://", "a:b7c@d", "Bearer ", "QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "(", "`", "—", "är", "."}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.SampledFrom(words), rapid.String())).Draw(t, "text"), "")
		end := 0
		for _, f := range screen.Secrets(text) {
			if f.Start < end || f.End <= f.Start || f.End > len(text) || f.Line != 1+strings.Count(text[:f.Start], "\n") || f.Column < 1 {
				t.Fatalf("%q: got %+v", text, f)
			}
			end = f.End
		}
		screen.Instructions(text)
	})
}

// hostile returns texts that begin as many secrets as they can, so that none of them ends.
func hostile() []string {
	return []string{
		allKeywords(), "password", "password=", "password=\"", "key=", "sig=", "secret_A1b2", "tokentoken:", "a.b.c.password.", "密码", "密码是", "pw ",
		"eyJaaaaaaaaaaaaaaaaaaaa.eyJ/", "EAAA-", "curl -u ", "-----BEGIN A", "a://b:", "login a/", "mysql ", "&secret=", "ABSK/", "\xff",
	}
}

// No text makes the search slow: before values and expressions were bounded, some of these took minutes.
func TestSecrets_Hostile(t *testing.T) {
	t.Parallel()
	for _, part := range hostile() {
		text := strings.Repeat(part, 16<<10/len(part)+1)
		for _, f := range screen.Secrets(text) {
			if f.Start < 0 || f.Start >= f.End || f.End > len(text) {
				t.Errorf("%.20q: got %+v", part, f)
			}
		}
	}
}

// What is redacted of a private key is all of it.
func TestRedact_PrivateKey(t *testing.T) {
	t.Parallel()
	key := "-----BEGIN RSA PRIVATE " + "KEY-----\n" + strings.Repeat("a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0kLm+\n", 12) + "-----END RSA PRIVATE " + "KEY-----"
	if got := screen.Redact("before " + key + " behind"); got != "before [redacted] behind" {
		t.Errorf("got %q", got)
	}
}
