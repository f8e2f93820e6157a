package index_test

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/cue"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// source is a store in RAM: the latest change of each ID.
type source struct {
	mu       sync.Mutex
	store    string
	revision hippo.Revision
	changes  map[hippo.ID]driver.Change
	log      []driver.Change // all there ever were, by revision
	day      hippo.Day
}

func newSource(store string) *source {
	return &source{store: store, changes: make(map[hippo.ID]driver.Change)}
}

func (s *source) Head(context.Context) (driver.Head, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return driver.Head{Store: s.store, Revision: s.revision, Memories: len(s.changes), Calendar: hippo.Calendar{Day: s.day}}, nil
}

func (s *source) Uses(_ context.Context, since hippo.Day) iter.Seq2[driver.Use, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []driver.Use
	for _, c := range s.changes {
		if c.Memory != nil {
			list = append(list, driver.UsesOf(c.Memory, since)...)
		}
	}
	return func(yield func(driver.Use, error) bool) {
		for _, u := range list {
			if !yield(u, nil) {
				return
			}
		}
	}
}

// touch counts an access of each memory on a day, as a transaction does.
func (s *source) touch(day hippo.Day, ids ...hippo.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.day = max(s.day, day)
	for _, id := range ids {
		c := s.changes[id]
		if c.Memory == nil {
			continue
		}
		c.Memory = c.Memory.Clone()
		c.Memory.Touch(day, 1)
		s.changes[id] = c
		s.log[slices.IndexFunc(s.log, func(l driver.Change) bool { return l.Revision == c.Revision })] = c
	}
}

func (s *source) Changes(_ context.Context, since hippo.Revision) iter.Seq2[driver.Change, error] {
	s.mu.Lock()
	var list []driver.Change
	for _, c := range s.log[min(int(since), len(s.log)):] {
		if s.changes[c.ID].Revision == c.Revision {
			list = append(list, c)
		}
	}
	s.mu.Unlock()
	return func(yield func(driver.Change, error) bool) {
		for _, c := range list {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// put stores copies of memories.
func (s *source) put(ms ...*hippo.Memory) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range ms {
		s.revision++
		c := m.Clone()
		c.Revision = s.revision
		c.ContentHash = hippo.HashContent(c.Content)
		s.note(driver.Change{ID: m.ID, Revision: s.revision, Memory: c})
	}
}

// purge removes memories for good.
func (s *source) purge(ids ...hippo.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.revision++
		s.note(driver.Change{ID: id, Revision: s.revision})
	}
}

func (s *source) note(c driver.Change) {
	s.changes[c.ID] = c
	s.log = append(s.log, c)
}

// get returns a copy of a stored memory, nil if there is none.
func (s *source) get(id hippo.ID) *hippo.Memory {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.changes[id]; ok && c.Memory != nil {
		return c.Memory.Clone()
	}
	return nil
}

// live returns all memories that can be found.
func (s *source) live() []*hippo.Memory {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*hippo.Memory
	for _, c := range s.changes {
		if c.Memory != nil && !c.Memory.Forgotten() {
			out = append(out, c.Memory)
		}
	}
	return out
}

// id returns an ID that is not in the order of n.
func id(n int) (out hippo.ID) {
	binary.BigEndian.PutUint32(out[:], uint32(n)*2654435761)
	binary.BigEndian.PutUint32(out[12:], uint32(n))
	return out
}

// note returns a memory with defaults.
func note(n int, content string, situation ...string) *hippo.Memory {
	return &hippo.Memory{
		ID: id(n), Content: content, Situation: situation, Trust: hippo.TrustNormal,
		CreatedAt: time.UnixMicro(int64(n) * 1e6).UTC(),
	}
}

func open(t testing.TB, s index.Source, o *index.Options) *index.Index {
	t.Helper()
	x, err := index.Open(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	catchUp(t, x)
	return x
}

func catchUp(t testing.TB, x *index.Index) {
	t.Helper()
	if err := x.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// query is a [retrieve.Query], flat.
type query struct {
	Scope        hippo.Scope
	Filter       hippo.Filter
	Forgotten    bool
	Text         string
	Substring    bool
	Situation    []string
	Place        api.Place
	Source       func(*hippo.Source) bool
	Elements     [][]float32
	ElementModel string
	Vector       []float32
	Model        string
	Nearest      int
	MinCosine    float64
}

// find searches and passes on what was found.
func find(x *index.Index, q query, f func(*retrieve.Result)) {
	err := x.Guard(func() error {
		r, err := x.Search(context.Background(), &retrieve.Query{
			Scope: q.Scope, Filter: q.Filter, Forgotten: q.Forgotten, Text: q.Text, Substring: q.Substring, Day: 1 << 20, Listed: retrieve.Listed{Place: q.Place, Source: q.Source},
			Situation: retrieve.Situation{Elements: q.Situation, Vectors: q.Elements, Model: q.ElementModel},
			Vectors:   [retrieve.Channels]retrieve.Vector{{Values: q.Vector, Model: q.Model, TopK: q.Nearest, MinCosine: q.MinCosine}},
		})
		if err != nil {
			return err
		}
		defer r.Close()
		f(r)
		return nil
	})
	if err != nil && !errors.Is(err, hippo.ErrUnavailable) {
		panic(err)
	}
}

// rowOf returns the row of a document.
func idOf(r *retrieve.Result, doc retrieve.Doc) hippo.ID { return r.Reader.Key(doc).ID }

// found is a match with what belongs to it, comparable.
type found struct {
	retrieve.Key
	retrieve.Details
	Score, Coverage, Context float64
	Cosine, Exact            float64
	Row                      retrieve.Row
	Author                   string
	Tokens                   []int32
	Cues                     cue.Cues
}

// search returns all matches by ID, and the bound of the score.
func search(x *index.Index, q query) (list []found, most float64) {
	find(x, q, func(r *retrieve.Result) {
		most = r.MaxScore
		for i, row := range r.Reader.Rows(nil, r.Matches) {
			m := r.Matches[i]
			p := r.Reader.Passage(m.Doc)
			list = append(list, found{
				r.Reader.Key(m.Doc), r.Reader.Details(m.Doc), m.Score, m.Coverage, m.Context, m.Cosine, r.Reader.Cosine(m.Doc), row, p.Author,
				r.Reader.Tokens(nil, m.Doc), p.Cues,
			})
		}
	})
	slices.SortFunc(list, func(a, b found) int { return a.ID.Compare(b.ID) })
	return list, most
}

// ids returns the numbers of the notes that match, ascending.
func ids(x *index.Index, q query) []int {
	list, _ := search(x, q)
	out := make([]int, 0, len(list))
	for _, f := range list {
		out = append(out, int(binary.BigEndian.Uint32(f.ID[12:])))
	}
	slices.Sort(out)
	return out
}
