package cli

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/eval"
)

func (s *shell) evalCommand() *cobra.Command {
	var data string
	var pooled, categories, signals, abstention bool
	var names []string
	c := &cobra.Command{
		Use:   "eval --data DIR",
		Short: "Measure how well searches find what they should",
		Long: `Measure retrieval on sets with known answers: conversations in LoCoMo format
(conversations.jsonl, questions.jsonl) and corpora (corpus.jsonl, queries.jsonl,
qrels.tsv). DIR is one set or a folder of sets. --ranker keeps it to one ranker.
The first row of each set is the baseline: BM25 on plain words.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if data == "" {
				return usagef("--data is needed: a folder with an evaluation set")
			}
			o := eval.Options{Backend: app.Memory, Pooled: pooled, Now: s.now}
			if f := s.root.PersistentFlags().Lookup("ranker"); f.Changed {
				cfg, err := s.config()
				if err != nil {
					return err
				}
				o.Rankers = []hippo.Ranker{cfg.Ranker}
			}
			var err error
			if o.Pieces, err = app.Pieces(); err != nil {
				return err
			}
			if o.Data, err = config.Expand(data); err != nil {
				return err
			}
			done, err := s.evalModels(c.Context(), names, &o)
			if err != nil {
				return err
			}
			defer done()
			if abstention {
				return s.abstention(c.Context(), &o, signals)
			}
			if signals {
				return eval.WriteSignals(c.Context(), s.out, &o)
			}
			return s.measure(c.Context(), &o, categories)
		},
	}
	c.Flags().StringVar(&data, "data", "", "the folder")
	c.Flags().StringSliceVar(&names, "models", nil, "the models to measure, separated by commas; default: the one of --model")
	c.Flags().BoolVar(&pooled, "pooled", false, "also with all conversations in one store")
	c.Flags().BoolVar(&abstention, "abstention", false, "instead, how well ranker hippo tells questions that a store answers from others; with --signals, a line of JSON for each search")
	c.Flags().BoolVar(&signals, "signals", false, "instead, a line of JSON for each question with the signals of what ranker hippo finds")
	c.Flags().BoolVar(&categories, "categories", false, "a row for each kind of question")
	return c
}

// measure prints the report.
func (s *shell) measure(ctx context.Context, o *eval.Options, categories bool) error {
	bar := s.bar(0, "measuring")
	o.Progress = func(done, total int) {
		bar.ChangeMax(total)
		_ = bar.Set(done)
	}
	r, err := eval.Run(ctx, *o)
	_ = bar.Finish()
	if err != nil {
		return err
	}
	if s.json {
		return eval.WriteJSON(s.out, r)
	}
	return eval.WriteTable(s.out, r, &eval.TableOptions{Categories: categories})
}

// abstention prints how well confidence tells what can be answered, or what that is
// measured on.
func (s *shell) abstention(ctx context.Context, o *eval.Options, signals bool) error {
	bar := s.bar(0, "asking")
	o.Progress = func(done, total int) {
		bar.ChangeMax(total)
		_ = bar.Set(done)
	}
	trials, err := eval.Trials(ctx, o)
	_ = bar.Finish()
	switch {
	case err != nil:
		return err
	case signals:
		return eval.WriteTrials(s.out, trials)
	case s.json:
		return s.printJSON(eval.Abstentions(trials))
	default:
		return eval.WriteAbstentions(s.out, eval.Abstentions(trials))
	}
}

// evalModels opens the models to measure; the caller calls done after use. They
// are asked the same texts by row after row, so each text is embedded once.
func (s *shell) evalModels(ctx context.Context, names []string, o *eval.Options) (done func(), err error) {
	var open []engine.Model
	done = func() {
		for _, m := range open {
			if c, ok := m.Embedder.(io.Closer); ok {
				_ = c.Close() // it was only read
			}
		}
	}
	cfg, err := s.config()
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		names = []string{cfg.Model.Name}
	}
	for _, name := range names {
		if name == config.NoModel {
			continue
		}
		m, err := app.OpenModel(ctx, name, os.Getenv)
		if err != nil {
			done()
			return nil, err
		}
		open = append(open, m)
		o.Models = append(o.Models, eval.Model{Name: name, Embedder: embed.NewCache(m, evalCache)})
	}
	return done, nil
}

// evalCache is more than the texts of all sets.
const evalCache = 1 << 18
