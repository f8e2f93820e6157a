package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const listSource = `package lintersdb

import (
	"example.org/golinters"
	"example.org/golinters/errcheck"
	"example.org/golinters/gosec"
	"example.org/linter"
)

func Build(cfg *Config) []*linter.Config {
	return []*linter.Config{
		linter.NewConfig(golinters.NewTypecheck()).WithSince("v1"),

		linter.NewConfig(errcheck.New(&cfg.Linters.Errcheck)).
			WithSince("v1").
			WithURL("https://example.org"),

		linter.NewConfig(gosec.New(&cfg.Linters.Gosec)).
			WithSince("v1"),
	}
}
`

func TestTrim(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source, enabled string
		want            string // in the result, or of the error
		missing         string
	}{
		"keeps_what_is_enabled": {listSource, "errcheck", "errcheck.New(", "gosec"},
		"keeps_the_compiler":    {listSource, "gosec", "golinters.NewTypecheck()", "errcheck"},
		"unknown_linter":        {listSource, "errchek", `has no linter "errchek"`, ""},
		"no_list":               {"package p\n", "errcheck", "has no list of linters", ""},
		"no_source":             {"package", "errcheck", "expected", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "list.go")
			if err := os.WriteFile(file, []byte(c.source), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := trim(file, map[string]bool{c.enabled: true})
			text := string(got)
			if err != nil {
				text = err.Error()
			}
			if !strings.Contains(text, c.want) || (c.missing != "") != (err == nil) {
				t.Errorf("got %v and\n%s\nwant %q", err, got, c.want)
			}
			if err == nil && strings.Contains(text, c.missing) {
				t.Errorf("%s is still there:\n%s", c.missing, text)
			}
		})
	}
}

func TestEnabled(t *testing.T) {
	t.Parallel()
	const config = `version: "2"
linters:
  default: none
  enable: # sorted
    - bodyclose # why

    - errcheck
  settings:
    forbidigo:
      forbid:
        - pattern: x
formatters:
  enable:
    - gofumpt
`
	got := slices.Sorted(maps.Keys(enabled(config)))
	if d := cmp.Diff([]string{"bodyclose", "errcheck", "gofumpt"}, got); d != "" {
		t.Errorf("names (-want +got):\n%s", d)
	}
}
