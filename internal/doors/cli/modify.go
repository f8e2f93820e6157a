package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/verb"
)

func newModifyCommand(s *shell) *cobra.Command {
	var given verb.Modify
	c := &cobra.Command{
		Use:   "modify ID",
		Short: "Change a memory; fields that are not given keep their values",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("unexpected argument %.60q: the new text goes behind --content", args[1])
			}
			return requireArgument("an id")(c, args)
		},
		RunE: onIDs(s.inProject, func(c *cobra.Command, m *client.Client, ids []hippo.ID) error {
			if err := refuseBlank(c, given.Args()); err != nil {
				return err
			}
			_, given.Project.Text = givenProject(s)
			change, err := given.Modification(today(s))
			if err != nil {
				return err
			}
			if given.Supersedes.Texts != nil {
				old, err := resolveSuperseded(c.Context(), m, given.Supersedes)
				if err != nil {
					return err
				}
				change.Supersedes = &old
			}
			x, err := allowingSecrets(m, given.AllowSecret).Modify(c.Context(), api.Modify{ID: ids[0], Change: change})
			if err != nil {
				return err
			}
			return printModified(s, x)
		}),
	}
	addArgs(c.Flags(), given.Args())
	addReason(s, c.Flags())
	return c
}

func printModified(s *shell, m *hippo.Memory) error {
	s.count = 1
	if s.json || s.lines {
		return printMemories(s, []*hippo.Memory{m})
	}
	_, err := fmt.Fprintf(s.out, "Modified memory %s (importance %.2f)\n", shortID(s, m.ID), m.Importance.Value)
	return err
}
