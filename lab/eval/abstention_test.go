package main

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestAUROC(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		right, wrong []float64
		want         float64
	}{
		{nil, nil, .5},
		{[]float64{1}, nil, .5},
		{[]float64{.9, .8}, []float64{.1, .2, .3}, 1},
		{[]float64{.1}, []float64{.2}, 0},
		{[]float64{.5}, []float64{.5}, .5},
		{[]float64{.9, .2}, []float64{.5, .1}, .75},
	} {
		if got := auroc(c.right, c.wrong); got != c.want {
			t.Errorf("right %v, wrong %v: %v, want %v", c.right, c.wrong, got, c.want)
		}
	}
}

// TestAUROC_pairs: it is the share of pairs that are in order.
func TestAUROC_pairs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 9), func(n int) float64 { return float64(n) / 10 }), 1, 20)
		right, wrong := some.Draw(t, "right"), some.Draw(t, "wrong")
		sum := 0.0
		for _, r := range right {
			for _, w := range wrong {
				switch {
				case r > w:
					sum++
				case r == w:
					sum += .5
				}
			}
		}
		if got, want := auroc(right, wrong), sum/float64(len(right)*len(wrong)); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// TestTrials_small: confidence separates the questions of the small set, the same each
// time.
func TestTrials_small(t *testing.T) {
	t.Parallel()
	m := small(t)
	trials, err := m.trials(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := m.trials(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(trials, again); d != "" {
		t.Errorf("a second run differs: %s", d)
	}
	list := abstentions(trials)
	if len(list) == 0 || list[0].Set != "small" || list[0].Kind != trialWhole {
		t.Fatalf("%+v", list)
	}
	a := list[0]
	if a.Right != 35 || a.Wrong != 35 || a.AUROC.Value < .75 || a.Weak.Value > .2 || a.Unflagged.Value > .3 {
		t.Errorf("%+v", a)
	}
	for _, b := range []bounded{a.AUROC, a.Weak, a.Unflagged} {
		if b.Low > b.Value || b.Value > b.High || b.Low < 0 || b.High > 1 {
			t.Errorf("interval %+v", b)
		}
	}
	var table, lines bytes.Buffer
	if err := writeAbstentions(&table, list); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(table.String(), "AUROC") || strings.Count(table.String(), "\n") != len(list)+2 {
		t.Errorf("table:\n%s", table.String())
	}
	if err := writeLines(&lines, trials); err != nil {
		t.Fatal(err)
	}
	n := 0
	for d := json.NewDecoder(&lines); d.More(); n++ {
		var one trial
		if err := d.Decode(&one); err != nil {
			t.Fatal(err)
		}
		if one.Confidence < 0 || one.Confidence > 1 {
			t.Errorf("%q: confidence %v", one.Question, one.Confidence)
		}
	}
	if n != len(trials) {
		t.Errorf("%d lines of %d trials", n, len(trials))
	}
}
