package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/verb"
)

func newContextCommand(s *shell) *cobra.Command {
	var asked verb.Context
	c := &cobra.Command{
		Use:   "context [PROMPT...]",
		Short: "Show session context: rules, open tasks, decisions, recent work, and matches for a prompt",
		Example: `  hippo context
  hippo context "why did the gateway go down" --max-tokens 300`,
		RunE: func(c *cobra.Command, words []string) error {
			if len(words) > 0 {
				if asked.Prompt != "" {
					return usagef("--prompt and the words %q exclude each other", strings.Join(words, " "))
				}
				asked.Prompt = strings.Join(words, " ")
			}
			q, err := asked.Query(today(s))
			if err != nil {
				return err
			}
			cfg, err := s.named()
			if err != nil {
				return err
			}
			if how, _ := memory.ReadProject(cfg.Project); how == memory.NamesAll {
				return hippo.Fieldf("project", "must be one project, none or current, got %q", cfg.Project)
			}
			if _, off := beside(s, cfg).Excluded(c.Context(), "."); off != "" {
				s.warn("hooks inject nothing of this here: injection is off by the setting exclude: %s", off)
			}
			q.Work = app.WorkIn(c.Context(), ".")
			e, err := app.OpenShared(c.Context(), cfg, openOptions(s, cfg))
			if err != nil {
				return err
			}
			m, err := located(c.Context(), s, cfg, e.In(app.Scope(cfg)))
			if err != nil {
				return errors.Join(err, e.Close())
			}
			_ = e.Ready(c.Context()) // without the model it is lexical
			b, err := query.Context(c.Context(), m, q)
			if err = errors.Join(err, e.Close()); err != nil {
				return err
			}
			return printContext(s, b.Text, wire.ContextOf(b))
		},
	}
	addArgs(c.Flags(), asked.Args())
	return c
}

func printContext(s *shell, text string, b wire.Context) error {
	if s.json {
		return s.printJSON(b)
	}
	switch {
	case text != "":
	case b.LowTrust > 0:
		text = fmt.Sprintf("Nothing to know yet; %d of low trust, which hippo search finds.", b.LowTrust)
	default:
		text = "Nothing to know yet."
	}
	_, err := fmt.Fprintln(s.out, text)
	return err
}
