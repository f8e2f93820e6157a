package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

func newVoteCommand(s *shell, name string) *cobra.Command {
	short := map[string]string{
		"upvote":   "Vote memories up: they helped",
		"downvote": "Vote memories down: they were wrong or misled",
		"unvote":   "Retract the newest vote on memories",
	}
	var query *string
	c := &cobra.Command{
		Use:   name + " ID...",
		Short: short[name],
		Args:  requireArgument("an id"),
		RunE: s.onIDs(func(c *cobra.Command, m *client.Client, ids []hippo.ID) error {
			b := api.Reinforce{}
			var err error
			if b.Query, err = memory.Question(query); err != nil {
				return err
			}
			switch name {
			case "unvote":
				b.Undo = ids
			case "downvote":
				b.Down = ids
			default:
				b.Up = ids
			}
			rs, err := m.Reinforce(c.Context(), b)
			if err != nil {
				return err
			}
			return printVotes(s, rs)
		}),
	}
	if name != "unvote" {
		addArgs(c.Flags(), []verb.Arg{verb.QuestionArg(&query)})
	}
	addReason(s, c.Flags())
	return c
}

func printVotes(s *shell, rs []api.Reinforcement) error {
	s.count = len(rs)
	if s.json {
		type effect struct {
			ID     hippo.ID `json:"uuid"`
			Before float64  `json:"before"`
			After  float64  `json:"after"`
		}
		out := make([]effect, len(rs))
		for i, r := range rs {
			out[i] = effect(r)
		}
		return s.printJSON(out)
	}
	voted := make([]hippo.ID, len(rs))
	for i, r := range rs {
		voted[i] = r.ID
	}
	ids := shortIDs(s, voted...)
	for _, r := range rs {
		fmt.Fprintf(s.out, "%s  importance %.2f -> %.2f\n", ids.Of(r.ID), r.Before, r.After)
	}
	return nil
}
