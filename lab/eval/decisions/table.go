package decisions

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
	"github.com/hippo-memory/hippo/internal/retrieval/surprise"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Options say what [Write] measures.
type Options struct {
	Backend func() driver.Backend
	// Models are measured beside the mock vectors; Tokens are those of the default ranker.
	Models []eval.Model
	Tokens embed.TokenEmbedder
	// Surprise is how it is computed; mode exact has that of claude-hippo.
	Surprise engine.Surprise
}

// benches returns those that [Write] measures.
func benches() []Bench {
	return []Bench{A(20), A(50), A(100), A(200), B(0), B(30), B(90), B(365), C(), D(), V(), V().Unrated()}
}

// systems returns those that are compared, for one set of vectors.
func (o *Options) systems(models []embedding.Model) []System {
	var out []System
	for _, s := range []System{
		{Name: "cosine", Engine: eval.EngineOptions{Ranker: hippo.RankerCosine}, Surprise: o.Surprise},
		{Name: "surprise", Engine: eval.EngineOptions{Ranker: hippo.RankerSurprise}, Surprise: o.Surprise},
		{
			Name: "surprise exact", Engine: eval.EngineOptions{Ranker: hippo.RankerSurprise}, Mode: hippo.ModeExact,
			Surprise: engine.Surprise{Options: surprise.Default(surprise.ClaudeHippo)},
		},
		{Name: "hippo", Engine: eval.EngineOptions{Ranker: hippo.RankerHippo}, Surprise: o.Surprise},
	} {
		s.Engine.Backend, s.Engine.Tokens, s.Engine.Models = o.Backend, o.Tokens, models
		out = append(out, s)
	}
	return out
}

// Write measures every system on every benchmark in every order, and writes a table of P@1, R@5 and the share of
// questions with a decision in the first five.
func Write(ctx context.Context, w io.Writer, o *Options) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "benchmark\tvectors\tsystem")
	for _, x := range Orders() {
		fmt.Fprintf(t, "\t%s P@1 / R@5 / in 5", x)
	}
	fmt.Fprintln(t)
	vectors := append([]eval.Model{{Name: "mock", Used: []embedding.Model{{Embedder: Mock{}, Instant: true}}}}, o.Models...)
	for _, b := range benches() {
		for i := range vectors {
			for _, s := range o.systems(vectors[i].Used) {
				if err := writeRow(ctx, t, &b, vectors[i].Name, &s); err != nil {
					return err
				}
			}
		}
	}
	return t.Flush()
}

func writeRow(ctx context.Context, w io.Writer, b *Bench, vectors string, s *System) error {
	fmt.Fprintf(w, "%s\t%s\t%s", b.Name, vectors, s.Name)
	for _, x := range Orders() {
		f, err := Run(ctx, *b, x, 1, s)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "\t%.2f / %.2f / %.2f", f.First, f.Recall, f.Five)
	}
	_, err := fmt.Fprintln(w)
	return err
}
