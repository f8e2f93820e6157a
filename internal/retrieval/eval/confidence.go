package eval

import (
	"bufio"
	"math"
	"slices"
	"strconv"
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
	// Tokens is the mean size of a reply to the questions of the mean, UnanswerableTokens of one to
	// the unanswerable ones; 0 if replies have no size.
	Tokens             float64 `json:"tokens,omitzero"`
	UnanswerableTokens float64 `json:"unanswerable_tokens,omitzero"`
}

// Weak reports whether an answer says that it may not answer the query, or is empty.
func Weak(hits int, reason string) bool { return hits == 0 || reason != "" }

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
	var tokens, unanswerable float64
	for i := range answers {
		a := &answers[i]
		switch {
		case Unanswerable(a.Category):
			c.Unanswerable++
			unflagged += count(!a.Weak)
			unanswerable += a.Tokens
		case !Excluded(a.Category):
			c.Answerable++
			held += count(a.Withheld)
			weak += count(a.Weak)
			tokens += a.Tokens
		}
	}
	c.Withheld, c.Weak = share(held, c.Answerable), share(weak, c.Answerable)
	c.Unflagged = share(unflagged, c.Unanswerable)
	c.Tokens, c.UnanswerableTokens = tokens/float64(max(1, c.Answerable)), unanswerable/float64(max(1, c.Unanswerable))
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

// Totals returns the confidence over all rows of each system that has one, in the order of the
// rows.
func Totals(rows []Row) []Total {
	var out []Total
	for i := range rows {
		if rows[i].Confidence == nil {
			continue
		}
		k := slices.IndexFunc(out, func(t Total) bool { return t.System == rows[i].System })
		if k < 0 {
			k = len(out)
			out = append(out, Total{System: rows[i].System})
		}
		out[k].add(rows[i].Confidence)
	}
	return out
}

// add makes c the confidence over the questions of both.
func (c *Confidence) add(d *Confidence) {
	c.Withheld = pooled(c.Withheld, c.Answerable, d.Withheld, d.Answerable)
	c.Weak = pooled(c.Weak, c.Answerable, d.Weak, d.Answerable)
	c.Unflagged = pooled(c.Unflagged, c.Unanswerable, d.Unflagged, d.Unanswerable)
	c.Tokens = pooled(c.Tokens, c.Answerable, d.Tokens, d.Answerable)
	c.UnanswerableTokens = pooled(c.UnanswerableTokens, c.Unanswerable, d.UnanswerableTokens, d.Unanswerable)
	c.Answerable += d.Answerable
	c.Unanswerable += d.Unanswerable
}

// pooled is the mean of two means, of n and m questions.
func pooled(a float64, n int, b float64, m int) float64 {
	return (float64(a*float64(n)) + float64(b*float64(m))) / float64(max(1, n+m))
}

// writeConfidence writes a line for each row that has a confidence, and one for all sets.
func writeConfidence(b *bufio.Writer, r Report, o *TableOptions) {
	head := []string{"set", "system", "n", "withheld", "weak", "unanswerable", "unflagged"}
	if slices.ContainsFunc(r.All, func(t Total) bool { return t.Tokens > 0 }) {
		head = append(head, "tokens", "unanswerable")
	}
	rows := [][]string{head}
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

// cells writes the shares, and the sizes if there are any; those of no questions are left blank.
func (c *Confidence) cells() []string {
	out := make([]string, 5)
	if c.Answerable > 0 {
		out[0], out[1], out[2] = strconv.Itoa(c.Answerable), Decimal(c.Withheld), Decimal(c.Weak)
	}
	if c.Unanswerable > 0 {
		out[3], out[4] = strconv.Itoa(c.Unanswerable), Decimal(c.Unflagged)
	}
	for _, n := range []float64{c.Tokens, c.UnanswerableTokens} {
		if n > 0 {
			out = append(out, strconv.Itoa(int(math.Round(n))))
		} else if c.Tokens > 0 {
			out = append(out, "")
		}
	}
	return out
}
