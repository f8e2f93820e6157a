package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/verb"
)

// searchFlags are the flags of search as given.
type searchFlags struct {
	verb.Find
	all, each bool
}

func newSearchCommand(s *shell) *cobra.Command {
	var f searchFlags
	c := &cobra.Command{
		Use:   "search [WORDS...]",
		Short: "Search memories, best match first; without WORDS, show all of them",
		Example: `  hippo search why did the gateway go down --when "last week" --explain
  hippo search default branch --as-of 2026-03-01
  hippo search where do retries wait --sources memory,code`,
		RunE: func(c *cobra.Command, args []string) error {
			q, err := searchQuery(s, &f, args)
			if err != nil {
				return err
			}
			code, err := f.HasCode()
			if err != nil {
				return err
			}
			return s.inProject(c.Context(), func(m *client.Client) error {
				if q.Filter.Projects, err = projectsOf(c.Context(), s, m, f.all); err != nil {
					return err
				}
				x := api.Search{Query: q, Wait: q.Ranker != hippo.RankerBM25}
				if code {
					return searchSources(c.Context(), s, m, f.Sources, x)
				}
				a, err := m.Search(c.Context(), x)
				if err != nil {
					return err
				}
				return printAnswer(s, a, &q, filesOf(c.Context(), s, m, momentOf(&q), foundIn(a)))
			})
		},
	}
	v := c.Flags()
	addArgs(v, verb.Without(f.Args(), "ranker")) // a setting of all commands
	addAll(v, &f.all)
	v.StringSliceVar(&f.Sources, "sources", []string{api.SourceMemory}, "what to search: memory, code, or both, separated by a comma")
	v.BoolVar(&f.each, "each", false, "list memories with the same text one by one, not as one hit")
	return c
}

func searchQuery(s *shell, f *searchFlags, args []string) (hippo.Query, error) {
	f.Text = strings.Join(args, " ")
	q, err := f.Query(today(s), 0)
	if err != nil {
		return q, err
	}
	q.Each = f.each
	cfg, err := s.config()
	if err != nil {
		return q, err
	}
	q.Ranker, q.NoDistribution = cfg.Ranker, !s.json
	checked := q
	checked.Text, _ = hippo.ShortQuery(q.Text) // the search cuts the query itself and reports it
	return q, checked.Validate()
}

// printAnswer prints the outcome of a search.
func printAnswer(s *shell, a *hippo.Answer, q *hippo.Query, files missingFiles) error {
	for _, d := range a.Degraded {
		s.warn("degraded: %s", d)
	}
	if a.Weak != "" {
		s.warn("these may not answer the question (%s)", a.Weak)
	}
	if period := wire.PeriodText(a, s.now()); period != "" {
		s.warn("these are %s", period)
	}
	if a.Elsewhere > 0 {
		s.warn("%d more in other projects: --all shows them", a.Elsewhere)
	}
	s.count = len(a.Hits)
	ids := shortIDs(s, a.Named()...)
	if !s.json && !s.lines {
		printAnsweredFacts(s, a.Facts)
	}
	switch {
	case s.json:
		return printAnswerJSON(s, a, q.Offset)
	case s.lines:
		for i := range a.Hits {
			fmt.Fprintln(s.out, hitLine(s, &a.Hits[i], ids))
		}
		factLines(s, a.Facts)
		return nil
	case len(a.Hits) == 0:
		fmt.Fprint(s.out, advised(a, q))
		return nil
	}
	fmt.Fprintf(s.out, "%d of %d\n", len(a.Hits), a.Total)
	if a.Confidence > 0 && q.Explain {
		fmt.Fprintf(s.out, "confidence %.3f\n", a.Confidence)
		for _, name := range slices.Sorted(maps.Keys(a.Support)) {
			fmt.Fprintf(s.out, "%s%-14s %.3g\n", indent, name, a.Support[name])
		}
	}
	v := wire.View{Offset: q.Offset, Preview: hitPreview}
	for i := range a.Hits {
		printHit(s, &a.Hits[i], score(a.Weak, q, a.Hits[i].Relevance), v.Shown(a, i), ids, files)
	}
	printConflicts(s, a, ids)
	return nil
}

// advised returns the line for an answer without hits; empty if its facts are the answer.
func advised(a *hippo.Answer, q *hippo.Query) string {
	switch {
	case len(a.Facts) > 0:
		return ""
	case a.Total > 0:
		return fmt.Sprintf("Nothing on this page: %d in all. Try a smaller --offset.\n", a.Total)
	case a.Distribution.Sum() > 0:
		return fmt.Sprintf("Nothing in this range of relevance; %d outside of it. Try other --min and --max.\n", a.Distribution.Sum())
	case q.Filter.Projects == nil:
		return "Nothing found. Try fewer or other words, no filter, or --all for all projects.\n"
	default:
		return "Nothing found. Try fewer or other words, or no filter.\n"
	}
}

// hitPreview is how many characters of a hit are shown: some eight lines.
const hitPreview = 600

// indent is the indentation of the lines of a hit after the first.
const indent = "       "

// score returns the relevance of a hit. Relevance compares the hits of one answer: beside a confidence that is low, a high number
// would deny it, so a weak answer shows none unless it explains its numbers.
func score(weak string, q *hippo.Query, relevance float64) string {
	if weak != "" && !q.Explain {
		return wire.WeakScore + " "
	}
	return fmt.Sprintf("%.3f", relevance)
}

// printHit prints one result: its score and content, then its metadata.
func printHit(s *shell, h *hippo.Hit, score string, shown wire.Preview, ids hippo.ShortIDs, files missingFiles) {
	m, content := h.Memory, shown.Text
	if !shown.Ends && shown.More > 0 {
		content += "…"
	}
	fmt.Fprintf(s.out, "\n%s  %s\n", score, block(s, content, indent))
	notes := []string{ids.Of(m.ID), day(m.When())}
	if wire.Flags(m) != nil {
		notes = append(notes, wire.InstructionsNote)
	}
	if shown.More > 0 {
		notes = append(notes, fmt.Sprintf("%d more characters: hippo get %s", shown.More, ids.Of(m.ID)))
	}
	if len(m.Situation) > 0 {
		notes = append(notes, strings.Join(m.Situation, "; "))
	}
	for _, t := range m.Tags {
		notes = append(notes, "#"+t)
	}
	if m.Archived() {
		notes = append(notes, "archived")
	}
	if note := wire.StateNote(m, s.now(), ids); note != "" {
		notes = append(notes, note)
	}
	if note := query.ContradictionNote(h.ContradictedBy, s.now()); note != "" {
		notes = append(notes, note)
	}
	if m.Project == "" && m.UserPreference() {
		notes = append(notes, wire.PreferenceNote)
	}
	if note := files(m); note != "" {
		notes = append(notes, note)
	}
	if note := wire.SameNote(h.Same, ids); note != "" {
		notes = append(notes, note)
	}
	for _, l := range termtext.Wrap(termtext.Line(strings.Join(notes, " · ")), standardWidth-len(indent)) {
		fmt.Fprintln(s.out, indent+dim(s, l))
	}
	if h.Explanation != nil {
		explanation(s.out, h)
	}
}

func printAnswerJSON(s *shell, a *hippo.Answer, offset int) error {
	v := wire.View{Offset: offset, Now: s.now(), Full: true, Importance: client.ImportanceOn}
	out, err := v.Answer(a)
	if err != nil {
		return err
	}
	return s.printJSON(out)
}
