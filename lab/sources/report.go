package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
)

// mean returns the figures of the questions about code and of those about notes, each the mean over its groups.
func mean(trials []trial, of func(t *trial) scale) (code, notes figures) {
	sums, sizes := make(map[group]figures), make(map[group]float64)
	for i := range trials {
		t := &trials[i]
		x, sum := ordered(t, of(t)), sums[groupOf(t)]
		sums[groupOf(t)] = figures{sum.source + x.source, sum.hit + x.hit, sum.recall + x.recall}
		sizes[groupOf(t)]++
	}
	for g, sum := range sums {
		to, n := &notes, sizes[g]*float64(len(sums))/2 // half of the groups are about code
		if g.aboutCode {
			to = &code
		}
		to.source, to.hit, to.recall = to.source+sum.source/n, to.hit+sum.hit/n, to.recall+sum.recall/n
	}
	return code, notes
}

// held returns the scale for each trial by weights that are fitted to those of other sets: neither its notes nor its code.
func held(f *family, trials []trial) func(t *trial) scale {
	scales := make(map[group]scale)
	return func(t *trial) scale {
		g := group{notes: t.Notes, code: t.Code}
		if scales[g] == nil {
			others := slices.DeleteFunc(slices.Clone(trials), func(x trial) bool { return x.Notes == t.Notes || x.Code == t.Code })
			scales[g] = f.of(fit(f, others))
		}
		return scales[g]
	}
}

// write prints a row for each scale: of those with weights as cross-validation gives it.
func write(w io.Writer, trials []trial) error {
	var b strings.Builder
	b.WriteString("| scale | first is of the right source: code, notes | hit@1: code, notes | R@10: code, notes | weights |\n|---|---|---|---|---|\n")
	row := func(name string, of func(*trial) scale, weights string) {
		c, n := mean(trials, of)
		fmt.Fprintf(&b, "| %s | %.3f, %.3f | %.3f, %.3f | %.3f, %.3f | %s |\n", name, c.source, n.source, c.hit, n.hit, c.recall, n.recall, weights)
	}
	plain := plainScales()
	for _, name := range slices.Sorted(maps.Keys(plain)) {
		row(name, func(*trial) scale { return plain[name] }, "")
	}
	for _, f := range families() {
		weights := fit(&f, trials)
		row(f.name, held(&f, trials), strings.Trim(fmt.Sprintf("%.3f", weights), "[]"))
	}
	simplest := families()[0]
	weights := fit(&simplest, trials)
	fmt.Fprintf(&b, "\nThe odds of code count %.3f times.\n", math.Exp(weights[0]/weights[1]))
	_, err := io.WriteString(w, b.String())
	return err
}
