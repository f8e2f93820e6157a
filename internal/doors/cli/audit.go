package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/verb"
)

func newAuditCommand(s *shell) *cobra.Command {
	asked := verb.Audit{Page: verb.Page{Usual: listed}}
	c := &cobra.Command{
		Use:   "audit",
		Short: "List stale, contradictory, duplicate, misfiled and unused memories, with commands to fix them",
		Long: `List problems with memories, the reason for each, and a command that fixes it. Nothing is changed. Archived and forgotten memories
are left out, and each memory is listed once:

  stale: it is no longer valid; or a newer one supersedes or contradicts it, and it was not used for --idle active days
  contradictory: a newer memory gives the same fact another value
  duplicate: a better memory says the same in nearly the same words
  misfiled: it belongs to another project: it names files or symbols that only that project has, says that it is about that project, or the
rest of its session is there
  unused: it was recorded --idle active days ago, and never opened, voted on or returned by a search

Pinned memories, preferences, rules, and memories tagged critical, important, reference or permanent never count as unused.

If both memories of a pair are right, hippo relate ID compatible_with ID keeps them out of the next audit. If a memory is in the right
project, hippo upvote ID does.`,
		Example: `  hippo audit
  hippo audit --project github.com/acme/shop --idle 60 --json`,
		Args: maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			o, err := asked.Request()
			if err != nil {
				return err
			}
			return s.with(c.Context(), func(m *client.Client) (err error) {
				if o.Projects, err = projectsOf(c.Context(), s, m, false); err != nil {
					return err
				}
				report, err := m.Audit(c.Context(), o)
				if err != nil {
					return err
				}
				return printAudit(s, report)
			})
		},
	}
	addArgs(c.Flags(), asked.Args())
	return c
}

// meanings explain the problems in the counts of an audit.
func meanings() map[api.Problem]string {
	return map[api.Problem]string{
		api.ProblemStale:         "stale: no longer valid, or replaced or contradicted and idle",
		api.ProblemContradictory: "contradictory: a newer one gives another value",
		api.ProblemRepeated:      "duplicate: a better one says the same",
		api.ProblemMisfiled:      "misfiled: it belongs to another project",
		api.ProblemUnused:        "unused: never opened, voted or returned by a search",
	}
}

func printAudit(s *shell, a *api.AuditReport) error {
	s.count = len(a.Findings)
	if s.json {
		return s.printJSON(wire.AuditOf(a))
	}
	fmt.Fprintf(s.out, "%s.\n", memories(a.Memories))
	err := s.table(func(w io.Writer) {
		for _, p := range api.Problems() {
			if n := a.Counts[p]; n > 0 {
				fmt.Fprintf(w, "  %d\t%s\n", n, meanings()[p])
			}
		}
	})
	if err != nil {
		return err
	}
	if len(a.Findings) == 0 {
		fmt.Fprintln(s.out, "Nothing to do.")
		return nil
	}
	printFindings(s, a)
	total := 0
	for _, n := range a.Counts {
		total += n
	}
	if n := total - len(a.Findings); n > 0 {
		fmt.Fprintf(s.out, "\nand %d more: --limit lists more of each problem\n", n)
	}
	fmt.Fprintln(s.out, "\nNothing was changed. Look at a memory with hippo get ID before you act.")
	return nil
}

// printFindings prints each finding, and the command that would act.
func printFindings(s *shell, a *api.AuditReport) {
	var ids []hippo.ID
	for i := range a.Findings {
		f := &a.Findings[i]
		if ids = append(ids, f.ID); !f.Other.IsZero() {
			ids = append(ids, f.Other)
		}
	}
	short := shortIDs(s, ids...)
	for i := range a.Findings {
		f := &a.Findings[i]
		fmt.Fprintf(s.out, "\n%s %s: %s\n    %s\n", f.Problem, short.Of(f.ID), preview(f.Reason, previewLength), preview(f.Text, previewLength))
		if !f.Other.IsZero() {
			fmt.Fprintf(s.out, "    %s: %s\n", short.Of(f.Other), preview(f.OtherText, previewLength))
		}
		fmt.Fprintf(s.out, "    %s\n", wire.RemedyCommand(&f.Finding, short.Of))
	}
}
