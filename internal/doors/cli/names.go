package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commandAliases are other names of commands, by their path below the program. Help does not show
// them.
func commandAliases() map[string][]string {
	return map[string][]string{
		"record":     {"add", "new", "remember", "save"},
		"search":     {"find", "query", "recall"},
		"get":        {"show", "view", "cat"},
		"list":       {"ls"},
		"modify":     {"update", "change"},
		"forget":     {"rm", "delete", "remove", "del"},
		"restore":    {"unforget"},
		"status":     {"info", "stats"},
		"check":      {"verify"},
		"relate":     {"link"},
		"fact end":   {"invalidate"},
		"model list": {"ls"},
		"model pull": {"download"},
		"model rm":   {"remove", "delete"},
	}
}

// flagAliases are other names of flags, which count like these.
func flagAliases() map[string]string {
	return map[string]string{
		"limit": "count", "top-k": "count", "max-results": "count", "n-results": "count",
		"pin": "pinned", "tags": "tag", "situations": "situation", "types": "type", "projects": "project",
		"created-after": "since", "created-before": "until", "allow-secrets": "allow-secret",
	}
}

// writtenName is the other name of a flag that arguments have; empty if they have none: an error names what the user wrote.
func writtenName(flag string, args []string) (written string) {
	for _, a := range args {
		name, _, _ := strings.Cut(strings.ReplaceAll(strings.TrimPrefix(a, "--"), "_", "-"), "=")
		if strings.HasPrefix(a, "--") && flagAliases()[name] == flag {
			written = name
		}
		if a == "--" {
			break
		}
	}
	return written
}

// flagHints are flags of other programs, and those that do here what they do there.
func flagHints() map[string]string {
	return map[string]string{
		"top": "limit", "k": "limit", "max": "limit", "size": "limit", "number": "limit", "first": "limit",
		"after": "since", "from": "since", "before": "until", "to": "until", "date": "when", "time": "when",
		"in": "project", "repo": "project", "text": "content", "message": "content", "label": "tag", "kind": "type", "category": "type",
		"context": "situation", "format": "json", "path": "store", "file": "store",
		"quiet": "log", "debug": "log", "dry": "dry-run", "confirm": "yes", "deleted": "forgotten", "overwrite": "force",
	}
}

// addAliases makes the commands and flags known by their other names.
func addAliases(root *cobra.Command) {
	for path, names := range commandAliases() {
		if c, rest, err := root.Find(strings.Fields(path)); err == nil && len(rest) == 0 {
			c.Aliases = names
		}
	}
	other := flagAliases()
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		name = strings.ReplaceAll(name, "_", "-")
		if canonical, ok := other[name]; ok {
			name = canonical
		}
		return pflag.NormalizedName(name)
	})
}

// similarFlag returns the flag of a command that a person who typed an unknown one probably
// means; empty if there is none.
func similarFlag(c *cobra.Command, name string) string {
	has := func(flag string) bool { return c.Flag(flag) != nil }
	if hint := flagHints()[name]; hint != "" && has(hint) {
		return hint
	}
	names := slices.Collect(maps.Keys(flagAliases()))
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	similar := &cobra.Command{SuggestionsMinimumDistance: min(2, len(name)/3)}
	for _, n := range names {
		if has(n) {
			similar.AddCommand(&cobra.Command{Use: n, Run: func(*cobra.Command, []string) {}})
		}
	}
	found := similar.SuggestionsFor(name)
	slices.Sort(found)
	return strings.Join(found[:min(len(found), 1)], "")
}
