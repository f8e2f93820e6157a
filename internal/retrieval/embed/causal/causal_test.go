package causal_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/causal"
)

func open(t testing.TB, dir string) *causal.Model {
	t.Helper()
	m, err := causal.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// golden is a text and what transformers says of it; see tools/reference/causal.py.
type golden struct {
	Text string   `json:"text"`
	Nats *float64 `json:"nats"`
}

func goldens(t testing.TB, model string) (out []golden) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", model, "texts.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for d := json.NewDecoder(f); d.More(); {
		var g golden
		if err := d.Decode(&g); err != nil {
			t.Fatal(err)
		}
		out = append(out, g)
	}
	if len(out) < 80 {
		t.Fatalf("%d texts, want 80", len(out))
	}
	return out
}

// The likelihood of every text is that of the reference, even of texts with more tokens than the model has positions.
func TestNLL_Reference(t *testing.T) {
	t.Parallel()
	for model, positions := range map[string]int{"gpt2": 64, "qwen2": 200} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			m := open(t, filepath.Join("testdata", model))
			full := 0
			for _, g := range goldens(t, model) {
				nats, tokens, err := m.NLL(t.Context(), g.Text)
				want := 0.0
				if g.Nats != nil {
					want = *g.Nats
				}
				if err != nil || math.Abs(nats-want) > 1e-4 || (tokens < 2) != (g.Nats == nil) {
					t.Errorf("%.60q: got %v of %d tokens, %v, want %v", g.Text, nats, tokens, err, want)
				}
				if tokens == positions {
					full++
				}
			}
			if full == 0 {
				t.Error("no text is longer than the model's positions")
			}
		})
	}
}

func TestNLL_Concurrent(t *testing.T) {
	t.Parallel()
	m, list := open(t, "testdata/qwen2"), goldens(t, "qwen2")[2:6]
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			g := list[i%len(list)]
			if nats, _, err := m.NLL(t.Context(), g.Text); err != nil || math.Abs(nats-*g.Nats) > 1e-4 {
				t.Errorf("got %v, %v, want %v", nats, err, *g.Nats)
			}
		})
	}
	wait.Wait()
}

func TestNLL_Cancelled(t *testing.T) {
	t.Parallel()
	m := open(t, "testdata/gpt2")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := m.NLL(ctx, "some text"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if _, err := causal.Open(ctx, "testdata/gpt2"); !errors.Is(err, context.Canceled) {
		t.Errorf("Open: got %v, want %v", err, context.Canceled)
	}
}

func TestNLL_Closed(t *testing.T) {
	t.Parallel()
	m := open(t, "testdata/gpt2")
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.NLL(t.Context(), "some text"); !errors.Is(err, hippo.ErrUnavailable) {
		t.Errorf("got %v, want %v", err, hippo.ErrUnavailable)
	}
}

// A huge text takes no more than the beginning of it does.
func TestNLL_Long(t *testing.T) {
	t.Parallel()
	m := open(t, "testdata/qwen2")
	if nats, tokens, err := m.NLL(t.Context(), strings.Repeat("é", 1<<20)); err != nil || tokens != 200 || nats <= 0 {
		t.Errorf("got %v of %d tokens, %v", nats, tokens, err)
	}
}

func TestNLL_CutShortWhileOpen(t *testing.T) {
	t.Parallel()
	dir := copied(t, "gpt2")
	m := open(t, dir)
	if err := os.Truncate(filepath.Join(dir, "model.safetensors"), 100); err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.NLL(t.Context(), "some text"); !errors.Is(err, hippo.ErrCorrupt) || !strings.Contains(err.Error(), `"wte.weight"`) {
		t.Errorf("got %v, want %v", err, hippo.ErrCorrupt)
	}
}

// BenchmarkNLL has HIPPO_CAUSAL name the folder of a model.
func BenchmarkNLL(b *testing.B) {
	dir := os.Getenv("HIPPO_CAUSAL")
	if dir == "" {
		dir = "testdata/qwen2"
	}
	m := open(b, dir)
	text := strings.Repeat("When deploying on Fridays, ask twice. ", 12)
	for b.Loop() {
		_, n, err := m.NLL(b.Context(), text)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(n), "tokens")
	}
}
