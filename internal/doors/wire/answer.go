package wire

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
)

// WeakScore stands in texts for the relevance of a hit of a weak answer.
const WeakScore = "weak"

// Answer is an answer as JSON.
type Answer struct {
	Results []Hit `json:"results"`
	AnswerCounts
	// Distribution counts all matches by the names of [hippo.BucketNames].
	Distribution map[string]int `json:"relevance_distribution"`
	ActiveDay    hippo.Day      `json:"active_day"`
	Ranker       hippo.Ranker   `json:"ranker"`
	// NextOffset is where the next page begins; absent on the last.
	NextOffset int        `json:"next_offset,omitempty"`
	Conflicts  []Conflict `json:"conflicts,omitempty"`
	Judgement
	Degraded []string `json:"degraded,omitempty"`
	// Facts are of the entities that the query names.
	Facts []Fact `json:"facts,omitempty"`
	// Period is the time that the query names, where the results are those of it.
	Period *Period `json:"period,omitempty"`
}

// Judgement is how surely results answer a query.
type Judgement struct {
	// Confidence has two decimals, or four where two would leave 0.
	Confidence float64            `json:"confidence,omitempty"`
	Support    map[string]float64 `json:"support,omitempty"`
	Weak       string             `json:"weak,omitempty"`
}

// Period is the time from From, included, until Until, excluded; an end that is absent is open.
type Period struct {
	From  time.Time `json:"from,omitzero"`
	Until time.Time `json:"until,omitzero"`
}

// AnswerCounts are the counts of an [Answer].
type AnswerCounts struct {
	TotalCount int `json:"total_count"`
	// ReturnedCount is the number of results.
	ReturnedCount int `json:"returned_count"`
	// Elsewhere counts what other projects have that the caller may see.
	Elsewhere int `json:"elsewhere,omitempty"`
}

// PeriodText says which time the query named, where the hits are those of it, with [when.Day]: "from Nov 16 to Nov 22". Empty otherwise.
func PeriodText(a *hippo.Answer, now time.Time) string {
	switch {
	case a.Period.From.IsZero() && a.Period.Until.IsZero():
		return ""
	case a.Period.Until.IsZero() || a.Period.Until.After(now):
		return "since " + when.Day(a.Period.From, now)
	case a.Period.From.IsZero():
		return "before " + when.Day(a.Period.Until, now)
	default:
		return "from " + when.Day(a.Period.From, now) + " to " + when.Day(a.Period.Until.Add(-time.Second), now)
	}
}

// Hit is one result as JSON. The days are calendar days, with fractions.
type Hit struct {
	Insight Insight `json:"insight"`
	// MoreCharacters is how many characters of the content are left out; absent if none are.
	MoreCharacters int `json:"more_characters,omitempty"`
	// Relevance has four decimals, nine if the hit is explained.
	Relevance         float64 `json:"relevance"`
	DaysSinceCreated  float64 `json:"days_since_created"`
	DaysSinceModified float64 `json:"days_since_importance_modified"`
	// Passage is the part of a long content that is most similar to the query.
	Passage *Passage `json:"passage,omitempty"`
	// Same are the other memories that say the same.
	Same *Same `json:"same,omitempty"`
	// Flags are those of [Flags].
	Flags []string `json:"flags,omitempty"`
	// ContradictedBy is a fact of which the text says otherwise.
	ContradictedBy *Fact        `json:"contradicted_by,omitempty"`
	Signals        *Signals     `json:"signals,omitempty"`
	Explanation    *Explanation `json:"explanation,omitempty"`
}

// Passage is a part of a content, in characters (code points) from From up to To, exclusive.
type Passage struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// PassageOf returns the passage of a hit; nil if it has none.
func PassageOf(h *hippo.Hit) *Passage {
	if h.Passage == (hippo.Span{}) {
		return nil
	}
	from := utf8.RuneCountInString(h.Memory.Content[:h.Passage.From])
	return &Passage{from, from + utf8.RuneCountInString(h.Memory.Content[h.Passage.From:h.Passage.To])}
}

// PassageNote says where in its content a hit was found; empty if it has no passage.
func PassageNote(h *hippo.Hit) string {
	p := PassageOf(h)
	if p == nil {
		return ""
	}
	return fmt.Sprintf("found at %d to %d of %d characters", p.From, p.To, utf8.RuneCountInString(h.Memory.Content))
}

// Same are the memories that a hit stands for: their number, and the IDs of the newest ten.
type Same struct {
	Count int        `json:"count"`
	IDs   []hippo.ID `json:"ids"`
}

func sameOf(s hippo.Same) *Same {
	if s.Count == 0 {
		return nil
	}
	return &Same{s.Count, s.IDs}
}

// namedSame is how many of the memories that say the same a text names.
const namedSame = 3

