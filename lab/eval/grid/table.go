package grid

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// What the default may be below the best of its parts, in cells of [fewestQuestions] and more.
const (
	toleratedRecall = .02
	toleratedHit    = .03
	fewestQuestions = 40
	tiny            = 1e-9
)

// Below reports whether the default is too far below the best of its parts.
func (r *Result) Below() bool {
	return r.Lead.Recall10 < -toleratedRecall-tiny || r.Lead.Hit1 < -toleratedHit-tiny
}

// Above reports whether the default is nowhere below the best of its parts.
func (r *Result) Above() bool { return r.Lead.Recall10 > -tiny && r.Lead.Hit1 > -tiny }

// worst is the larger of the two distances, as multiples of what is tolerated; the lowest is the worst.
func (r *Result) worst() float64 {
	return min(r.Lead.Recall10/toleratedRecall, r.Lead.Hit1/toleratedHit)
}

// Summary counts cells.
type Summary struct {
	// Cells are those of enough questions, Below and Above how many of them are so.
	Cells int `json:"cells"`
	Below int `json:"below"`
	Above int `json:"above"`
}

// Kind is the mean over the cells of one level of one factor.
type Kind struct {
	Factor string `json:"factor"`
	Level  string `json:"level"`
	Summary
	Default Measures `json:"default"`
	Best    Measures `json:"best"`
	Lead    Measures `json:"lead"`
}

// Report is all that was measured, the worst cell first.
type Report struct {
	Cells []Result `json:"cells"`
	Summary
	Kinds []Kind `json:"kinds"`
}

// NewReport sorts cells, and counts them.
func NewReport(cells []Result) *Report {
	r := &Report{Cells: slices.Clone(cells)}
	slices.SortStableFunc(r.Cells, func(a, b Result) int { return cmp.Compare(a.worst(), b.worst()) })
	r.Summary, _ = sum(r.Cells)
	factors := []struct {
		name string
		of   func(c Cell) string
	}{
		{"set", func(c Cell) string { return c.Set }},
		{"size", func(c Cell) string { return strconv.Itoa(c.Size) }},
		{"filler", func(c Cell) string { return c.Filler }},
		{"form", func(c Cell) string { return c.Form }},
		{"state", func(c Cell) string { return c.State }},
	}
	for _, f := range factors {
		var kinds []Kind
		for _, c := range cells {
			level := f.of(c.Cell)
			if slices.ContainsFunc(kinds, func(k Kind) bool { return k.Level == level }) {
				continue
			}
			var list []Result
			for _, x := range cells {
				if f.of(x.Cell) == level {
					list = append(list, x)
				}
			}
			s, k := sum(list)
			if k.Factor, k.Level, k.Summary = f.name, level, s; s.Cells > 0 {
				kinds = append(kinds, k)
			}
		}
		slices.SortStableFunc(kinds, func(a, b Kind) int {
			return cmp.Compare(min(a.Lead.Recall10/toleratedRecall, a.Lead.Hit1/toleratedHit), min(b.Lead.Recall10/toleratedRecall, b.Lead.Hit1/toleratedHit))
		})
		r.Kinds = append(r.Kinds, kinds...)
	}
	return r
}

// sum counts the cells of enough questions, and returns their means.
func sum(list []Result) (s Summary, k Kind) {
	for i := range list {
		x := &list[i]
		if x.Questions < fewestQuestions {
			continue
		}
		s.Cells++
		if x.Below() {
			s.Below++
		}
		if x.Above() {
			s.Above++
		}
		k.Default.add(x.Of[byDefault])
		k.Best.add(x.Best)
		k.Lead.add(x.Lead)
	}
	for _, m := range []*Measures{&k.Default, &k.Best, &k.Lead} {
		m.Recall10, m.Hit1 = m.Recall10/float64(max(1, s.Cells)), m.Hit1/float64(max(1, s.Cells))
	}
	return s, k
}

func (m *Measures) add(x Measures) { m.Recall10, m.Hit1 = m.Recall10+x.Recall10, m.Hit1+x.Hit1 }

// String is R@10 and hit@1.
func (m Measures) String() string { return eval.Decimal(m.Recall10) + "/" + eval.Decimal(m.Hit1) }

// signed is a difference.
func (m Measures) signed() string { return plus(m.Recall10) + "/" + plus(m.Hit1) }

func plus(x float64) string {
	if text := eval.Decimal(x); x <= 0 || text == ".000" {
		return text
	}
	return "+" + eval.Decimal(x)
}

// Write writes the report as text.
func (r *Report) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "R@10/hit@1\tset\tsize\tfiller\tform\tstate\tn\tdefault\t%s\tdifference\n", strings.Join(others(), "\t"))
	for i := range r.Cells {
		c := &r.Cells[i]
		mark := ""
		if c.Below() && c.Questions >= fewestQuestions {
			mark = "below"
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%s\t%d\t%v", mark, c.Set, c.Size, c.Filler, c.Form, c.State, c.Questions, c.Of[byDefault])
		for _, name := range others() {
			if m, ok := c.Of[name]; ok {
				fmt.Fprintf(t, "\t%v", m)
			} else {
				fmt.Fprint(t, "\t-")
			}
		}
		fmt.Fprintf(t, "\t%s\n", c.Lead.signed())
	}
	fmt.Fprintf(t, "\n")
	fmt.Fprintf(t, "factor\tlevel\tcells\tbelow\tnot below at all\tdefault\tbest\tdifference\n")
	for _, k := range r.Kinds {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%v\t%v\t%s\n", k.Factor, k.Level, k.Cells, k.Below, k.Above, k.Default, k.Best, k.Lead.signed())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%d cells of %d questions and more: the default is below the best of its parts by more than %s R@10 or %s hit@1 in %d, and not below it in %d (%s).\n",
		r.Summary.Cells, fewestQuestions, eval.Decimal(toleratedRecall), eval.Decimal(toleratedHit), r.Below, r.Above,
		eval.Decimal(float64(r.Above)/float64(max(1, r.Summary.Cells))))
	return err
}

// WriteJSON writes the report for programs.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
