package token_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/serve/token"
)

// A file that others may write, one without tokens and one with a right that is none are refused, and no token of them counts.
func TestFile_Refused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tokens.json")
	f := token.NewFile(path, time.Now)
	text, err := f.Create(t.Context(), token.Token{Name: "ana", Right: token.Read})
	if err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		content string
		mode    os.FileMode
		want    error
		says    string
	}{
		"group may write":  {string(good), 0o620, hippo.ErrForbidden, "chmod 600"},
		"others may write": {string(good), 0o602, hippo.ErrForbidden, "chmod 600"},
		"null":             {"null", 0o600, hippo.ErrCorrupt, "null"},
		"no right":         {strings.Replace(string(good), `"right": "read",`, "", 1), 0o600, hippo.ErrCorrupt, `"ana"`},
		"unknown right":    {strings.Replace(string(good), `"read"`, `"god"`, 1), 0o600, hippo.ErrCorrupt, `"god"`},
	} {
		if errors.Is(c.want, hippo.ErrForbidden) && runtime.GOOS == "windows" {
			continue
		}
		if err := errors.Join(os.WriteFile(path, []byte(c.content), 0o600), os.Chmod(path, c.mode)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := f.List(); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: list: %v", name, err)
			}
		}
		if _, ok := f.Find(text); ok {
			t.Errorf("%s: the token is known", name)
		}
		if _, err := f.Create(t.Context(), token.Token{Name: "ben", Right: token.Read}); !errors.Is(err, c.want) {
			t.Errorf("%s: create: %v", name, err)
		}
	}
	if err := errors.Join(os.WriteFile(path, good, 0o600), os.Chmod(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, ok := f.Find(text); !ok {
		t.Error("the token is unknown after the file is right again")
	}
}