// SameNote says how many memories say the same as a hit, and names some; empty if none does.
func SameNote(s hippo.Same, short hippo.ShortIDs) string {
	if s.Count == 0 {
		return ""
	}
	names := make([]string, 0, namedSame+1)
	for _, id := range s.IDs[:min(namedSame, len(s.IDs))] {
		names = append(names, short.Of(id))
	}
	if s.Count > len(names) {
		names = append(names, "...")
	}
	return fmt.Sprintf("same text: %d more (%s)", s.Count, strings.Join(names, ", "))
}

// Conflict is two results that seem to contradict each other, the newer one first.
type Conflict struct {
	A      hippo.ID `json:"a"`
	B      hippo.ID `json:"b"`
	Reason string   `json:"reason"`
}

// View selects how an answer is shown.
type View struct {
	// Offset is where the page of the answer begins.
	Offset int
	Now    time.Time
	// Full selects [Full]; else [Compact].
	Full bool
	// Preview limits the content of a hit to a number of characters, unless the view is full;
	// 0: no limit.
	Preview int
	// Importance returns the importance of a memory as of an active day, in [0, 1].
	Importance func(m *hippo.Memory, day hippo.Day) float64
}

// In a weak answer, which may be of no use, the content of the hits after the first few is cut.
const (
	wholeOfWeak = 3
	cutOfWeak   = 80
)

// Shown returns the content of a hit as the view shows it: whole if the view is full, else a
// preview; at most 80 characters of those after the third of a weak answer.
func (v *View) Shown(a *hippo.Answer, hit int) Preview {
	h := &a.Hits[hit]
	weak := a.Weak != "" && v.Offset+hit >= wholeOfWeak
	switch {
	case v.Full || v.Preview == 0 && !weak:
		return Preview{Text: h.Memory.Content}
	case !weak:
		return PreviewOf(h, v.Preview)
	default:
		return PreviewOf(h, cutOfWeak)
	}
}

// Answer returns an answer as JSON. The error is that of [Full].
func (v *View) Answer(a *hippo.Answer) (*Answer, error) {
	out := &Answer{
		Results: make([]Hit, len(a.Hits)), AnswerCounts: AnswerCounts{a.Total, len(a.Hits), a.Elsewhere},
		Distribution: make(map[string]int, len(a.Distribution)), ActiveDay: a.Day, Ranker: a.Ranker,
		Judgement: Judgement{confidence(a.Confidence), a.Support, a.Weak}, Degraded: a.Degraded,
		Facts: AnsweredFacts(a.Facts, v.Now),
	}
	if p := Period(a.Period); p != (Period{}) {
		out.Period = &p
	}
	for i, name := range hippo.BucketNames() {
		out.Distribution[name] = a.Distribution[i]
	}
	if end := v.Offset + len(a.Hits); len(a.Hits) > 0 && end < a.Total {
		out.NextOffset = end
	}
	for _, c := range a.Conflicts {
		out.Conflicts = append(out.Conflicts, Conflict(c))
	}
	for i := range a.Hits {
		var err error
		if out.Results[i], err = v.hit(a, i); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (v *View) hit(a *hippo.Answer, i int) (Hit, error) {
	h, m := &a.Hits[i], a.Hits[i].Memory
	out := Hit{
		Passage: PassageOf(h), Same: sameOf(h.Same), Flags: Flags(m), Relevance: Round(h.Relevance, 4), DaysSinceCreated: v.days(m.CreatedAt), DaysSinceModified: v.days(m.Importance.SetAt),
	}
	if f := h.ContradictedBy; f != nil {
		fact := answered(f, v.Now)
		out.ContradictedBy = &fact
	}
	importance := v.Importance(m, a.Day)
	var err error
	if v.Full {
		out.Insight, err = Full(m, importance, v.Now)
	} else {
		p := v.Shown(a, i)
		out.Insight, out.MoreCharacters = Compact(m, p.Text, importance, v.Now), p.More
	}
	if h.Explanation != nil {
		out.Relevance = Round(h.Relevance, 9)
		out.Signals, out.Explanation = signalsOf(&h.Signals), explanationOf(h.Explanation)
	}
	return out, err
}

// confidence keeps answers short. A small confidence stays above 0.
func confidence(x float64) float64 {
	if short := Round(x, 2); short != 0 {
		return short
	}
	return Round(x, 4)
}

// days returns the time since t in days, never negative.
func (v *View) days(t time.Time) float64 {
	return Round(max(0, v.Now.Sub(t).Hours()/24), 4)
}

// Round keeps a number of decimals, so that answers stay short.
func Round(x float64, decimals int) float64 {
	unit := math.Pow10(decimals)
	return math.Round(x*unit) / unit
}
