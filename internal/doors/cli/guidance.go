package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/agents/setup"
	"github.com/hippo-memory/hippo/internal/base/termtext"
)

func newGuidanceCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "guidance",
		Short: "Print the instructions for agents: when to search, record and vote",
		Long:  "Print the instructions for agents that hippo setup registers, in Markdown, for clients that have no file for them.",
		Args:  maximumArguments(0),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(s.out, setup.Guidance())
			return err
		},
	}
}

// writePlugins writes the plugin folders.
func writePlugins(s *shell, f *setupFlags, names []string) error {
	if len(names) > 0 || f.remove || f.dryRun {
		return usagef("--plugin writes folders of its own and goes without clients, --remove and --dry-run")
	}
	warnOfOther(s) // the plugins call hippo by its name
	paths, err := setup.WritePlugins(f.plugin, pluginVersion(version().Version))
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(paths)
	}
	for _, path := range paths {
		fmt.Fprintf(s.out, "wrote %s\n", termtext.Line(path))
	}
	return nil
}

// pluginVersion returns a version as manifests want it: three numbers.
func pluginVersion(v string) string {
	v = strings.TrimPrefix(v, "v")
	if len(v) > 0 && v[0] >= '0' && v[0] <= '9' {
		return v
	}
	return "0.0.0"
}
