package mcpserver

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/rank"
	"github.com/hippo-memory/hippo/internal/termtext"
)

// view is an answer as the caller wants to see it.
type view struct {
	answer *hippo.Answer
	now    time.Time
	offset int
	full   bool
	clock  rank.Clock
}

// found is the structured content of a search.
type found struct {
	Results       []hit          `json:"results"`
	TotalCount    int            `json:"total_count"`
	ReturnedCount int            `json:"returned_count"`
	Distribution  map[string]int `json:"relevance_distribution"`
	ActiveDay     hippo.Day      `json:"active_day"`
	Ranker        hippo.Ranker   `json:"ranker"`
	NextOffset    int            `json:"next_offset,omitempty"`
	Conflicts     []conflict     `json:"conflicts,omitempty"`
	Confidence    float64        `json:"confidence,omitempty"`
	Abstained     string         `json:"abstained,omitempty"`
	Degraded      []string       `json:"degraded,omitempty"`
}

// hit is one result. The days are calendar days, with fractions.
type hit struct {
	Insight           insight            `json:"insight"`
	Relevance         float64            `json:"relevance"`
	DaysSinceCreated  float64            `json:"days_since_created"`
	DaysSinceModified float64            `json:"days_since_importance_modified"`
	Signals           *hippo.Signals     `json:"signals,omitempty"`
	Explanation       *hippo.Explanation `json:"explanation,omitempty"`
}

// insight is a memory. Importance is the decayed value, or, in full detail, the
// stored one, as in the files.
type insight struct {
	UUID       hippo.ID `json:"uuid"`
	Content    string   `json:"content"`
	Situation  []string `json:"situation"`
	Importance float64  `json:"importance"`
	CreatedAt  string   `json:"created_at"`
	Tags       []string `json:"tags,omitempty"`
	Type       string   `json:"type,omitempty"`
	Pinned     bool     `json:"pinned,omitempty"`
	EventTime  string   `json:"event_time,omitempty"`
	validity
	*detail
}

// detail is the rest of a memory.
type detail struct {
	BaseImportance     float64       `json:"base_importance"`
	CurrentImportance  float64       `json:"current_importance"`
	ImportanceModified string        `json:"importance_modified_at"`
	DailyAccessCounts  [][2]int      `json:"daily_access_counts"`
	Version            int           `json:"version"`
	Project            string        `json:"project,omitempty"`
	Source             *hippo.Source `json:"source,omitempty"`
}

func (v *view) data() found {
	a := v.answer
	out := found{
		Results: make([]hit, len(a.Hits)), TotalCount: a.Total, ReturnedCount: len(a.Hits),
		Distribution: make(map[string]int, len(a.Distribution)), ActiveDay: a.Day, Ranker: a.Ranker, Degraded: a.Degraded, Conflicts: conflictsOf(a.Conflicts),
		Confidence: round(a.Confidence, 2), Abstained: a.Abstained,
	}
	for i, name := range hippo.BucketNames() {
		out.Distribution[name] = a.Distribution[i]
	}
	if end := v.offset + len(a.Hits); len(a.Hits) > 0 && end < a.Total {
		out.NextOffset = end
	}
	for i := range a.Hits {
		out.Results[i] = v.hit(&a.Hits[i])
	}
	return out
}

func (v *view) hit(h *hippo.Hit) hit {
	m := h.Memory
	out := hit{
		Insight: v.insight(m), Relevance: round(h.Relevance, 4),
		DaysSinceCreated: v.days(m.CreatedAt), DaysSinceModified: v.days(m.Importance.SetAt),
	}
	if h.Explanation != nil {
		out.Relevance = round(h.Relevance, 9)
		out.Signals, out.Explanation = &h.Signals, h.Explanation
	}
	return out
}

