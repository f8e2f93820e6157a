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
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
)

func TestClient_halves_refused_requests(t *testing.T) {
	t.Parallel()
	texts := []string{"12345678", "1", "2", "3", "12345", "123456789", "a"}
	for name, limit := range map[string]func(*fake){
		"texts":             func(f *fake) { f.maxTexts = 2 },
		"characters_of_all": func(f *fake) { f.maxSum = 10 },
	} {
		f := newFake(t)
		limit(f)
		got, err := open(t, config(f.server, dimension)).Embed(t.Context(), embed.Passage, texts)
		if diff := cmp.Diff(vectorsOf(texts...), got, near()); err != nil || diff != "" {
			t.Errorf("%s: got %v: %s", name, err, diff)
		}
	}
	f := newFake(t)
	many := strings.Split(strings.Repeat("x ", 200), " ")[:150]
	got, err := open(t, config(f.server, dimension)).Embed(t.Context(), embed.Passage, many)
	if diff := cmp.Diff(vectorsOf(many...), got, near()); err != nil || diff != "" || f.count() != 3 {
		t.Errorf("150 texts in %d requests, want 3: %v: %s", f.count(), err, diff)
	}
}

func TestClient_embeds_long_texts_in_windows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		limit   int // characters that the server accepts
		length  int // words of the text
		refused bool
	}{
		{"which_the_server_refuses", 300, 100, true},
		{"which_some_servers_truncate", 0, 1000, false},
		{"in_smaller_windows_if_necessary", 300, 1000, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.maxRunes = c.limit
			client := open(t, config(f.server, dimension))
			got, err := client.Embed(t.Context(), embed.Passage, []string{"before", strings.Repeat("many words \u4f60\u597d ", c.length), "after"})
			if err == nil {
				err = embed.Check(client.Model(), 3, got)
			}
			if err != nil {
				t.Fatal(err)
			}
			windows, refused := windowsOf(f)
			want := [][]float32{vectorsOf("before")[0], meanOf(windows), vectorsOf("after")[0]}
			if diff := cmp.Diff(want, got, near()); diff != "" {
				t.Errorf("not the mean of %d windows: %s", len(windows), diff)
			}
			if len(windows) < 3 || refused != c.refused {
				t.Errorf("%d windows, refused: %v", len(windows), refused)
			}
		})
	}
}

// windowsOf returns the windows of the long text that the server accepted.
func windowsOf(f *fake) (windows []string, refused bool) {
	for _, texts := range f.inputs() {
		if f.refusal(texts) != 0 {
			refused, windows = true, nil
			continue
		}
		for _, text := range texts {
			if text != "before" && text != "after" {
				windows = append(windows, text)
			}
		}
	}
	return windows, refused
}

func meanOf(windows []string) []float32 {
	sum, square := make([]float64, dimension), 0.0
	for _, w := range windows {
		for i, x := range vectorsOf(w)[0] {
			sum[i] += float64(x) * float64(utf8.RuneCountInString(w))
		}
	}
	for _, x := range sum {
		square += x * x
	}
	mean := make([]float32, dimension)
	for i, x := range sum {
		mean[i] = float32(x / math.Sqrt(square))
	}
	return mean
}

// A server that refuses everything is asked a few times, and its first words count.
func TestClient_server_that_refuses_everything(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.maxRunes = 1
	client := open(t, config(f.server, dimension))
	texts := []string{strings.Repeat("word ", 20000), "short"}
	if _, err := client.Embed(t.Context(), embed.Passage, texts); !errors.Is(err, hippo.ErrUnsupported) || !strings.Contains(err.Error(), "too much") {
		t.Errorf("got %v, want unsupported with the server's words", err)
	}
	if f.count() > 100 {
		t.Errorf("%d requests", f.count())
	}
}

// Whatever the limits of a server, short texts get their vectors and long ones some of
// length 1.
func TestClient_any_limits(t *testing.T) {
	t.Parallel()
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		f := newFake(outer)
		f.maxTexts = rapid.IntRange(0, 5).Draw(t, "texts")
		f.maxRunes = rapid.IntRange(70, 200).Draw(t, "runes")
		f.maxSum = rapid.IntRange(f.maxRunes, 500).Draw(t, "sum")
		client := open(outer, config(f.server, dimension))
		texts := rapid.SliceOfN(rapid.OneOf(rapid.StringMatching(`[a-z]{1,8}`), rapid.StringMatching(`([a-zé]{1,9} ){1,80}x`)), 0, 12).Draw(t, "all")
		got, err := client.Embed(context.Background(), embed.Passage, texts)
		if err == nil {
			err = embed.Check(client.Model(), len(texts), got)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range texts {
			if utf8.RuneCountInString(text) > f.maxRunes {
				continue
			}
			if diff := cmp.Diff(vectorsOf(text)[0], got[i], near()); diff != "" {
				t.Fatalf("text %d: %s", i, diff)
			}
		}
	})
}
