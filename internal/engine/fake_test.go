package engine_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a model of words: a text means the sum of its words, and words without
// a synonym are orthogonal. It does as it is told.
type fake struct {
	model embed.Model
	dense bool              // words are like each other a little, at random
	also  map[string]string // word to synonym, beside those of all fakes

	mu       sync.Mutex
	passages []string // those that were asked for, in order
	spoil    func(texts []string, vectors [][]float32) ([][]float32, error)
	gate     chan struct{} // passages wait for a token; nil: for nothing
	closed   int
}

func newFake(name string) *fake {
	return &fake{model: embed.Model{ID: name + "@1", Space: name, Dimension: 2048}}
}

// synonyms are what every fake knows.
func synonyms() map[string]string {
	return map[string]string{
		"automobile": "car", "vehicle": "car", "petrol": "fuel", "fixing": "repair", "mending": "repair", "physician": "doctor",
	}
}

func (f *fake) Model() embed.Model { return f.model }

func (f *fake) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed++
	return nil
}

func (f *fake) Embed(ctx context.Context, role embed.Role, texts []string) ([][]float32, error) {
	f.mu.Lock()
	gate, spoil := f.gate, f.spoil
	if role == embed.Passage {
		f.passages = append(f.passages, texts...)
	}
	f.mu.Unlock()
	if gate != nil && role == embed.Passage {
		select {
		case <-gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	vectors := make([][]float32, len(texts))
	for i, t := range texts {
		vectors[i] = f.vector(t)
	}
	if spoil != nil {
		return spoil(texts, vectors)
	}
	return vectors, ctx.Err()
}

// vector returns the meaning of a text: zeros if it has no word.
func (f *fake) vector(text string) []float32 {
	sum := make([]float64, f.model.Dimension)
	same := synonyms()
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		if s, ok := same[w]; ok {
			w = s
		}
		if s, ok := f.also[w]; ok {
			w = s
		}
		h := fnv.New64a()
		_, _ = h.Write([]byte(f.model.Space + " " + w))
		if !f.dense {
			sum[h.Sum64()%uint64(len(sum))]++
			continue
		}
		r := rand.New(rand.NewPCG(h.Sum64(), 1))
		for i := range sum {
			sum[i] += r.NormFloat64()
		}
	}
	length := 0.0
	for _, x := range sum {
		length += x * x
	}
	v := make([]float32, len(sum))
	for i, x := range sum {
		if length > 0 {
			v[i] = float32(x / math.Sqrt(length))
		}
	}
	return v
}

// seen returns the passages it was asked for since the last call, sorted.
func (f *fake) seen() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.passages
	f.passages = nil
	slices.Sort(out)
	return out
}

// hold makes passages wait from now on, until pass or free.
func (f *fake) hold() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gate = make(chan struct{}, 1000)
}

// pass lets n calls through.
func (f *fake) pass(n int) {
	for range n {
		f.gate <- struct{}{}
	}
}

// free ends hold.
func (f *fake) free() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gate != nil {
		close(f.gate)
	}
}

// damage spoils what it answers from now on; nil makes it good again.
func (f *fake) damage(spoil func(texts []string, vectors [][]float32) ([][]float32, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spoil = spoil
}

func instant(f *fake) engine.Model { return engine.Model{Embedder: f, Instant: true} }

func slow(f embed.Embedder) engine.Model { return engine.Model{Embedder: f} }

// kept is a back end that outlives the stores that use it: like a file.
type kept struct{ driver.Backend }

func (kept) Close() error { return nil }

func newKept() driver.Backend { return kept{memstore.New(nil)} }

// mind is a life with models.
type mind struct {
	*life
	store *store.Store
	// end closes it, once.
	end func()
}

// openMind opens an engine on b; snapshot is the file of its index, if any.
func openMind(t *testing.T, b driver.Backend, snapshot string, models ...engine.Model) *mind {
	t.Helper()
	l := &life{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return l.now }
	s := store.New(b, &store.Options{Now: clock, Zone: time.UTC})
	x, err := index.Open(t.Context(), s, &index.Options{SnapshotPath: snapshot})
	if err != nil {
		t.Fatal(err)
	}
	l.Engine = engine.New(engine.Config{Store: s, Index: x, Now: clock, Models: models})
	m := &mind{life: l, store: s}
	m.end = sync.OnceFunc(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(m.end)
	return m
}

func newMind(t *testing.T, models ...engine.Model) *mind {
	t.Helper()
	return openMind(t, newKept(), "", models...)
}

// fill records n memories, and returns their contents, sorted.
func (m *mind) fill(n int) []string {
	m.t.Helper()
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("filler number%03d", i))
		m.record(out[i], .5)
	}
	return out
}

