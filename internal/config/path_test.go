package config_test

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
)

// Each setting that takes a path expands it, or refuses it with its name: what its meaning says of paths finds a new one.
func TestLoad_Paths(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	forms := map[string]string{"store": "sqlite:", "memory-dir": "", "db": "", "model": "", "prediction-loss": "local:", "exclude": "capture:"}
	noPaths := []string{"project", "share", "background", "namespace", "sync-every"}
	about := regexp.MustCompile(`(?i)\b(files?|folders?|director(y|ies)|PATH|stores?)\b`)
	load := func(s config.Setting, value string) (config.Config, error) {
		f := config.Read(func(name string) string {
			return map[string]string{"HOME": home, "USERPROFILE": home, "HIPPO_CONFIG": filepath.Join(home, "none.toml")}[name]
		})
		return f.Load(func(flag string) (string, bool) { return value, flag == s.Flag })
	}
	for _, s := range config.Settings() {
		prefix, ok := forms[s.Name]
		if !ok {
			if about.MatchString(s.Meaning) && !slices.Contains(noPaths, s.Name) {
				t.Errorf("%s takes a path: add it to this test", s.Name)
			}
			continue
		}
		want := filepath.Join(home, "x")
		for _, given := range []string{"~/x", "$HOME/x", "${HOME}/x", "%HOME%/x"} {
			c, err := load(s, prefix+given)
			got := map[string]string{"model": c.Model.Name, "prediction-loss": c.Surprise.Folder}[s.Name]
			switch s.Name {
			case "store", "memory-dir", "db":
				got = c.Store.Path
			case "exclude":
				if off, _ := c.Exclude.Of(want, nil); off != "" {
					got = want
				}
			}
			if err != nil || got != want {
				t.Errorf("%s = %s%s: got %q (%v)", s.Name, prefix, given, got, err)
			}
		}
		for _, given := range []string{"${HIPPO_TEST_UNSET}/x", "$HIPPO_TEST_UNSET/x", "%HIPPO_TEST_UNSET%/x", "~other/x"} {
			_, err := load(s, prefix+given)
			field := s.Name
			if slices.Contains(config.StoreSettings(), field) {
				field = "store"
			}
			if !errors.Is(err, hippo.ErrInvalid) || !strings.HasPrefix(err.Error(), field+": must be a path") {
				t.Errorf("%s = %s%s: got %v", s.Name, prefix, given, err)
			}
		}
	}
}

// So do the variables of the environment that take one.
func TestVariables_Paths(t *testing.T) {
	t.Parallel()
	for _, variable := range []string{"HIPPO_CONFIG", "HIPPO_PREDICTION_KEY_FILE", "HIPPO_MODEL_KEY_FILE", "HIPPO_MODELS"} {
		env := func(name string) string {
			return map[string]string{"HOME": "/h", "USERPROFILE": "/h", variable: "${HIPPO_TEST_UNSET}/x"}[name]
		}
		c, err := config.Read(env).Load(func(flag string) (string, bool) {
			return "http://127.0.0.1:1/v1#m", flag == "model" || flag == "prediction-loss"
		})
		if variable == "HIPPO_MODEL_KEY_FILE" {
			err = c.Model.Problem // searches go without the model
		}
		if variable == "HIPPO_MODELS" {
			_, err = config.ModelsDir(env)
		}
		if !errors.Is(err, hippo.ErrInvalid) || !strings.HasPrefix(err.Error(), variable+": must be a path") {
			t.Errorf("%s: got %v", variable, err)
		}
	}
}
