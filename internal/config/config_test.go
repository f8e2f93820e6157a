package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
)

// load loads the configuration of a user whose home is /home/me.
func load(flags, env map[string]string) (config.Config, error) {
	f := config.Read(func(name string) string {
		if v, ok := env[name]; ok || name != "HOME" && name != "USERPROFILE" {
			return v
		}
		return "/home/me"
	})
	return f.Load(func(name string) (string, bool) { v, ok := flags[name]; return v, ok })
}

func TestLoad_Precedence(t *testing.T) {
	t.Setenv("HOME", "/home/me") // of ~
	systems := map[string]string{"linux": ".local/share", "darwin": "Library/Application Support", "windows": "AppData/Local"}
	for _, tc := range []struct {
		name       string
		flags, env map[string]string
		want       string
	}{
		{"default", nil, nil, "/home/me/" + systems[runtime.GOOS] + "/hippo/memory.db"},
		{"data_home", nil, map[string]string{"XDG_DATA_HOME": "/data"}, "sqlite:/data/hippo/memory.db"},
		{"relative_data_home", nil, map[string]string{"XDG_DATA_HOME": "data"}, systems[runtime.GOOS] + "/hippo/memory.db"},
		{"environment", nil, map[string]string{"HIPPO_STORE": "sqlite:/a/b.db"}, "sqlite:/a/b.db"},
		{"flag_wins", map[string]string{"store": "dir:/flag"}, map[string]string{"HIPPO_STORE": "sqlite:/a/b.db"}, "dir:/flag"},
		{"file_of_another_program", map[string]string{"db": "/c.db"}, map[string]string{"HIPPO_STORE": "sqlite:/a/b.db"}, "shared:/c.db"},
		{"file_of_another_program_by_the_environment", nil, map[string]string{"HIPPO_DB_PATH": "/c.db"}, "shared:/c.db"},
		{"flag_wins_over_the_other_name", map[string]string{"memory-dir": "/flag"}, map[string]string{"HIPPO_STORE": "sqlite:/a/b.db"}, "dir:/flag"},
		{"memory_dir", nil, map[string]string{"HIPPO_MEMORY_DIR": "~/.hippo"}, "dir:/home/me/.hippo"},
	} {
		c, err := load(tc.flags, tc.env)
		if err != nil || !strings.HasSuffix(filepath.ToSlash(c.Store.String()), tc.want) {
			t.Errorf("%s: got %v (%v), want %s", tc.name, c.Store, err, tc.want)
		}
	}
}

func TestLoad_Refuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		flags map[string]string
		want  error
		names string
	}{
		{"both", map[string]string{"store": "sqlite:/a", "memory-dir": "/b"}, hippo.ErrInvalid, "memory-dir: and store"},
		{"two_others", map[string]string{"db": "/a", "memory-dir": "/b"}, hippo.ErrInvalid, "exclude each other"},
		{"scheme", map[string]string{"store": "mysql://host/db"}, hippo.ErrInvalid, "sqlite:PATH"},
		{"no_path", map[string]string{"store": "sqlite:"}, hippo.ErrInvalid, "store"},
		{"empty", map[string]string{"store": ""}, hippo.ErrInvalid, "sqlite:PATH or dir:PATH"},
		{"home_of_another", map[string]string{"store": "dir:~bob/m"}, hippo.ErrInvalid, "~bob/m"},
		{"name_with_tilde", map[string]string{"store": "~m.db"}, hippo.ErrInvalid, "./~m.db"},
		{"ranker", map[string]string{"ranker": "magic"}, hippo.ErrInvalid, "ranker"},
		{"log", map[string]string{"log": "loud"}, hippo.ErrInvalid, "log"},
	} {
		if _, err := load(tc.flags, nil); !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.names) {
			t.Errorf("%s: got %v, want %v that names %s", tc.name, err, tc.want, tc.names)
		}
	}
}

func TestParseStore(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	dir := t.TempDir()
	for url, want := range map[string]string{
		"shared:/c.db":     "shared:/c.db",
		"sqlite:~/m.db":    "sqlite:/home/me/m.db",
		"dir:~":            "dir:/home/me",
		"sqlite:/a~b/~.db": "sqlite:/a~b/~.db",
		dir:                "dir:" + dir,
		dir + "/x.db":      "sqlite:" + dir + "/x.db",
		"memory:":          "memory:",
	} {
		if got, err := config.ParseStore(url); err != nil || got.String() != want {
			t.Errorf("%s: got %v (%v), want %s", url, got, err, want)
		}
	}
}

