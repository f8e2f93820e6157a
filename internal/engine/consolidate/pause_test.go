package consolidate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

// never is a pause that neither waits nor ends the work.
func never() error { return nil }

// paused is a corpus of n memories, of some texts and directions.
func paused(tb testing.TB, stop pause, n int) (*corpus, error) {
	tb.Helper()
	list, codes := make([]*Subject, n), directions(n, 8, .3)
	for i := range list {
		m := &hippo.Memory{ID: hippo.ID{1, byte(i >> 8), byte(i)}, Content: fmt.Sprintf("The port of server%d is %d in project%d.", i, 8000+i, i%7)}
		list[i] = &Subject{Memory: m, Vector: codes[i]}
	}
	return itemsOf(stop, list)
}

// TestPause_EveryPass counts the calls in each pass over memories: none works on more than the number that is
// promised without one, and the error of each call ends it.
func TestPause_EveryPass(t *testing.T) {
	t.Parallel()
	const n = 2000
	c, err := paused(t, never, n)
	if err != nil {
		t.Fatal(err)
	}
	codes, all := make([]vector.Code, n), make([]int, n)
	for i := range codes {
		codes[i], all[i] = c.items[i].code, i
	}
	clustered := func() *kmeans {
		m := &kmeans{codes: codes, iterations: 1, random: rand.New(rand.NewPCG(1, 1)), of: make([]int, n), cosine: make([]float32, n)}
		if err := m.begin(never, 8); err != nil {
			t.Fatal(err)
		}
		return m
	}
	o := Default()
	for _, x := range []struct {
		name  string
		every int // the largest number of memories between two calls
		work  func(stop pause) error
	}{
		{"items", checkTexts, func(stop pause) error { _, err := paused(t, stop, n); return err }},
		{"duplicates", checkTexts, func(stop pause) error {
			return o.Duplicates.each(stop, c, func(*item, *item, *duplicate) {})
		}},
		{"contradictions", checkTexts, func(stop pause) error {
			return contradictions(stop, c, func(_, _ *hippo.Memory, _ string) {})
		}},
		{"first centroids", checkEvery, func(stop pause) error {
			m := clustered()
			m.centroids = nil
			return m.begin(stop, 2)
		}},
		{"assign", checkEvery, func(stop pause) error { _, err := clustered().assign(stop); return err }},
		{"recompute", checkEvery, func(stop pause) error { return clustered().recompute(stop) }},
		{"group", checkEvery, func(stop pause) error { _, err := c.groupOf(stop, all, 3); return err }},
	} {
		calls, end := 0, errors.New("enough")
		if err := x.work(func() error { calls++; return nil }); err != nil || calls < n/x.every {
			t.Errorf("%s: %d calls for %d memories, want %d or more; error %v", x.name, calls, n, n/x.every, err)
		}
		for _, left := range []int{0, calls / 2, calls - 1} {
			if err := x.work(func() error {
				if left--; left < 0 {
					return end
				}
				return nil
			}); !errors.Is(err, end) {
				t.Errorf("%s: an error is lost: got %v", x.name, err)
			}
		}
	}
}

// TestYield is called with the context of a plan, whose result it does not change, and ends it.
func TestYield(t *testing.T) {
	t.Parallel()
	type key struct{}
	v := &View{Now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
	c, err := paused(t, never, 400)
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.items {
		v.Subjects = append(v.Subjects, *c.items[i].Subject)
	}
	ctx := context.WithValue(t.Context(), key{}, "this")
	calls, end := 0, errors.New("enough")
	o := Default()
	v.Yield = func(ctx context.Context) error {
		if calls++; ctx.Value(key{}) != "this" {
			t.Fatal("another context")
		}
		return nil
	}
	for name, work := range map[string]func() error{
		"plan":     func() error { _, err := New(ctx, v, api.Monthly, o); return err },
		"clusters": func() error { _, _, err := Clusters(ctx, v, o); return err },
		"audit":    func() error { _, _, err := Audit(ctx, v, IdleDays, o); return err },
	} {
		calls = 0
		usual := v.Yield
		if err := work(); err != nil || calls < len(v.Subjects)/checkTexts {
			t.Errorf("%s: %d calls, error %v", name, calls, err)
		}
		v.Yield = func(context.Context) error { return end }
		if err := work(); !errors.Is(err, end) {
			t.Errorf("%s: error %v, want that of Yield", name, err)
		}
		v.Yield = usual
	}
}
