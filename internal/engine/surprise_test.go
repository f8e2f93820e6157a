package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/surprise"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// openScoring opens an engine that computes surprise.
func openScoring(t tester, o surprise.Options, p surprise.Predictor) *fixture {
	t.Helper()
	return open(t, options{models: []embedding.Model{instant(embedtest.NewWords("w"))}, surprise: engine.Surprise{Options: o, Predictor: p}})
}

func (f *fixture) scored(id hippo.ID) hippo.Surprise {
	f.t.Helper()
	if err := upkeep.Scored(f.t.Context(), f.Memories); err != nil {
		f.t.Fatal(err)
	}
	ms, err := memory.Get(f.t.Context(), f.Memories, []hippo.ID{id})
	if err != nil {
		f.t.Fatal(err)
	}
	return ms[0].Surprise
}

func (f *fixture) keep(content string, importance float64, tags ...string) hippo.ID {
	f.t.Helper()
	m, err := memory.Record(f.t.Context(), f.Memories, &hippo.Memory{Content: content, Tags: tags, Importance: hippo.Importance{Base: importance}, Trust: hippo.TrustDefault})
	if err != nil {
		f.t.Fatal(err)
	}
	return m.ID
}

// TestScore_Modes: components of what is recorded, by hand: words that are no synonyms are orthogonal.
func TestScore_Modes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		mode    surprise.Mode
		outlier float64 // of the last one, "red": green and blue are unrelated, the other red is the same
	}{
		{surprise.Nearest, 2. / 3}, {surprise.ClaudeHippo, (.5 + .5 + 0) / 3},
	} {
		o := surprise.Default(tc.mode)
		f := openScoring(t, o, nil)
		first := f.keep("red", hippo.DefaultImportance)
		f.keep("green", hippo.DefaultImportance)
		f.keep("blue", hippo.DefaultImportance)
		last := f.keep("red", 1, "a", "b")
		before, err := memory.Get(t.Context(), f.Memories, []hippo.ID{last})
		if err != nil {
			t.Fatal(err)
		}
		want := hippo.Surprise{Outlier: tc.outlier, Engagement: .7*math.Tanh(.003) + .3*math.Tanh(.4), Explicit: 1}
		want.Score = o.Weights.Score(&want)
		got := f.scored(last)
		if math.Abs(got.Outlier-want.Outlier) > .02 || math.Abs(got.Engagement-want.Engagement) > 1e-9 || got.Explicit != 1 || math.Abs(got.Score-want.Score) > .02 || got.Loss != 0 {
			t.Errorf("%s: got %+v, want %+v", tc.mode, got, want)
		}
		if x := f.scored(first); x.Explicit != 0 || x.Score <= 0 {
			t.Errorf("%s: no importance was given: %+v", tc.mode, x)
		}
		after, err := memory.Get(t.Context(), f.Memories, []hippo.ID{last})
		if err != nil || after[0].Version != 1 || !after[0].UpdatedAt.Equal(before[0].UpdatedAt) {
			t.Errorf("%s: a score is no change of a memory: %+v (%v)", tc.mode, after, err)
		}
	}
}

// TestRescore_OrderIndependent: after a consolidation the novelty is the same whatever the order was.
func TestRescore_OrderIndependent(t *testing.T) {
	t.Parallel()
	texts := []string{"the red car", "the red bus", "a green car", "quantum chromodynamics", "the red van", "a blue car"}
	of := func(order []string) map[string]float64 {
		f := openScoring(t, surprise.Default(surprise.Nearest), nil)
		out := make(map[string]float64)
		ids := make(map[string]hippo.ID)
		for _, text := range order {
			ids[text] = f.keep(text, hippo.DefaultImportance)
			f.scored(ids[text]) // one by one
		}
		if n, err := upkeep.Rescore(t.Context(), f.Memories, 0); err != nil || n == 0 {
			t.Errorf("%d changed (%v)", n, err)
		}
		if n, err := upkeep.Rescore(t.Context(), f.Memories, 0); err != nil || n != 0 {
			t.Errorf("%d changed again (%v)", n, err)
		}
		for text, id := range ids {
			out[text] = f.scored(id).Outlier
		}
		return out
	}
	backwards := slices.Clone(texts)
	slices.Reverse(backwards)
	a, b := of(texts), of(backwards)
	for _, text := range texts {
		if math.Abs(a[text]-b[text]) > .01 {
			t.Errorf("%s: %v and %v", text, a[text], b[text])
		}
	}
	if a["quantum chromodynamics"] <= a["the red bus"] {
		t.Errorf("what is new is not novel: %v", a)
	}
}

