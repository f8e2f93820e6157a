package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/termtext"
)

// searchFlags are the flags of search as given.
type searchFlags struct {
	query        hippo.Query
	all          bool
	low, high    float64
	since, until string
	asOf         string
}

func (s *shell) searchCommand() *cobra.Command {
	var f searchFlags
	c := &cobra.Command{
		Use:   "search [WORDS...]",
		Short: "Find insights, best first; without words, all of them",
		Example: `  hippo search why did the gateway go down --when "last week" --explain
  hippo search default branch --as-of 2026-03-01`,
		RunE: func(c *cobra.Command, args []string) error {
			q, err := s.query(c, &f, args)
			if err != nil {
				return err
			}
			return s.with(c.Context(), func(e *engine.Engine) error {
				if q.Filter.Projects, err = s.projects(c.Context(), e, f.all); err != nil {
					return err
				}
				if q.Ranker != hippo.RankerBM25 {
					_ = e.Ready(c.Context()) // the answer says what is missing
				}
				a, err := e.Search(c.Context(), q)
				if err != nil {
					return err
				}
				return s.answer(a)
			})
		},
	}
	v := c.Flags()
	v.StringArrayVar(&f.query.Situation, "situation", nil, "only insights for this situation; may be repeated (any)")
	v.StringArrayVar(&f.query.Filter.Tags, "tag", nil, "only insights with this tag; may be repeated (all)")
	v.StringArrayVar(&f.query.Filter.Types, "type", nil, "only insights of this type; may be repeated (any)")
	v.StringVar(&f.query.Filter.Author, "author", "", "only what this author said")
	v.StringVar(&f.query.Filter.Session, "session", "", "only what this session holds")
	v.BoolVar(&f.query.Filter.Pinned, "pinned", false, "only pinned insights")
	v.StringVar(&f.query.When, "when", "", "of this time: 'last week', 'since 1 March', 2026-01-01..2026-02-01")
	v.StringVar(&f.since, "since", "", "recorded at or after this time or date")
	v.StringVar(&f.until, "until", "", "recorded before this time or date")
	v.StringVar(&f.asOf, "as-of", "", "only what held at this time or date")
	v.Float64Var(&f.low, "min", 0, "least relevance; 0 also shows what is unlikely to answer")
	v.Float64Var(&f.high, "max", math.Inf(1), "highest relevance")
	v.IntVar(&f.query.Offset, "offset", 0, "skip this many hits")
	v.IntVar(&f.query.Count, "count", hippo.DefaultCount, "show this many hits")
	v.BoolVar(&f.query.Explain, "explain", false, "show why each hit is where it is")
	v.BoolVar(&f.query.NoTouch, "no-touch", false, "do not count the hits as used")
	allFlag(c, &f.all)
	return c
}

func (s *shell) query(c *cobra.Command, f *searchFlags, args []string) (hippo.Query, error) {
	q := f.query
	q.Text = strings.Join(args, " ")
	if err := validCount(q.Count); err != nil {
		return q, err
	}
	if c.Flags().Changed("min") || c.Flags().Changed("max") {
		q.Relevance = &hippo.Range{Min: f.low, Max: f.high}
	}
	var err error
	if q.Filter.CreatedAfter, err = parseTime("since", f.since); err != nil {
		return q, err
	}
	if q.Filter.CreatedBefore, err = parseTime("until", f.until); err != nil {
		return q, err
	}
	if from, to := q.Filter.CreatedAfter, q.Filter.CreatedBefore; !from.IsZero() && !to.IsZero() && !from.Before(to) {
		return q, hippo.Fieldf("until", "must be after since, got %q and %q", f.until, f.since)
	}
	if q.Filter.ValidAt, err = parseTime("as-of", f.asOf); err != nil {
		return q, err
	}
	cfg, err := s.config()
	if err != nil {
		return q, err
	}
	q.Ranker = cfg.Ranker
	return q, q.Validate()
}

// validCount refuses a count of 0, which the engine takes for none given.
func validCount(n int) error {
	if n == 0 {
		return hippo.Fieldf("count", "must be between 1 and %d, got 0", hippo.MaxCount)
	}
	return nil
}

