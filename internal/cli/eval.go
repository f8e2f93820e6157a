package cli

import (
	"bytes"
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
	"github.com/hippo-memory/hippo/internal/secret"
)

// evalFlags are the flags of hippo eval.
type evalFlags struct {
	data, markdown      string
	models              []string
	harder              eval.Harder
	all, categories     bool
	signals, abstention bool
	jobs                int
}

func (s *shell) evalCommand() *cobra.Command {
	var f evalFlags
	c := &cobra.Command{
		Use:   "eval --data DIR",
		Short: "Measure how well searches find what they should",
		Long: `Measure retrieval on sets with known answers: conversations in LoCoMo format
(conversations.jsonl, questions.jsonl) and corpora (corpus.jsonl, queries.jsonl,
qrels.tsv). DIR is one set or a folder of sets. --ranker keeps it to one ranker.
The first row of each set is the baseline: BM25 on plain words. In brackets are
95 % intervals, by bootstrap over the questions.

--harder adds four harder settings, each of which has a flag of its own, and
what each loses.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error { return s.eval(c, &f) },
	}
	c.Flags().StringVar(&f.data, "data", "", "the folder")
	c.Flags().StringSliceVar(&f.models, "models", nil, "the models to measure, separated by commas; default: the one of --model")
	c.Flags().BoolVar(&f.all, "harder", false, "all harder settings: --pooled --paraphrased --distractors 100000 --used")
	c.Flags().BoolVar(&f.harder.Pooled, "pooled", false, "also with all conversations in one store")
	c.Flags().BoolVar(&f.harder.Paraphrased, "paraphrased", false, "also with the questions in other words, by rule")
	c.Flags().IntVar(&f.harder.Distractors, "distractors", 0, "also with this many texts of the other sets in the store")
	c.Flags().BoolVar(&f.harder.Used, "used", false, "also with 1 % of the memories, that answer nothing, voted up and opened daily for months")
	c.Flags().IntVar(&f.jobs, "jobs", 1, "how many rows are measured at a time; above 1, no latencies")
	c.Flags().StringVar(&f.markdown, "markdown", "", "instead, rewrite the figures in this Markdown file, between two lines that mark their place")
	c.Flags().BoolVar(&f.abstention, "abstention", false, "instead, how well ranker hippo tells questions that a store answers from others; with --signals, a line of JSON for each search")
	c.Flags().BoolVar(&f.signals, "signals", false, "instead, a line of JSON for each question with the signals of what ranker hippo finds")
	c.Flags().BoolVar(&f.categories, "categories", false, "a row for each kind of question")
	return c
}

func (s *shell) eval(c *cobra.Command, f *evalFlags) error {
	if f.data == "" {
		return usagef("--data is needed: a folder with an evaluation set")
	}
	if f.harder.Distractors < 0 {
		return usagef("--distractors must not be negative, got %d", f.harder.Distractors)
	}
	if f.jobs < 1 {
		return usagef("--jobs must be at least 1, got %d", f.jobs)
	}
	if f.all {
		f.harder.Pooled, f.harder.Paraphrased, f.harder.Used = true, true, true
		if !c.Flags().Changed("distractors") {
			f.harder.Distractors = eval.HundredThousand
		}
	}
	o := eval.Options{Backend: app.Memory, Harder: f.harder, Workers: f.jobs, Now: s.now}
	if r := s.root.PersistentFlags().Lookup("ranker"); r.Changed {
		cfg, err := s.config()
		if err != nil {
			return err
		}
		o.Rankers = []hippo.Ranker{cfg.Ranker}
	}
	var err error
	if o.Pieces, err = app.TokenEmbedder(); err != nil {
		return err
	}
	if o.Data, err = config.Expand(f.data); err != nil {
		return err
	}
	done, err := s.evalModels(c.Context(), f.models, &o)
	if err != nil {
		return err
	}
	defer done()
	if f.abstention {
		return s.abstention(c.Context(), &o, f.signals)
	}
	if f.signals {
		return eval.WriteSignals(c.Context(), s.out, &o)
	}
	return s.measure(c.Context(), &o, f)
}

// measure prints the report, or writes it into a document.
func (s *shell) measure(ctx context.Context, o *eval.Options, f *evalFlags) error {
	var document []byte
	if f.markdown != "" {
		var err error
		if document, err = os.ReadFile(f.markdown); err != nil {
			return err
		}
		if _, err = eval.Splice(document, nil); err != nil {
			return err // before the minutes that measuring takes
		}
	}
	bar := s.bar(0, "measuring")
	o.Progress = func(done, total int) {
		bar.ChangeMax(total)
		_ = bar.Set(done)
	}
	r, err := eval.Run(ctx, *o)
	_ = bar.Finish()
	switch {
	case err != nil:
		return err
	case document != nil:
		return rewrite(f.markdown, document, r)
	case s.json:
		return eval.WriteJSON(s.out, r)
	default:
		return eval.WriteTable(s.out, r, &eval.TableOptions{Categories: f.categories, NoLatency: f.jobs > 1})
	}
}

// rewrite puts the figures of a report into a document.
func rewrite(path string, document []byte, r eval.Report) error {
	var figures bytes.Buffer
	if err := eval.WriteMarkdown(&figures, r); err != nil {
		return err
	}
	text, err := eval.Splice(document, figures.Bytes())
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
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
		o.Models = append(o.Models, eval.Model{Name: secret.RedactURL(name), Embedder: embed.NewCache(m, evalCache)})
	}
	return done, nil
}

// evalCache is more than the texts of all sets.
const evalCache = 1 << 18
