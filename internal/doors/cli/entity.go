package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/verb"
)

func newEntityCommand(s *shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "entity",
		Short: "Manage entities: people, projects, files",
		Long: `An entity is something that memories are about: a person, a project, a file. Refer to it by its name, an alias, an unambiguous
short form, or an ID; case and accents are ignored. Entities that were not recorded are recognised in the texts. Searches show entities only
with --type entity.`,
		Args: refuseUnknownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newEntityAddCommand(s), newEntityShowCommand(s), newEntityListCommand(s), newEntityModifyCommand(s), newEntityAliasCommand(s),
		newEntityMergeCommand(s), newEntitySplitCommand(s), newEntityRemoveCommand(s))
	return c
}

// entityArgs requires a number of arguments.
func entityArgs(what string, n int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("needed: %s; put names with spaces in quotes", what)
		}
		return nil
	}
}

// onEntity is the function of a command that answers with one entity.
func onEntity(s *shell, fn func(*cobra.Command, *client.Client, []string) (*api.Entity, error), done string) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		return inNamed(c.Context(), s, func(m *client.Client) error {
			e, err := fn(c, m, args)
			if err != nil {
				return err
			}
			return printEntity(s, e, done)
		})
	}
}

func printEntity(s *shell, e *api.Entity, done string) error {
	s.count = 1
	if s.json {
		return s.printJSON(wire.EntityOf(e))
	}
	_, err := fmt.Fprintf(s.out, "%s%s\n", done, wire.EntityLine(e, shortIDs(s, e.ID)))
	return err
}

func newEntityAddCommand(s *shell) *cobra.Command {
	var e verb.NewEntity
	c := &cobra.Command{
		Use:     "add NAME",
		Short:   "Add an entity",
		Example: "  hippo entity add 'Anastasia Petrova' --kind person --alias Ana",
		Args:    entityArgs("NAME", 1),
		RunE: onEntity(s, func(c *cobra.Command, m *client.Client, args []string) (*api.Entity, error) {
			e.Name = args[0]
			return m.AddEntity(c.Context(), e.Entity)
		}, "Recorded "),
	}
	addArgs(c.Flags(), e.Args())
	return c
}

func newEntityShowCommand(s *shell) *cobra.Command {
	var asked verb.ShowEntity
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Show an entity: facts, relations, memories that mention it, a timeline",
		Example: "  hippo entity show 'Anastasia Petrova'\n" +
			"  hippo entity show Ana --as-of 2025-12-31",
		Args: entityArgs("NAME", 1),
		RunE: func(c *cobra.Command, args []string) error {
			asked.Entity = args[0]
			q, err := asked.Request(today(s))
			if err != nil {
				return err
			}
			return inNamed(c.Context(), s, func(m *client.Client) error {
				p, err := m.ShowEntity(c.Context(), q)
				if err != nil {
					return err
				}
				return printPage(s, p)
			})
		},
	}
	addArgs(c.Flags(), asked.Args())
	return c
}

func printPage(s *shell, p *api.EntityPage) error {
	s.count = 1
	if s.json {
		out, err := wire.EntityPageOf(p, s.now())
		if err != nil {
			return err
		}
		return s.printJSON(out)
	}
	_, err := fmt.Fprintln(s.out, wire.EntityText(p, shortIDs(s, wire.IDsOfPage(p)...), s.now().In(zone())))
	return err
}

func newEntityListCommand(s *shell) *cobra.Command {
	asked := verb.ListEntities{Page: verb.Page{Usual: 100}}
	c := &cobra.Command{
		Use:   "list",
		Short: "List entities, or those found in texts",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			q, err := asked.Request()
			if err != nil {
				return err
			}
			return inNamed(c.Context(), s, func(m *client.Client) error {
				l, err := m.ListEntities(c.Context(), q)
				if err != nil {
					return err
				}
				return printEntities(s, l, q.Found)
			})
		},
	}
	addArgs(c.Flags(), asked.Args())
	return c
}

