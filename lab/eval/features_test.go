package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

func TestWriteFeatures(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := small(t).writeFeatures(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	questions, answers, looked := 0, 0, 0
	for d := json.NewDecoder(&b); d.More(); questions++ {
		var s struct {
			questionFeatures
			Found []hitFeatures `json:"found"`
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
			if len(h.Features) == 0 {
				t.Errorf("%s: %q: a hit without features", s.Group, s.Question)
			}
			for name, x := range h.Features {
				if least := least(name); x < least-1e-9 || x > 2 {
					t.Errorf("%s: %q: %s is %v", s.Group, s.Question, name, x)
				}
			}
		}
		if found > s.Relevant || len(s.Context) == 0 || s.Set != "small" {
			t.Errorf("%q: %d of %d answers, context %v, set %q", s.Question, found, s.Relevant, s.Context, s.Set)
		}
		answers += found
	}
	if questions != 35 || answers < 30 || looked < questions {
		t.Errorf("%d questions, %d answers, %d reranked hits", questions, answers, looked)
	}
}

func TestWriteFeatures_NeedsAModel(t *testing.T) {
	t.Parallel()
	m := small(t)
	m.Models = nil
	if err := m.writeFeatures(t.Context(), &bytes.Buffer{}); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("got %v", err)
	}
}

// least is the least value of a feature.
func least(name string) float64 {
	if name == rank.Timely.String() {
		return -1
	}
	return 0
}
