package screen_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/base/screen"
)

// FuzzSecrets: what is found has a place in the text, comes in order and does not overlap; what may be shown of a long one is
// not all of it; and in a text that was redacted, nothing is found that had been.
func FuzzSecrets(f *testing.F) {
	for _, text := range []string{
		"password = hunter2hunter2X9", "DB_PASSWORD: \"k3v9X7q2m4zt\"", "postgres://me:k3v9X7q2m4zt@host/db", "session:0198a6d2-6f3e-4c11-8a54-5d0a3f1b2c04", "Authorization: Bearer k3v9X7q2m4ztk3v9X7q2m4zt",
		"hippo_" + strings.Repeat("0a", 32), "the password for the staging server is k3v9X7q2m4zt, and that for production is m4ztk3v9X7q2", "パスワードは k3v9X7q2m4zt です", "cGFzc3dvcmQgPSBodW50ZXIyaHVudGVyMlg5",
		"pass\\_word = k3v9X7q2m4zt", "pass\u200bword: k3v9X7q2m4zt", "4111 1111 1111 1111", "ghp_" + strings.Repeat("a1B2", 9), "-----BEGIN PRIVATE KEY-----\nMIIE", "password = password = password", "token: \xff\xfe", "key=%6b3v9", "p\u0430ssword = k3v9X7q2m4zt",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found, end := screen.Secrets(text), 0
		secrets := make(map[string]bool)
		for _, x := range found {
			if x.Start < end || x.End <= x.Start || x.End > len(text) || x.Rule == "" || x.Line < 1 || x.Column < 1 {
				t.Fatalf("%q: %+v behind %d", text, x, end)
			}
			end = x.End
			secret := text[x.Start:x.End]
			secrets[secret] = true
			if utf8.ValidString(secret) && len(secret) > 8 && strings.Contains(x.Excerpt, secret) {
				t.Errorf("%q: the excerpt is %q", text, x.Excerpt)
			}
		}
		shown := screen.Redact(text)
		if (shown == text) != (len(found) == 0) {
			t.Errorf("%q with %d secrets is shown as %q", text, len(found), shown)
		}
		for _, x := range screen.Secrets(shown) {
			if secrets[shown[x.Start:x.End]] {
				t.Errorf("%q is shown as %q, with %q", text, shown, shown[x.Start:x.End])
			}
		}
	})
}
