package eval_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed/static"
	"github.com/hippo-memory/hippo/internal/eval"
	"github.com/hippo-memory/hippo/models"
)

// withMeaning completes options by the model that is part of the program.
func withMeaning(t *testing.T, o eval.Options) eval.Options {
	t.Helper()
	m, err := static.Open(models.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	o.Models, o.Pieces = []eval.Model{{Name: "builtin", Embedder: m}}, m
	return o
}

func TestWriteSignals(t *testing.T) {
	t.Parallel()
	o := withMeaning(t, eval.Options{Backend: ram, Data: filepath.Join("testdata", "small")})
	var b bytes.Buffer
	if err := eval.WriteSignals(t.Context(), &b, &o); err != nil {
		t.Fatal(err)
	}
	questions, answers, looked := 0, 0, 0
	for d := json.NewDecoder(&b); d.More(); questions++ {
		var s eval.Signals
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
					t.Errorf("%s: %q: %s is %v", s.Group, s.Question, hippo.EvidenceKind(name), x)
				}
			}
		}
		if found > s.Relevant || s.Longer < 0 || s.Set != "small" {
			t.Errorf("%q: %d of %d answers, longer %v, set %q", s.Question, found, s.Relevant, s.Longer, s.Set)
		}
		answers += found
	}
	if questions != 35 || answers < 30 || looked < questions {
		t.Errorf("%d questions, %d answers, %d hits looked at closely", questions, answers, looked)
	}
}

func TestWriteSignals_NeedsAModel(t *testing.T) {
	t.Parallel()
	o := eval.Options{Backend: ram, Data: filepath.Join("testdata", "small")}
	if err := eval.WriteSignals(t.Context(), &bytes.Buffer{}, &o); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("got %v", err)
	}
}
