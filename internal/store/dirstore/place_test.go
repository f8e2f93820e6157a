package dirstore_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		childMain(mode)
		return
	}
	goleak.VerifyTestMain(m)
}

// place is a directory with a clock, and what other programs do to it.
type place struct {
	t   testing.TB
	dir string

	mu    sync.Mutex
	clock time.Time
}

func newPlace(t testing.TB) *place {
	t.Helper()
	return &place{t: t, dir: filepath.Join(t.TempDir(), "memories"), clock: time.Now()}
}

func (p *place) now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.clock
}

func (p *place) advance(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clock = p.clock.Add(d)
}

// options are those of a store that looks at files only when it is asked to.
func (p *place) options() dirstore.Options {
	return dirstore.Options{Now: p.now, NoWatch: true, Poll: -1}
}

func (p *place) open() *dirstore.Store {
	p.t.Helper()
	o := p.options()
	return p.openWith(&o)
}

func (p *place) openWith(o *dirstore.Options) *dirstore.Store {
	p.t.Helper()
	s, err := dirstore.Open(p.t.Context(), p.dir, o)
	if err != nil {
		p.t.Fatalf("open: %v", err)
	}
	p.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			p.t.Errorf("close: %v", err)
		}
	})
	return s
}

func (p *place) path(name string) string { return filepath.Join(p.dir, name) }

func (p *place) read(name string) string {
	p.t.Helper()
	b, err := os.ReadFile(p.path(name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(b)
}

// write does what a careless program does: truncate, then write.
func (p *place) write(name, text string) {
	p.t.Helper()
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.path(name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// writeOld writes a file that was last changed an hour ago.
func (p *place) writeOld(name, text string) {
	p.t.Helper()
	p.write(name, text)
	old := p.now().Add(-time.Hour)
	if err := os.Chtimes(p.path(name), old, old); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) edit(name, from, to string) {
	p.t.Helper()
	text := p.read(name)
	if !strings.Contains(text, from) {
		p.t.Fatalf("%s does not contain %q:\n%s", name, from, text)
	}
	p.write(name, strings.Replace(text, from, to, 1))
}

func (p *place) remove(name string) {
	p.t.Helper()
	if err := os.RemoveAll(p.path(name)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) exists(name string) bool {
	_, err := os.Lstat(p.path(name))
	return err == nil
}

// leftovers returns the temporary files.
func (p *place) leftovers() []string {
	p.t.Helper()
	list, err := filepath.Glob(p.path(".hippo/tmp-*"))
	if err != nil {
		p.t.Fatal(err)
	}
	return list
}

func id(n int) hippo.ID { return hippo.ID{0: byte(n >> 8), 1: byte(n), 6: 0x70, 8: 0x80, 15: 1} }

func name(n int) string { return id(n).String() + ".json" }

func memory(n int) *hippo.Memory {
	at := time.Date(2025, 8, 1, 9, 0, n%60, 0, time.UTC)
	m := &hippo.Memory{
		ID: id(n), Content: fmt.Sprintf("insight %d", n), Situation: []string{"testing"},
		Importance: hippo.Importance{Base: 0.5, Value: 0.5, SetDay: 1, SetAt: at},
		Usage:      hippo.Usage{Accesses: []hippo.Access{{Day: 1, Count: 1}}},
		CreatedAt:  at, UpdatedAt: at, Version: 1, Trust: hippo.TrustNormal,
	}
	m.ContentHash = hippo.HashContent(m.Content)
	return m
}

func text(t testing.TB, m *hippo.Memory) string {
	t.Helper()
	b, err := formats.EncodeInsight(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// oldText returns m as the first Hippo program writes it.
func oldText(t testing.TB, m *hippo.Memory) string {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text(t, m)), &all); err != nil {
		t.Fatal(err)
	}
	old := make(map[string]json.RawMessage)
	for _, k := range formats.LegacyKeys() {
		old[k] = all[k]
	}
	b, err := json.MarshalIndent(old, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func put(t testing.TB, s *dirstore.Store, ms ...*hippo.Memory) {
	t.Helper()
	update(t, s, func(tx driver.Tx) error { return tx.Put(ms...) })
}

func update(t testing.TB, s *dirstore.Store, fn func(driver.Tx) error) {
	t.Helper()
	if err := s.Write(t.Context(), driver.Durable, fn); err != nil {
		t.Fatalf("write: %v", err)
	}
}

func rescan(t testing.TB, s *dirstore.Store) {
	t.Helper()
	if err := s.Sync(); err != nil {
		t.Fatalf("sync: %v", err)
	}
}

// get returns a memory that must be there.
func get(t testing.TB, s *dirstore.Store, n int) *hippo.Memory {
	t.Helper()
	ms, err := s.Get(t.Context(), []hippo.ID{id(n)})
	if err != nil || len(ms) != 1 {
		t.Fatalf("get %d: %d memories, %v", n, len(ms), err)
	}
	return ms[0]
}

func missing(t testing.TB, s *dirstore.Store, n int) {
	t.Helper()
	if ms, err := s.Get(t.Context(), []hippo.ID{id(n)}); err != nil || len(ms) != 0 {
		t.Errorf("memory %d is there: %v", n, err)
	}
}

func head(t testing.TB, s *dirstore.Store) driver.Head {
	t.Helper()
	h, err := s.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func changes(t testing.TB, s *dirstore.Store, since hippo.Revision) []driver.Change {
	t.Helper()
	var list []driver.Change
	for c, err := range s.Changes(t.Context(), since) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	return list
}

func problems(t testing.TB, s *dirstore.Store) []api.StoreProblem {
	t.Helper()
	ps, err := s.Problems(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return ps
}

func noProblems(t testing.TB, s *dirstore.Store) {
	t.Helper()
	if ps := problems(t, s); len(ps) != 0 {
		t.Errorf("problems: %+v", ps)
	}
}

func equal(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s differs (-want +got):\n%s", what, d)
	}
}

// eventually waits for a condition that another goroutine fulfils.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(20 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("timeout: %s", what)
		}
	}
}
