package grid

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// Goal is a figure that the default ranker has to reach.
type Goal struct {
	What string `json:"what"`
	// Questions is how many it is measured on.
	Questions int `json:"questions"`
	// Now and Must are shares, or numbers of questions where Must is above 1.
	Now  float64 `json:"now"`
	Must float64 `json:"must"`
	// Most: it must not be above Must, instead of below it.
	Most bool `json:"most,omitempty"`
}

// Reached reports whether the figure is good enough.
func (g *Goal) Reached() bool {
	if g.Most {
		return g.Now <= g.Must+tiny
	}
	return g.Now >= g.Must-tiny
}

// figure writes a share or a number of questions.
func (g *Goal) figure(x float64) string {
	if g.Must > 1 {
		return strconv.Itoa(int(x))
	}
	return eval.Decimal(x)
}

// gauge measures some goals; with a set that is not in the data, none.
type gauge func(ctx context.Context, o *Options) ([]Goal, error)

// Goals measures all.
func Goals(ctx context.Context, o *Options) ([]Goal, error) {
	var out []Goal
	all := []gauge{decisionAmongChatter, decisionBench, foreignAmongOthers, besideChat, insideNotes, besideOthers, misspelt, flagged, votedUp}
	for i, g := range all {
		list, err := g(ctx, o)
		if err != nil {
			return nil, err
		}
		out = append(out, slices.DeleteFunc(list, func(g Goal) bool { return g.Questions == 0 })...)
		if o.Progress != nil {
			o.Progress(i+1, len(all))
		}
	}
	return out, nil
}

// WriteGoals writes goals as a table.
func WriteGoals(w io.Writer, list []Goal) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "what\tn\tnow\tmust\t")
	for i := range list {
		g, mark, sign := &list[i], "", ""
		if g.Most {
			sign = "at most "
		}
		if !g.Reached() {
			mark = "missed"
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%s%s\t%s\n", g.What, g.Questions, g.figure(g.Now), sign, g.figure(g.Must), mark)
	}
	return t.Flush()
}

// set returns a set of the library; nil if it is not there.
func (l *Library) set(name string) *eval.Set {
	i := slices.IndexFunc(l.Sets, func(s *eval.Set) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return l.Sets[i]
}

// only returns the set with the questions of some categories; without any, with all of them.
func only(s *eval.Set, categories ...string) *eval.Set {
	out := *s
	out.Questions = slices.DeleteFunc(slices.Clone(s.Questions), func(q eval.Question) bool {
		return len(categories) > 0 && !slices.Contains(categories, q.Category)
	})
	return &out
}

// two are the goals of R@10 and hit@1 on the questions of a set, asked of one store by the default ranker.
func two(ctx context.Context, o *Options, what string, s *eval.Set, recall, hit float64) ([]Goal, error) {
	m, err := o.byDefault(ctx, s)
	n := len(s.Questions)
	return []Goal{{What: what + ", R@10", Questions: n, Now: m.Recall10, Must: recall}, {What: what + ", hit@1", Questions: n, Now: m.Hit1, Must: hit}}, err
}

// byDefault measures the default ranker on a set.
func (o *Options) byDefault(ctx context.Context, s *eval.Set) (Measures, error) {
	return o.ranked(ctx, s, "")
}
