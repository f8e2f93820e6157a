package cli

import (
	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/eval"
)

func (s *shell) evalCommand() *cobra.Command {
	var data string
	var pooled, categories bool
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
			if o.Data, err = config.Expand(data); err != nil {
				return err
			}
			bar := s.bar(0, "measuring")
			o.Progress = func(done, total int) {
				bar.ChangeMax(total)
				_ = bar.Set(done)
			}
			r, err := eval.Run(c.Context(), o)
			_ = bar.Finish()
			if err != nil {
				return err
			}
			if s.json {
				return eval.WriteJSON(s.out, r)
			}
			return eval.WriteTable(s.out, r, &eval.TableOptions{Categories: categories})
		},
	}
	c.Flags().StringVar(&data, "data", "", "the folder")
	c.Flags().BoolVar(&pooled, "pooled", false, "also with all conversations in one store")
	c.Flags().BoolVar(&categories, "categories", false, "a row for each kind of question")
	return c
}