// Secrets of the URL of an endpoint are in no error and in no formatted value.
func TestParseModel_Secrets(t *testing.T) {
	t.Parallel()
	env := func(name string) string { return map[string]string{"HIPPO_MODEL_KEY": " SECRET\n"}[name] }
	for _, tc := range []struct{ setting, want string }{
		{"http://bob:SECRET@host/v1#m", "must not hold a user or password"},
		{"http://SECRET@host/v1#m", "must not hold a user or password"},
		{"http://bob:SECRET/1@host/v1#m", "must be like http"},
		{"http://bob:SEC RET@host/v1#m", "must be like http"},
		{"ftp://host/v1?key=SECRET#m", "must be like http"},
		{"http://host/v1?key=SECRET", "must be like http"},
		{"http://host/v1?key=a SECRET#m", "must be like http"},
		{"http://host/v1#m?key=SECRET", "must have the query before the #"},
	} {
		_, err := config.ParseModel(tc.setting, env)
		if !errors.Is(err, hippo.ErrInvalid) || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "SEC") {
			t.Errorf("%s: got %v, want that it %s, without secrets", tc.setting, err, tc.want)
		}
	}
	m, err := config.ParseModel("http://host/v1?key=SECRET#m", env)
	if err != nil || m.Remote != "m" || m.Key.Reveal() != "SECRET" {
		t.Fatalf("got %v (%v), want model m with its key", m, err)
	}
	if text := fmt.Sprintf("%v %+v %s", m, config.Config{Model: m}, m); strings.Contains(text, "SECRET") {
		t.Errorf("formatted: %s", text)
	}
	if m.String() != "http://host/v1?[redacted]#m" {
		t.Errorf("String: got %s", m)
	}
}

// Without a home directory there is no default, instead of one in the root or the current
// directory.
func TestLoad_Homeless(t *testing.T) {
	t.Parallel()
	for _, home := range []string{"", "relative"} {
		if c, err := load(nil, map[string]string{"HOME": home, "USERPROFILE": home}); !errors.Is(err, hippo.ErrInvalid) || !strings.Contains(err.Error(), "store") {
			t.Errorf("home %q: got %v (%v), want a refusal that names store", home, c.Store, err)
		}
	}
	nowhere := map[string]string{"HOME": "", "USERPROFILE": ""}
	if _, err := load(map[string]string{"store": "sqlite:/m.db"}, nowhere); err != nil {
		t.Errorf("a given store: %v", err)
	}
	nowhere["XDG_DATA_HOME"] = "/data"
	if c, err := load(nil, nowhere); err != nil || c.Store.Path != filepath.FromSlash("/data/hippo/memory.db") {
		t.Errorf("a given data directory: %v (%v)", c.Store, err)
	}
}

// The file is the lowest layer, and one setting of it is changed without the rest.
func TestFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "hippo", "config.toml")
	env := map[string]string{"HIPPO_CONFIG": path, "HOME": "/home/me"}
	if err := config.Save(path, "model", "none"); err != nil {
		t.Fatal(err)
	}
	text := "# mine\nranker = \"bm25\"\nmodel = \"none\" # for now\nstore = \"sqlite:/file.db\"\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := load(nil, env)
	if err != nil || c.Model.Name != "none" || c.Ranker != "bm25" || c.Store.Path != "/file.db" {
		t.Errorf("got %+v (%v)", c, err)
	}
	env["HIPPO_MODEL"], env["HIPPO_MEMORY_DIR"] = "http://host/v1#m", "/mem"
	c, err = load(nil, env)
	if err != nil || c.Model.URL != "http://host/v1" || c.Model.Remote != "m" || c.Store.Kind != "dir" {
		t.Errorf("with the environment: got %+v (%v)", c, err)
	}
	if err := config.Save(path, "model", `a"b`); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if want := "# mine\nranker = \"bm25\"\nmodel = \"a\\\"b\" # for now\nstore = \"sqlite:/file.db\"\n"; err != nil || string(got) != want {
		t.Errorf("got %q (%v), want %q", got, err, want)
	}
	if err := config.Save(path, "model", ""); err != nil {
		t.Fatal(err)
	}
	if c, err = load(nil, map[string]string{"HIPPO_CONFIG": path}); err != nil || c.Model.Name != config.Builtin {
		t.Errorf("after taking it out: got %+v (%v)", c, err)
	}
	for name, text := range map[string]string{
		"syntax": "model", "escape": "store = \"C:\\Users\\me\\m.db\"", "number": "model = 3", "endpoint": "model = \"ftp://x#y\"", "no_name": "model = \"http://x/v1\"",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := load(nil, map[string]string{"HIPPO_CONFIG": path}); !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("%s: got %v, want ErrInvalid", name, err)
		}
	}
}

