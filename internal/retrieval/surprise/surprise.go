// Package surprise computes how unexpected a memory was when it was recorded: how far its text lies
// from what is known, how much it says, how important its author found it, and, if a language model
// is there, how badly that predicts it. It is pure but for the models of [Loss].
//
// Source: the design of claude-hippo, May 2026, which [ClaudeHippo] computes exactly. Its outlier
// depends on the order of recording and drowns what is recorded late, so [Nearest], the default,
// measures the distance to the nearest memories of the whole store, which can be computed again at any
// time. See docs/surprise.md.
package surprise

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
)

// Mode names a way to compute surprise.
type Mode string

// The modes.
const (
	// Nearest takes the mean distance to the [NearestNeighbours] nearest memories, and characters.
	Nearest Mode = "nearest"
	// ClaudeHippo takes the mean distance to the [NewestNeighbours] memories recorded before, and bytes.
	ClaudeHippo Mode = "claude-hippo"
	// Off computes nothing.
	Off Mode = "off"
)

const (
	// NearestNeighbours is how many memories mode [Nearest] compares a text with: one that was
	// said twice already is nothing new, one near-duplicate alone may be an accident.
	NearestNeighbours = 3
	// NewestNeighbours is how many mode [ClaudeHippo] compares it with.
	NewestNeighbours = 50
)

// Neighbours returns the number of memories whose cosines [Options.Of] takes.
func (m Mode) Neighbours() int {
	if m == ClaudeHippo {
		return NewestNeighbours
	}
	return NearestNeighbours
}

// Weights are the shares of the components. They are in [0, 1] and add up to 1.
type Weights struct{ Outlier, Engagement, Explicit, Loss float64 }

// DefaultWeights returns those of a mode. Without a prediction loss those of [Nearest] become .3, .2 and
// .5: novelty alone does not tell a decision from a chat. Those of [ClaudeHippo] become .6, .3 and .1.
func DefaultWeights(m Mode) Weights {
	if m == ClaudeHippo {
		return Weights{.4, .2, .1, .3}
	}
	return Weights{.18, .14, .5, .18}
}

// sumTolerance is how far the sum of [Weights] may be from 1.
const sumTolerance = 1e-3

// ParseWeights reads four numbers with commas between them, in the order of [Weights]; empty returns
// those of the mode.
func ParseWeights(text string, m Mode) (Weights, error) {
	if text == "" {
		return DefaultWeights(m), nil
	}
	parts := strings.Split(text, ",")
	w := Weights{}
	to := []*float64{&w.Outlier, &w.Engagement, &w.Explicit, &w.Loss}
	if len(parts) != len(to) {
		return w, hippo.Fieldf("surprise-weights", "must be four numbers (outlier, engagement, explicit, loss), got %.60q", text)
	}
	sum := 0.0
	for i, p := range parts {
		x, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil || math.IsNaN(x) || x < 0 || x > 1 {
			return w, hippo.Fieldf("surprise-weights", "must be numbers from 0 to 1, got %.60q", p)
		}
		*to[i] = x
		sum += x
	}
	if math.Abs(sum-1) > sumTolerance {
		return w, hippo.Fieldf("surprise-weights", "must add up to 1, got %g", sum)
	}
	return w, nil
}

// Effective returns the weights that count. Without a prediction loss its share goes to outlier and
// engagement, two to one.
func (w Weights) Effective(hasLoss bool) Weights {
	if hasLoss {
		return w
	}
	return Weights{w.Outlier + w.Loss*2/3, w.Engagement + w.Loss/3, w.Explicit, 0}
}

// Score returns the weighted sum of components, in [0, 1]. A loss of 0 was not measured.
func (w Weights) Score(c *hippo.Surprise) float64 {
	e := w.Effective(c.Loss > 0)
	return clamp(float64(e.Outlier*c.Outlier) + float64(e.Engagement*c.Engagement) + float64(e.Explicit*c.Explicit) + float64(e.Loss*c.Loss))
}

// Options say how surprise is computed. The zero value is mode [Nearest] without weights.
type Options struct {
	Mode    Mode
	Weights Weights
}

// Default returns the options of a mode.
func Default(m Mode) Options { return Options{m, DefaultWeights(m)} }

// Subject is a memory with what is known of its surroundings.
type Subject struct {
	Content string
	Tags    int
	// Explicit is the importance that its author gave it, in [0, 1]; 0: none was given.
	Explicit float64
	// Cosines are those with its [Mode.Neighbours]; empty: there is no other memory.
	Cosines []float64
	// Loss is its prediction loss, in (0, 1]; 0: it was not measured.
	Loss float64
}

// Of returns the components and the score of a subject. The score is above 0: a memory with score 0
// has none.
func (o Options) Of(s Subject) hippo.Surprise {
	c := hippo.Surprise{Outlier: Novelty(s.Cosines), Engagement: Engagement(utf8.RuneCountInString(s.Content), s.Tags), Explicit: clamp(s.Explicit), Loss: clamp(s.Loss)}
	if o.Mode == ClaudeHippo {
		c.Outlier, c.Engagement = Outlier(s.Cosines), Engagement(len(s.Content), s.Tags)
	}
	c.Score = max(o.Weights.Score(&c), leastScore)
	return c
}

// leastScore is above 0, which stands for no score.
const leastScore = 1e-6

// Outlier is the mean of half the cosine distances, in [0, 1]; 1 without a memory to compare with.
func Outlier(cosines []float64) float64 {
	return mean(cosines, func(c float64) float64 { return min(max(1-c, 0), 2) / 2 })
}

// Novelty is the mean of the cosine distances, each at most 1, in [0, 1]; 1 without a memory to compare
// with. Texts of one language are seldom opposite, so that half a distance would leave half of the range
// empty.
func Novelty(cosines []float64) float64 {
	return mean(cosines, func(c float64) float64 { return clamp(1 - c) })
}

func mean(list []float64, of func(float64) float64) float64 {
	if len(list) == 0 {
		return 1
	}
	sum := 0.0
	for _, x := range list {
		sum += of(x)
	}
	return clamp(sum / float64(len(list)))
}

const (
	// fullLength and fullTags are where the parts of [Engagement] reach tanh 1.
	fullLength, fullTags = 1000, 5
	// lengthShare and tagShare are the shares of its parts.
	lengthShare, tagShare = .7, .3
)

// Engagement is how much was said, in [0, 1): of a length, in characters or bytes, and the number of tags.
func Engagement(length, tags int) float64 {
	return clamp(lengthShare*math.Tanh(float64(length)/fullLength) + tagShare*math.Tanh(float64(tags)/fullTags))
}

func clamp(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(max(x, 0), 1)
}
