package eval

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Abstention says how well confidence tells questions that a store answers from
// those that it does not.
type Abstention struct {
	Set  string `json:"set"`
	Kind string `json:"kind"`
	Size int    `json:"size,omitempty"`
	// Right and Wrong count the questions asked of the right and of a wrong store.
	Right int `json:"right"`
	Wrong int `json:"wrong"`
	// AUROC is the probability that the confidence of a question of a right store is
	// above that of one of a wrong store.
	AUROC Bounded `json:"auroc"`
	// Answered is the share of the first that were answered by default, Refused that
	// of the second that were not. Lost is what that costs in recall@10.
	Answered Bounded `json:"answered"`
	Refused  Bounded `json:"refused"`
	Lost     Bounded `json:"lost"`
	// Error is the mean distance between confidence and the share that is right, in
	// ten classes of confidence; right and wrong questions count half each.
	Error float64 `json:"calibration_error"`
}

// Bounded is a measure with its 95 % interval by bootstrap.
type Bounded struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Abstentions summarises trials by set, kind and size. Those of the category
// abstention are wrong ones beside the right ones of their set.
func Abstentions(trials []Trial) []Abstention {
	type key struct {
		set, kind string
		size      int
	}
	groups := make(map[key][]*Trial)
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
	var out []Abstention
	for _, k := range keys {
		var right, wrong []*Trial
		for _, t := range groups[k] {
			if t.Right {
				right = append(right, t)
			} else {
				wrong = append(wrong, t)
			}
		}
		if k.kind == TrialAbstention {
			for _, t := range groups[key{k.set, TrialWhole, 0}] {
				if t.Right {
					right = append(right, t)
				}
			}
		}
		a := Abstention{Set: k.set, Kind: k.kind, Size: k.size, Right: len(right), Wrong: len(wrong)}
		a.measure(right, wrong)
		out = append(out, a)
	}
	return out
}

func (a *Abstention) measure(right, wrong []*Trial) {
	answered := func(r, _ []*Trial) float64 { return share(r, func(t *Trial) float64 { return truth(!t.Abstained) }) }
	refused := func(_, w []*Trial) float64 { return share(w, func(t *Trial) float64 { return truth(t.Abstained) }) }
	lost := func(r, _ []*Trial) float64 {
		return share(r, func(t *Trial) float64 { return truth(t.Abstained) * t.Recall })
	}
	area := func(r, w []*Trial) float64 { return AUROC(confidences(r), confidences(w)) }
	a.AUROC, a.Answered = bounded(right, wrong, area), bounded(right, wrong, answered)
	a.Refused, a.Lost = bounded(right, wrong, refused), bounded(right, wrong, lost)
	a.Error = calibration(confidences(right), confidences(wrong))
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func share(list []*Trial, of func(*Trial) float64) float64 {
	sum := 0.0
	for _, t := range list {
		sum += of(t)
	}
	return sum / float64(max(1, len(list)))
}

func confidences(list []*Trial) []float64 {
	out := make([]float64, len(list))
	for i, t := range list {
		out[i] = t.Confidence
	}
	return out
}

// bootstraps is how often is drawn for an interval.
const bootstraps = 500

// bounded measures, and measures again what is drawn with replacement.
func bounded(right, wrong []*Trial, of func(right, wrong []*Trial) float64) Bounded {
	b := Bounded{Value: of(right, wrong)}
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

// AUROC is the probability that one of right is above one of wrong, ties counting
// half: the area under the receiver operating characteristic, in [0, 1]; .5 if one of
// them is empty. Source: Hanley and McNeil, The meaning and use of the area under a
// receiver operating characteristic curve, 1982.
func AUROC(right, wrong []float64) float64 {
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

// WriteAbstentions writes aligned text, a line for each.
func WriteAbstentions(w io.Writer, list []Abstention) error {
	rows := [][]string{{"set", "questions", "memories", "right", "wrong", "AUROC", "answered", "refused", "lost R@10", "calibration error"}}
	cell := func(b Bounded) string { return fmt.Sprintf("%.3f [%.3f, %.3f]", b.Value, b.Low, b.High) }
	for _, a := range list {
		size := "all"
		if a.Size > 0 {
			size = strconv.Itoa(a.Size)
		}
		rows = append(rows, []string{
			a.Set, a.Kind, size, strconv.Itoa(a.Right), strconv.Itoa(a.Wrong),
			cell(a.AUROC), cell(a.Answered), cell(a.Refused), cell(a.Lost), strconv.FormatFloat(a.Error, 'f', 3, 64),
		})
	}
	b := bufio.NewWriter(w)
	align(b, rows)
	return b.Flush()
}
