package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/hippo-memory/hippo"
)

func TestWriteSignals(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := small(t).writeSignals(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	questions, answers, looked := 0, 0, 0
	for d := json.NewDecoder(&b); d.More(); questions++ {
		var s struct {
			questionFeatures
			Found []struct {
				Answers bool
				Signals struct {
					Text     float64
					Evidence map[string]float64
				}
			} `json:"found"`
		}
		if err := d.Decode(&s); err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, h := range s.Found {
			if h.Answers {
				found++
			}
			looked++
			if h.Signals.Text < 0 || h.Signals.Text > 1 {
				t.Errorf("%s: %q: text is %v, outside [0, 1]", s.Group, s.Question, h.Signals.Text)
			}
			for name, x := range h.Signals.Evidence {
				if x < -1e-9 || x > 2 {
					t.Errorf("%s: %q: %s is %v", s.Group, s.Question, name, x)
				}
			}
		}
		if found > s.Relevant || s.Longer < 0 || s.Set != "small" {
			t.Errorf("%q: %d of %d answers, longer %v, set %q", s.Question, found, s.Relevant, s.Longer, s.Set)
		}
		answers += found
	}
	if questions != 35 || answers < 30 || looked < questions {
		t.Errorf("%d questions, %d answers, %d reranked hits", questions, answers, looked)
	}
}

func TestWriteSignals_NeedsAModel(t *testing.T) {
	t.Parallel()
	m := small(t)
	m.Models = nil
	if err := m.writeSignals(t.Context(), &bytes.Buffer{}); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("got %v", err)
	}
}
