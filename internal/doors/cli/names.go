package cli

import (
	"cmp"
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

// alsoKey is the annotation of a flag with its other names.
const alsoKey = "hippo_also"

// also notes other names of a flag, separated by spaces, which count like it. Help does not show them. Arguments of verbs bring theirs, see
// [addArgs].
func also(v *pflag.FlagSet, flag, names string) { _ = v.SetAnnotation(flag, alsoKey, []string{names}) }

// otherNames returns what [also] noted.
func otherNames(f *pflag.Flag) []string {
	return strings.Fields(dashed(strings.Join(f.Annotations[alsoKey], " ")))
}

// aliases returns the other names of the flags of a command, with the flags; the names of other flags are none.
func aliases(c *cobra.Command) map[string]string {
	out := make(map[string]string)
	add := func(f *pflag.Flag) {
		for _, name := range otherNames(f) {
			if _, taken := out[name]; !taken && c.Flags().Lookup(name) == nil && c.Root().PersistentFlags().Lookup(name) == nil {
				out[name] = f.Name
			}
		}
	}
	c.Flags().VisitAll(add)
	c.Root().PersistentFlags().VisitAll(add)
	return out
}

// dashed returns the name of a flag as this program writes it.
func dashed(name string) string { return strings.ReplaceAll(name, "_", "-") }

// writtenName is the other name of a flag of a command that arguments have; empty if they have none: an error names what the user wrote.
func writtenName(c *cobra.Command, flag string, args []string) (written string) {
	for _, a := range args {
		if a == "--" {
			break
		}
		name, _, _ := strings.Cut(dashed(strings.TrimPrefix(a, "--")), "=")
		if f := c.Flag(name); strings.HasPrefix(a, "--") && f != nil && f.Name == flag && name != flag {
			written = name
		}
	}
	return written
}

// flagHints are flags of other programs, and those that do here what they do there.
func flagHints() map[string]string {
	return map[string]string{
		"top": "limit", "max": "limit", "size": "limit", "number": "limit", "first": "limit",
		"from": "since", "to": "until", "date": "when", "time": "when",
		"in": "project", "repo": "project", "text": "content", "message": "content", "label": "tag", "kind": "type", "category": "type",
		"format": "json", "path": "store", "file": "store",
		"quiet": "log", "debug": "log", "dry": "dry-run", "confirm": "yes", "deleted": "forgotten", "overwrite": "force",
	}
}

// addAliases makes the commands known by their other names, and their flags with underscores.
func addAliases(root *cobra.Command) {
	for path, names := range commandAliases() {
		if c, rest, err := root.Find(strings.Fields(path)); err == nil && len(rest) == 0 {
			c.Aliases = names
		}
	}
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName { return pflag.NormalizedName(dashed(name)) })
}

// aliasFlags makes the flags of a command known by their other names. Only the command that is called needs them.
func aliasFlags(c *cobra.Command) {
	other := aliases(c)
	c.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		name = dashed(name)
		return pflag.NormalizedName(cmp.Or(other[name], name))
	})
}

// similarFlag returns the flag of a command that a person who typed an unknown one probably
// means; empty if there is none.
func similarFlag(c *cobra.Command, name string) string {
	has := func(flag string) bool { return c.Flag(flag) != nil }
	if hint := flagHints()[name]; hint != "" && has(hint) {
		return hint
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(append(names, f.Name), otherNames(f)...) })
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
