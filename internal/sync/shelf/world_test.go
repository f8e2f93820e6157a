package shelf

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"filippo.io/age"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
	"github.com/hippo-memory/hippo/internal/sync/merge"
)

func noon() time.Time { return time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC) }

// mem is a folder in memory.
type mem struct {
	mu      sync.Mutex
	files   map[string][]byte
	lists   int
	gets    int
	puts    int
	refuse  error // of changes
	removal error
}

func newMem() *mem { return &mem{files: make(map[string][]byte)} }

func (m *mem) List(context.Context) (map[string]int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lists++
	out := make(map[string]int64)
	for name, b := range m.files {
		out[name] = int64(len(b))
	}
	return out, nil
}

func (m *mem) Get(_ context.Context, name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gets++
	b, ok := m.files[name]
	if !ok {
		return nil, errors.New("no such file")
	}
	return b, nil
}

func (m *mem) Put(_ context.Context, name string, b []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refuse != nil {
		return m.refuse
	}
	m.puts++
	if m.files[name] == nil {
		m.files[name] = slices.Clone(b)
	}
	return nil
}

func (m *mem) Remove(_ context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := errors.Join(m.refuse, m.removal); err != nil {
		return err
	}
	delete(m.files, name)
	return nil
}

func (m *mem) Commit(context.Context) error { return nil }

func (m *mem) clone() *mem { return &mem{files: maps.Clone(m.files)} }

// names returns the names that begin with a text, in order.
func (m *mem) names(prefix string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(m.files)), func(s string) bool { return !strings.HasPrefix(s, prefix) })
}

// store is one of several stores, as package store has them.
type store struct {
	merge.Writer
	now      time.Time
	vector   entry.Vector
	subjects map[hippo.ID]*merge.Subject
}

func newStore(t testing.TB) *store {
	t.Helper()
	s := &store{now: noon(), vector: make(entry.Vector), subjects: make(map[hippo.ID]*merge.Subject)}
	s.renew(t)
	return s
}

