package wire

import (
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
)

// SourcesAnswer is an answer of insights and code as JSON.
type SourcesAnswer struct {
	Results []SourceHit `json:"results"`
	// TotalCount is the sum of InsightCount and CodeCount, which count what matches.
	TotalCount    int          `json:"total_count"`
	InsightCount  int          `json:"insight_count"`
	CodeCount     int          `json:"code_count"`
	ReturnedCount int          `json:"returned_count"`
	NextOffset    int          `json:"next_offset,omitempty"`
	ActiveDay     hippo.Day    `json:"active_day,omitempty"`
	Ranker        hippo.Ranker `json:"ranker"`
	Conflicts     []Conflict   `json:"conflicts,omitempty"`
	Weak          string       `json:"weak,omitempty"`
	Degraded      []string     `json:"degraded,omitempty"`
	BesideHits
}

// BesideHits is what an answer of insights and code has beside its hits.
type BesideHits struct {
	// Notes say why code takes no part, or what its index lacks.
	Notes []string `json:"notes,omitempty"`
	// Facts are of the entities that the query names.
	Facts []Fact `json:"facts,omitempty"`
}

// SourceHit is an insight or code.
type SourceHit struct {
	// Source says which: memory or code.
	Source string `json:"source"`
	// Relevance is on the scale of insights.
	Relevance float64 `json:"relevance"`
	Memory    *Hit    `json:"memory,omitempty"`
	// Code has the relevance that a search of code gives, and its text only if the view is full.
	Code *api.CodeHit `json:"code,omitempty"`
}

// Sources returns an answer of insights and code as JSON. The error is that of [Full].
func (v *View) Sources(a *api.SourcesAnswer) (*SourcesAnswer, error) {
	m := &a.Memory
	out := &SourcesAnswer{
		Results: make([]SourceHit, len(a.Hits)), TotalCount: a.Total(), InsightCount: a.Insights, CodeCount: a.Chunks, ReturnedCount: len(a.Hits),
		NextOffset: a.Next(v.Offset, len(a.Hits)), ActiveDay: m.Day, Ranker: m.Ranker, Weak: a.Weak, Degraded: m.Degraded,
		BesideHits: BesideHits{a.Notes, AnsweredFacts(m.Facts, v.Now)},
	}
	for _, c := range m.Conflicts {
		out.Conflicts = append(out.Conflicts, Conflict(c))
	}
	insight := 0
	for i := range a.Hits {
		x := SourceHit{Source: api.SourceCode, Relevance: Round(a.Hits[i].Relevance, 4)}
		if c := a.Hits[i].Code; c != nil {
			hit := *c
			if x.Code = &hit; !v.Full {
				hit.Text = ""
			}
		} else {
			hit, err := v.hit(m, insight)
			if err != nil {
				return nil, err
			}
			insight++
			x.Source, x.Memory = api.SourceMemory, &hit
		}
		out.Results[i] = x
	}
	return out, nil
}

// CodeName is what a hit of code is called in a line: its name, or its kind if it has none; and its first line.
func CodeName(h *api.CodeHit) string {
	name := h.Name
	if name == "" {
		name = h.Kind
	}
	for line := range strings.Lines(h.Text) {
		if line = strings.TrimSpace(line); line != "" {
			return name + ": " + line
		}
	}
	return name
}
