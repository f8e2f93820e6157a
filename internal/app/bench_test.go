package app_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
)

// zipf returns a source of texts with the word frequencies of a natural language. The words are
// made of three syllables, so that few have word pieces in common or are a typo of another.
func zipf() func(words int) string {
	const vocabulary = 34 * 34 * 34
	syllables := strings.Fields("ba cor dim fel gu hat jo kin lup mer nos pa qui rad sil tem und vor wen xa yel zot bri cla dro fli gra plo sta tru che shi tho whe")
	z := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.07, 4, vocabulary-1)
	return func(words int) string {
		var b strings.Builder
		for range words {
			n := int(z.Uint64())
			for range 3 {
				b.WriteString(syllables[n%len(syllables)])
				n /= len(syllables)
			}
			b.WriteByte(' ')
		}
		return b.String()
	}
}

// full returns an engine on a SQLite store with a model and n memories of about 40 words, and
// questions of 5 words.
func full(b *testing.B, model string, n int) (*engine.Engine, []string) {
	b.Helper()
	c := config.Config{Store: config.Store{Kind: "sqlite", Path: filepath.Join(b.TempDir(), "memory.db")}, Model: config.Model{Name: model}}
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
	embedAll(b, e)
	questions := make([]string, 1000)
	for i := range questions {
		questions[i] = text(5)
	}
	return e, questions
}

// embedAll waits until the models have embedded all memories.
func embedAll(b *testing.B, e *engine.Engine) {
	b.Helper()
	memories := local(e)
	for {
		if _, err := memories.Search(b.Context(), hippo.Query{Text: "a", NoTouch: true}); err != nil { // starts them
			b.Fatal(err)
		}
		s, err := memories.Status(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if !slices.ContainsFunc(s.Models, func(m engine.ModelStatus) bool { return m.Embedded < s.Memories }) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// BenchmarkSearch measures a warm search as an agent sends it: its hits are counted as accessed.
func BenchmarkSearch(b *testing.B) {
	for _, c := range []struct {
		model    string
		memories int
	}{{config.Static, 1_000}, {config.Static, 10_000}, {config.Static, 100_000}, {config.Builtin, 1_000}} {
		e, questions := full(b, c.model, c.memories)
		b.Run(fmt.Sprintf("%s/%d", c.model, c.memories), func(b *testing.B) { searchAll(b, e, questions, 1, false) })
	}
}

// BenchmarkSearch_concurrent measures searches at a time by several callers, per search. That
// their hits are counted, and that there are others, must cost next to nothing.
func BenchmarkSearch_concurrent(b *testing.B) {
	e, questions := full(b, config.Static, 20_000)
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