func (s *store) renew(t testing.TB) {
	t.Helper()
	id, err := clock.NewReplica(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s.Writer = merge.Writer{Replica: id, Clock: s.Clock}
}

func (s *store) copy() *store {
	c := &store{Writer: s.Writer, now: s.now, vector: maps.Clone(s.vector), subjects: make(map[hippo.ID]*merge.Subject)}
	for id, x := range s.subjects {
		c.subjects[id] = merge.NewSubject(id, x.Held()...)
	}
	return c
}

func memoryID(n int) hippo.ID { return hippo.ID{0: 1, 14: byte(n >> 8), 15: byte(n)} }

func (s *store) subject(id hippo.ID) *merge.Subject {
	if s.subjects[id] == nil {
		s.subjects[id] = merge.NewSubject(id)
	}
	return s.subjects[id]
}

func (s *store) set(n int, part string, value any) {
	b, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	s.now = s.now.Add(time.Second)
	for _, h := range s.Write(s.now, s.subject(memoryID(n)), map[string]json.RawMessage{part: b}, func() entry.Vector { return s.vector }) {
		s.vector.Add(h.Dot)
	}
}

func (s *store) text(n int, text string) {
	s.set(n, merge.Text, map[string]any{"content": text, "version": 1})
}

func (s *store) purge(n int) { s.set(n, merge.Purged, true) }

// all returns what the store shows, as lines.
func (s *store) all() string {
	var out []string
	for id, x := range s.subjects {
		for _, h := range x.Held() {
			out = append(out, fmt.Sprintf("%v %v %s", id, h.Origin, h.Line()))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

func (s *store) shows(text string) bool { return strings.Contains(s.all(), text) }

// face is a store as a shelf sees it.
type face struct{ *store }

func (f face) Replica(context.Context) (clock.Replica, entry.Vector, error) {
	return f.Writer.Replica, maps.Clone(f.vector), nil
}

func (f face) Segments(_ context.Context, after entry.Vector) iter.Seq2[*entry.Segment, error] {
	return func(yield func(*entry.Segment, error) bool) {
		by := make(map[clock.Replica][]*entry.Held)
		for _, x := range f.subjects {
			for _, h := range x.Held() {
				if h.Seq > after[h.Origin] && h.Seq <= f.vector[h.Origin] {
					by[h.Origin] = append(by[h.Origin], h)
				}
			}
		}
		for _, r := range f.vector.Replicas() {
			if f.vector[r] <= after[r] {
				continue
			}
			slices.SortFunc(by[r], func(a, b *entry.Held) int { return a.Compare(b.Dot) })
			for _, one := range entry.Segments(r, after[r]+1, f.vector[r], by[r]) {
				if !yield(one, nil) {
					return
				}
			}
		}
	}
}

func (f face) Join(_ context.Context, list []*entry.Segment) error {
	list = slices.SortedFunc(slices.Values(list), func(a, b *entry.Segment) int { return cmp.Compare(a.From, b.From) })
	for _, s := range list {
		if s.Replica == f.Writer.Replica && s.To > f.Seq {
			f.Writer = merge.Writer{Replica: memoryIDOf(f.Writer.Replica, s.To), Clock: f.Clock}
		}
		if s.Replica == f.Writer.Replica {
			continue
		}
		held := entry.HeldOf(s)
		for _, h := range held {
			f.subject(h.Subject).Join(h)
		}
		f.Saw(f.now, held...)
		if s.From <= f.vector[s.Replica]+1 {
			f.vector.Add(entry.Dot{Origin: s.Replica, Seq: s.To})
		}
	}
	return nil
}

// memoryIDOf is a new identity.
func memoryIDOf(r clock.Replica, n uint64) clock.Replica {
	r[0] ^= 0xff
	r[1] ^= byte(n)
	return r
}

// machine is one that uses a shelf.
type machine struct {
	t      testing.TB
	name   string
	folder Folder
	key    *Key
	state  *State
	store  *store
	now    func() time.Time
}

func (m *machine) shelf() *Shelf { return Open(m.folder, m.key, m.state, m.now) }

// trySync goes on with what a process would have saved.
func (m *machine) trySync() (Result, error) {
	m.t.Helper()
	res, err := m.shelf().Sync(context.Background(), face{m.store})
	b, bad := json.Marshal(m.state)
	if bad != nil {
		m.t.Fatal(bad)
	}
	m.state = &State{}
	if err := json.Unmarshal(b, m.state); err != nil {
		m.t.Fatal(err)
	}
	if m.key, bad = ParseKey(m.key.String()); bad != nil {
		m.t.Fatal(bad)
	}
	return res, err
}

func (m *machine) sync() Result {
	m.t.Helper()
	res, err := m.trySync()
	if err != nil {
		m.t.Fatalf("%s: %v", m.name, err)
	}
	return res
}

// begin returns a machine that has begun a vault, and the recovery key.
func begin(t testing.TB, f Folder, name string) (*machine, string) {
	t.Helper()
	m := &machine{t, name, f, nil, nil, newStore(t), noon}
	recovery, err := Init(context.Background(), f, name, nil, nil, noon, m.keep)
	if err != nil {
		t.Fatal(err)
	}
	return m, recovery
}

// keep is a [Keep].
func (m *machine) keep(k *Key, s *State) error {
	m.key, m.state = k, s
	return nil
}

// invite returns one more machine, with a view of the folder of its own.
func (m *machine) invite(f Folder, name string) *machine {
	m.t.Helper()
	code, err := m.shelf().Invite(context.Background(), noon().Add(time.Hour))
	if err != nil {
		m.t.Fatal(err)
	}
	return join(m.t, f, code, name)
}

func join(t testing.TB, f Folder, code, name string) *machine {
	t.Helper()
	m := &machine{t, name, f, nil, nil, newStore(t), noon}
	if err := Join(context.Background(), f, code, name, noon, m.keep); err != nil {
		t.Fatal(err)
	}
	return m
}

// several returns machines that use one folder and know each other.
func several(t testing.TB, f Folder, names ...string) []*machine {
	t.Helper()
	first, _ := begin(t, f, names[0])
	out := []*machine{first}
	for _, name := range names[1:] {
		out = append(out, first.invite(f, name))
	}
	for range 2 {
		for _, m := range out {
			m.sync()
		}
	}
	return out
}

// same fails unless all stores are equal.
func same(t testing.TB, list ...*machine) {
	t.Helper()
	for _, m := range list[1:] {
		if a, b := list[0].store.all(), m.store.all(); a != b {
			t.Fatalf("%s has\n%s\n%s has\n%s", list[0].name, a, m.name, b)
		}
	}
}

// plain returns all that the folder holds, decrypted and unpacked.
func (m *machine) plain(f *mem) string {
	m.t.Helper()
	var out strings.Builder
	v, err := viewOf(context.Background(), f)
	if err != nil {
		m.t.Fatal(err)
	}
	for name, b := range f.files {
		out.Write(b)
		if r, err := age.Decrypt(strings.NewReader(string(b)), m.key.vault); err == nil {
			if _, err := io.Copy(&out, r); err != nil {
				m.t.Fatal(name, err)
			}
		}
	}
	trust := evaluate(m.key.root, m.state.Statements)
	for _, list := range v.segments {
		for _, x := range list {
			o, err := m.key.unseal(&x, f.files[x.path], trust.mayWrite)
			if err != nil {
				m.t.Fatal(x.path, err)
			}
			for _, s := range o.segments {
				for _, e := range s.Entries {
					out.Write(e.Line())
				}
			}
		}
	}
	return out.String()
}
