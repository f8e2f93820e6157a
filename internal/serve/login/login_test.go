package login_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/serve/login"
)

func TestLogins(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "logins.json")
	if _, ok, err := login.Find(path, "https://a"); ok || err != nil {
		t.Errorf("without a file: %v, %v", ok, err)
	}
	for origin, text := range map[string]string{"https://a": "one", "https://b": "two"} {
		if err := login.Save(path, origin, login.Login{Token: secret.New(text), Plain: origin == "https://b"}); err != nil {
			t.Fatal(err)
		}
	}
	l, ok, err := login.Find(path, "https://b")
	if err != nil || !ok || l.Token.Reveal() != "two" || !l.Plain {
		t.Errorf("got %v, %v, %v", l, ok, err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: want a file of its user", info, err)
	}
	if err := login.Remove(path, "https://a"); err != nil {
		t.Error(err)
	}
	if _, ok, err := login.Find(path, "https://a"); ok || err != nil {
		t.Errorf("after its removal: %v, %v", ok, err)
	}
	if err := login.Remove(path, "https://a"); !errors.Is(err, hippo.ErrNotFound) || !strings.Contains(err.Error(), "https://b") {
		t.Errorf("a second removal: %v", err)
	}
}

// A file that is damaged or open to others is refused, and its content is in no error.
func TestFind_Refuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, tc := range map[string]struct {
		text string
		mode os.FileMode
		want error
	}{
		"damaged": {`{"servers": hunter2`, 0o600, hippo.ErrCorrupt},
		"type":    {`{"servers": {"https://a": "hunter2"}}`, 0o600, hippo.ErrCorrupt},
		"group":   {`{"servers": {"https://a": {"token":"hunter2"}}}`, 0o640, hippo.ErrForbidden},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(tc.text), tc.mode); err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS == "windows" && tc.mode != 0o600 {
			continue
		}
		if _, _, err := login.Find(path, "https://a"); !errors.Is(err, tc.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
}

func TestParseToken(t *testing.T) {
	t.Parallel()
	if v, err := login.ParseToken(" hippo_1\r\n"); err != nil || v.Reveal() != "hippo_1" {
		t.Errorf("%q, %v", v.Reveal(), err)
	}
	for _, text := range []string{"", " \n", "a b", "a\x00b", "pässword", strings.Repeat("x", 8<<10+1)} {
		if _, err := login.ParseToken(text); !errors.Is(err, hippo.ErrInvalid) || len(text) > 3 && strings.Contains(err.Error(), text) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}
