package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// zipfText makes texts with the word frequencies of a natural language.
func zipfText() func(n int) string {
	const vocabulary = 40000
	zipf := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.07, 4, vocabulary-1)
	return func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "word%d ", zipf.Uint64())
		}
		return b.String()
	}
}

// filled returns an engine in RAM with n memories of about 40 words.
func filled(b *testing.B, n int, text func(int) string) *engine.Engine {
	b.Helper()
	s := store.New(memstore.New(nil), nil)
	x, err := index.Open(b.Context(), s, nil)
	if err != nil {
		b.Fatal(err)
	}
	e := engine.New(engine.Config{Store: s, Index: x})
	entries := func(yield func(*hippo.Memory, error) bool) {
		for range n {
			m := &hippo.Memory{Content: text(38), Situation: []string{text(3)}, Importance: hippo.Importance{Base: .5, Value: .5}}
			if !yield(m, nil) {
				return
			}
		}
	}
	if _, err := e.Import(b.Context(), hippo.Calendar{}, entries, nil); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := e.Close(); err != nil {
			b.Error(err)
		}
	})
	return e
}

// BenchmarkSearch measures a warm search of five words, as people ask, without
// a protocol around it and with a store in RAM and
// without counting accesses, which a store in RAM does slowly.
func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		text := zipfText()
		e := filled(b, n, text)
		for _, r := range hippo.Rankers() {
			b.Run(fmt.Sprintf("%s/%d", r, n), func(b *testing.B) {
				for b.Loop() {
					if _, err := e.Search(b.Context(), hippo.Query{Text: text(5), Ranker: r, NoTouch: true}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkResembling measures what a record costs beside storing it: looking for
// what a memory of 15 words repeats or replaces.
func BenchmarkResembling(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		text := zipfText()
		e := filled(b, n, text)
		m := &hippo.Memory{Content: text(15)}
		if _, err := e.Resembling(b.Context(), m); err != nil { // the index catches up
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := e.Resembling(b.Context(), m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
