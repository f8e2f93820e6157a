package app_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
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
	e, text := empty(b, model), zipf()
	fill(b, local(e), text, n, func(int) hippo.ID { return hippo.ID{} })
	embedAll(b, e)
	return e, questions(text)
}

// crowded returns an engine on a SQLite store with a number of namespaces, which have n memories each and take turns in the order of the
// IDs, and questions about the local one, whose memories are the same whatever else there is.
func crowded(b *testing.B, namespaces, n int) (*engine.Engine, []string) {
	b.Helper()
	e, text := empty(b, config.Static), zipf()
	fill(b, local(e), text, n, func(i int) hippo.ID { return idOf(i, 0) })
	ask := questions(text)
	for k := 1; k < namespaces; k++ {
		other := hippo.LocalScope("")
		other.Namespace = fmt.Sprint("tenant", k)
		fill(b, e.In(other), text, n, func(i int) hippo.ID { return idOf(i, k) })
	}
	embedAll(b, e)
	return e, ask
}

// idOf returns the ID of the i-th memory of a namespace.
func idOf(i, namespace int) (id hippo.ID) {
	binary.BigEndian.PutUint32(id[:], uint32(i+1))
	binary.BigEndian.PutUint32(id[12:], uint32(namespace))
	return id
}

// empty returns an engine on an empty SQLite store with a model.
func empty(b *testing.B, model string) *engine.Engine {
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
	return e
}

// fill imports n memories of about 40 words.
func fill(b *testing.B, memories *engine.Memories, text func(int) string, n int, id func(int) hippo.ID) {
	b.Helper()
	entries := func(yield func(*hippo.Memory, error) bool) {
		for i := range n {
			m := &hippo.Memory{ID: id(i), Content: text(38), Situation: []string{text(3)}, Trust: hippo.TrustNormal, Importance: hippo.Importance{Base: .5, Value: .5}}
			m.Source.Client = fmt.Sprint("client", i%10)
			if !yield(m, nil) {
				return
			}
		}
	}
	if r, err := transfer.New(memories).Import(b.Context(), hippo.Calendar{}, entries, nil); err != nil || r.Added != n {
		b.Fatalf("imported %d of %d: %v", r.Added, n, err)
	}
}

func questions(text func(int) string) []string {
	out := make([]string, 1000)
	for i := range out {
		out[i] = text(5)
	}
	return out
}

// BenchmarkSearch_namespaces measures a search in one namespace of 1,000 memories, alone and among 99 others of the same size, whose memories lie
// between its own: what is outside the scope must cost next to nothing. The two take turns, and it reports the medians and their ratio.
func BenchmarkSearch_namespaces(b *testing.B) {
	alone, questions := crowded(b, 1, 1_000)
	among, _ := crowded(b, 100, 1_000)
	var times [2][]float64
	for i := 0; b.Loop(); i++ {
		q := hippo.Query{Text: questions[i%len(questions)], NoTouch: true}
		for k, e := range []*engine.Engine{alone, among} {
			start := time.Now()
			if _, err := query.Search(b.Context(), local(e), q); err != nil {
				b.Fatal(err)
			}
			times[k] = append(times[k], float64(time.Since(start).Microseconds()))
		}
	}
	var medians [2]float64
	for k, list := range times {
		slices.Sort(list)
		medians[k] = list[len(list)/2]
	}
	b.ReportMetric(medians[0], "µs/alone")
	b.ReportMetric(medians[1], "µs/among")
	b.ReportMetric(medians[1]/medians[0], "ratio")
}

// BenchmarkList_source lists the first of 3,000 memories of a client among 30,000.
func BenchmarkList_source(b *testing.B) {
	e, _ := full(b, config.NoModel, 30_000)
	q := api.List{Arrival: api.Arrival{Source: "client7"}, Count: 10}
	for b.Loop() {
		if l, err := memory.List(b.Context(), local(e), q); err != nil || l.Total != 3_000 {
			b.Fatalf("%+v: %v", l, err)
		}
	}
}

