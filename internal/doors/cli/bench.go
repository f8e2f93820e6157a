package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

const (
	// defaultBench is the number of insights that are recorded, and then of searches; maxBench the largest.
	defaultBench = 100
	maxBench     = 100_000
	// benchHits is the number of hits of each search.
	benchHits = 5
)

func newBenchCommand(s *shell) *cobra.Command {
	n := defaultBench
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure how long recording and searching take, in a temporary store",
		Long: `Record memories one after the other in a temporary store, then search for them, and print the times in milliseconds: until the first
search is answered, and the sum, the median and the 95th percentile of records and searches. The texts are those of claude-hippo's command
of this name.`,
		Args: maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if n < 1 || n > maxBench {
				return usagef("--n: must be between 1 and %d, got %d", maxBench, n)
			}
			if namesStore(s) {
				return usagef("hippo bench measures in a temporary store: leave the store out")
			}
			cfg, err := s.config()
			if err != nil {
				return err
			}
			r, err := bench(c.Context(), s, cfg, n)
			if err != nil {
				return err
			}
			return printBench(s, r)
		},
	}
	c.Flags().IntVar(&n, "n", n, "how many memories to record, and how many searches")
	return c
}

// timings are durations of one kind, in milliseconds.
type timings struct {
	Total float64 `json:"total_ms"`
	P50   float64 `json:"p50_ms"`
	P95   float64 `json:"p95_ms"`
}

// benched is the outcome of [bench].
type benched struct {
	Memories int     `json:"memories"`
	Model    string  `json:"model"`
	Ranker   string  `json:"ranker"`
	First    float64 `json:"first_answer_ms"`
	Store    timings `json:"store"`
	Retrieve timings `json:"retrieve"`
}

// bench records and searches in a temporary store.
func bench(ctx context.Context, s *shell, cfg config.Config, n int) (r *benched, err error) {
	dir, err := os.MkdirTemp("", "hippo-bench")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	cfg.Store, cfg.Share = config.Store{Kind: "sqlite", Path: filepath.Join(dir, "memory.db")}, false
	r = &benched{Memories: n, Model: cfg.Model.String(), Ranker: string(cfg.Ranker)}
	began := s.now()
	e, err := app.Open(ctx, cfg, &app.Options{Now: s.now, Log: s.logger(cfg)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	m := e.In(hippo.LocalScope(""))
	search := func(int) error {
		_, err := query.Search(ctx, m, hippo.Query{Text: "timing harness memory", Count: benchHits})
		return err
	}
	if err := search(0); err != nil {
		return nil, err
	}
	r.First = milliseconds(s.now().Sub(began))
	if r.Store, err = timed(s, n, func(i int) error { return benchRecord(ctx, m, i) }); err != nil {
		return nil, err
	}
	r.Retrieve, err = timed(s, n, search)
	return r, err
}

func benchRecord(ctx context.Context, m *engine.Memories, i int) error {
	_, err := memory.Record(ctx, m, &hippo.Memory{
		Content: fmt.Sprintf("bench memory %d: timing harness", i), Tags: []string{"bench", fmt.Sprintf("i%d", i%10)}, //nolint:mnd // as there
		Trust: hippo.TrustDefault, Importance: hippo.Importance{Base: hippo.DefaultImportance},
	})
	return err
}

// timed calls fn n times, and returns how long the calls took.
func timed(s *shell, n int, fn func(i int) error) (timings, error) {
	list := make([]float64, n)
	t := timings{}
	for i := range list {
		began := s.now()
		if err := fn(i); err != nil {
			return t, err
		}
		list[i] = milliseconds(s.now().Sub(began))
		t.Total += list[i]
	}
	slices.Sort(list)
	t.P50, t.P95 = percentile(list, .5), percentile(list, .95) //nolint:mnd // as their names say
	return t, nil
}

// percentile interpolates between the values of an ascending list that is not empty.
func percentile(list []float64, share float64) float64 {
	at := share * float64(len(list)-1)
	below, above := list[int(math.Floor(at))], list[int(math.Ceil(at))]
	return below + (above-below)*(at-math.Floor(at))
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / float64(time.Millisecond/time.Microsecond)
}

func printBench(s *shell, r *benched) error {
	if s.json {
		return s.printJSON(r)
	}
	return s.table(func(w io.Writer) {
		fmt.Fprintf(w, "memories\t%d\n", r.Memories)
		fmt.Fprintf(w, "model, ranker\t%s, %s\n", r.Model, r.Ranker)
		fmt.Fprintf(w, "first answer\t%.2f ms\n", r.First)
		for _, x := range []struct {
			name string
			timings
		}{{"store", r.Store}, {"retrieve", r.Retrieve}} {
			fmt.Fprintf(w, "%s\ttotal %.1f ms, p50 %.3f ms, p95 %.3f ms\n", x.name, x.Total, x.P50, x.P95)
		}
	})
}
