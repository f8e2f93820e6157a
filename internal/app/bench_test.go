package app_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
)

// zipf returns a source of texts with the word frequencies of a natural language.
func zipf() func(words int) string {
	const vocabulary = 40000
	z := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.07, 4, vocabulary-1)
	return func(words int) string {
		var b strings.Builder
		for range words {
			fmt.Fprintf(&b, "word%d ", z.Uint64())
		}
		return b.String()
	}
}

// full returns an engine on a SQLite store with the built-in model and n memories of about 40
// words, and questions of 5 words.
func full(b *testing.B, n int) (*engine.Engine, []string) {
	b.Helper()
	c := config.Config{Store: config.Store{Kind: "sqlite", Path: filepath.Join(b.TempDir(), "memory.db")}}
	e, err := app.Open(b.Context(), c, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := e.Close(); err != nil {
			b.Error(err)
		}
	})
	text := zipf()
	entries := func(yield func(*hippo.Memory, error) bool) {
		for range n {
			m := &hippo.Memory{Content: text(38), Situation: []string{text(3)}, Trust: hippo.TrustNormal, Importance: hippo.Importance{Base: .5, Value: .5}}
			if !yield(m, nil) {
				return
			}
		}
	}
	if r, err := local(e).Transfer().Import(b.Context(), hippo.Calendar{}, entries, nil); err != nil || r.Added != n {
		b.Fatalf("imported %d of %d: %v", r.Added, n, err)
	}
	questions := make([]string, 1000)
	for i := range questions {
		questions[i] = text(5)
	}
	return e, questions
}

// BenchmarkSearch measures a warm default search as an agent sends it: its hits are counted as
// accessed.
func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		e, questions := full(b, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) { searchAll(b, e, questions, 1, false) })
	}
}

// BenchmarkSearch_concurrent measures searches at a time by several callers, per search. That
// their hits are counted, and that there are others, must cost next to nothing.
func BenchmarkSearch_concurrent(b *testing.B) {
	e, questions := full(b, 20_000)
	for _, callers := range []int{1, 2, 16} {
		for _, noTouch := range []bool{false, true} {
			b.Run(fmt.Sprintf("callers=%d/notouch=%t", callers, noTouch), func(b *testing.B) { searchAll(b, e, questions, callers, noTouch) })
		}
	}
}

// searchAll sends b.N searches from a number of callers.
func searchAll(b *testing.B, e *engine.Engine, questions []string, callers int, noTouch bool) {
	b.Helper()
	memories := local(e)
	var next atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	for range callers {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				q := hippo.Query{Text: questions[int(i)%len(questions)], NoTouch: noTouch}
				if _, err := memories.Search(b.Context(), q); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}