func (m *mind) status() engine.Status {
	m.t.Helper()
	s, err := m.Status(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	return s
}

// wantServing checks which model answers; "" is none.
func (m *mind) wantServing(id string) {
	m.t.Helper()
	got := ""
	for _, s := range m.status().Models {
		if s.Serves {
			got += s.ID
		}
	}
	if got != id {
		m.t.Errorf("model %q serves, want %q: %+v", got, id, m.status().Models)
	}
}

// wantKept checks how many vectors the store has, by model.
func (m *mind) wantKept(want map[string]int) {
	m.t.Helper()
	models, err := m.store.VectorModels(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	got := make(map[string]int)
	for _, v := range models {
		got[v.Name] = v.Count
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		m.t.Errorf("the store has vectors %v, want %v", got, want)
	}
}

// snapshotIn returns the path of a snapshot that is not there yet.
func snapshotIn(t *testing.T) string { return filepath.Join(t.TempDir(), "index") }

// mentions reports whether one of the lines holds all parts.
func mentions(lines []string, parts ...string) bool {
	return slices.ContainsFunc(lines, func(line string) bool {
		for _, p := range parts {
			if !strings.Contains(line, p) {
				return false
			}
		}
		return true
	})
}

// oracle knows what can be found.
type oracle struct {
	m             *mind
	f             *fake
	texts, hidden map[hippo.ID]string
}

func (o *oracle) text(r *rapid.T) string {
	words := rapid.SliceOfN(rapid.SampledFrom(strings.Fields("car vehicle fuel petrol doctor repair red green blue")), 1, 4)
	return strings.Join(words.Draw(r, "text"), " ")
}

func (o *oracle) pick(r *rapid.T, from map[hippo.ID]string) hippo.ID {
	if len(from) == 0 {
		r.Skip("there is none")
	}
	var ids []hippo.ID
	for id := range from {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, hippo.ID.Compare)
	return rapid.SampledFrom(ids).Draw(r, "memory")
}

func (o *oracle) record(r *rapid.T) {
	for range rapid.IntRange(1, 8).Draw(r, "memories") {
		text := o.text(r)
		o.texts[o.m.record(text, .5)] = text
	}
}

func (o *oracle) modify(r *rapid.T) {
	id, text := o.pick(r, o.texts), o.text(r)
	if _, err := o.m.Modify(o.m.t.Context(), id, engine.Modification{Content: &text}); err != nil {
		r.Fatal(err)
	}
	o.texts[id] = text
}

func (o *oracle) move(r *rapid.T, from, to map[hippo.ID]string, fn func(context.Context, []hippo.ID) ([]*hippo.Memory, error)) {
	id := o.pick(r, from)
	if _, err := fn(o.m.t.Context(), []hippo.ID{id}); err != nil {
		r.Fatal(err)
	}
	to[id] = from[id]
	delete(from, id)
}

func (o *oracle) purge(r *rapid.T) {
	id := o.pick(r, o.texts)
	if err := o.m.Purge(o.m.t.Context(), []hippo.ID{id}); err != nil {
		r.Fatal(err)
	}
	delete(o.texts, id)
}

// search compares one answer. The scan that finds candidates is right to .01, so
// what is that near to nothing may be in or not.
func (o *oracle) search(r *rapid.T) {
	const rounding, rough = 1e-3, .02
	text := o.text(r)
	q := o.f.vector(text)
	hits := o.m.search(hippo.Query{Text: text, Ranker: hippo.RankerCosine, Count: hippo.MaxCount}).Hits
	found := make(map[hippo.ID]bool)
	last := 1.0
	for _, h := range hits {
		content, ok := o.texts[h.Memory.ID]
		if !ok || found[h.Memory.ID] || content != h.Memory.Content {
			r.Fatalf("found %q, which is %q (known %v, twice %v)", h.Memory.Content, content, ok, found[h.Memory.ID])
		}
		found[h.Memory.ID] = true
		want := max(0, dot(q, o.f.vector(content)))
		if d := h.Relevance - want; d > rounding || d < -rounding {
			r.Fatalf("%q for %q: relevance %v, want %v", content, text, h.Relevance, want)
		}
		if want > last+rounding {
			r.Fatalf("%q, of cosine %v, is behind one of %v", content, want, last)
		}
		last = want
	}
	for id, content := range o.texts {
		if c := dot(q, o.f.vector(content)); c > rough && !found[id] && len(hits) < hippo.MaxCount {
			r.Fatalf("%q, of cosine %v, is not found by %q", content, c, text)
		}
	}
}

// dot is the inner product of two vectors, in float32.
func dot(a, b []float32) float64 {
	sum := float32(0)
	for i := range a {
		sum += a[i] * b[i]
	}
	return float64(sum)
}
