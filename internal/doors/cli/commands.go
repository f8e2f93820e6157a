package cli

import (
	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/config"
)

// rootFor returns the program for its arguments: the flags of the command that they call have their other names.
func rootFor(s *shell, args []string) *cobra.Command {
	root := rootWith(s, args)
	if completes(args) {
		args = args[1:]
	}
	if c, _, err := root.Find(args); err == nil {
		aliasFlags(c)
	}
	return root
}

// rootWith returns the program with all commands, or only with the one that its arguments call if an agent waits for
// its start, which all of them would make .5 ms longer.
func rootWith(s *shell, args []string) *cobra.Command {
	if len(args) == 0 || args[0] != "serve" {
		return s.newRoot()
	}
	root := bareRoot(s)
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(serveCommand(s))
	addAliases(root)
	setHelp(s, root)
	return root
}

// newRoot returns the program with all commands.
func (s *shell) newRoot() *cobra.Command {
	root := bareRoot(s)
	for _, g := range commands(s) {
		for _, c := range g.commands {
			c.GroupID = g.title
		}
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		root.AddCommand(g.commands...)
	}
	root.AddCommand(newVersionCommand(s))
	root.AddCommand(newTopics()...)
	refuseUnknownTopics(root)
	refuseUnknownShells(root)
	addAliases(root)
	setHelp(s, root)
	return root
}

// bareRoot returns the program with the flags of all commands, and without a command.
func bareRoot(s *shell) *cobra.Command {
	root := &cobra.Command{
		Use:           "hippo",
		Short:         "A memory for AI agents that learns what is worth remembering",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version().Version,
		Args:          refuseUnknownCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return runRoot(s, c) },

		PersistentPreRun: func(c *cobra.Command, _ []string) { noticeSettings(s, c) },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.errw)
	root.SetFlagErrorFunc(badFlag)
	for _, set := range config.Settings() {
		root.PersistentFlags().String(set.Flag, "", set.Meaning+" ($"+set.Env+")")
	}
	stands(root.PersistentFlags(), "project", "Projects")
	also(root.PersistentFlags(), "project", "projects")
	root.PersistentFlags().BoolVar(&s.json, "json", false, "print JSON")
	root.PersistentFlags().BoolVar(&s.lines, "lines", false, "print one line a memory: id|created|type|tags|preview")
	root.PersistentFlags().BoolVarP(&s.verbose, "verbose", "v", false, "the same as --log info")
	root.PersistentFlags().Bool("no-share", false, "the same as --share off")
	return root
}

// group is the commands below one heading of the help.
type group struct {
	title    string
	commands []*cobra.Command
}

// commands returns the subcommands, by purpose.
func commands(s *shell) []group {
	return []group{
		{"Commands to remember and to find:", []*cobra.Command{
			newRecordCommand(s), newSearchCommand(s), newContextCommand(s), newGetCommand(s), newListCommand(s), newModifyCommand(s), newEditCommand(s),
			newVoteCommand(s, "upvote"), newVoteCommand(s, "downvote"), newVoteCommand(s, "unvote"), newVotesCommand(s), newConfirmCommand(s), newForgetCommand(s), newRestoreCommand(s), newRelateCommand(s), newRelationsCommand(s), newEntityCommand(s), newFactCommand(s), newGraphCommand(s), newProjectCommand(s), newLogCommand(s), newDiffCommand(s), newUndoCommand(s), newUICommand(s),
		}},
		{"Commands for agents:", []*cobra.Command{
			newSetupCommand(s), newDoctorCommand(s), newGuidanceCommand(s), serveCommand(s), newTokenCommand(s), newLoginCommand(s), newLogoutCommand(s), newToolsCommand(s), newRunCommand(s), newHookCommand(s), newCaptureCommand(s), newSyncFileCommand(s),
		}},
		{"Commands for stores:", []*cobra.Command{
			newStatusCommand(s), newConsolidateCommand(s), newClustersCommand(s), newAuditCommand(s), newImportCommand(s), newExportCommand(s), newMigrateCommand(s), newMergeFileCommand(), newSyncCommand(s), newBackupCommand(s), newCheckCommand(s), newDBCommand(s), newTenantCommand(s),
		}},
		{"Commands for code:", []*cobra.Command{newCodeCommand(s)}},
		{"Commands for models and measurements:", []*cobra.Command{newModelCommand(s), knowsClaudeHippo(s, newEmbedCommand(s)), knowsClaudeHippo(s, newBenchCommand(s)), newEvalCommand(s), newDemoCommand(s)}},
	}
}

// serveCommand returns the command that serves.
func serveCommand(s *shell) *cobra.Command { return knowsClaudeHippo(s, newServeCommand(s)) }
