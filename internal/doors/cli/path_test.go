package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/doors/cli"
)

// aboutPaths matches the meaning of a setting or of a flag whose value may be a path.
var aboutPaths = regexp.MustCompile(`(?i)\b(files?|folders?|director(y|ies)|paths?|stores?|memories are)\b`)

// noPaths are the flags that only seem to take a path, each with the reason.
func noPaths() map[string]string {
	return map[string]string{
		"code --path": "it is relative to the tree, whose names may have any letters", "acme-url": "a URL", "import --map": "columns", "namespace": "a name",
		"tools": "names of systems", "project": "a name", "background": "on or off", "share": "on or off", "as": "a format", "kind": "of an entity", "scope": "for whom", "source": "a kind, client or file name in the store",
		"from": "a store, see TestMigrate_Paths", "to": "a store, see TestMigrate_Paths", "candle-cache-dir": "no effect",
		"snapshots": "a place, see TestParseSnapshots",
	}
}

// Each flag that takes a path is of the type that expands it, so that a new one cannot be forgotten.
func TestFlags_Paths(t *testing.T) {
	t.Parallel()
	var settings []string
	for _, s := range config.Settings() {
		settings = append(settings, s.Flag)
	}
	found := 0
	for _, f := range cli.AllFlags() {
		_, known := noPaths()[f.Name]
		_, knownHere := noPaths()[f.Command+" --"+f.Name]
		tree := f.Name == "path" && strings.HasPrefix(f.Command, "code")
		switch {
		case f.Type == "path":
			found++
		case f.Type != "string" && f.Type != "stringArray" && f.Type != "strings" && f.Type != "stringSlice", f.Hidden:
		case known, knownHere, tree, slices.Contains(settings, f.Name): // the settings are in TestLoad_Paths
		case aboutPaths.MatchString(f.Usage):
			t.Errorf("hippo %s --%s %q takes a path, and is no addPath", f.Command, f.Name, f.Usage)
		}
	}
	if found < 8 {
		t.Errorf("%d flags take a path: the walk finds too few", found)
	}
}

// A flag for a path expands it, and refuses a variable that is not set, with the name of the flag.
func TestFlags_PathsExpand(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for _, f := range cli.AllFlags() {
		if f.Type != "path" {
			continue
		}
		for _, given := range []string{"~/x", "$HOME/x", "${HOME}/x", "%HOME%/x"} {
			if got, err := cli.SetFlag(f.Command, f.Name, given); err != nil || got != filepath.Join(home, "x") {
				t.Errorf("hippo %s --%s %s: got %q (%v)", f.Command, f.Name, given, got, err)
			}
		}
		for _, given := range []string{"${HIPPO_TEST_UNSET}/x", "%HIPPO_TEST_UNSET%/x", "~other/x"} {
			if got, err := cli.SetFlag(f.Command, f.Name, given); err == nil || !strings.Contains(err.Error(), "--"+f.Name) {
				t.Errorf("hippo %s --%s %s: got %q (%v), want an error that names the flag", f.Command, f.Name, given, got, err)
			}
		}
	}
}

// What takes a path by another way refuses one that would become a folder of that very name, and names the field.
func TestCommands_Paths(t *testing.T) {
	dir := t.TempDir()
	for name, value := range environment(dir) {
		t.Setenv(name, value)
	}
	t.Chdir(dir)
	const bad = "${HIPPO_TEST_UNSET}/x"
	for _, c := range []struct{ line, variable, field string }{
		{"migrate --from dir:" + bad + " --to dir:y", "", "from"},
		{"migrate --from memory: --to dir:" + bad, "", "to"},
		{"status --store sqlite:" + bad, "", "store"},
		{"status", "HIPPO_STORE", "HIPPO_STORE"},
		{"status", "HIPPO_CONFIG", "HIPPO_CONFIG"},
		{"model list", "HIPPO_MODELS", "HIPPO_MODELS"},
		{"model use " + bad, "", "model"},
		{"model pull minilm-l6-v2 --from " + bad, "", "--from"},
		{"serve --http 127.0.0.1:0 --tls-cert " + bad, "", "--tls-cert"},
		{"login https://localhost --token-file " + bad, "", "--token-file"},
		{"setup --plugin " + bad, "", "--plugin"},
		{"code index " + bad, "", "path"},
		{"code search x --root " + bad, "", "--root"},
		{"run " + bad, "", "file"},
		{"import " + bad, "", "file"},
		{"sync-file " + bad, "", "file"},
		{"capture " + bad, "", "file"},
		{"export " + bad, "", "file"},
		{"restore " + bad + " --yes", "", "file"},
	} {
		t.Run(c.line+c.variable, func(t *testing.T) {
			if c.variable != "" {
				t.Setenv(c.variable, bad)
			}
			var out, errw bytes.Buffer
			code := cli.MainAt(t.Context(), time.Now, append([]string{"hippo"}, strings.Fields(c.line)...), strings.NewReader(""), &out, &errw)
			if code != 2 || !strings.Contains(errw.String(), c.field) || !strings.Contains(errw.String(), "${HIPPO_TEST_UNSET} is not set here") {
				t.Errorf("exit code %d: %s%s", code, &out, &errw)
			}
		})
	}
	if list, err := filepath.Glob(filepath.Join(dir, "*UNSET*")); err != nil || len(list) > 0 {
		t.Errorf("folders %v (%v)", list, err)
	}
	models := filepath.Join(dir, "home", "models")
	if err := os.MkdirAll(filepath.Join(models, "bge-small-en-v1.5"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HIPPO_MODELS", "~/models")
	var out, errw bytes.Buffer
	if code := cli.MainAt(t.Context(), time.Now, []string{"hippo", "model", "rm", "bge-small-en-v1.5"}, strings.NewReader(""), &out, &errw); code != 0 {
		t.Fatal(errw.String())
	}
	if _, err := os.Stat(filepath.Join(models, "bge-small-en-v1.5")); err == nil {
		t.Error("HIPPO_MODELS=~/models is another folder")
	}
}
