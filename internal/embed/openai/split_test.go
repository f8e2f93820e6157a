package openai_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/embed/openai"
)

func TestClient_learns_how_many_texts_the_server_takes(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	b.maxTexts = 2
	client, _ := open(t, configOf(b.server, backendDimension))
	texts := []string{"1", "2", "3", "4", "5", "6", "7", "8"}
	for range 2 {
		got, err := client.Embed(t.Context(), embed.Passage, texts)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(unitVectors(texts), got, near()); diff != "" {
			t.Error(diff)
		}
	}
	// 8, 4, 2, 2, 4, 2, 2; then four of 2.
	if b.count() != 11 {
		t.Errorf("%d requests, want 11", b.count())
	}
}

func TestClient_halves_requests_with_too_much_text(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	b.maxSum = 10
	client, _ := open(t, configOf(b.server, backendDimension))
	texts := []string{"12345678", "1", "2", "3", "12345", "123456789", "a"}
	got, err := client.Embed(t.Context(), embed.Passage, texts)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(unitVectors(texts), got, near()); diff != "" {
		t.Error(diff)
	}
}

func TestClient_cuts_a_long_text_in_pieces(t *testing.T) {
	t.Parallel()
	const prefix = "passage: "
	text := strings.Repeat("many words \u4f60\u597d ", 100)
	for _, c := range []struct {
		name   string
		runes  int // what is configured
		limit  int // of the server
		refuse bool
	}{
		{"when_the_server_complains", 0, 300, true},
		{"before_it_does", 200, 300, false},
		{"and_smaller_ones_if_need_be", 1000, 300, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBackend(t)
			b.maxRunes = c.limit
			config := configOf(b.server, backendDimension)
			config.PassagePrefix, config.MaxRunes = prefix, c.runes
			client, naps := open(t, config)
			got, err := client.Embed(t.Context(), embed.Passage, []string{"before", text, "after"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(unitVectors([]string{prefix + "before", prefix + "after"}), [][]float32{got[0], got[2]}, near()); diff != "" {
				t.Error(diff)
			}
			if err := embed.Check(client.Model(), 3, got); err != nil {
				t.Error(err)
			}
			pieces, refused := piecesOf(b, prefix)
			if diff := cmp.Diff(meanOf(pieces, prefix), got[1], near()); diff != "" {
				t.Errorf("not the mean of %d pieces: %s", len(pieces), diff)
			}
			if refused != c.refuse || len(naps.taken) != 0 {
				t.Errorf("refused: %v, %d pauses", refused, len(naps.taken))
			}
		})
	}
}

// piecesOf returns the pieces of the long text that the server took.
func piecesOf(b *backend, prefix string) (pieces []string, refused bool) {
	for _, texts := range b.inputs() {
		if b.refusal(texts, "") != "" {
			refused = true
			pieces = nil
			continue
		}
		for _, text := range texts {
			if text = strings.TrimPrefix(text, prefix); text != "before" && text != "after" {
				pieces = append(pieces, text)
			}
		}
	}
	return pieces, refused
}

func meanOf(pieces []string, prefix string) []float32 {
	sum := make([]float64, backendDimension)
	for _, p := range pieces {
		for i, x := range unitVector(prefix + p) {
			sum[i] += float64(x) * float64(utf8.RuneCountInString(p))
		}
	}
	square := 0.0
	for _, x := range sum {
		square += x * x
	}
	mean := make([]float32, backendDimension)
	for i, x := range sum {
		mean[i] = float32(x / math.Sqrt(square))
	}
	return mean
}

func TestClient_gives_up_on_a_server_that_finds_everything_too_long(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	b.maxRunes = 1
	client, _ := open(t, configOf(b.server, backendDimension))
	_, err := client.Embed(t.Context(), embed.Passage, []string{strings.Repeat("word ", 20000)})
	if !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("got %v, want an ErrInvalid", err)
	}
	if b.count() > 100 {
		t.Errorf("%d requests", b.count())
	}
}

// TestClient_any_limits gets the vectors of short texts right whatever the
// limits, and those of long texts of length 1.
func TestClient_any_limits(t *testing.T) {
	t.Parallel()
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		b := newBackend(outer)
		b.maxTexts = rapid.IntRange(0, 5).Draw(t, "texts")
		b.maxRunes = rapid.IntRange(70, 200).Draw(t, "runes")
		b.maxSum = rapid.IntRange(b.maxRunes, 500).Draw(t, "sum")
		config := configOf(b.server, backendDimension)
		config.Batch = rapid.IntRange(1, 9).Draw(t, "batch")
		config.BatchBytes = rapid.IntRange(1, 1000).Draw(t, "bytes")
		client, err := openai.New(config)
		if err != nil {
			t.Fatal(err)
		}
		texts := rapid.SliceOfN(rapid.OneOf(rapid.StringMatching(`[a-z]{1,8}`), rapid.StringMatching(`([a-zé]{1,9} ){1,80}x`)), 0, 12).Draw(t, "all")
		got, err := client.Embed(context.Background(), embed.Passage, texts)
		if err == nil {
			err = embed.Check(client.Model(), len(texts), got)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range texts {
			if utf8.RuneCountInString(text) > b.maxRunes {
				continue
			}
			if diff := cmp.Diff(unitVector(text), got[i], near()); diff != "" {
				t.Fatalf("text %d: %s", i, diff)
			}
		}
	})
}
