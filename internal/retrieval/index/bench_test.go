package index_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// zipf returns a source with n memories of about 40 words, whose frequencies
// fall as those of natural language do.
func zipf(n int) *source {
	s := newSource("bench")
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // repeatable, not secret
	z := rand.NewZipf(r, 1.07, 4, 200_000)
	var b strings.Builder
	for i := range n {
		b.Reset()
		for range 30 + r.IntN(20) {
			fmt.Fprintf(&b, "%s ", word(int(z.Uint64())))
		}
		m := note(i, b.String(), "working on "+word(int(z.Uint64())), word(int(z.Uint64())))
		m.Tags = []string{fmt.Sprint("tag", i%20)}
		m.Project = fmt.Sprint("project", i%7)
		m.Source.Session = fmt.Sprint("session", i/50)
		m.Touch(hippo.Day(1+i/1000), 1)
		s.put(m)
	}
	return s
}

// word returns the n-th word of an invented language; no stemmer changes it.
func word(n int) string {
	b := []byte{}
	for n += 21; n > 0; n /= 20 {
		b = append(b, "bcdfghjklmnpqrtvwxzk"[n%20], "aou"[n%3])
	}
	return string(append(b, 'k'))
}

// sizes runs a benchmark on stores of growing size.
func sizes(b *testing.B, f func(b *testing.B, s *source, o *index.Options)) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f(b, zipf(n), &index.Options{Path: filepath.Join(b.TempDir(), "index")})
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	sizes(b, func(b *testing.B, s *source, _ *index.Options) {
		for b.Loop() {
			x, err := index.Open(b.Context(), s, nil)
			if err != nil {
				b.Fatal(err)
			}
			catchUp(b, x)
			_ = x.Close()
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	sizes(b, func(b *testing.B, s *source, o *index.Options) {
		save(b, open(b, s, o))
		info, err := os.Stat(o.Path)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			x, err := index.Open(b.Context(), s, o)
			if err != nil || x.Stats().Saved == 0 {
				b.Fatal(err, "no file")
			}
			_ = x.Close()
		}
		b.ReportMetric(float64(info.Size())/1e6, "MB-file")
	})
}

func BenchmarkSave(b *testing.B) {
	sizes(b, func(b *testing.B, s *source, o *index.Options) {
		x := open(b, s, o)
		for i := 0; b.Loop(); i++ {
			s.put(note(1_000_000+i, "another memory"))
			catchUp(b, x)
			save(b, x)
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	sizes(b, func(b *testing.B, s *source, o *index.Options) {
		x := open(b, s, o)
		save(b, x)
		m := zipf(1).live()[0]
		for i := 0; b.Loop(); i++ {
			b.StopTimer()
			m.ID = id(2_000_000 + i)
			s.put(m)
			b.StartTimer()
			catchUp(b, x)
		}
	})
}

func BenchmarkSearch(b *testing.B) {
	sizes(b, func(b *testing.B, s *source, o *index.Options) {
		x := open(b, s, o)
		save(b, x)
		for name, q := range map[string]query{
			"rare":       {Text: word(500) + " " + word(3000) + " " + word(9000)},
			"mixed":      {Text: word(1) + " " + word(20) + " " + word(300) + " " + word(5000)},
			"frequent6":  {Text: strings.Join([]string{word(0), word(1), word(2), word(3), word(4), word(5)}, " ")},
			"everything": {},
			"filtered":   {Text: word(1) + " " + word(20), Filter: hippo.Filter{Projects: []string{"project1"}, Tags: []string{"tag1"}}},
			"situation":  {Text: word(1) + " " + word(20), Situation: []string{"working on " + word(3)}},
			"substring":  {Text: word(20)[:3], Substring: true},
		} {
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				n := 0
				for b.Loop() {
					find(x, q, func(r *retrieve.Result) { n = len(r.Matches) })
				}
				b.ReportMetric(float64(n), "matches")
			})
		}
	})
}

// BenchmarkRows reads what ranking needs of every document.
func BenchmarkRows(b *testing.B) {
	sizes(b, func(b *testing.B, s *source, o *index.Options) {
		x := open(b, s, o)
		var rows []retrieve.Row
		for b.Loop() {
			find(x, query{}, func(r *retrieve.Result) { rows = r.Reader.Rows(rows[:0], r.Matches) })
		}
	})
}

// BenchmarkDistinguish reads the IDs of a page of hits, and of one memory.
func BenchmarkDistinguish(b *testing.B) {
	sizes(b, func(b *testing.B, s *source, o *index.Options) {
		x := open(b, s, o)
		save(b, x)
		for _, n := range []int{1, 10} {
			var ids []hippo.ID
			for i := range n {
				ids = append(ids, id(i))
			}
			b.Run(fmt.Sprint(n), func(b *testing.B) {
				for b.Loop() {
					x.Distinguish(&hippo.Scope{}, ids)
				}
			})
		}
	})
}

func BenchmarkLabels(b *testing.B) {
	sizes(b, func(b *testing.B, s *source, o *index.Options) {
		x := open(b, s, o)
		scope := hippo.LocalScope("")
		for b.Loop() {
			x.Labels(&scope, &hippo.Filter{})
		}
	})
}

// BenchmarkMemory reports the heap that an index from a snapshot takes.
func BenchmarkMemory(b *testing.B) {
	sizes(b, func(b *testing.B, s *source, o *index.Options) {
		save(b, open(b, s, o))
		heap := func() float64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.GC()
			runtime.ReadMemStats(&m)
			return float64(m.HeapAlloc)
		}
		for b.Loop() {
			before := heap()
			x, err := index.Open(b.Context(), s, o)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric((heap()-before)/1e6, "MB-heap")
			_ = x.Close()
		}
	})
}
