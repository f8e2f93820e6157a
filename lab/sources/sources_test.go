package main

import (
	"math"
	"strings"
	"testing"
)

// generated returns questions whose answers have the odds 1 to 9, those of code twice as large as they should be.
func generated() []trial {
	var out []trial
	for _, notes := range []string{"a", "b"} {
		for _, code := range []string{"x", "y"} {
			for i := range 81 {
				m, c := float64(1+i%9), float64(1+i/9)
				for _, about := range []bool{m < c, m <= c} {
					t := trial{Notes: notes, Code: code, AboutCode: about}
					t.Memory.add(m/(1+m), !about)
					t.Tree.add(2*c/(1+2*c), about)
					out = append(out, t)
				}
			}
		}
	}
	return out
}

// A fit finds by how much the odds of one source are too large.
func TestFit(t *testing.T) {
	t.Parallel()
	f := families()[0]
	weights := fit(&f, generated())
	if got := math.Exp(weights[0] / weights[1]); math.Abs(got-.5) > .01 {
		t.Errorf("code counts %.3f times", got)
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := write(&b, generated()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| relevance |", "| odds of code times a constant | ", "The odds of code count 0.5"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	code, notes := mean(generated(), func(*trial) scale { return plainScales()["relevance"] })
	if code.source < .99 || notes.source > .9 {
		t.Errorf("too large odds hide nothing: %+v, %+v", code, notes)
	}
}

// What the source that a question is about found decides its figures.
func TestOrdered(t *testing.T) {
	t.Parallel()
	q := trial{AboutCode: true}
	q.Memory.add(.8, false)
	q.Tree.add(.9, false)
	q.Tree.add(.7, true)
	relevance := plainScales()["relevance"]
	if got := ordered(&q, relevance); got != (figures{source: 1, recall: 1}) {
		t.Errorf("%+v", got)
	}
	q.Tree.Relevance[0] = .1
	if got := ordered(&q, relevance); got != (figures{recall: 1}) {
		t.Errorf("%+v", got)
	}
}

// Questions without an answer do not count; others count what they found of theirs.
func TestScore(t *testing.T) {
	t.Parallel()
	var s score
	for _, q := range []struct {
		right   []bool
		answers int
	}{{[]bool{true, false, true, true}, 2}, {[]bool{false, true}, 2}, {nil, 1}, {[]bool{false}, 0}} {
		s.add(found{Right: q.right, documents: []string{"a", "b", "c", "a"}[:len(q.right)]}, q.answers)
	}
	if got, want := s.String(), "0.500 / 0.333"; s.questions != 3 || got != want {
		t.Errorf("%s of %d questions, not %s", got, s.questions, want)
	}
}
