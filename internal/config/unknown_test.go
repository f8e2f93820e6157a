package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/config"
)

// Keys and variables that mean nothing are named, with the one that was probably meant.
func TestLoad_Unknown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file string
		env        map[string]string
		want       []string // in the notices, one each
	}{
		{"nothing", "ranker = \"bm25\"\n", map[string]string{"HIPPO_RANKER": "bm25", "HIPPO_MODELS": "/m", "HIPPO_TOKEN": "x"}, nil},
		{"letters exchanged", "stroe = \"/m\"\n", nil, []string{"stroe has no effect: it is no setting of this version, in CONFIG; did you mean store?"}},
		{"a table", "[modell]\nname = 1\n", nil, []string{"did you mean model?"}},
		{"an underscore", "memory_dir = \"/m\"\n", nil, []string{"did you mean memory-dir?"}},
		{"a variable as key", "HIPPO_DB_PATH = \"/m\"\n", nil, []string{"did you mean db?"}},
		{"nothing near", "color = 3\n", nil, []string{"the settings are store, memory-dir"}},
		{"variables", "", map[string]string{"HIPPO_STROE": "secret", "HIPPO_DB": "/m", "HIPPO_MODEL_KEYFILE": "/k", "HIPPO_COLOR": "1"}, []string{
			"HIPPO_COLOR has no effect: this version does not know it; hippo help flags", "HIPPO_DB has no effect: this version does not know it; did you mean HIPPO_DB_PATH?",
			"did you mean HIPPO_MODEL_KEY_FILE?", "did you mean HIPPO_STORE?",
		}},
		{"used in a path", "store = \"sqlite:$HIPPO_FOLDER_TEST/m.db\"\n", map[string]string{"HIPPO_FOLDER_TEST": "/m"}, nil},
		{"of a service", "", map[string]string{"HIPPO_MEMORY_PORT_8420_TCP_ADDR": "10.0.0.1", "HIPPO_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_HOST": "10.0.0.2"}, nil},
		{"beside a wrong value", "ranker = \"best\"\ncolr = 1\n", map[string]string{"HIPPO_LGO": "x"}, []string{"colr has", "did you mean HIPPO_LOG?"}},
		{"beside no TOML", "ranker = \n", map[string]string{"HIPPO_LGO": "x"}, []string{"did you mean HIPPO_LOG?"}},
	} {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		var present []string
		for name := range c.env {
			if strings.HasPrefix(name, "HIPPO_") {
				present = append(present, name)
			}
		}
		f := config.Read(func(name string) string {
			switch name {
			case "HIPPO_CONFIG":
				return path
			case "HOME":
				return t.TempDir()
			default:
				return c.env[name]
			}
		})
		cfg, err := f.Load(func(string) (string, bool) { return "", false }, present...)
		if len(cfg.Notices) != len(c.want) {
			t.Errorf("%s: got %q (%v), want %q", c.name, cfg.Notices, err, c.want)
			continue
		}
		for i, want := range c.want {
			if got := cfg.Notices[i]; !strings.Contains(got, strings.ReplaceAll(want, "CONFIG", path)) || strings.Contains(got, "secret") {
				t.Errorf("%s: got %q, want %q", c.name, got, want)
			}
		}
	}
}
