package embed_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func fakeModel() embed.Model {
	return embed.Model{ID: "fake@1", Space: "fake", Dimension: 8}
}

// errBadText is what a fake says to a batch with the text "bad" in it.
var errBadText = errors.New("bad text")

// fake embeds a text as its hash, and notes what it was asked.
type fake struct {
	// gate, unless nil, lets one call through for each value, or all once closed.
	gate chan struct{}

	mu      sync.Mutex
	batches [][]string
	err     error
	closed  bool
}

func (f *fake) Model() embed.Model { return fakeModel() }

func (f *fake) Embed(ctx context.Context, role embed.Role, texts []string) ([][]float32, error) {
	f.mu.Lock()
	f.batches = append(f.batches, slices.Clone(texts))
	err := f.err
	f.mu.Unlock()
	if f.gate != nil {
		select {
		case <-f.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	for i, t := range texts {
		if t == "bad" {
			return nil, errBadText
		}
		out[i] = vectorOf(role, t)
	}
	return out, nil
}

// short is an Embedder that loses a vector.
type short struct{ *fake }

func (s short) Embed(ctx context.Context, role embed.Role, texts []string) ([][]float32, error) {
	return s.fake.Embed(ctx, role, texts[1:])
}

func (f *fake) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	return nil
}

// asked returns the batches so far.
func (f *fake) asked() [][]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.batches)
}

func (f *fake) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func vectorOf(role embed.Role, text string) []float32 {
	sum := sha256.Sum256([]byte(role.String() + text))
	v := make([]float32, fakeModel().Dimension)
	square := 0.0
	for i := range v {
		v[i] = float32(sum[i]) + 1
		square += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(square))
	}
	return v
}

// vectorsOf is what a correct Embedder in front of a fake answers.
func vectorsOf(role embed.Role, texts ...string) [][]float32 {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = vectorOf(role, t)
	}
	return out
}

func mustEmbed(t testing.TB, e embed.Embedder, role embed.Role, texts ...string) {
	t.Helper()
	got, err := e.Embed(t.Context(), role, texts)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(vectorsOf(role, texts...), got); diff != "" {
		t.Error(diff)
	}
}

func wantAsked(t testing.TB, f *fake, want ...[]string) {
	t.Helper()
	if diff := cmp.Diff(want, f.asked()); diff != "" {
		t.Errorf("batches (-want +got): %s", diff)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	m := embed.Model{ID: "m@1", Dimension: 2}
	for _, c := range []struct {
		name    string
		n       int
		vectors [][]float32
		ok      bool
	}{
		{"unit", 1, [][]float32{{.6, .8}}, true},
		{"almost_unit", 1, [][]float32{{.6, .8005}}, true},
		{"zeros", 2, [][]float32{{0, 0}, {1, 0}}, true},
		{"none", 0, nil, true},
		{"too_few", 2, [][]float32{{1, 0}}, false},
		{"too_many", 1, [][]float32{{1, 0}, {1, 0}}, false},
		{"dimension", 1, [][]float32{{1, 0, 0}}, false},
		{"nil", 1, [][]float32{nil}, false},
		{"long", 2, [][]float32{{1, 0}, {1, 1}}, false},
		{"nan", 1, [][]float32{{nan, 0}}, false},
		{"infinite", 1, [][]float32{{inf, 0}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := embed.Check(m, c.n, c.vectors)
			if c.ok != (err == nil) || err != nil && !strings.Contains(err.Error(), m.ID) {
				t.Errorf("got %v, want an error that names the model: %v", err, !c.ok)
			}
		})
	}
}