func TestParseSurprise_Loss(t *testing.T) {
	t.Parallel()
	none := func(string) string { return "" }
	for _, tc := range []struct{ setting, folder, model, problem string }{
		{"", "", "", ""},
		{"none", "", "", ""},
		{"adaptive", "", "", ""},
		{"local:/models/gpt2", "/models/gpt2", "", ""},
		{`local:C:\models\gpt2`, `C:\models\gpt2`, "", ""},
		{"http://127.0.0.1:8000/v1#m", "", "m", ""},
		{"local:", "", "", "must name the folder of a model after local:"},
		{"local", "", "", "must be none, adaptive, local:FOLDER or URL#NAME"},
		{"gpt2", "", "", "must be none, adaptive, local:FOLDER or URL#NAME"},
		{"ftp://host#m", "", "", "must be like http"},
	} {
		s, err := config.ParseSurprise("", "", tc.setting, none)
		if tc.problem == "" {
			if err != nil || s.Folder != tc.folder || s.Endpoint.Remote != tc.model {
				t.Errorf("%s: got %+v, %v", tc.setting, s, err)
			}
		} else if !errors.Is(err, hippo.ErrInvalid) || !strings.Contains(err.Error(), "prediction-loss: "+tc.problem) {
			t.Errorf("%s: got %v, want that it %s", tc.setting, err, tc.problem)
		}
	}
}

// What clients and editors of other systems put into paths and files is understood, or refused by name.
func TestExpand_Variables(t *testing.T) {
	t.Setenv("HOME", filepath.FromSlash("/home/ana"))
	t.Setenv("USERPROFILE", filepath.FromSlash("/home/ana"))
	t.Setenv("HIPPO_TEST_DATA", filepath.FromSlash("/data"))
	for path, want := range map[string]string{
		"$HOME/m.db": "/home/ana/m.db", "${HOME}/m.db": "/home/ana/m.db", "${env:HIPPO_TEST_DATA}/m.db": "/data/m.db", "%HIPPO_TEST_DATA%/m.db": "/data/m.db",
		"~/m.db": "/home/ana/m.db", "/tmp/100%/m.db": "/tmp/100%/m.db", "/tmp/a$/m.db": "/tmp/a$/m.db", "/tmp/50%_$1/m.db": "/tmp/50%_$1/m.db",
	} {
		if got, err := config.Expand("store", filepath.FromSlash(path)); err != nil || runtime.GOOS != "windows" && got != want {
			t.Errorf("%s: got %s (%v), want %s", path, got, err, want)
		}
	}
	for _, name := range []string{"${workspaceFolder}", "$HIPPO_TEST_NONE", "%HIPPO_TEST_NONE%", "${env:HIPPO_TEST_NONE}", "${}"} {
		for _, url := range []string{name + "/m.db", "sqlite:" + name + "/m.db", "dir:/x/" + name, "shared:" + name} {
			if _, err := config.ParseStore(url); !errors.Is(err, hippo.ErrInvalid) || !strings.Contains(err.Error(), name) || strings.Contains(url, ":"+name) && !strings.Contains(err.Error(), "is not set here") {
				t.Errorf("%s: %v", url, err)
			}
		}
	}
}

func TestLoad_FilesOfOthers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.toml")
	load := func(text string) (config.Config, error) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f := config.Read(func(name string) string { return map[string]string{"HIPPO_CONFIG": path, "HOME": t.TempDir()}[name] })
		return f.Load(func(string) (string, bool) { return "", false })
	}
	if c, err := load("\xef\xbb\xbfranker = \"bm25\"\r\n"); err != nil || c.Ranker != hippo.RankerBM25 {
		t.Errorf("a byte order mark: %v, %v", c.Ranker, err)
	}
	if c, err := load("ranker = \"bm25\"\ncolor = 3\n"); err != nil || c.Ranker != hippo.RankerBM25 || len(c.Notices) != 1 || !strings.HasPrefix(c.Notices[0], "color has no effect") {
		t.Errorf("a key of another version: %+v, %v", c, err)
	}
	if _, err := load("ranker = \"bm25\"\nstore = \"C:\\Users\\me\\m.db\"\n"); err == nil || !strings.Contains(err.Error(), "line 2") || !strings.Contains(err.Error(), `'C:\Users\me\memory.db'`) {
		t.Errorf("backslashes: %v", err)
	}
}

// An error about a setting names the place of its value: the variable, or the file.
func TestLoad_NamesThePlaceOfAnError(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte("ranker = \"best\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flags, env map[string]string
		want       string
	}{
		{nil, map[string]string{"HIPPO_CONFIG": path}, `ranker: must be one of hippo, insight, hybrid, surprise, cosine, bm25, got "best", in ` + path},
		{nil, map[string]string{"HIPPO_CONFIG": path, "HIPPO_RANKER": "good"}, `HIPPO_RANKER: must be one of hippo, insight, hybrid, surprise, cosine, bm25, got "good"`},
		{map[string]string{"ranker": "fair"}, map[string]string{"HIPPO_CONFIG": path, "HIPPO_RANKER": "good"}, `ranker: must be one of hippo, insight, hybrid, surprise, cosine, bm25, got "fair"`},
		{nil, map[string]string{"HIPPO_SHARE": "maybe"}, `HIPPO_SHARE: must be on or off, got "maybe"`},
		{nil, map[string]string{"HIPPO_STORE": "ftp:x"}, "HIPPO_STORE: "},
	} {
		if _, err := load(c.flags, c.env); !errors.Is(err, hippo.ErrInvalid) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v %v: got %v, want %s", c.flags, c.env, err, c.want)
		}
	}
}