func printEntities(s *shell, l *api.EntityList, found bool) error {
	s.count = len(l.Entities)
	if s.json {
		return s.printJSON(wire.EntitiesOf(l))
	}
	err := s.table(func(w io.Writer) {
		for _, e := range l.Entities {
			first := memories(e.Memories)
			if !found {
				first = shortID(s, e.ID)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", first, field(e.Kind), termtext.Line(e.Name), termtext.Line(strings.Join(e.Aliases, ", ")))
		}
	})
	if more := l.Total - len(l.Entities); more > 0 {
		fmt.Fprintf(s.errw, "hippo: %d of %d (--count, --offset)\n", len(l.Entities), l.Total)
	}
	if l.More {
		fmt.Fprintf(s.errw, "hippo: only the newest %s were read\n", memories(l.Read))
	}
	return err
}

func newEntityModifyCommand(s *shell) *cobra.Command {
	var change verb.ModifyEntity
	c := &cobra.Command{
		Use:   "modify NAME",
		Short: "Change the name, kind or description of an entity",
		Args:  entityArgs("NAME", 1),
		RunE: onEntity(s, func(c *cobra.Command, m *client.Client, args []string) (*api.Entity, error) {
			change.Entity = args[0]
			if change.Name == nil && change.Kind == nil && change.Description == nil {
				return nil, usagef("give --name, --kind or --description")
			}
			return m.ModifyEntity(c.Context(), change.ModifyEntity)
		}, "Changed "),
	}
	addArgs(c.Flags(), change.Args())
	addReason(s, c.Flags())
	return c
}

func newEntityAliasCommand(s *shell) *cobra.Command {
	var remove bool
	c := &cobra.Command{
		Use:     "alias NAME ALIAS...",
		Short:   "Add or remove aliases of an entity",
		Example: "  hippo entity alias 'Anastasia Petrova' Ana 'the boss'\n  hippo entity alias Ana 'the boss' --remove",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("needed: NAME ALIAS...; put names with spaces in quotes")
			}
			return nil
		},
		RunE: onEntity(s, func(c *cobra.Command, m *client.Client, args []string) (*api.Entity, error) {
			change := api.ModifyEntity{Entity: args[0], Aliases: args[1:]}
			if remove {
				change.Aliases, change.Without = nil, args[1:]
			}
			return m.ModifyEntity(c.Context(), change)
		}, "Changed "),
	}
	c.Flags().BoolVar(&remove, "remove", false, "remove these aliases instead")
	addReason(s, c.Flags())
	return c
}

func newEntityMergeCommand(s *shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "merge FROM INTO",
		Short: "Merge two entities into one; hippo undo reverts it",
		Long: `The names of FROM become aliases of INTO, its description is added, its relations move, and it is forgotten. This is one operation,
which hippo log shows and hippo undo reverts.`,
		Args: entityArgs("FROM INTO", 2),
		RunE: func(c *cobra.Command, args []string) error {
			return inNamed(c.Context(), s, func(m *client.Client) error {
				done, err := m.MergeEntities(c.Context(), api.MergeEntities{From: args[0], Into: args[1]})
				if err != nil {
					return err
				}
				return printMoved(s, done, "Merged into ")
			})
		},
	}
	addReason(s, c.Flags())
	return c
}

func printMoved(s *shell, done *api.EntityMoved, what string) error {
	if s.json {
		s.count = 1
		return s.printJSON(wire.EntityMovedOf(done))
	}
	if done.Stayed > 0 {
		fmt.Fprintf(s.errw, "hippo: %s stayed: learned, or with another project\n", plural(done.Stayed, "relation"))
	}
	return printEntity(s, done.Entity, fmt.Sprintf("%s(%s moved) ", what, plural(done.Moved, "relation")))
}

func newEntitySplitCommand(s *shell) *cobra.Command {
	var asked verb.SplitEntity
	c := &cobra.Command{
		Use:     "split NAME NEW",
		Short:   "Split an entity off another one; hippo undo reverts it",
		Example: "  hippo entity split Mercury quicksilver --alias Hg --related 9d4f3c1a",
		Args:    entityArgs("NAME NEW", 2),
		RunE: func(c *cobra.Command, args []string) error {
			return inNamed(c.Context(), s, func(m *client.Client) error {
				asked.New.Name = args[1]
				q := api.SplitEntity{Entity: args[0], New: asked.New.Entity}
				var err error
				if q.Related, err = resolveNamed(c.Context(), m, asked.Related.Texts); err != nil {
					return err
				}
				done, err := m.SplitEntity(c.Context(), q)
				if err != nil {
					return err
				}
				return printMoved(s, done, "Split off ")
			})
		},
	}
	addArgs(c.Flags(), asked.Args())
	addReason(s, c.Flags())
	return c
}

func newEntityRemoveCommand(s *shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "remove NAME",
		Short: "Forget an entity, or mark a name found in texts as no entity",
		Long: `Forget a recorded entity; if texts mention it, it may be recognised again. A recognised name is marked as no entity, until hippo
entity add adds it.`,
		Args: entityArgs("NAME", 1),
		RunE: onEntity(s, func(c *cobra.Command, m *client.Client, args []string) (*api.Entity, error) {
			return m.RemoveEntity(c.Context(), args[0])
		}, "Removed "),
	}
	addReason(s, c.Flags())
	return c
}
