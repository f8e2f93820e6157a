package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/hippo-memory/hippo/internal/app"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

func newProjectCommand(s *shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "project",
		Short: "Manage projects: list, merge, rename, move memories",
		Long: `Manage projects: list, merge, rename, move memories.

A project is identified by its remote and first commit, or by any name you choose. NAME may be the beginning or end of a known name; current
is the project of this directory, none is no project, and unassigned holds memories whose project is not known. hippo undo reverts every
change.`,
		Example: `  hippo project list
  hippo project move 7be01d42 855b5c73 --to current
  hippo project merge unassigned current
  hippo project rename current shop`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return refuseUnknownCommand(c, args)
			}
			return c.Help()
		},
	}
	c.AddCommand(newProjectListCommand(s), newProjectMoveCommand(s), newProjectMergeCommand(s), newProjectRenameCommand(s))
	return c
}

// projectJSON is a project in JSON.
type projectJSON struct {
	Name     string   `json:"project"`
	Also     []string `json:"also"`
	Memories int      `json:"memories"`
	Current  bool     `json:"current,omitempty"`
}

func newProjectListCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the projects that have memories, with their aliases",
		Args:  maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return s.inProject(c.Context(), func(m *client.Client) error {
				list, err := m.Projects(c.Context())
				if err != nil {
					return err
				}
				return printProjects(s, list)
			})
		},
	}
}

func printProjects(s *shell, list []api.Project) error {
	s.count = len(list)
	if s.json {
		out := make([]projectJSON, len(list))
		for i, p := range list {
			out[i] = projectJSON{p.Name, append([]string{}, p.Also...), p.Memories, p.Current}
		}
		return s.printJSON(out)
	}
	folders := app.Repositories().Folders()
	return s.table(func(w io.Writer) {
		fmt.Fprintln(w, "PROJECT\tMEMORIES\tALSO")
		for _, p := range list {
			name := folders.Title(p.Name)
			if name == "" {
				name = memory.NoProject
			}
			if p.Current {
				name += " (current)"
			}
			fmt.Fprintf(w, "%s\t%d\t%s\n", termtext.Line(name), p.Memories, termtext.Line(strings.Join(p.Also, ", ")))
		}
	})
}

func newProjectMoveCommand(s *shell) *cobra.Command {
	var to string
	c := &cobra.Command{
		Use:   "move ID... --to NAME",
		Short: "Move memories to a project",
		Args:  requireArgument("an id"),
		RunE: func(c *cobra.Command, refs []string) error {
			if to == "" {
				return usagef("--to is missing: name the project, such as current or none; new:NAME makes one")
			}
			return s.inProject(c.Context(), func(m *client.Client) error {
				ids, err := resolve(c.Context(), m, refs, api.PreferLive)
				if err != nil {
					return err
				}
				if err := moveTo(c.Context(), m, to, ids); err != nil {
					return err
				}
				ms, err := memoriesOf(c.Context(), m, ids...)
				if err != nil {
					return err
				}
				return printDone(s, "Moved to "+projectName(ms[0].Project)+":", ms)
			})
		},
	}
	c.Flags().StringVar(&to, "to", "", "the project; new:NAME creates one")
	addReason(s, c.Flags())
	return c
}

// moveTo moves memories to a project, as one operation.
func moveTo(ctx context.Context, m *client.Client, to string, ids []hippo.ID) error {
	list := make([]api.Modify, len(ids))
	for i, id := range ids {
		list[i] = api.Modify{ID: id, Change: api.Change{Project: &to, Vote: api.VoteNone}}
	}
	_, err := m.ModifyAll(ctx, list...)
	return err
}

func projectName(name string) string {
	if name == "" {
		return "no project"
	}
	return termtext.Line(name)
}

func newProjectMergeCommand(s *shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "merge FROM INTO",
		Short: "Merge two projects: move the memories of FROM to INTO, and keep both names",
		RunE: func(c *cobra.Command, args []string) error {
			return changeProject(s, c, args, false)
		},
	}
	addReason(s, c.Flags())
	return c
}

func newProjectRenameCommand(s *shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "rename FROM NAME",
		Short: "Rename a project; its former names stay valid",
		RunE: func(c *cobra.Command, args []string) error {
			return changeProject(s, c, args, true)
		},
	}
	addReason(s, c.Flags())
	return c
}

// changeProject merges or renames a project.
func changeProject(s *shell, c *cobra.Command, args []string, rename bool) error {
	if len(args) != 2 {
		return usagef("want two projects, got %d", len(args))
	}
	return s.inProject(c.Context(), func(m *client.Client) error {
		moved, err := m.MergeProjects(c.Context(), api.MergeProjects{From: args[0], Into: args[1], Rename: rename})
		if err != nil {
			return err
		}
		n := moved.Memories
		s.count = n
		if s.json {
			return s.printJSON(map[string]int{"memories": n})
		}
		_, err = fmt.Fprintf(s.out, "%d memories of %s are in %s now\n", n, termtext.Line(args[0]), termtext.Line(args[1]))
		return err
	})
}
