// Command eval measures what hippo eval measures, and more: harder settings, 95 %
// intervals, and whether confidence separates questions that a store answers from others.
// It also prints the data that lab/fit learns the ranker's weights from.
//
//	go -C lab run ./eval --data DIR --harder           (tables in Markdown)
//	go -C lab run ./eval --data DIR --abstention
//	go -C lab run ./eval --data DIR --features          (a line of JSON for each question)
//	go -C lab run ./eval --data DIR --grid              (other stores, other forms of the questions)
//	go -C lab run ./eval --decisions                    (decisions among the chat around them)
//	go -C lab run ./eval --data DIR --mcp ../bin/hippo  (as an agent uses it)
//
// Equal data and code print equal figures.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	data, models, ranker, markdown     string
	json, harder, abstention, features bool
	decisions                          bool
	settings                           harder
	jobs                               int
	cache                              string // folder of vectors; empty: none
	smaller
	overMCP
	overGrid
}

// smaller are the flags for less of a set.
type smaller struct {
	sample int    // questions of each set, at most; 0: all
	take   int    // documents of each store, at most; 0: all
	join   bool   // all sets in one store
	bare   bool   // documents as one connection records them
	brief  string // the sets of brief tables, see [groupOf]
}

// overMCP are the flags for a measurement over MCP.
type overMCP struct {
	mcp  string // the program; empty: none
	wait time.Duration
}

func (o *options) flags(stderr io.Writer) *flag.FlagSet {
	f := flag.NewFlagSet("eval", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.data, "data", "", "folder of one evaluation set, or of several; more folders after commas")
	f.StringVar(&o.brief, "brief", "", "sets, or folders of sets, separated by commas, to measure in the plain setting only and to write as one table each")
	f.StringVar(&o.models, "models", config.Builtin, "models to measure, separated by commas; none: lexical search only")
	f.StringVar(&o.ranker, "ranker", "", "only this ranker and the baseline")
	f.IntVar(&o.jobs, "jobs", 1, "rows measured at a time; above 1, no latencies")
	f.IntVar(&o.sample, "sample", 0, "at most this many questions of each set, drawn by a fixed seed; 0: all")
	f.IntVar(&o.take, "take", 0, "stores of this many documents: the answers of some of the questions, and others; 0: all")
	f.BoolVar(&o.join, "join", false, "ask all questions of one store that holds the documents of all sets")
	f.BoolVar(&o.bare, "bare", false, "documents as the server records them over one connection: no author and no time, one session")
	f.StringVar(&o.cache, "cache", "", "folder that keeps the vectors of models, so that they are computed once")
	f.StringVar(&o.mcp, "mcp", "", "measure this program, hippo, over MCP with default arguments")
	f.DurationVar(&o.wait, "wait", time.Minute, "with --mcp: how long embedding in the background may make no progress")
	f.BoolVar(&o.grid, "grid", false, "measure the grid of sets, sizes, fillers, forms and states; without --data with the notes in the program")
	f.BoolVar(&o.goals, "goals", false, "measure what the default ranker must reach: beside chatter, other languages and logs, inside long notes and prompts, its marks, and votes")
	f.BoolVar(&o.decisions, "decisions", false, "measure whether decisions stay ahead of the chat around them; needs no data, see docs/surprise.md")
	f.StringVar(&o.cells, "cells", "", "with --grid: only cells whose name, such as \"team 300 chat plain all\", this regular expression matches")
	f.IntVar(&o.largest, "largest", 3000, "with --grid: the size of the largest stores")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.StringVar(&o.markdown, "markdown", "", "write the figures into this Markdown file, between the two lines that mark their place")
	f.BoolVar(&o.harder, "harder", false, "all harder settings: --pooled --paraphrased --distractors 20000 --used")
	f.BoolVar(&o.settings.pooled, "pooled", false, "add a row with all conversations in one store")
	f.BoolVar(&o.settings.paraphrased, "paraphrased", false, "add a row with the questions paraphrased by rule")
	f.IntVar(&o.settings.distractors, "distractors", 0, "add a row with this many texts of the other sets in the store")
	f.BoolVar(&o.settings.used, "used", false, "add a row with 1 % of the memories, that answer nothing, voted up and opened daily for months")
	f.BoolVar(&o.abstention, "abstention", false, "measure abstention by ranker hippo; with --features, print a line of JSON for each search")
	f.BoolVar(&o.features, "features", false, "print a line of JSON for each question, with the features of what ranker hippo finds")
	return f
}