func (v *view) insight(m *hippo.Memory) insight {
	out := insight{
		UUID: m.ID, Content: m.Content, Situation: m.Situation, Importance: round(v.current(m), 4),
		CreatedAt: m.CreatedAt.Format(time.RFC3339), Tags: m.Tags, Type: m.Type, Pinned: m.Pinned,
		EventTime: timeText(m.EventTime), validity: validityOf(m),
	}
	if out.Situation == nil {
		out.Situation = []string{}
	}
	if !v.full {
		return out
	}
	out.CreatedAt, out.Importance = m.CreatedAt.Format(time.RFC3339Nano), m.Importance.Value
	out.detail = &detail{
		BaseImportance: m.Importance.Base, CurrentImportance: round(v.current(m), 9),
		ImportanceModified: m.Importance.SetAt.Format(time.RFC3339Nano), DailyAccessCounts: [][2]int{},
		Version: m.Version, Project: m.Project, Source: &m.Source,
	}
	for _, a := range m.Accesses {
		out.DailyAccessCounts = append(out.DailyAccessCounts, [2]int{int(a.Day), a.Count})
	}
	return out
}

func (v *view) current(m *hippo.Memory) float64 {
	return v.clock.Importance(m.Importance.Value, m.Importance.SetDay, m.Pinned)
}

// days returns the time since t in days, never negative.
func (v *view) days(t time.Time) float64 {
	return round(max(0, v.now.Sub(t).Hours()/24), 4)
}

// text is the answer for a model: a line a hit, and what to do next.
func (v *view) text() string {
	a := v.answer
	var b strings.Builder
	switch {
	case a.Abstained != "":
		fmt.Fprintf(&b, "No insight: %s. relevance_range {\"min\":0} shows them.", a.Abstained)
	case a.Total == 0 && a.Distribution.Sum() > 0:
		fmt.Fprintf(&b, "No insight in this relevance range; %d match outside of it.", a.Distribution.Sum())
	case a.Total == 0:
		b.WriteString("No insight found. Try fewer or other words, or no filter.")
	default:
		fmt.Fprintf(&b, "%d of %s", len(a.Hits), insights(a.Total))
		if a.Confidence > 0 {
			fmt.Fprintf(&b, ", confidence %.2f", a.Confidence)
		}
	}
	for i := range a.Hits {
		v.line(&b, v.offset+i+1, &a.Hits[i])
	}
	if end := v.offset + len(a.Hits); len(a.Hits) > 0 && end < a.Total {
		fmt.Fprintf(&b, "\nmore with limit.offset %d", end)
	}
	for _, c := range a.Conflicts {
		fmt.Fprintf(&b, "\nconflict: %v, %v: %s", c.A, c.B, termtext.Line(c.Reason))
	}
	for _, d := range a.Degraded {
		fmt.Fprintf(&b, "\ndegraded: %s", termtext.Line(d))
	}
	return b.String()
}

// line writes one hit: rank, relevance, content, situations, age, id.
func (v *view) line(b *strings.Builder, n int, h *hippo.Hit) {
	m := h.Memory
	fmt.Fprintf(b, "\n%d. [%.2f] %s", n, h.Relevance, termtext.Line(m.Content))
	if len(m.Situation) > 0 {
		fmt.Fprintf(b, " (%s)", termtext.Line(strings.Join(m.Situation, "; ")))
	}
	if len(m.Tags) > 0 {
		fmt.Fprintf(b, " #%s", termtext.Line(strings.Join(m.Tags, " #")))
	}
	fmt.Fprintf(b, " | %s %v", m.When().Format(time.DateOnly), m.ID)
	if !m.SupersededBy.IsZero() {
		fmt.Fprintf(b, " superseded by %v", m.SupersededBy)
	}
	if h.Explanation != nil {
		b.WriteString("\n   " + why(h))
	}
}

// insights counts insights in words.
func insights(n int) string {
	if n == 1 {
		return "1 insight"
	}
	return fmt.Sprintf("%d insights", n)
}

// round keeps a number of decimals, so that answers stay short.
func round(x float64, decimals int) float64 {
	unit := math.Pow10(decimals)
	return math.Round(x*unit) / unit
}
