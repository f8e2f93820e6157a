package sharedstore

import (
	"encoding/json"
	"maps"
	"math"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/retrieval/surprise"
)

// claude-hippo ranks a row by metadata._hippo.surprise, and archives one that is a month old and has none. Rows of memories that were
// recorded here have one in its form, whose version says that it is of this program.

const (
	hippoKey    = "_hippo"
	surpriseKey = "surprise"
	// measured and estimated are the versions of what this program writes; both begin with ownVersion.
	ownVersion = "hippo/"
	measured   = ownVersion + "1"
	estimated  = measured + formats.SurpriseEstimated
)

// shownSurprise is metadata._hippo.surprise.
type shownSurprise struct {
	Score      float64         `json:"score"`
	Components shownComponents `json:"components"`
	Version    string          `json:"version"`
}

type shownComponents struct {
	Outlier    float64 `json:"embedding_outlier"`
	Engagement float64 `json:"engagement"`
	Explicit   float64 `json:"explicit"`
	// Loss is nil if it was not measured.
	Loss *float64 `json:"prediction_loss"`
}

// unknownCosine stands for the neighbours of a memory that are not known yet: that of unrelated ones.
const unknownCosine = .5

// surpriseOf returns that of a memory as its row shows it. One that is not known yet is estimated from what is known without
// neighbours, so that it is .15 at least: claude-hippo archives what is below .1.
func surpriseOf(m *hippo.Memory) shownSurprise {
	x, version := m.Surprise, measured
	if x.Score == 0 {
		x = surprise.Default(surprise.Nearest).Of(surprise.Subject{
			Content: m.Content, Tags: len(m.Tags), Explicit: surprise.ExplicitOf(m), Cosines: []float64{unknownCosine},
		})
		version = estimated
	}
	s := shownSurprise{Score: rounded(x.Score), Version: version}
	s.Components = shownComponents{Outlier: rounded(x.Outlier), Engagement: rounded(x.Engagement), Explicit: rounded(x.Explicit)}
	if x.Loss > 0 {
		loss := rounded(x.Loss)
		s.Components.Loss = &loss
	}
	return s
}

// rounded keeps a row short: 4 decimals.
func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// near reports whether two are equal but for what another program's way to write numbers may do to them.
func (s *shownSurprise) near(o *shownSurprise) bool {
	a, b := s.Components, o.Components
	if (a.Loss == nil) != (b.Loss == nil) || s.Version != o.Version {
		return false
	}
	pairs := [][2]float64{{s.Score, o.Score}, {a.Outlier, b.Outlier}, {a.Engagement, b.Engagement}, {a.Explicit, b.Explicit}}
	if a.Loss != nil {
		pairs = append(pairs, [2]float64{*a.Loss, *b.Loss})
	}
	for _, p := range pairs {
		if !(math.Abs(p[0]-p[1]) < 1e-4) {
			return false
		}
	}
	return true
}

// readSurprise reads metadata._hippo, and what is below it about surprise. ok: that is absent, or of this program.
func readSurprise(metadata map[string]json.RawMessage) (below map[string]json.RawMessage, s shownSurprise, ok bool) {
	if raw, there := metadata[hippoKey]; there && json.Unmarshal(raw, &below) != nil {
		return nil, s, false
	}
	raw, there := below[surpriseKey]
	if !there {
		return below, s, true
	}
	err := json.Unmarshal(raw, &s)
	return below, s, err == nil && strings.HasPrefix(s.Version, ownVersion)
}

// shownSize bounds what [showSurprise] adds to metadata, in bytes.
const shownSize = 512

// showSurprise puts the surprise of a memory that was recorded here into the metadata of its row, and reports whether that changes
// them. One of another program stays. Metadata that it would make too large for a memory stay as they are.
func showSurprise(metadata map[string]json.RawMessage, m *hippo.Memory) (changed bool, err error) {
	if byOrigin(m) == 0 {
		return false, nil
	}
	below, former, ok := readSurprise(metadata)
	want := surpriseOf(m)
	if !ok || want.near(&former) {
		return false, nil
	}
	size := shownSize
	for k, v := range metadata {
		size += len(k) + len(v) + len(`"":,`)
	}
	if size > hippo.MaxMetadata {
		return false, nil
	}
	next := maps.Clone(below)
	if next == nil {
		next = make(map[string]json.RawMessage)
	}
	if next[surpriseKey], err = json.Marshal(want); err == nil {
		metadata[hippoKey], err = json.Marshal(next)
	}
	return err == nil, err
}

// theirSurprise returns the surprise that another program has put into the metadata of a row; ok: there is one, and its numbers are
// in [0, 1]. The explicit one is 0 if its author gave none.
func theirSurprise(metadata map[string]json.RawMessage) (s hippo.Surprise, ok bool) {
	_, shown, ours := readSurprise(metadata)
	c := shown.Components
	s = hippo.Surprise{Score: shown.Score, Outlier: c.Outlier, Engagement: c.Engagement, Explicit: c.Explicit}
	if c.Loss != nil {
		s.Loss = *c.Loss
	}
	for _, x := range []float64{s.Score, s.Outlier, s.Engagement, s.Explicit, s.Loss} {
		if !(x >= 0 && x <= 1) {
			return hippo.Surprise{}, false
		}
	}
	return s, !ours && s.Score > 0
}

// takeSurprise gives the memory of a row of another program the surprise of the row, as an import does, if the memory has none yet or the
// row has another one than before. The explicit one is the importance that its author gave, unless the memory has one by now.
func takeSurprise(former map[string]json.RawMessage, m *hippo.Memory) {
	now, ok := theirSurprise(m.Metadata)
	was, _ := theirSurprise(former)
	if byOrigin(m) != 0 || !ok || m.Surprise.Score > 0 && now == was {
		return
	}
	if e, i := now.Explicit, m.Importance; e > 0 && i.Base == hippo.DefaultImportance && i.Value == hippo.DefaultImportance {
		m.Importance.Base, m.Importance.Value = e, e
	}
	m.Surprise = now
}

// hideSurprise returns the metadata of a row without what [showSurprise] put there.
func hideSurprise(metadata map[string]json.RawMessage) map[string]json.RawMessage {
	below, _, ours := readSurprise(metadata)
	if _, there := below[surpriseKey]; !there || !ours {
		return metadata
	}
	metadata = maps.Clone(metadata)
	delete(below, surpriseKey)
	delete(metadata, hippoKey)
	if b, err := json.Marshal(below); err == nil && len(below) > 0 {
		metadata[hippoKey] = b
	}
	if len(metadata) == 0 {
		return nil
	}
	return metadata
}
