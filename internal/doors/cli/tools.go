package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/serve/server"
)

func newToolsCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "tools",
		Short: "List the MCP tools and the bytes each takes in the tool list",
		Long: "List the MCP tools by system, with the bytes that each takes in the list that a client reads. A dash marks a tool that answers without " +
			"being listed: an older name, or one that only points to its replacement. The flag --tools of hippo serve selects the listed systems.",
		Args: maximumArguments(0),
		RunE: func(*cobra.Command, []string) error {
			all, err := server.AllTools()
			if err != nil {
				return err
			}
			if s.json {
				return s.printJSON(all.List)
			}
			return s.table(func(w io.Writer) { writeTools(w, all) })
		},
	}
}

func writeTools(w io.Writer, all server.Tools) {
	fmt.Fprint(w, "SYSTEM\tTOOL\tBYTES\n")
	for _, t := range all.List {
		size := "-"
		if t.Listed {
			size = fmt.Sprint(t.Bytes)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", t.System, t.Name, size)
	}
	for _, t := range all.Total {
		fmt.Fprintf(w, "%s\tall that are listed\t%d\n", t.System, t.Bytes)
	}
}