// predictor is a language model whose loss is the share of words that it has not learned.
type predictor struct {
	known map[string]bool
	err   error
}

func (p *predictor) Loss(_ context.Context, text string) (float64, error) {
	words, n := strings.Fields(text), 0
	for _, w := range words {
		if !p.known[w] {
			n++
		}
	}
	return float64(n) / float64(len(words)), p.err
}

func (p *predictor) Learn(text string) {
	for w := range strings.FieldsSeq(text) {
		p.known[w] = true
	}
}

func TestScore_Loss(t *testing.T) {
	t.Parallel()
	p := &predictor{known: make(map[string]bool)}
	o := surprise.Default(surprise.Nearest)
	backend := persistent{memstore.New(nil)}
	before := open(t, options{backend: backend})
	before.keep("known words", hippo.DefaultImportance) // before there is a predictor
	before.end()
	f := open(t, options{backend: backend, models: []embedding.Model{instant(embedtest.NewWords("w"))}, surprise: engine.Surprise{Options: o, Predictor: p}})
	x := f.scored(f.keep("known words here too", hippo.DefaultImportance))
	if x.Loss != .5 || math.Abs(x.Score-o.Weights.Score(&x)) > 1e-9 {
		t.Errorf("got %+v, want a loss of .5", x)
	}
	p.err = errors.New("the endpoint hangs")
	y := f.scored(f.keep("other things", hippo.DefaultImportance))
	if y.Loss != 0 || math.Abs(y.Score-o.Weights.Effective(false).Outlier*y.Outlier-o.Weights.Effective(false).Engagement*y.Engagement) > 1e-9 {
		t.Errorf("the weight of the loss is not redistributed: %+v", y)
	}
	s, err := memory.Status(t.Context(), f.Memories)
	if err != nil || !slices.Contains(s.Degraded, "prediction loss: the endpoint hangs") {
		t.Errorf("status: %q (%v)", s.Degraded, err)
	}
	p.err = nil
	f.scored(f.keep("back again", hippo.DefaultImportance))
	if s, _ = memory.Status(t.Context(), f.Memories); len(s.Degraded) != 0 {
		t.Errorf("status: %q", s.Degraded)
	}
}

// TestScore_Background: scores come by themselves, and a few at the end at the latest.
func TestScore_Background(t *testing.T) {
	t.Parallel()
	backend := persistent{memstore.New(nil)}
	f := open(t, options{backend: backend, surprise: engine.Surprise{Options: surprise.Default(surprise.Nearest)}})
	var ids []hippo.ID
	for i := range 3 {
		ids = append(ids, f.keep(fmt.Sprint("note ", i), hippo.DefaultImportance))
	}
	f.end()
	g := open(t, options{backend: backend})
	ms, err := memory.Get(t.Context(), g.Memories, ids)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range ms {
		if m.Surprise.Score == 0 {
			t.Errorf("%q has no surprise", m.Content)
		}
	}
	off := open(t, options{surprise: engine.Surprise{Options: surprise.Options{Mode: surprise.Off}}})
	if x := off.scored(off.keep("note", hippo.DefaultImportance)); x != (hippo.Surprise{}) {
		t.Errorf("off: %+v", x)
	}
}
