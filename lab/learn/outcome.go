package main

import (
	"fmt"
	"io"

	"github.com/hippo-memory/hippo/api"
)

// outcome is what a simulation gave: the scores of both halves before, after the days, and after a fifth
// of the memories was archived.
type outcome struct {
	deeds
	asked, unasked [3]score
}

// deeds count what was done to the memories.
type deeds struct {
	memories, forgotten int
	counts              api.ConsolidationCounts
	// atLast are the memories that were archived after the days.
	atLast int
}

// add counts a consolidation.
func (d *deeds) add(c *api.ConsolidationCounts) {
	d.counts.Pruned += c.Pruned
	d.counts.Linked += c.Linked
	d.counts.Summarised += c.Summarised
	d.counts.Archived += c.Archived
}

func (o *outcome) sum(x *outcome) {
	o.memories += x.memories
	o.forgotten += x.forgotten
	o.atLast += x.atLast
	o.add(&x.counts)
	for i := range o.asked {
		o.asked[i].sum(&x.asked[i])
		o.unasked[i].sum(&x.unasked[i])
	}
}

func writeHead(w io.Writer) {
	fmt.Fprintln(w, "| set | without | memories: forgotten, linked, summaries, archived, at last | questions | hit@1 before, after, a fifth archived | R@5 | R@10 |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|")
}

func (o *outcome) write(w io.Writer, name string, skip skipped) {
	both := o.asked
	for i := range both {
		both[i].sum(&o.unasked[i])
	}
	done := fmt.Sprintf("%d: %d, %d, %d, %d, %d", o.memories, o.forgotten, o.counts.Linked, o.counts.Summarised, o.counts.Archived, o.atLast)
	for _, half := range []struct {
		name string
		s    *[3]score
	}{{"asked", &o.asked}, {"unasked", &o.unasked}, {"both", &both}} {
		fmt.Fprintf(w, "| %s | %s | %s | %d %s | %s | %s | %s |\n", name, skip.String(), done, half.s[0].n, half.name,
			three(half.s, func(s *score) float64 { return s.hit }),
			three(half.s, func(s *score) float64 { return s.r5 }),
			three(half.s, func(s *score) float64 { return s.r10 }))
	}
}

// three writes a measure before, after the days, and after the archival.
func three(s *[3]score, of func(*score) float64) string {
	var means [3]float64
	for i := range s {
		means[i] = mean(of(&s[i]), s[i].n)
	}
	return fmt.Sprintf("%.3f, %.3f, %.3f", means[0], means[1], means[2])
}
