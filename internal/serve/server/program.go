package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/doors/script"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/verb"
)

// Program is a program that the user runs, as an agent runs one over MCP.
type Program struct{ verb.Program }

// NewProgram returns a program without a text, whose report may be as long as any.
func NewProgram() *Program { return &Program{verb.Program{MaxTokens: verb.MaxReport}} }

// ProgramCard returns the language of programs and its functions on a page.
func ProgramCard() string { return script.Card() }

// Ran is the outcome of a program.
type Ran struct {
	Result json.RawMessage `json:"result"`
	Text   string          `json:"text"`
	Writes []script.Write  `json:"writes"`
	DryRun bool            `json:"dry_run,omitempty"`
}

// Read reads the text, and no more than a program may have.
func (p *Program) Read(r io.Reader) error {
	b, err := io.ReadAll(io.LimitReader(r, script.MaxProgram+1))
	p.Source = string(b)
	return err
}

// Run runs the program in the project that the user names, or else in that of the current folder.
func (p *Program) Run(ctx context.Context, o *Options, named string) (*Ran, error) {
	if p.MaxTokens == 0 {
		return nil, hippo.Fieldf("MaxTokens", "must be between %d and %d, got 0", verb.MinReport, verb.MaxReport)
	}
	e, err := app.Open(ctx, o.Config, &app.Options{Repositories: o.Repositories, Now: o.Now, Log: o.Log})
	if err != nil {
		return nil, err
	}
	_ = e.Ready(ctx) // without the model searches are lexical
	m, err := app.Located(ctx, o.Config, e.In(app.Scope(o.Config)), named, ".")
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	caller := script.Caller{Now: o.Now}
	caller.Scope, _ = engine.CallerOf(m)
	caller.Work = func(ctx context.Context) api.Work { return app.WorkIn(ctx, ".") }
	dir, _ := os.Getwd() // without it no source tree is preferred
	code := o.trees("")
	caller.Trees = app.UnwatchedCode{Code: code, Folder: dir}
	r, err := script.New(nil).Run(ctx, e, caller, p.Program)
	if err = errors.Join(err, e.Close(), code.Close()); err != nil {
		return nil, err
	}
	return &Ran{Result: r.Result, Text: r.Text, Writes: append([]script.Write{}, r.Writes...), DryRun: p.DryRun}, nil
}
