package embedding_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/index/snapshots"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
	"github.com/hippo-memory/hippo/models"
)

// random is a model whose vectors have nothing to do with the texts.
type random struct {
	model embed.Model
	r     *rand.Rand
}

func (m *random) Model() embed.Model { return m.model }

func (m *random) Embed(_ context.Context, _ embed.Role, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i := range out {
		out[i] = make([]float32, m.model.Dimension)
		sum := 0.
		for k := range out[i] {
			x := m.r.NormFloat64()
			out[i][k], sum = float32(x), sum+x*x
		}
		for k := range out[i] {
			out[i][k] /= float32(math.Sqrt(sum))
		}
	}
	return out, nil
}

// encoders are two models with the dimensions of those in the program.
func encoders() []embedding.Model {
	one := &random{embed.Model{ID: "one@1", Space: "one", Dimension: 384}, rand.New(rand.NewPCG(1, 2))} //nolint:gosec // repeatable, not secret
	two := &random{embed.Model{ID: "two@1", Space: "two", Dimension: 512}, rand.New(rand.NewPCG(3, 4))} //nolint:gosec // repeatable, not secret
	return []embedding.Model{{Embedder: one, Optional: true}, {Embedder: two, Optional: true, Channel: retrieve.Multilingual}}
}

// attach opens an index on a store. change changes its options: without [index.Options.Stored] it leaves the vectors of the store to
// [embedding.Follower.LoadStored].
func attach(b *testing.B, s *store.Store, path string, change func(*index.Options)) *process {
	b.Helper()
	table, err := static.Open(models.Builtin())
	if err != nil {
		b.Fatal(err)
	}
	used := append(encoders(), embedding.Model{Embedder: table, Instant: true})
	o := &index.Options{Path: path, Tokens: table}
	o.Models, o.Instant = embedding.Indexed(used)
	o.Stored = embedding.Stored(s, used)
	change(o)
	x, err := index.Open(b.Context(), s, o)
	if err != nil {
		b.Fatal(err)
	}
	if err := x.CatchUp(b.Context()); err != nil {
		b.Fatal(err)
	}
	return &process{s, x, embedding.New(embedding.Config{Store: s, Index: x, Models: used, Brief: true})}
}

// detach closes the index, which has the vectors of n memories.
func detach(b *testing.B, p *process, n int) {
	b.Helper()
	for _, m := range encoders() {
		if have, all := p.index.Vectors.Embedded(nil, m.Model().ID); have != n || all != n {
			b.Fatalf("%d of %d memories have a vector, want all %d", have, all, n)
		}
	}
	if err := p.Close(); err != nil {
		b.Fatal(err)
	}
	if err := p.index.Close(); err != nil {
		b.Fatal(err)
	}
}

// word returns the n-th word of an invented language, of two syllables and more, with the space after it.
func word(n int) string {
	syllables := strings.Fields("ba cor dim fel gu hat jo kin lup mer nos pa qui rad sil tem und vor wen xa yel zot bri cla dro fli gra plo sta tru che shi tho whe")
	var b strings.Builder
	for n += len(syllables); n > 0; n /= len(syllables) {
		b.WriteString(syllables[n%len(syllables)])
	}
	return b.String() + " "
}

// embedded returns a SQLite store with n memories of about 400 bytes and their vectors.
func embedded(b *testing.B, n int) *store.Store {
	b.Helper()
	backend, err := sqlitestore.Open(b.Context(), filepath.Join(b.TempDir(), "memory.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	s := store.New(backend, nil)
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	r := rand.New(rand.NewPCG(5, 6))      //nolint:gosec // repeatable, not secret
	z := rand.NewZipf(r, 1.07, 4, 30_000) //nolint:gosec // repeatable, not secret
	for from := 0; from < n; from += 500 {
		var list []*hippo.Memory
		for range min(500, n-from) {
			var text strings.Builder
			for range 55 {
				text.WriteString(word(int(z.Uint64())))
			}
			list = append(list, &hippo.Memory{Content: text.String()})
		}
		if err := s.Add(b.Context(), list...); err != nil {
			b.Fatal(err)
		}
	}
	p := attach(b, s, "", later)
	if err := p.Embed(b.Context(), func(int, int) {}); err != nil {
		b.Fatal(err)
	}
	detach(b, p, n)
	return s
}

// cpu is the time that the process has computed.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkAttach builds the index of a SQLite store without a file, and gives it the vectors that two models have left in
// the store: at once, as [index.Options.Stored] does, and later. Then it fetches the file from a folder.
func BenchmarkAttach(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := embedded(b, n)
			b.Run("at once", func(b *testing.B) { attachAll(b, s, n, func(*index.Options) {}) })
			b.Run("later", func(b *testing.B) { attachAll(b, s, n, later) })
			b.Run("fetched", func(b *testing.B) {
				place := snapshots.NewFolder(b.TempDir())
				shared := func(o *index.Options) {
					o.Sharing = &index.Sharing{Snapshots: place, Leases: s.Leases()}
				}
				detach(b, attach(b, s, filepath.Join(b.TempDir(), "index"), shared), n)
				attachAll(b, s, n, shared)
			})
		})
	}
}

// later leaves the vectors of the store out.
func later(o *index.Options) { o.Stored = nil }

func attachAll(b *testing.B, s *store.Store, n int, change func(*index.Options)) {
	b.Helper()
	dir := b.TempDir()
	var building, loading, waiting time.Duration
	for i := 0; b.Loop(); i++ {
		start, began := cpu(b), time.Now()
		p := attach(b, s, filepath.Join(dir, fmt.Sprint(i)), change)
		waiting += time.Since(began)
		built := cpu(b)
		if err := p.LoadStored(b.Context()); err != nil {
			b.Fatal(err)
		}
		building, loading = building+built-start, loading+cpu(b)-built
		detach(b, p, n)
	}
	b.ReportMetric(float64(building.Microseconds())/1000/float64(b.N), "build-CPU-ms")
	b.ReportMetric(float64(waiting.Microseconds())/1000/float64(b.N), "attach-ms")
	b.ReportMetric(float64(loading.Microseconds())/1000/float64(b.N), "load-CPU-ms")
}
