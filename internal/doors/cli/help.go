package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hippo-memory/hippo/internal/base/termtext"
)

// flagsTopic is the help about the flags of all commands, which other help only names.
const flagsTopic = "flags"

// newTopics returns the help that is not about a command.
func newTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: flagsTopic, Short: "Flags of all commands", Long: "These flags may stand before or after any command."},
		{Use: "times", Short: "How times are written", Long: `Every flag for a time, such as --since or --valid-until, takes

  2026-03-01                a date: its first moment, in your zone
  2026-03-01T12:00:00Z      a time of RFC 3339; also "2026-03-01 12:00"
  yesterday, "last week", "3 days ago", tomorrow, "next friday"
                            the beginning of that
  now                       now
  friday, "in March", 5pm   the last one; with --valid-until, the next one
  2h, 3d, 2w, 6 months      that long ago; with --valid-until, from now on
  +3d, "in 3 days"          from now on

--when takes spans: "last week" is all of it, 3d is since then, and there are "since 1 March", "until yesterday" and
2026-01-01..2026-02-01. Words may be English; those for the past also Chinese, French, German, Japanese, Portuguese or Spanish.`},
	}
}

// setHelp makes the help of all commands that of [writeHelp].
func setHelp(s *shell, root *cobra.Command) {
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { writeHelp(c.OutOrStdout(), c, min(width(s), standardWidth)) })
	root.SetUsageFunc(func(c *cobra.Command) error {
		writeHelp(c.OutOrStderr(), c, min(width(s), standardWidth))
		return nil
	})
}

// writeHelp writes the help of a command in lines of at most that many columns.
func writeHelp(w io.Writer, c *cobra.Command, columns int) {
	about := c.Long
	if about == "" {
		about = c.Short
	}
	fmt.Fprintf(w, "%s\n", strings.Join(termtext.Wrap(paragraphs(about), columns), "\n"))
	if c.IsAdditionalHelpTopicCommand() {
		if c.Name() == flagsTopic {
			writeFlags(w, c.Root().PersistentFlags(), columns)
		}
		return
	}
	fmt.Fprint(w, "\nUsage:\n")
	if c.Runnable() {
		fmt.Fprintf(w, "  %s\n", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s COMMAND\n", c.CommandPath())
	}
	if c.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", c.Example)
	}
	writeCommands(w, c, columns)
	if c.HasParent() {
		writeFlags(w, c.LocalFlags(), columns)
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\nMore about a command: %s COMMAND --help\n", c.CommandPath())
	} else {
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "Flags of all commands, such as --json and --store: hippo help %s\n", flagsTopic)
	if !c.HasParent() {
		fmt.Fprintln(w, "How times are written: hippo help times")
	}
}

// paragraphs joins the lines of each paragraph of a text. What is indented is no paragraph.
func paragraphs(text string) string {
	var b strings.Builder
	before := ""
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		switch {
		case i == 0:
		case line == "" || before == "" || line[0] == ' ' || before[0] == ' ':
			b.WriteString("\n")
		default:
			b.WriteString(" ")
		}
		b.WriteString(line)
		before = line
	}
	return b.String()
}

// writeCommands writes the commands below a command, by group.
func writeCommands(w io.Writer, c *cobra.Command, columns int) {
	groups := append(slices.Clone(c.Groups()), &cobra.Group{Title: "Commands:"})
	if len(groups) > 1 {
		groups[len(groups)-1].Title = "Commands for everything else:"
	}
	for _, g := range groups {
		var rows [][2]string
		for _, sub := range c.Commands() {
			if sub.GroupID == g.ID && (sub.IsAvailableCommand() || sub.Name() == "help") {
				rows = append(rows, [2]string{sub.Name(), sub.Short})
			}
		}
		if len(rows) > 0 {
			fmt.Fprintf(w, "\n%s\n", g.Title)
			writeRows(w, rows, columns)
		}
	}
}

// writeFlags writes flags, and what they mean.
func writeFlags(w io.Writer, flags *pflag.FlagSet, columns int) {
	var rows [][2]string
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		kind, meaning := pflag.UnquoteUsage(f)
		if name, ok := kindNames()[kind]; ok {
			kind = name
		}
		name := "    --" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", --" + f.Name
		}
		if !slices.Contains([]string{"", "false", "0", "[]", "+Inf"}, f.DefValue) {
			meaning += " (default " + f.DefValue + ")"
		}
		rows = append(rows, [2]string{strings.TrimRight(name+" "+kind, " "), meaning})
	})
	if len(rows) > 0 {
		fmt.Fprintln(w, "\nFlags:")
		writeRows(w, rows, columns)
	}
}

// kindNames are the names that help has for the types of flags.
func kindNames() map[string]string {
	return map[string]string{"string": "TEXT", "path": "PATH", "stringArray": "TEXT...", "strings": "TEXT,...", "int": "N", "float": "X"}
}

// writeRows writes names and what they mean, in two columns.
func writeRows(w io.Writer, rows [][2]string, columns int) {
	const margin, gap, widest = 2, 3, 26
	left := 0
	for _, r := range rows {
		left = max(left, min(termtext.Width(r[0]), widest))
	}
	for _, r := range rows {
		lines := termtext.Wrap(r[1], columns-margin-left-gap)
		if termtext.Width(r[0]) > left {
			fmt.Fprintf(w, "  %s\n", r[0])
			r[0] = ""
		}
		for _, l := range lines {
			fmt.Fprintf(w, "  %s%s\n", r[0]+strings.Repeat(" ", left+gap-termtext.Width(r[0])), l)
			r[0] = ""
		}
	}
}
