package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
)

func TestExclusions_Of(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("WORK", filepath.Join(home, "work"))
	link := filepath.Join(home, "link")
	if err := errors.Join(os.MkdirAll(filepath.Join(home, "real", "in"), 0o700), os.Symlink(filepath.Join(home, "real"), link)); err != nil {
		t.Skipf("this system lets the test create no link: %v", err)
	}
	const vault = "github.com/Acme/Vault#1a2b3c4d"
	for _, tc := range []struct {
		name, exclude, dir, project string
		off                         string // c, i, ci or empty
	}{
		{"nothing", "", "~/private", vault, ""},
		{"folder", "~/private", "~/private", "", "ci"},
		{"below", " ~/private/ , x", "~/private/a/b", "", "ci"},
		{"beside", "~/private", "~/private2", "", ""},
		{"above", "~/private/a", "~/private", "", ""},
		{"variable", "capture:$WORK", "~/work/x", "", "c"},
		{"glob", "injection:~/*/secret", "~/a/secret/b", "", "i"},
		{"glob within a name", "~/*/secret", "~/a/b/secret", "", ""},
		{"through a link", "~/real", "~/link/in", "", "ci"},
		{"of a link", "~/link", "~/real/in", "", "ci"},
		{"both by two", "capture:~/a,injection:~/a", "~/a", "", "ci"},
		{"project in full", vault, "~/x", vault, "ci"},
		{"without the commit", "github.com/acme/vault", "~/x", vault, "ci"},
		{"its end", "capture:acme/vault", "~/x", vault, "c"},
		{"its name", "VAULT", "~/x", vault, "ci"},
		{"glob of projects", "github.com/acme/*", "~/x", vault, "ci"},
		{"glob of an owner", "acme/*", "~/x", vault, "ci"},
		{"another", "ault,acme", "~/x", vault, ""},
		{"no project", "vault", "~/x", "", ""},
		{"unknown project", "vault", "~/x", hippo.Unassigned, "ci"},
		{"unknown project, folder excluded", "~/y", "~/x", hippo.Unassigned, ""},
		{"everything", "capture:*", "~/x", "", "c"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			x, err := config.ParseExclusions(tc.exclude, "on")
			if err != nil {
				t.Fatal(err)
			}
			c, i := x.Of(strings.Replace(tc.dir, "~", home, 1), func() []string { return []string{tc.project} })
			got := ""
			if c != "" {
				got += "c"
			}
			if i != "" {
				got += "i"
			}
			if got != tc.off {
				t.Errorf("%q in %s of %q: off is %q, want %q", tc.exclude, tc.dir, tc.project, got, tc.off)
			}
		})
	}
}

// A project is asked for only if one is excluded: it costs time at each hook.
func TestExclusions_Of_AsksForNoProject(t *testing.T) {
	t.Parallel()
	x, err := config.ParseExclusions("/private", "off")
	if err != nil {
		t.Fatal(err)
	}
	c, i := x.Of("/work", func() []string { t.Error("it asked for the project"); return nil })
	if c != "capture = off" || i != "" {
		t.Errorf("got %q and %q, want the switch of capture alone", c, i)
	}
}

func TestParseExclusions_Refuses(t *testing.T) {
	t.Parallel()
	for _, exclude := range []string{"~bob/x", "$UNSET_FOLDER/x", "**/secret", "./x", "capture:", "[", "injection: "} {
		if _, err := config.ParseExclusions(exclude, "on"); !errors.Is(err, hippo.ErrInvalid) || !strings.HasPrefix(err.Error(), "exclude: ") {
			t.Errorf("%q: got %v, want an error that names exclude", exclude, err)
		}
	}
	if _, err := config.ParseExclusions("", "no"); !errors.Is(err, hippo.ErrInvalid) || !strings.Contains(err.Error(), "capture") {
		t.Errorf("got %v, want an error that names capture", err)
	}
}

// The file may say true, false and a list where that is plain, and an old key of another kind stops nobody.
func TestLoad_ValuesOfTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	for text, want := range map[string]string{
		"capture = false":                           "capture = off",
		"exclude = ['capture:vault', 'a']":          "capture:vault",
		"capture = true\nfuture = ['a,b', 3]":       "",
		"exclude = ['a,b']":                         "error",
		"exclude = [3]":                             "error",
		"exclude = true":                            "error",
		"store = ['x']":                             "error",
		"store = true":                              "error",
		"exclude = \"capture:vault\"\nshare = true": "capture:vault",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := load(nil, map[string]string{"HIPPO_CONFIG": path})
		got, _ := c.Exclude.Of("/x", func() []string { return []string{"vault"} })
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: got %q (%v), want %q", text, got, err, want)
		}
	}
}
