package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/hippo-memory/hippo"
)

// signalDepth is how many hits of a question are written with their signals: all
// that ranker hippo looks at closely.
const signalDepth = 300

// Signals is what tools/fit learns weights from: a question and what was found.
type Signals struct {
	Set      string `json:"set"`
	Group    string `json:"group"`
	Question string `json:"question"`
	// Relevant counts the documents that answer the question, found or not.
	Relevant int `json:"relevant"`
	// Longer is that of [hippo.Explanation].
	Longer float64 `json:"longer"`
	// Found is what was looked at closely.
	Found []SignalsHit `json:"found"`
}

// SignalsHit is one document that was found.
type SignalsHit struct {
	Answers bool          `json:"answers,omitempty"`
	Signals hippo.Signals `json:"signals"`
}

// WriteSignals asks all questions that are not [Apart] by ranker hippo with the
// first model, and writes a line of JSON, a [Signals], for each.
func WriteSignals(ctx context.Context, w io.Writer, o *Options) error {
	if len(o.Models) == 0 {
		return hippo.Fieldf("models", "must hold one")
	}
	sets, err := findSets(o.Data)
	if err != nil {
		return fmt.Errorf("eval: %w", err)
	}
	sys := engineSystem("signals", o.Backend, hippo.RankerHippo, nil, o.Models[0].Embedder, o.Pieces)
	out := json.NewEncoder(w)
	for _, s := range sets {
		for _, g := range s.groups {
			of := slices.DeleteFunc(slices.Clone(s.questions), func(q question) bool {
				return q.group != g.name || len(q.relevant) == 0 || Apart(q.category)
			})
			if err := signalsOf(ctx, out, sys, s.name, g, of); err != nil {
				return fmt.Errorf("eval: %s: %w", s.name, err)
			}
		}
	}
	return nil
}

func signalsOf(ctx context.Context, out *json.Encoder, sys System, set string, g group, of []question) (err error) {
	searcher, err := sys.Open(ctx, g.docs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, searcher.Close()) }()
	e, ok := searcher.(*engineSearcher)
	if !ok {
		panic("eval: signals are of the engine only")
	}
	for _, q := range of {
		answer, err := e.Engine.Search(ctx, hippo.Query{
			Text: q.text, Count: signalDepth, NoTouch: true, Explain: true, Relevance: &hippo.Range{Max: math.Inf(1)},
		})
		if err != nil {
			return err
		}
		line := Signals{Set: set, Group: g.name, Question: q.text, Relevant: len(q.relevant)}
		for _, h := range answer.Hits {
			if !h.Explanation.Closely {
				continue
			}
			line.Longer = h.Explanation.Longer
			_, is := q.relevant[idOf(h.Memory)]
			line.Found = append(line.Found, SignalsHit{Answers: is, Signals: h.Signals})
		}
		if err := out.Encode(line); err != nil {
			return err
		}
	}
	return nil
}
