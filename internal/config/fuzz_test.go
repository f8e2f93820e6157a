package config_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pelletier/go-toml/v2"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
)

// FuzzFile: a file of settings is taken, or refused with its path or the name of a setting; a setting that is saved in it is
// what is read then, the others stay, and a file that cannot be changed has every byte that it had.
func FuzzFile(f *testing.F) {
	for _, text := range []string{
		"", "# mine\nranker = \"bm25\"\nmodel = \"none\" # for now\n", "\xef\xbb\xbfstore = \"sqlite:/m.db\"\r\n", `store = "C:\Users\me\memory.db"`, `store = 'C:\Users\me\memory.db'`,
		"colour = \"red\"", "capture = false\nexclude = [\"a/**\", \"b\"]\n", "exclude = [\"a,b\"]", "model = 3", "model", "[model]\nx = 1", "model = \"\"\"\na\n\"\"\"", "store = \"${HOME}/m.db\"",
		"store = \"%APPDATA%/m.db\"", "\"mod\\u0065l\" = \"none\"", "a.model = \"x\"\n[[b]]\nmodel = \"y\"\n", "model = \"none\"\nmodel = \"builtin\"\n", "\xff\xfem\x00",
	} {
		f.Add(text, "https://host/v1#m")
		f.Add(text, "a\"b\\\n\u2028")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		path := filepath.Join(t.TempDir(), "config.toml")
		write(t, path, text)
		if _, err := load(nil, map[string]string{"HIPPO_CONFIG": path, "HOME": "/home/me"}); err != nil {
			bad, named := errors.AsType[*hippo.FieldError](err)
			if !errors.Is(err, hippo.ErrInvalid) || !strings.Contains(err.Error(), "config.toml") && (!named || bad.Field == "") {
				t.Errorf("%q: %v names neither the file nor a setting", text, err)
			}
		}
		if value == "" {
			return
		}
		before := values(t, path)
		err := config.Save(path, "model", value)
		got, readErr := os.ReadFile(path)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if err != nil {
			if !errors.Is(err, hippo.ErrInvalid) || !bytes.Equal(got, []byte(text)) {
				t.Errorf("%q, refused with %v: got %q", text, err, got)
			}
			return
		}
		before["model"] = value
		if diff := cmp.Diff(before, values(t, path), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%q with model %q is %q (-want +got):\n%s", text, value, got, diff)
		}
	})
}

// values are those of a file of TOML; none if it is no TOML.
func values(t *testing.T, path string) map[string]any {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]any)
	if toml.Unmarshal(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), &out) != nil {
		return map[string]any{}
	}
	return out
}
