package embed_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
)

// counting is lengths that counts calls, and holds them up until it is released.
type counting struct {
	lengths
	mu      sync.Mutex
	calls   [][]string
	release chan struct{}
}

func (c *counting) Embed(ctx context.Context, role embed.Role, texts []string) ([][]float32, error) {
	c.mu.Lock()
	c.calls = append(c.calls, texts)
	c.mu.Unlock()
	<-c.release
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return c.lengths.Embed(ctx, role, texts)
}

func (c *counting) called() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.calls)
}

// Queries that come while others are embedded are embedded together, and each gets its own vector, or its own error.
func TestJoining(t *testing.T) {
	t.Parallel()
	inner := &counting{release: make(chan struct{})}
	j := embed.NewJoining(inner)
	if j.Model() != inner.Model() {
		t.Errorf("model %+v, want %+v", j.Model(), inner.Model())
	}
	var group sync.WaitGroup
	embedOne := func(ctx context.Context, text string, want error) {
		group.Go(func() {
			v, err := j.Embed(ctx, embed.Query, []string{text})
			if !errors.Is(err, want) || want == nil && (len(v) != 1 || v[0][0] != float32(len(text))) {
				t.Errorf("%q: vectors %v, error %v, want %v", text, v, err, want)
			}
		})
	}
	places := max(1, runtime.GOMAXPROCS(0)/2)
	for i := range places {
		embedOne(t.Context(), strings.Repeat("x", i+1), nil)
	}
	for inner.called() < places {
		runtime.Gosched()
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for i := range 10 {
		embedOne(t.Context(), strings.Repeat("y", i+20), nil)
	}
	embedOne(t.Context(), "", errEmpty)
	embedOne(gone, "gone", context.Canceled)
	close(inner.release)
	group.Wait()
	if v, err := j.Embed(t.Context(), embed.Passage, []string{}); err != nil || len(v) != 0 {
		t.Errorf("no passages: %v, %v", v, err)
	}
	for _, texts := range inner.calls[places:] {
		if len(texts) > 16 {
			t.Errorf("%d texts in one call", len(texts))
		}
	}
	if err := j.Close(); err != nil || !inner.closed {
		t.Errorf("closed: %t, %v", inner.closed, err)
	}
}

func ExampleNewJoining() {
	inner := &lengths{}
	vectors, err := embed.NewJoining(inner).Embed(context.Background(), embed.Query, []string{"four", "fifth"})
	fmt.Println(vectors, err)
	// Output: [[4] [5]] <nil>
}
