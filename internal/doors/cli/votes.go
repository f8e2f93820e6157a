package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

func newVotesCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "votes ID",
		Short: "List the votes on a memory, and when it was opened",
		Long: `List the votes on a memory and its openings as an answer, newest last: the kind, the number, the active day of the newest, and
whether they count only for similar questions. Votes of one kind on similar questions are one line, and their number decays with active
days. hippo unvote retracts the newest vote.`,
		Args: oneArgument("an id"),
		RunE: s.onIDs(func(c *cobra.Command, m *client.Client, ids []hippo.ID) error {
			ms, err := memoriesOf(c.Context(), m, ids...)
			if err != nil {
				return err
			}
			return printFeedback(s, wire.VotesOf(ms[0]))
		}),
	}
}

func printFeedback(s *shell, v wire.Votes) error {
	s.count = len(v.Votes)
	if s.json || s.lines {
		return s.printJSON(v)
	}
	if len(v.Votes) == 0 {
		fmt.Fprintln(s.out, "No votes yet.")
		return nil
	}
	return s.table(func(w io.Writer) {
		for _, x := range v.Votes {
			about, newest := "", ""
			if x.Tied {
				about = "for questions like one that was asked"
			}
			if x.Newest {
				newest = "newest vote, " + clock(*x.At)
			}
			fmt.Fprintf(w, "%s\t%.2f\tactive day %d\t%s\t%s\n", x.Kind, x.Weight, x.Day, about, newest)
		}
	})
}
