package embed_test

import (
	"context"
	"errors"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
)

// lengths embeds a text as its length. It fails for an empty one.
type lengths struct{ closed bool }

var errEmpty = errors.New("empty")

func (l *lengths) Model() embed.Model {
	return embed.Model{ID: "lengths@1", Space: "lengths", Dimension: 1}
}

func (l *lengths) Embed(_ context.Context, _ embed.Role, texts []string) ([][]float32, error) {
	var out [][]float32
	for _, t := range texts {
		if t == "" {
			return nil, errEmpty
		}
		out = append(out, []float32{float32(len(t))})
	}
	return out, nil
}

func (l *lengths) Close() error {
	l.closed = true
	return nil
}

func TestEvicting(t *testing.T) {
	t.Parallel()
	inner, evicted := &lengths{}, 0
	e := embed.NewEvicting(inner, func() { evicted++ })
	if e.Model() != inner.Model() {
		t.Errorf("model %+v, want %+v", e.Model(), inner.Model())
	}
	for i := range 24 {
		if i%5 == 0 {
			if _, err := e.Embed(t.Context(), embed.Query, []string{""}); !errors.Is(err, errEmpty) {
				t.Errorf("error %v, want %v", err, errEmpty)
			}
		} else if v, err := e.Embed(t.Context(), embed.Query, []string{"four"}); err != nil || len(v) != 1 || v[0][0] != 4 {
			t.Errorf("vectors %v, error %v", v, err)
		}
		if want := (i + 1) / 4; evicted != want {
			t.Errorf("after %d calls evicted %d times, want %d", i+1, evicted, want)
		}
	}
	if err := e.Close(); err != nil || !inner.closed {
		t.Errorf("close: %v, inner closed: %v", err, inner.closed)
	}
}
