package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/hippo-memory/hippo/internal/serve/server"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
)

func newRunCommand(s *shell) *cobra.Command {
	p := server.NewProgram()
	var card bool
	c := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a Starlark program that searches, filters, combines and stores memories; - reads it from stdin",
		Long: `Run a Starlark program over the memories. With a store on a server, the program runs there, within the scope of the token, and
cannot see the files or the environment of this machine.`,
		Args: maximumArguments(1),
		Example: `  hippo run tidy.star --dry-run
  echo '[m.preview for m in search("gateway") if m.score > 0.5]' | hippo run -
  hippo run --card`,
		RunE: func(c *cobra.Command, args []string) error {
			if card {
				_, err := io.WriteString(s.out, server.ProgramCard())
				return err
			}
			if len(args) == 0 {
				return usagef("FILE is missing; - reads the program from stdin")
			}
			if _, err := os.Stat(args[0]); err != nil && strings.ContainsAny(args[0], "()=[]") {
				return usagef("%.60q is no file; a program goes through a pipe: echo PROGRAM | hippo run -", args[0])
			}
			if err := readProgram(s, p, args[0]); err != nil {
				return err
			}
			return runProgram(c, s, p)
		},
	}
	addArgs(c.Flags(), p.Args())
	c.Flags().BoolVar(&card, "card", false, "print the reference of the language and its functions")
	return c
}

// readProgram reads the text of a program; - is stdin.
func readProgram(s *shell, p *server.Program, path string) error {
	if path == "-" {
		return p.Read(s.in)
	}
	full, err := config.Expand("file", path)
	if err != nil {
		return err
	}
	f, err := os.Open(full)
	if err != nil {
		return sourceError{fmt.Errorf("%w: %w", hippo.ErrNotFound, err)}
	}
	defer f.Close() //nolint:errcheck // it was only read
	return p.Read(f)
}

func runProgram(c *cobra.Command, s *shell, p *server.Program) error {
	cfg, err := s.named()
	if err != nil {
		return err
	}
	_, name := givenProject(s)
	r, err := p.Run(c.Context(), serverOptions(s, cfg, ""), name)
	if err != nil {
		return err
	}
	s.count = len(r.Writes)
	if s.json {
		return s.printJSON(r)
	}
	_, err = fmt.Fprintln(s.out, r.Text)
	return err
}
