package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/mcpserver"
	"github.com/hippo-memory/hippo/internal/meter"
	"github.com/hippo-memory/hippo/internal/o200k"
)

func newTokensCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "tokens",
		Short: "Count the tokens that a model pays for the memory",
		Long: `Count the tokens that a model pays for the memory: the list of tools, calls, and results, by the vocabulary o200k, for notes of 40
words in a temporary store. Below them are the same notes in the formats of other systems.`,
		Args: maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) (err error) {
			count := func(text string) int {
				n, countErr := o200k.Count(text)
				if countErr != nil {
					err = countErr
				}
				return n
			}
			now := func() time.Time { return time.Date(2026, 11, 2, 9, 30, 0, 0, time.UTC) }
			opener := app.NewOpener(
				config.Config{Store: config.Store{Kind: "memory"}, Model: config.Model{Name: config.Static}, Ranker: hippo.RankerHippo},
				&app.Options{Now: now, Zone: time.UTC},
			)
			server := mcpserver.New(opener.Engine, &mcpserver.Options{Version: version().Version, Store: "sqlite:/home/me/.local/share/hippo/memory.db", Now: now})
			rows, measureErr := meter.Measure(c.Context(), server.Serve, count)
			if closeErr := opener.Close(c.Context()); measureErr == nil {
				measureErr = closeErr
			}
			if measureErr != nil {
				return measureErr
			}
			if err != nil {
				return err
			}
			return printTokens(s, rows)
		},
	}
}

// printTokens prints what was measured.
func printTokens(s *shell, rows []meter.Row) error {
	if s.json {
		return s.printJSON(rows)
	}
	return s.table(func(w io.Writer) {
		fmt.Fprintln(w, "TOKENS (o200k)\tCALL\tRESULT\tTOTAL\tAT MOST")
		for _, r := range rows {
			most := ""
			if r.Most > 0 {
				most = fmt.Sprint(r.Most)
			}
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s\n", r.What, r.Call, r.Result, r.Total(), most)
		}
	})
}
