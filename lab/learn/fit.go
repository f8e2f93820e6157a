package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/hippo-memory/hippo/internal/retrieval/eval"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// trial is what one set gave with one choice of the constants.
type trial struct {
	right, wrong result
}

// value is what fitting maximises: hit@1 of what was asked, that of what was not, which counts more
// when it falls, and of irrelevant votes what they cost.
func (t *trial) value() float64 {
	asked, unasked := t.right.gain()
	if unasked < 0 {
		unasked *= 4
	}
	return asked + unasked - t.lost()
}

// lost is R@5 that irrelevant votes cost, over all questions.
func (t *trial) lost() float64 {
	var before, after score
	for _, half := range []*[2]score{&t.wrong.asked, &t.wrong.unasked} {
		before.sum(&half[0])
		after.sum(&half[1])
	}
	return mean(before.r5, before.n) - mean(after.r5, after.n)
}

// grid returns the choices: other constants are those of w.
func grid(w rank.Learning) (list []rank.Learning) {
	for _, shift := range []float64{4, 8, 11} {
		for _, reach := range []float64{.2, .25, .3} {
			for _, near := range []float64{.8, .88} {
				w.Shift, w.Reach, w.Near = shift, reach, near
				list = append(list, w)
			}
		}
	}
	return list
}

// fit measures every choice on every set, and reports on each set the choice that is best on the
// others.
func fit(ctx context.Context, w io.Writer, m models, sets []*eval.Set, o *options) error {
	choices := grid(o.weights.Learning)
	trials := make([][]trial, len(sets))
	for i, s := range sets {
		for _, wrong := range []string{"", asAnswers} {
			of := *o
			of.irrelevant = wrong
			results, err := playAll(ctx, m, s, choices, &of)
			if err != nil {
				return fmt.Errorf("%s: %w", s.Name, err)
			}
			if wrong == "" {
				trials[i] = make([]trial, len(choices))
			}
			for k := range results {
				if wrong == "" {
					trials[i][k].right = results[k]
				} else {
					trials[i][k].wrong = results[k]
				}
			}
		}
	}
	fmt.Fprintln(w, "| set | shift | reach | near | hit@1 asked | unasked | R@5 lost |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|")
	for i, s := range sets {
		k := best(trials, i)
		writeTrial(w, s.Name, &choices[k], &trials[i][k])
	}
	k := best(trials, -1)
	for i, s := range sets {
		writeTrial(w, "by all: "+s.Name, &choices[k], &trials[i][k])
	}
	return nil
}

// best returns the choice with the highest mean value on all sets but one.
func best(trials [][]trial, but int) (found int) {
	highest := math.Inf(-1)
	for k := range trials[0] {
		sum := 0.0
		for i := range trials {
			if i != but {
				sum += trials[i][k].value()
			}
		}
		if sum > highest {
			found, highest = k, sum
		}
	}
	return found
}

func writeTrial(w io.Writer, name string, c *rank.Learning, t *trial) {
	asked, unasked := t.right.gain()
	fmt.Fprintf(w, "| %s | %g | %g | %g | %+.3f | %+.3f | %+.3f |\n", name, c.Shift, c.Reach, c.Near, asked, unasked, t.lost())
}
