package decisions_test

import (
	"context"
	"crypto/sha256"
	"math"
	"testing"

	"go.uber.org/goleak"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
	"github.com/hippo-memory/hippo/internal/retrieval/surprise"
	"github.com/hippo-memory/hippo/internal/retrieval/surprise/adaptive"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
	"github.com/hippo-memory/hippo/lab/eval/decisions"
	"github.com/hippo-memory/hippo/models"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// system is one with mock vectors.
func system(r hippo.Ranker, m surprise.Mode) decisions.System {
	return decisions.System{
		Engine: eval.EngineOptions{
			Ranker: r, Backend: func() driver.Backend { return memstore.New(nil) }, Tokens: &embedtest.Tokens{},
			Models: []embedding.Model{{Embedder: decisions.Mock{}, Instant: true}},
		},
		Surprise: engine.Surprise{Options: surprise.Default(m)},
	}
}

func run(t *testing.T, b decisions.Bench, o decisions.Order, s *decisions.System) decisions.Figures {
	t.Helper()
	f, err := decisions.Run(t.Context(), b, o, 1, s)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestBenches_RankerSurprise: the decision is first whatever the order, its age and the number of chats.
func TestBenches_RankerSurprise(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		bench         decisions.Bench
		first, recall float64
	}{
		{decisions.A(20), 1, 1},
		{decisions.A(50), 1, 1},
		{decisions.A(100), 1, 1},
		{decisions.A(200), 1, 1},
		{decisions.B(0), 1, 1},
		{decisions.B(30), 1, 1},
		{decisions.B(90), 1, 1},
		{decisions.B(365), 1, 1},
		{decisions.C(), 1, 1},
		{decisions.D(), 1, 1},
	} {
		for _, o := range decisions.Orders() {
			s := system(hippo.RankerSurprise, surprise.Nearest)
			if f := run(t, tc.bench, o, &s); f.First < tc.first || f.Recall < tc.recall {
				t.Errorf("%s, %s: got %+v, want P@1 %v and R@5 %v", tc.bench.Name, o, f, tc.first, tc.recall)
			}
		}
	}
}

// TestBenches_Loss: a prediction loss, of noise or of the store itself, takes no decision from the first place.
func TestBenches_Loss(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]func() surprise.Predictor{
		"noise":    func() surprise.Predictor { return noise{} },
		"adaptive": func() surprise.Predictor { return &adaptive.Model{} },
	} {
		for _, o := range decisions.Orders() {
			off := system(hippo.RankerSurprise, surprise.Nearest)
			on := off
			on.Surprise.Predictor = p()
			without, with := run(t, decisions.D(), o, &off), run(t, decisions.D(), o, &on)
			if with.First < without.First {
				t.Errorf("%s, %s: P@1 %v with the loss, %v without", name, o, with.First, without.First)
			}
		}
	}
}

// TestBenches_Vague: asked vaguely, the default ranker has the decision among the first five, with and without
// importance, and without surprise.
func TestBenches_Vague(t *testing.T) {
	t.Parallel()
	model, err := static.Open(models.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	with := func(m surprise.Mode) *decisions.System {
		s := system(hippo.RankerHippo, m)
		s.Engine.Models, s.Engine.Tokens = []embedding.Model{{Embedder: model, Instant: true}}, model
		return &s
	}
	for _, b := range []decisions.Bench{decisions.V(), decisions.V().Unrated()} {
		for _, o := range decisions.Orders() {
			for _, m := range []surprise.Mode{surprise.Nearest, surprise.Off} {
				least := 24. / 25
				if m == surprise.Off && b.Name != decisions.V().Name { // nothing but the text speaks for the decision
					least = 22. / 25
				}
				if f := run(t, b, o, with(m)); f.Five < least {
					t.Errorf("%s, %s, surprise %v: %v in the first five", b.Name, o, m, f.Five)
				}
			}
		}
	}
}

// TestBenches_Exact: mode exact depends on the order, and on the pool of candidates, as claude-hippo does.
func TestBenches_Exact(t *testing.T) {
	t.Parallel()
	s := system(hippo.RankerSurprise, surprise.ClaudeHippo)
	s.Mode = hippo.ModeExact
	listed, reversed := run(t, decisions.A(20), decisions.Listed, &s), run(t, decisions.A(20), decisions.Reversed, &s)
	if large := run(t, decisions.A(200), decisions.Listed, &s); listed.First < .9 || reversed.First > .8 || large.First > .3 {
		t.Errorf("got %v, reversed %v, large %v", listed.First, reversed.First, large.First)
	}
}

// TestBenches_Off: without surprise the ranker is no better than the cosine.
func TestBenches_Off(t *testing.T) {
	t.Parallel()
	off := system(hippo.RankerSurprise, surprise.Off)
	cosine := system(hippo.RankerCosine, surprise.Nearest)
	for _, b := range []decisions.Bench{decisions.A(20), decisions.B(0), decisions.C()} {
		x, y := run(t, b, decisions.Listed, &off), run(t, b, decisions.Listed, &cosine)
		if x.First > .5 || x.First != y.First {
			t.Errorf("%s: got %v, the cosine %v", b.Name, x.First, y.First)
		}
	}
}

// noise is a language model whose loss says nothing: the first byte of the SHA-256 of a text.
type noise struct{}

// Loss implements surprise.Predictor.
func (noise) Loss(_ context.Context, text string) (float64, error) {
	sum := sha256.Sum256([]byte(text))
	return float64(sum[0]) / math.MaxUint8, nil
}