// answer prints the outcome of a search.
func (s *shell) answer(a *hippo.Answer) error {
	for _, d := range a.Degraded {
		s.warn("degraded: %s", d)
	}
	if a.Abstained != "" {
		s.warn("%s; --min 0 shows them", a.Abstained)
	}
	switch {
	case s.json:
		return s.answerJSON(a)
	case s.lines:
		for _, h := range a.Hits {
			fmt.Fprintln(s.out, line(h.Memory))
		}
		return nil
	case a.Abstained != "":
		return nil
	case len(a.Hits) == 0 && a.Total > 0:
		fmt.Fprintf(s.out, "Nothing on this page: %d in all. Try a smaller --offset.\n", a.Total)
		return nil
	case len(a.Hits) == 0 && a.Distribution.Sum() > 0:
		fmt.Fprintf(s.out, "Nothing in this range of relevance; %d outside of it. Try other --min and --max.\n", a.Distribution.Sum())
		return nil
	case len(a.Hits) == 0:
		fmt.Fprintln(s.out, "Nothing found. Try fewer or other words, or no filter.")
		return nil
	}
	fmt.Fprintf(s.out, "%d of %d\n", len(a.Hits), a.Total)
	if a.Confidence > 0 && a.Hits[0].Explanation != nil {
		p := a.Support
		fmt.Fprintf(s.out, "confidence %.3f (text %.3f, coverage %.2f, met %.3f, strange %.2f, terms %d)\n", a.Confidence, p.Text, p.Coverage, p.Met, p.Strange, p.Terms)
	}
	for i := range a.Hits {
		s.hit(&a.Hits[i])
	}
	s.printConflicts(a)
	return nil
}

// indent is how far the lines of a hit are indented below the first.
const indent = "       "

// hit prints one result: relevance and content, then where it belongs.
func (s *shell) hit(h *hippo.Hit) {
	m := h.Memory
	fmt.Fprintf(s.out, "\n%.3f  %s\n", h.Relevance, termtext.Block(m.Content, indent))
	var notes []string
	if len(m.Situation) > 0 {
		notes = append(notes, strings.Join(m.Situation, "; "))
	}
	for _, t := range m.Tags {
		notes = append(notes, "#"+t)
	}
	notes = append(notes, m.When().Format(time.DateOnly), m.ID.String())
	if !m.SupersededBy.IsZero() {
		notes = append(notes, "superseded by "+m.SupersededBy.String())
	}
	fmt.Fprintf(s.out, "%s%s\n", indent, termtext.Line(strings.Join(notes, " · ")))
	if h.Explanation != nil {
		explanation(s.out, h)
	}
}

// jsonHit is a result as JSON.
type jsonHit struct {
	Insight   json.RawMessage `json:"insight"`
	Relevance float64         `json:"relevance"`
	Signals   hippo.Signals   `json:"signals"`
	// Explanation is there if it was asked for.
	Explanation *hippo.Explanation `json:"explanation,omitempty"`
}

func (s *shell) answerJSON(a *hippo.Answer) error {
	out := struct {
		Results      []jsonHit      `json:"results"`
		Total        int            `json:"total_count"`
		Distribution map[string]int `json:"relevance_distribution"`
		Ranker       hippo.Ranker   `json:"ranker"`
		Day          hippo.Day      `json:"active_day"`
		Conflicts    []jsonConflict `json:"conflicts,omitempty"`
		Confidence   float64        `json:"confidence,omitempty"`
		Support      *hippo.Support `json:"support,omitempty"`
		Abstained    string         `json:"abstained,omitempty"`
		Degraded     []string       `json:"degraded,omitempty"`
	}{
		Results: make([]jsonHit, len(a.Hits)), Total: a.Total, Distribution: map[string]int{}, Ranker: a.Ranker, Day: a.Day,
		Confidence: a.Confidence, Abstained: a.Abstained, Degraded: a.Degraded,
	}
	if a.Confidence > 0 {
		out.Support = &a.Support
	}
	for i, name := range hippo.BucketNames() {
		out.Distribution[name] = a.Distribution[i]
	}
	for _, c := range a.Conflicts {
		out.Conflicts = append(out.Conflicts, jsonConflict(c))
	}
	for i, h := range a.Hits {
		m, err := memoryJSON(h.Memory)
		if err != nil {
			return err
		}
		out.Results[i] = jsonHit{Insight: m, Relevance: h.Relevance, Signals: h.Signals, Explanation: h.Explanation}
	}
	return s.printJSON(out)
}
