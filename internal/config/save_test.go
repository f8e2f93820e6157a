package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// One setting changes; comments, other keys and what only looks like it stay.
func TestSave_KeepsTheRest(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, value, want string }{
		"new_file":        {"", "none", "model = \"none\"\n"},
		"comments_only":   {"# a\n# b\n", "none", "# a\n# b\nmodel = \"none\"\n"},
		"no_last_break":   {"log = \"info\"", "none", "log = \"info\"\nmodel = \"none\"\n"},
		"in_place":        {"model = 'a' # why\nlog = \"info\"\n", "none", "model = \"none\" # why\nlog = \"info\"\n"},
		"quoted_key":      {"\"model\" = 'a'\n", "none", "\"model\" = \"none\"\n"},
		"removed":         {"# one\n  model = 'a'\nlog = \"info\"\n", "", "# one\nlog = \"info\"\n"},
		"removed_comment": {"model = 'a' # why\nlog = \"info\"\n", "", "# why\nlog = \"info\"\n"},
		"removed_none":    {"log = \"info\"\n", "", "log = \"info\"\n"},
		"multi_line":      {"project = \"\"\"\nmodel = 3\n\"\"\"\n", "none", "project = \"\"\"\nmodel = 3\n\"\"\"\nmodel = \"none\"\n"},
		"multi_line_off":  {"project = \"\"\"\nmodel = 3\n\"\"\"\nmodel = \"\"\"\na\"\"\"\n", "", "project = \"\"\"\nmodel = 3\n\"\"\"\n"},
		"before_a_table":  {"log = 'info' # a\n\n[other]\nmodel = 3\n", "none", "log = 'info' # a\nmodel = \"none\"\n\n[other]\nmodel = 3\n"},
		"only_a_table":    {"# mine\n[other]\nmodel = 3\n", "none", "model = \"none\"\n# mine\n[other]\nmodel = 3\n"},
		"unknown_keys":    {"color = 3\nlist = [1,\n  2] # x\n", "none", "color = 3\nlist = [1,\n  2] # x\nmodel = \"none\"\n"},
		"crlf":            {"# a\r\nlog = 'info'\r\n", "none", "# a\r\nlog = 'info'\r\nmodel = \"none\"\r\n"},
		"hard_to_quote":   {"", "a\"b\\\né\x01", "model = \"a\\\"b\\\\\\né\\u0001\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "config.toml")
			write(t, path, tc.text)
			if err := config.Save(path, "model", tc.value); err != nil {
				t.Fatal(err)
			}
			if got := read(t, path); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// What cannot be changed safely is refused and stays as it is.
func TestSave_Refuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"syntax": "model", "twice": "model = 'a'\nmodel = 'b'\n", "number": "model = 3\n", "dotted": "model.name = 'a'\n", "not_utf8": "# \xff\n",
		"table": "[model]\nname = 'a'\n",
	} {
		path := filepath.Join(t.TempDir(), "config.toml")
		write(t, path, text)
		if err := config.Save(path, "model", "none"); !errors.Is(err, hippo.ErrInvalid) || !strings.Contains(err.Error(), "config.toml") {
			t.Errorf("%s: got %v", name, err)
		}
		if got := read(t, path); got != text {
			t.Errorf("%s: the file is %q now", name, got)
		}
	}
	if err := config.Save(t.TempDir(), "model", "none"); !errors.Is(err, hippo.ErrUnavailable) {
		t.Errorf("a directory: got %v", err)
	}
}

// A link stays a link, and the file behind it is changed; its permissions stay. Nothing
// else is left in either directory.
func TestSave_Link(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows lets only privileged users create symbolic links")
	}
	dir := t.TempDir()
	dotfiles, home := filepath.Join(dir, "dotfiles"), filepath.Join(dir, "home")
	file, link := filepath.Join(dotfiles, "hippo.toml"), filepath.Join(home, "config.toml")
	if err := errors.Join(os.Mkdir(dotfiles, 0o700), os.Mkdir(home, 0o700), os.Symlink("../dotfiles/hippo.toml", link)); err != nil {
		t.Fatal(err)
	}
	if err := config.Save(link, "model", "a"); err != nil || read(t, file) != "model = \"a\"\n" {
		t.Fatalf("a link that leads nowhere: %v", err)
	}
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := config.Save(link, "model", "none"); err != nil || read(t, file) != "model = \"none\"\n" {
		t.Errorf("the file behind the link is not changed (%v)", err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v now (%v)", info, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("got %v (%v)", info, err)
	}
	for _, d := range []string{dotfiles, home} {
		if list, err := os.ReadDir(d); err != nil || len(list) != 1 {
			t.Errorf("%s: got %v (%v), want one file", d, list, err)
		}
	}
	loop := filepath.Join(home, "loop.toml")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	if err := config.Save(loop, "model", "none"); !errors.Is(err, hippo.ErrUnavailable) {
		t.Errorf("a loop: got %v", err)
	}
}

// In any file that can be changed, only the setting means something else afterwards, and
// no comment is lost.
func TestSave_Any(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.toml")
	rapid.Check(t, func(rt *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{
			"# a comment", "", "log = 'info'", "  store = \"x\" # y", "model = \"a\"", "model = '''\nmodel = 1\n''' # z", "n = [1, # two\n 2]",
			"p = \"\"\"\nmodel = 3\"\"\"", "[t]", "model.x = 1", "[[a]]", "i = {model = 1}", "\"model\" = 'q'", "d = 2026-01-01",
		}), 0, 8).Draw(rt, "lines")
		text := strings.Join(lines, rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(rt, "break"))
		value := rapid.OneOf(rapid.Just(""), rapid.String()).Draw(rt, "value")
		write(t, path, text)
		want := map[string]any{}
		broken := toml.Unmarshal([]byte(text), &want)
		if err := config.Save(path, "model", value); err != nil {
			if _, isText := want["model"].(string); broken == nil && (isText || want["model"] == nil) && !strings.Contains(value, "\x7f") {
				rt.Fatalf("%q is refused: %v", text, err)
			}
			if read(t, path) != text {
				rt.Fatal("a refused file was changed")
			}
			return
		}
		delete(want, "model")
		if value != "" {
			want["model"] = value
		}
		got, after := map[string]any{}, read(t, path)
		if err := toml.Unmarshal([]byte(after), &got); err != nil || !reflect.DeepEqual(got, want) {
			rt.Fatalf("%q became %q (%v)", text, after, err)
		}
		if strings.Count(after, "#") < strings.Count(text, "#") {
			rt.Fatalf("%q lost a comment: %q", text, after)
		}
	})
}
