package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// rerankDepth is the number of hits of a question that are written with their
// features: all that ranker hippo reranks.
const rerankDepth = 300

// questionFeatures is what lab/fit learns weights from: a question and its hits.
type questionFeatures struct {
	ID       string `json:"id"`
	Set      string `json:"set"`
	Group    string `json:"group"`
	Question string `json:"question"`
	Category string `json:"category,omitempty"`
	Lang     string `json:"lang,omitempty"`
	// Relevant counts the documents that answer the question, found or not.
	Relevant int `json:"relevant"`
	// Context is that of the explanation of the hits.
	Context map[string]float64 `json:"context"`
	// Found are the hits that were reranked.
	Found []hitFeatures `json:"found"`
}

// hitFeatures has the features of one hit, as an explained search returns them.
type hitFeatures struct {
	Answers  bool               `json:"answers,omitempty"`
	Features map[string]float64 `json:"features"`
}

// writeFeatures asks all questions that are not [eval.Excluded] by ranker hippo with the
// first model, and writes a line of JSON, a [questionFeatures], for each.
func (m *measurement) writeFeatures(ctx context.Context, w io.Writer) error {
	if len(m.Models) == 0 {
		return hippo.Fieldf("models", "must hold one for --features")
	}
	sets, err := m.load()
	if err != nil {
		return err
	}
	out := json.NewEncoder(w)
	for _, s := range sets {
		for i := range s.Groups {
			if err := m.groupFeatures(ctx, out, s.Judged(), &s.Groups[i]); err != nil {
				return fmt.Errorf("%s: %w", s.Name, err)
			}
		}
	}
	return nil
}

func (m *measurement) groupFeatures(ctx context.Context, out *json.Encoder, s *eval.Set, g *eval.Group) (err error) {
	e, err := eval.OpenEngine(ctx, g.Docs, m.engine())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	for i := range s.Questions {
		q := &s.Questions[i]
		if q.Group != g.Name || eval.Excluded(q.Category) {
			continue
		}
		answer, err := query.Search(ctx, e.In(eval.Scope()), hippo.Query{
			Text: q.Text, Count: rerankDepth, NoTouch: true, Detail: hippo.Detail{Explain: true}, Relevance: &hippo.Range{Max: math.Inf(1)},
		})
		if err != nil {
			return err
		}
		line := questionFeatures{
			ID: q.ID, Set: s.Name, Group: g.Name, Question: q.Text, Category: q.Category, Lang: q.Lang, Relevant: len(q.Relevant),
		}
		for _, h := range answer.Hits {
			if !h.Explanation.Reranked {
				continue
			}
			line.Context = h.Explanation.Context
			_, answers := q.Relevant[eval.Name(h.Memory)]
			line.Found = append(line.Found, hitFeatures{Answers: answers, Features: notZero(h.Explanation.Features)})
		}
		if err := out.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

// engine returns the options of ranker hippo with the first model, if there is one.
func (m *measurement) engine() *eval.EngineOptions {
	o := eval.EngineOptions{Backend: m.Engine.Backend, Ranker: hippo.RankerHippo}
	if len(m.Models) > 0 {
		o.Models, o.Tokens = m.Models[0].Used, m.Engine.Tokens
	}
	return &o
}

// notZero drops the features that are 0.
func notZero(features map[string]float64) map[string]float64 {
	maps.DeleteFunc(features, func(_ string, x float64) bool { return x == 0 })
	return features
}
