package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/agents/setup"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/config"
)

func newMergeFileCommand() *cobra.Command {
	install := false
	c := &cobra.Command{
		Use:   "merge-file (BASE OURS THEIRS PATH | --setup [DIR])",
		Short: "Merge a file of a directory store, as a merge driver of Git",
		Long: `Merge what two clones have changed of a file of a directory store (dir:PATH) that is under Git, without a conflict: an edit of one and a
vote of the other both count, and so do two votes. Git calls it as "hippo merge-file %O %A %B %P"; OURS gets the result. Other files are merged by
lines, as Git does.

--setup registers it in the clone that the directory lies in, once in each clone, and adds its lines to .gitattributes if they are missing.`,
		Example: "  hippo merge-file --setup ~/notes/memory",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case install && len(args) > 1:
				return usagef("unexpected argument %q", args[1])
			case !install && len(args) != 4:
				return usagef("four arguments are needed: BASE OURS THEIRS PATH; or --setup")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if install {
				return setUpMerge(c, append(args, ".")[0])
			}
			return (&app.Merge{Base: args[0], Ours: args[1], Theirs: args[2], Path: args[3]}).Run(c.Context())
		},
	}
	c.Flags().BoolVar(&install, "setup", false, "register the merge driver in the clone of a directory store")
	return c
}

func setUpMerge(c *cobra.Command, dir string) error {
	dir, err := config.Expand("directory", dir)
	if err != nil {
		return err
	}
	binary, err := setup.BinaryPath(os.Args[0])
	if err != nil {
		return err
	}
	written, err := app.SetUpMerge(c.Context(), dir, binary)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.OutOrStdout(), "Git merges the memories in %s with %s\n", termtext.Line(dir), termtext.Line(binary))
	if written != "" {
		fmt.Fprintf(c.OutOrStdout(), "commit %s for the other clones, and run hippo merge-file --setup in each\n", termtext.Line(filepath.Base(written)))
	}
	return nil
}

// unmerged calls [app.Unmerged] within the time limit of the doctor.
func unmerged(ctx context.Context, dir string) bool {
	ctx, cancel := context.WithTimeout(ctx, doctorLimit)
	defer cancel()
	return app.Unmerged(ctx, dir)
}
