package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/doors/script"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
	"github.com/hippo-memory/hippo/internal/verb"
)

func newRunCommand(s *shell) *cobra.Command {
	p := verb.Program{MaxTokens: verb.MaxReport}
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
				_, err := io.WriteString(s.out, script.Card())
				return err
			}
			if len(args) == 0 {
				return usagef("FILE is missing; - reads the program from stdin")
			}
			if _, err := os.Stat(args[0]); err != nil && strings.ContainsAny(args[0], "()=[]") {
				return usagef("%.60q is no file; a program goes through a pipe: echo PROGRAM | hippo run -", args[0])
			}
			if c.Flags().Changed("max-tokens") && p.MaxTokens == 0 {
				return hippo.Fieldf("max-tokens", "must be between %d and %d, got 0", verb.MinReport, verb.MaxReport)
			}
			var err error
			if p.Source, err = programOf(s, args[0]); err != nil {
				return err
			}
			return runProgram(c, s, p)
		},
	}
	addArgs(c.Flags(), p.Args())
	c.Flags().BoolVar(&card, "card", false, "print the reference of the language and its functions")
	return c
}

// programOf returns the text of a program; - is stdin. It reads no more than a program may have.
func programOf(s *shell, path string) (string, error) {
	r := s.in
	if path != "-" {
		full, err := config.Expand("file", path)
		if err != nil {
			return "", err
		}
		f, err := os.Open(full)
		if err != nil {
			return "", sourceError{fmt.Errorf("%w: %w", hippo.ErrNotFound, err)}
		}
		defer f.Close() //nolint:errcheck // it was only read
		r = f
	}
	b, err := io.ReadAll(io.LimitReader(r, script.MaxProgram+1))
	return string(b), err
}

// ranProgram is the outcome of a program as JSON.
type ranProgram struct {
	Result json.RawMessage `json:"result"`
	Text   string          `json:"text"`
	Writes []script.Write  `json:"writes"`
	DryRun bool            `json:"dry_run,omitempty"`
}

func runProgram(c *cobra.Command, s *shell, p verb.Program) error {
	cfg, err := s.named()
	if err != nil {
		return err
	}
	if cfg.Project == hippo.AllProjects {
		cfg.Project = config.NoProject
	}
	e, err := app.Open(c.Context(), cfg, openOptions(s, cfg))
	if err != nil {
		return err
	}
	_ = e.Ready(c.Context()) // without the model searches are lexical
	m, err := located(c.Context(), s, cfg, e.In(app.Scope(cfg)))
	if err != nil {
		return errors.Join(err, e.Close())
	}
	caller := script.Caller{Now: s.now}
	caller.Scope, _ = engine.CallerOf(m)
	caller.Work = func(ctx context.Context) briefing.Work { return app.WorkIn(ctx, ".") }
	dir, _ := os.Getwd() // without it no source tree is preferred
	code := app.NewCode("", &app.Options{Now: s.now, Log: s.logger(cfg), CodeModel: cfg.Model})
	caller.Trees = app.UnwatchedCode{Code: code, Folder: dir}
	r, err := script.New(nil).Run(c.Context(), e, caller, p)
	if err = errors.Join(err, e.Close(), code.Close()); err != nil {
		return err
	}
	s.count = len(r.Writes)
	if s.json {
		return s.printJSON(ranProgram{Result: r.Result, Text: r.Text, Writes: append([]script.Write{}, r.Writes...), DryRun: p.DryRun})
	}
	_, err = fmt.Fprintln(s.out, r.Text)
	return err
}
