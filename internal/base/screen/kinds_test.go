package screen_test

import (
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/base/screen"
)

// digits returns n characters of an alphabet in an order that is no pattern.
func digits(alphabet string, n int) string {
	var b strings.Builder
	for x := uint64(88172645463325252); b.Len() < n; {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b.WriteByte(alphabet[x%uint64(len(alphabet))])
	}
	return b.String()
}

// Each kind is found wherever it stands in a text. None of these keys was ever one: they are made here.
func TestSecrets_Kinds(t *testing.T) {
	t.Parallel()
	const hex, small = "0123456789abcdef", "abcdefghijklmnopqrstuvwxyz0123456789"
	const mixed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	for kind, secret := range map[string]string{
		"hippo": "hippo_" + digits(hex, 64), "elevenlabs": "sk_" + digits(hex, 48), "neon": "napi_" + digits(small, 64), "voyage": "pa-" + digits(mixed, 43),
		"cursor": "key_" + digits(hex, 64), "dropbox": "sl.u." + digits(mixed, 130), "vercel": "vcp_" + digits(mixed, 56), "bedrock": "ABSK" + digits(mixed, 60),
		"discord": "MTE5" + digits(mixed, 22) + "." + digits(mixed, 6) + "." + digits(mixed, 38), "zapier": "https://hooks.zapier.com/hooks/catch/1234567/" + digits(small, 7),
		"login": "login ana / Tr0ub4dor&3", "card": "card 4539 1488 0343 6467", "visa": "Visa: 4539148803436467", "aws": "AKIA" + digits("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16),
	} {
		for _, text := range []string{secret, "For staging use " + secret + " from now on.", "- x: `" + secret + "`\n- y"} {
			if len(screen.Secrets(text)) == 0 {
				t.Errorf("%s: nothing found in %q", kind, text)
			}
		}
		if kind == "aws" {
			if f := screen.Secrets(secret); len(f) > 0 && strings.Contains(f[0].Rule, "temporary") {
				t.Errorf("a lasting key is called %s", f[0].Rule)
			}
		}
	}
}

// What resembles one of them is kept.
func TestSecrets_Similar(t *testing.T) {
	t.Parallel()
	const hex = "0123456789abcdef"
	for _, text := range []string{
		"commit " + digits(hex, 40), "sha256:" + digits(hex, 64), "hippo_record_insight stores a memory", "hippo_" + digits(hex, 8), "the column sk_" + digits(hex, 12),
		"napi_create_reference and napi_get_value_string_utf8", "key_" + digits(hex, 16), "login page / signup page", "login or register / forgot", "the login form / src/login2.tsx",
		"login 3 / 2026-11", "the card shows 1234 5678 9012 3456", "card 1 of 4539", "business card 2026-11-27", "sl.example.com/path", "pa-" + strings.Repeat("word-", 8) + "end",
		"f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "order 4539148803436467 of the shop", "https://hooks.zapier.com/hooks/catch/", "go.sum h1:" + digits(hex, 43) + "=",
	} {
		if f := screen.Secrets(text); len(f) > 0 {
			t.Errorf("%q: found %+v", text, f)
		}
	}
}
