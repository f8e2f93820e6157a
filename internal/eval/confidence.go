package eval

import (
	"bufio"
	"slices"
	"strconv"

	"github.com/hippo-memory/hippo"
)

// WithheldDepth is the number of candidates of which none that is right may be withheld.
const WithheldDepth = 5

// Confidence says whether the marks on the answers of a system are right; shares in [0, 1].
type Confidence struct {
	// Answerable counts the questions that are part of the mean. Withheld is the share of them
	// whose reply lacks a right document that was among the first [WithheldDepth] candidates;
	// lower is better. Weak is the share whose reply is marked as weak.
	Answerable int     `json:"answerable"`
	Withheld   float64 `json:"withheld"`
	Weak       float64 `json:"weak"`
	// Unanswerable counts the questions that nothing answers. Unflagged is the share of them
	// whose reply is not marked as weak; lower is better.
	Unanswerable int     `json:"unanswerable"`
	Unflagged    float64 `json:"unflagged"`
}

// weak reports whether an answer says that it may not answer the query, or is empty.
func weak(a *hippo.Answer) bool { return len(a.Hits) == 0 || a.Weak != "" }

// Withheld reports whether a relevant document among the first [WithheldDepth] candidates was not
// returned.
func Withheld(returned, candidates []string, relevant map[string]float64) bool {
	return slices.ContainsFunc(candidates[:min(WithheldDepth, len(candidates))], func(name string) bool {
		_, right := relevant[name]
		return right && !slices.Contains(returned, name)
	})
}

func confidenceOf(answers []Answer) *Confidence {
	var held, weak, unflagged int
	c := &Confidence{}
	for i := range answers {
		a := &answers[i]
		switch {
		case Unanswerable(a.Category):
			c.Unanswerable++
			unflagged += count(!a.Weak)
		case !Excluded(a.Category):
			c.Answerable++
			held += count(a.Withheld)
			weak += count(a.Weak)
		}
	}
	c.Withheld, c.Weak = share(held, c.Answerable), share(weak, c.Answerable)
	c.Unflagged = share(unflagged, c.Unanswerable)
	return c
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// share is part/all; 0 of nothing.
func share(part, all int) float64 { return float64(part) / float64(max(1, all)) }

// totals returns the confidence over all sets of each system that has one, in the order of the
// rows.
func totals(sets []SetReport) []Total {
	var out []Total
	for _, s := range sets {
		for _, r := range s.Rows {
			if r.Confidence == nil {
				continue
			}
			i := slices.IndexFunc(out, func(t Total) bool { return t.System == r.System })
			if i < 0 {
				i = len(out)
				out = append(out, Total{System: r.System})
			}
			out[i].add(r.Confidence)
		}
	}
	return out
}

// add makes c the confidence over the questions of both.
func (c *Confidence) add(d *Confidence) {
	c.Withheld = pooled(c.Withheld, c.Answerable, d.Withheld, d.Answerable)
	c.Weak = pooled(c.Weak, c.Answerable, d.Weak, d.Answerable)
	c.Unflagged = pooled(c.Unflagged, c.Unanswerable, d.Unflagged, d.Unanswerable)
	c.Answerable += d.Answerable
	c.Unanswerable += d.Unanswerable
}

// pooled is the mean of two shares, of n and m questions.
func pooled(a float64, n int, b float64, m int) float64 {
	return (float64(a*float64(n)) + float64(b*float64(m))) / float64(max(1, n+m))
}

// writeConfidence writes a line for each row that has a confidence, and one for all sets.
func writeConfidence(b *bufio.Writer, r Report, o *TableOptions) {
	rows := [][]string{{"set", "system", "n", "withheld", "weak", "unanswerable", "unflagged"}}
	for _, s := range r.Sets {
		for _, row := range s.Rows {
			if row.Confidence == nil {
				continue
			}
			rows = append(rows, append([]string{s.Name, row.System}, row.Confidence.cells()...))
			for _, c := range row.Categories {
				if o.Categories && !c.Excluded {
					rows = append(rows, append([]string{"", "  " + c.Name}, c.Confidence.cells()...))
				}
			}
		}
	}
	if len(rows) == 1 {
		return
	}
	for i := range r.All {
		rows = append(rows, append([]string{"all", r.All[i].System}, r.All[i].cells()...))
	}
	_, _ = b.WriteString("\n") // Flush returns the error
	align(b, rows, 2)
}

// cells writes the shares; one of no questions is left blank.
func (c *Confidence) cells() []string {
	out := make([]string, 5)
	if c.Answerable > 0 {
		out[0], out[1], out[2] = strconv.Itoa(c.Answerable), Decimal(c.Withheld), Decimal(c.Weak)
	}
	if c.Unanswerable > 0 {
		out[3], out[4] = strconv.Itoa(c.Unanswerable), Decimal(c.Unflagged)
	}
	return out
}