func parse(args []string, stderr io.Writer) (*options, error) {
	var o options
	f := o.flags(stderr)
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if o.harder {
		o.settings.pooled, o.settings.paraphrased, o.settings.used = true, true, true
		if o.settings.distractors == 0 {
			o.settings.distractors = usualDistractors
		}
	}
	if f.NArg() > 0 {
		return nil, hippo.Fieldf("arguments", "must be flags, got %q", f.Arg(0))
	}
	return &o, o.check()
}

func (o *options) check() error {
	for name, n := range map[string]int{"distractors": o.settings.distractors, "sample": o.sample, "take": o.take} {
		if n < 0 {
			return hippo.Fieldf(name, "must not be negative, got %d", n)
		}
	}
	switch {
	case o.data == "" && !o.grid && !o.goals && !o.decisions:
		return hippo.Fieldf("data", "must be a folder with an evaluation set")
	case o.ranker != "" && !slices.Contains(hippo.Rankers(), hippo.Ranker(o.ranker)):
		return hippo.Fieldf("ranker", "must be one of %v, got %q", hippo.Rankers(), o.ranker)
	case o.jobs < 1:
		return hippo.Fieldf("jobs", "must be at least 1, got %d", o.jobs)
	}
	return nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	m, err := prepare(ctx, o)
	defer func() { err = errors.Join(err, eval.CloseModels(m.Models)) }()
	switch {
	case err != nil:
		return err
	case o.decisions:
		return m.writeDecisions(ctx, stdout)
	case o.grid, o.goals:
		return m.writeGrid(ctx, stdout, stderr, o)
	case o.mcp != "":
		return m.writeMCP(ctx, stdout, o)
	case o.abstention:
		return m.abstention(ctx, stdout, o)
	case o.features:
		return m.writeFeatures(ctx, stdout)
	default:
		return m.write(ctx, stdout, o)
	}
}

// prepare opens the models and the rest that a measurement needs.
func prepare(ctx context.Context, o *options) (*measurement, error) {
	m := &measurement{harder: o.settings, smaller: o.smaller, workers: o.jobs}
	m.Data, m.Engine.Backend = o.data, app.Memory
	if o.ranker != "" {
		m.Rankers = []hippo.Ranker{hippo.Ranker(o.ranker)}
	}
	var err error
	if m.Engine.Tokens, err = app.TokenEmbedder(); err != nil || o.models == config.NoModel {
		return m, err
	}
	m.Models, err = eval.OpenModels(ctx, strings.Split(o.models, ","), os.Getenv, func(ctx context.Context, name string, env func(string) string) ([]embedding.Model, error) {
		models, err := app.OpenModels(ctx, name, env)
		if err != nil || o.cache == "" {
			return models, err
		}
		return models, cachedModels(models, o.cache)
	})
	return m, err
}

// write prints the report, or writes it into a document.
func (m *measurement) write(ctx context.Context, w io.Writer, o *options) error {
	var document []byte
	if o.markdown != "" {
		var err error
		if document, err = os.ReadFile(o.markdown); err != nil {
			return err
		}
		if _, err = splice(document, nil); err != nil {
			return err // before the minutes that measuring takes
		}
	}
	r, err := m.run(ctx)
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(w, r)
	}
	var figures bytes.Buffer
	writeMarkdown(&figures, &r)
	if document == nil {
		_, err := w.Write(figures.Bytes())
		return err
	}
	text, err := splice(document, figures.Bytes())
	if err != nil {
		return err
	}
	return os.WriteFile(o.markdown, text, 0o644)
}

// abstention prints how well confidence separates questions, or the searches that this
// is measured on.
func (m *measurement) abstention(ctx context.Context, w io.Writer, o *options) error {
	trials, err := m.trials(ctx)
	if err != nil {
		return err
	}
	switch summary := abstentions(trials); {
	case o.features:
		return writeLines(w, trials)
	case o.json:
		return writeJSON(w, summary)
	default:
		return writeAbstentions(w, summary)
	}
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// writeLines writes a line of JSON for each value.
func writeLines[T any](w io.Writer, list []T) error {
	e := json.NewEncoder(w)
	for i := range list {
		if err := e.Encode(&list[i]); err != nil {
			return err
		}
	}
	return nil
}
