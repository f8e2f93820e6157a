package main

import (
	"bytes"
	"cmp"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// abstention says how well confidence separates questions that a store answers from
// those that it does not.
type abstention struct {
	Set  string `json:"set"`
	Kind string `json:"kind"`
	Size int    `json:"size,omitempty"`
	// Right and Wrong count the questions asked of the right and of a wrong store.
	Right int `json:"right"`
	Wrong int `json:"wrong"`
	// AUROC is the probability that the confidence of a question of a right store is
	// above that of one of a wrong store.
	AUROC bounded `json:"auroc"`
	// Weak is the share of the answers to the right ones whose first hit is right that are
	// marked as weak, Unflagged the share of the answers to the wrong ones that are not.
	Weak      bounded `json:"weak"`
	Unflagged bounded `json:"unflagged"`
	// Error is the mean distance between confidence and the share that is right, in
	// ten classes of confidence; right and wrong questions count half each.
	Error float64 `json:"calibration_error"`
}

// bounded is a measure with its 95 % interval by bootstrap.
type bounded struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// abstentions summarises trials by set, kind and size. Unanswerable ones, and those whose answers
// are removed, are wrong ones beside the right ones of their set.
func abstentions(trials []trial) []abstention {
	type key struct {
		set, kind string
		size      int
	}
	groups := make(map[key][]*trial)
	var keys []key
	for i := range trials {
		t := &trials[i]
		k := key{t.Set, t.Kind, t.Size}
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], t)
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.set, b.set), -cmp.Compare(a.kind, b.kind), cmp.Compare(a.size, b.size))
	})
	out := make([]abstention, 0, len(keys))
	for _, k := range keys {
		var right, wrong []*trial
		for _, t := range groups[k] {
			if t.Right {
				right = append(right, t)
			} else {
				wrong = append(wrong, t)
			}
		}
		if k.kind == trialUnanswerable || k.kind == trialRemoved {
			beside := key{k.set, trialSmall, k.size}
			if k.size == 0 {
				beside.kind = trialWhole
			}
			for _, t := range groups[beside] {
				if t.Right {
					right = append(right, t)
				}
			}
		}
		a := abstention{Set: k.set, Kind: k.kind, Size: k.size, Right: len(right), Wrong: len(wrong)}
		a.measure(right, wrong)
		out = append(out, a)
	}
	return out
}

func (a *abstention) measure(right, wrong []*trial) {
	weak := func(r, _ []*trial) float64 {
		first := slices.DeleteFunc(slices.Clone(r), func(t *trial) bool { return !t.First })
		return share(first, func(t *trial) float64 { return truth(t.Weak) })
	}
	unflagged := func(_, w []*trial) float64 { return share(w, func(t *trial) float64 { return truth(!t.Weak) }) }
	area := func(r, w []*trial) float64 { return auroc(confidences(r), confidences(w)) }
	a.AUROC = bootstrapTrials(right, wrong, area)
	a.Weak, a.Unflagged = bootstrapTrials(right, wrong, weak), bootstrapTrials(right, wrong, unflagged)
	a.Error = calibration(confidences(right), confidences(wrong))
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func share(list []*trial, of func(*trial) float64) float64 {
	sum := 0.0
	for _, t := range list {
		sum += of(t)
	}
	return sum / float64(max(1, len(list)))
}

func confidences(list []*trial) []float64 {
	out := make([]float64, len(list))
	for i, t := range list {
		out[i] = t.Confidence
	}
	return out
}

// bootstraps is the number of samples drawn for an interval.
const bootstraps = 500

// bootstrapTrials measures trials, and for the interval samples of them drawn with
// replacement.
func bootstrapTrials(right, wrong []*trial, of func(right, wrong []*trial) float64) bounded {
	b := bounded{Value: of(right, wrong)}
	r, values := rand.New(rand.NewPCG(1, 2)), make([]float64, bootstraps)
	x, y := slices.Clone(right), slices.Clone(wrong)
	for i := range values {
		for j := range x {
			x[j] = right[r.IntN(len(right))]
		}
		for j := range y {
			y[j] = wrong[r.IntN(len(wrong))]
		}
		values[i] = of(x, y)
	}
	slices.Sort(values)
	b.Low, b.High = values[bootstraps*25/1000], values[bootstraps*975/1000-1]
	return b
}

// auroc is the probability that one of right is above one of wrong, ties counting
// half: the area under the receiver operating characteristic, in [0, 1]; .5 if one of
// them is empty. Source: Hanley and McNeil, The meaning and use of the area under a
// receiver operating characteristic curve, 1982.
func auroc(right, wrong []float64) float64 {
	if len(right) == 0 || len(wrong) == 0 {
		return .5
	}
	sum, n := 0.0, float64(len(right))
	for _, r := range ranks(slices.Concat(right, wrong))[:len(right)] {
		sum += r
	}
	return (sum - n*(n+1)/2) / n / float64(len(wrong))
}

// calibration is the expected calibration error over ten classes; each list weighs half.
func calibration(right, wrong []float64) float64 {
	const classes = 10
	var is, said, all [classes]float64
	for which, list := range [][]float64{wrong, right} {
		weight := .5 / float64(max(1, len(list)))
		for _, c := range list {
			k := min(int(c*classes), classes-1)
			is[k] += weight * float64(which)
			said[k] += weight * c
			all[k] += weight
		}
	}
	sum, total := 0.0, 0.0
	for k := range all {
		sum, total = sum+math.Abs(is[k]-said[k]), total+all[k]
	}
	if total == 0 {
		return 0
	}
	return sum / total
}

// writeAbstentions writes a table in Markdown.
func writeAbstentions(w io.Writer, list []abstention) error {
	var b bytes.Buffer
	heading(&b, "set", "questions", "memories", "right", "wrong", "AUROC", "weak of right first", "unflagged", "calibration error")
	cell := func(x bounded) string { return ranged(x.Value, x.Low, x.High) }
	for _, a := range list {
		size := "all"
		if a.Size > 0 {
			size = strconv.Itoa(a.Size)
		}
		tableRow(&b, a.Set, a.Kind, size, strconv.Itoa(a.Right), strconv.Itoa(a.Wrong),
			cell(a.AUROC), cell(a.Weak), cell(a.Unflagged), eval.Decimal(a.Error))
	}
	_, err := w.Write(bytes.TrimLeft(b.Bytes(), "\n"))
	return err
}
