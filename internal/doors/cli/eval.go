package cli

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// evalFlags are the flags of hippo eval.
type evalFlags struct {
	data       string
	models     []string
	categories bool
}

func newEvalCommand(s *shell) *cobra.Command {
	var f evalFlags
	c := &cobra.Command{
		Use:   "eval --data DIR",
		Short: "Measure retrieval quality on sets with known answers",
		Long: `Measure retrieval on sets with known answers: conversations in LoCoMo format (conversations.jsonl, questions.jsonl) and corpora
(corpus.jsonl, queries.jsonl, qrels.tsv). DIR is one set or a folder of sets. --ranker measures only one ranker. The first row of each set
is the baseline, BM25 on plain words.

A second table is about ranker hippo. withheld: the share of questions with a right answer among the five best candidates that was not
returned. weak: the share of answers that are marked as weak, or empty. unflagged: the share of unanswerable questions (categories none and
abstention) whose answer is neither.`,
		Args: maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) error { return runEval(c.Context(), s, &f) },
	}
	addPath(c.Flags(), &f.data, "data", "the folder")
	c.Flags().StringSliceVar(&f.models, "models", nil, "the models to measure, separated by commas (default: the one of --model)")
	c.Flags().BoolVar(&f.categories, "categories", false, "a row for each category of questions")
	return c
}

func runEval(ctx context.Context, s *shell, f *evalFlags) (err error) {
	if f.data == "" {
		return usagef("--data is needed: a folder with an evaluation set")
	}
	cfg, err := s.config()
	if err != nil {
		return err
	}
	o := eval.Options{Data: f.data, Engine: eval.EngineOptions{Backend: app.Memory}, Now: s.now}
	if o.Engine.Surprise, err = app.Surprise(&cfg); err != nil {
		return err
	}
	if s.root.PersistentFlags().Changed("ranker") {
		o.Rankers = []hippo.Ranker{cfg.Ranker}
	}
	if o.Engine.Tokens, err = app.TokenEmbedder(); err != nil {
		return err
	}
	o.Models, err = evalModels(ctx, f.models, cfg.Model.Name)
	defer func() { err = errors.Join(err, eval.CloseModels(o.Models)) }()
	if err != nil {
		return err
	}
	bar := newBar(s, 0, "measuring")
	o.Progress = func(done, total int) {
		bar.set(int64(done), int64(total))
	}
	r, err := eval.Run(ctx, o)
	bar.finish()
	if err != nil {
		return err
	}
	if s.json {
		return eval.WriteJSON(s.out, r)
	}
	return eval.WriteTable(s.out, r, &eval.TableOptions{Categories: f.categories, Confidence: true})
}

// evalModels opens the models of --models, or else the one of --model.
func evalModels(ctx context.Context, names []string, usual string) ([]eval.Model, error) {
	if len(names) == 0 {
		names = []string{usual}
	}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == config.NoModel })
	return eval.OpenModels(ctx, names, os.Getenv, app.OpenModels)
}