// embedAll waits until the models have embedded all memories.
func embedAll(b *testing.B, e *engine.Engine) {
	b.Helper()
	memories := local(e)
	for {
		if _, err := query.Search(b.Context(), memories, hippo.Query{Text: "a", NoTouch: true}); err != nil { // starts them
			b.Fatal(err)
		}
		s, err := memory.Status(b.Context(), memories)
		if err != nil {
			b.Fatal(err)
		}
		if !slices.ContainsFunc(s.Models, func(m api.ModelStatus) bool { return m.Embedded < s.Memories }) {
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
				if _, err := query.Search(b.Context(), memories, q); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkSearch_projects measures searches in one namespace of many projects of 2,500 memories each: in one project after another, by the scope of the
// caller, as the current project, which counts what others have, and by a filter; in all of them, and in a namespace that is as large as a project.
// $HIPPO_BENCH_PROJECTS is their number, 40 by default.
func BenchmarkSearch_projects(b *testing.B) {
	const size = 2_500
	projects := 40
	if s := os.Getenv("HIPPO_BENCH_PROJECTS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			b.Fatal(err)
		}
		projects = n
	}
	text := zipf()
	e, alone := empty(b, config.Static), empty(b, config.Static)
	fillProjects(b, local(e), text, projects*size, projects)
	fillProjects(b, local(alone), text, size, 1)
	ask := questions(text)
	in := func(i int) hippo.Scope {
		scope := hippo.LocalScope("")
		scope.Projects = []string{projectOf(i % projects)}
		return scope
	}
	at := func(i int) hippo.Scope {
		scope := hippo.LocalScope("")
		scope.Project = projectOf(i % projects)
		return scope
	}
	for name, search := range map[string]func(i int) (*engine.Memories, hippo.Filter){
		"current": func(i int) (*engine.Memories, hippo.Filter) { return e.In(at(i)), hippo.Filter{} },
		"alone":   func(int) (*engine.Memories, hippo.Filter) { return local(alone), hippo.Filter{} },
		"scope":   func(i int) (*engine.Memories, hippo.Filter) { return e.In(in(i)), hippo.Filter{} },
		"filter": func(i int) (*engine.Memories, hippo.Filter) {
			return local(e), hippo.Filter{Projects: []string{projectOf(i % projects)}}
		},
		"all": func(int) (*engine.Memories, hippo.Filter) { return local(e), hippo.Filter{} },
	} {
		b.Run(name, func(b *testing.B) {
			var times []float64
			for i := 0; b.Loop(); i++ {
				m, f := search(i)
				start := time.Now()
				if _, err := query.Search(b.Context(), m, hippo.Query{Text: ask[i%len(ask)], Filter: f, NoTouch: true}); err != nil {
					b.Fatal(err)
				}
				times = append(times, float64(time.Since(start).Microseconds()))
			}
			slices.Sort(times)
			b.ReportMetric(times[len(times)/2], "µs/p50")
			b.ReportMetric(times[len(times)/10], "µs/p10")
		})
	}
}

func projectOf(i int) string { return fmt.Sprint("github.com/example/service", i) }

// fillProjects is fill with the projects in turns.
func fillProjects(b *testing.B, memories *engine.Memories, text func(int) string, n, projects int) {
	b.Helper()
	entries := func(yield func(*hippo.Memory, error) bool) {
		for i := range n {
			m := &hippo.Memory{ID: idOf(i, 0), Content: text(38), Situation: []string{text(3)}, Project: projectOf(i % projects), Trust: hippo.TrustNormal, Importance: hippo.Importance{Base: .5, Value: .5}}
			if !yield(m, nil) {
				return
			}
		}
	}
	if r, err := transfer.New(memories).Import(b.Context(), hippo.Calendar{}, entries, nil); err != nil || r.Added != n {
		b.Fatalf("imported %d of %d: %v", r.Added, n, err)
	}
}
