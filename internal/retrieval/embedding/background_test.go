package embedding_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// slow is an optional model that counts the texts of memories that it embeds.
type slow struct {
	took   time.Duration // for a text
	before func(batch int)

	mu             sync.Mutex
	texts, batches int
}

func (*slow) Model() embed.Model { return embed.Model{ID: "slow@1", Space: "slow", Dimension: 2} }

func (s *slow) Embed(ctx context.Context, role embed.Role, texts []string) ([][]float32, error) {
	if role == embed.Passage {
		s.mu.Lock()
		s.texts, s.batches = s.texts+len(texts), s.batches+1
		batch := s.batches
		s.mu.Unlock()
		if s.before != nil {
			s.before(batch)
		}
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(time.Duration(len(texts)) * s.took):
	}
	out := make([][]float32, len(texts))
	for i := range out {
		out[i] = []float32{0, 1}
	}
	return out, nil
}

func (s *slow) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.texts
}

// instant is an instant model whose queries take some time.
type instant struct{ query time.Duration }

func (instant) Model() embed.Model { return embed.Model{ID: "near@1", Space: "near", Dimension: 2} }

func (i instant) Embed(_ context.Context, role embed.Role, texts []string) ([][]float32, error) {
	if role == embed.Query {
		time.Sleep(i.query) // of the bubble
	}
	out := make([][]float32, len(texts))
	for j := range out {
		out[j] = []float32{1, 0}
	}
	return out, nil
}

// process is what a process has of a store.
type process struct {
	store *store.Store
	index *index.Index
	*embedding.Follower
}

// begin opens a store as a process does, and begins to embed.
func begin(ctx context.Context, b driver.Backend, c embedding.Config) (*process, error) {
	p := &process{store: store.New(b, nil)}
	o := &index.Options{}
	o.Models, o.Instant = embedding.Indexed(c.Models)
	x, err := index.Open(ctx, p.store, o)
	if err != nil {
		return nil, err
	}
	if err := x.CatchUp(ctx); err != nil {
		return nil, err
	}
	p.index, c.Store, c.Index = x, p.store, x
	p.Follower = embedding.New(c)
	return p, nil
}

func (p *process) close() error {
	return errors.Join(p.Close(), p.index.Close(), p.store.Close())
}

// mustBegin is begin for a test, which need not close what it returns.
func mustBegin(t *testing.T, b driver.Backend, c embedding.Config) *process {
	t.Helper()
	p, err := begin(t.Context(), b, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// fill adds memories to a store.
func fill(t *testing.T, b driver.Backend, n int) driver.Backend {
	t.Helper()
	s := store.New(b, nil)
	for i := range n {
		if err := s.Add(t.Context(), &hippo.Memory{Content: fmt.Sprintf("memory %d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func optional(m embed.Embedder) []embedding.Model {
	return []embedding.Model{{Embedder: m, Optional: true}, {Embedder: instant{}, Instant: true}}
}

func state(p *process) api.ModelStatus {
	scope := hippo.LocalScope("")
	return p.Status(&scope)[0]
}

func TestBackground_PausesWhileAQueryRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const batch, memories = 16, 160
		m := &slow{took: time.Second}
		models := []embedding.Model{{Embedder: m, Optional: true}, {Embedder: instant{query: time.Hour}, Instant: true}}
		p := mustBegin(t, fill(t, memstore.New(nil), memories), embedding.Config{Models: models})
		time.Sleep(batch * time.Second / 2) // within the first batch
		scope := hippo.LocalScope("")
		answered := make(chan error, 1)
		go func() {
			_, err := p.Query(t.Context(), &scope, "query", nil)
			answered <- err
		}()
		time.Sleep(time.Hour / 2)
		if got := m.count(); got != batch {
			t.Errorf("%d texts were embedded within half an hour of a query, want the %d that had begun", got, batch)
		}
		if s := state(p); s.Paused != "searches run" || s.Embedded != batch {
			t.Errorf("status %+v, want a pause after %d memories", s, batch)
		}
		if err := <-answered; err != nil {
			t.Error(err)
		}
		time.Sleep(memories * time.Second)
		if s := state(p); s.Embedded != memories || s.Progress != (api.Progress{}) {
			t.Errorf("status %+v, want %d embedded memories and no progress", s, memories)
		}
	})
}

// Between searches that soon follow one another nothing is embedded.
func TestBackground_RestsAfterASearch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const batch, memories = 16, 160
		m := &slow{took: time.Millisecond}
		p := mustBegin(t, fill(t, memstore.New(nil), memories), embedding.Config{Models: optional(m)})
		for range 40 {
			p.Searching()()
			time.Sleep(50 * time.Millisecond)
		}
		if got := m.count(); got > batch {
			t.Errorf("%d texts were embedded between searches, want at most the %d that had begun", got, batch)
		}
		time.Sleep(time.Minute)
		if got := m.count(); got != memories {
			t.Errorf("%d texts were embedded in the end, want %d", got, memories)
		}
	})
}

// Searches that follow one another without a rest leave the background work a batch in some seconds.
func TestBackground_IsNotStarved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const memories = 320
		m := &slow{took: time.Millisecond}
		p := mustBegin(t, fill(t, memstore.New(nil), memories), embedding.Config{Models: optional(m)})
		end := p.Searching()
		for range 120 { // for a minute
			time.Sleep(500 * time.Millisecond)
			next := p.Searching()
			end()
			end = next
		}
		if got := m.count(); got < 160 || got > 240 {
			t.Errorf("%d texts were embedded during a minute of searches, want about 200", got)
		}
		end()
		time.Sleep(time.Minute)
		if got := m.count(); got != memories {
			t.Errorf("%d texts were embedded in the end, want %d", got, memories)
		}
	})
}

// Records that follow one another as fast as they can hold the background work up for a second; then it goes on beside
// them, and soon after the last one.
func TestBackground_RestsAfterARecord(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const batch, memories = 16, 320
		m := &slow{took: time.Millisecond}
		p := mustBegin(t, fill(t, memstore.New(nil), memories), embedding.Config{Models: optional(m)})
		record := func(times int) {
			for range times {
				end := embedding.Recording(p.Follower)
				time.Sleep(time.Millisecond)
				end()
			}
		}
		record(900)
		if got := m.count(); got > batch {
			t.Errorf("%d texts were embedded between records, want at most the %d that had begun", got, batch)
		}
		record(5000)
		if got := m.count(); got < 4*batch || got > 7*batch {
			t.Errorf("%d texts were embedded within six seconds of records, want a batch of %d in each", got, batch)
		}
		time.Sleep(time.Second)
		if got := m.count(); got != memories {
			t.Errorf("%d texts were embedded a second later, want %d", got, memories)
		}
	})
}

func TestBackground_PausesOnBattery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const memories = 100
		var unplugged atomic.Bool
		unplugged.Store(true)
		m := &slow{took: time.Millisecond}
		p := mustBegin(t, fill(t, memstore.New(nil), memories), embedding.Config{
			Models: optional(m), OnBattery: func(context.Context) bool { return unplugged.Load() },
		})
		time.Sleep(time.Hour)
		if s := state(p); m.count() != 0 || s.Embedded != 0 || s.Paused != "the machine runs on its battery" {
			t.Errorf("%d texts were embedded on battery; status %+v", m.count(), s)
		}
		unplugged.Store(false)
		time.Sleep(time.Minute)
		if s := state(p); s.Embedded != memories || s.Paused != "" {
			t.Errorf("status %+v, want all memories embedded on mains", s)
		}
	})
}

// A few memories cost little, and whoever asks for the vectors gets them.
func TestBackground_EmbedsSomeOnBattery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		onBattery := func(context.Context) bool { return true }
		few := mustBegin(t, fill(t, memstore.New(nil), 16), embedding.Config{Models: optional(&slow{}), OnBattery: onBattery})
		many := mustBegin(t, fill(t, memstore.New(nil), 100), embedding.Config{Models: optional(&slow{}), OnBattery: onBattery})
		time.Sleep(time.Second)
		if s := state(few); s.Embedded != 16 {
			t.Errorf("%+v, want 16 embedded memories", s)
		}
		if err := many.Embed(t.Context(), func(int, int) {}); err != nil {
			t.Error(err)
		}
		if s := state(many); s.Embedded != 100 {
			t.Errorf("%+v, want 100 embedded memories", s)
		}
	})
}

func TestBackground_Progress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &slow{took: time.Second / 4}
		p := mustBegin(t, fill(t, memstore.New(nil), 100), embedding.Config{Models: optional(m)})
		if s := state(p); s.Progress != (api.Progress{}) {
			t.Errorf("%+v, want nothing before the first batch", s)
		}
		time.Sleep(9 * time.Second) // two batches and a part
		if s := state(p); s.Embedded != 32 || s.Rate != 4 || s.Remaining != 17*time.Second || s.Paused != "" {
			t.Errorf("%+v, want 32 embedded, 4 a second, 17 s left", s)
		}
	})
}

// Two processes share the work: each memory is embedded once, and both have all vectors.
func TestBackground_TwoProcessesEmbedOnce(t *testing.T) {
	t.Parallel()
	const memories = 200
	path := filepath.Join(t.TempDir(), "store.db")
	backend := openSQLite(t, path)
	if err := fill(t, backend, memories).Close(); err != nil {
		t.Fatal(err)
	}
	first, second := &slow{}, &slow{}
	a := mustBegin(t, openSQLite(t, path), embedding.Config{Models: optional(first)})
	b := mustBegin(t, openSQLite(t, path), embedding.Config{Models: optional(second)})
	for _, p := range []*process{a, b} {
		if err := p.Embed(t.Context(), func(int, int) {}); err != nil {
			t.Fatal(err)
		}
		if s := state(p); s.Embedded != memories {
			t.Errorf("%+v, want %d embedded memories", s, memories)
		}
	}
	if got := first.count() + second.count(); got != memories {
		t.Errorf("%d and %d texts were embedded of %d memories", first.count(), second.count(), memories)
	}
}

func openSQLite(t *testing.T, path string) driver.Backend {
	t.Helper()
	b, err := sqlitestore.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// helperPath names the store that TestMain embeds, as a process that is killed meanwhile.
const helperPath = "HIPPO_TEST_EMBED_STORE"

// batchesBeforeKill is how many batches the killed process embeds; it hangs in the next one.
const batchesBeforeKill = 3

// embedUntilKilled prints a line when it hangs.
func embedUntilKilled(path string) error {
	b, err := sqlitestore.Open(context.Background(), path, nil)
	if err != nil {
		return err
	}
	m := &slow{before: func(batch int) {
		if batch > batchesBeforeKill {
			fmt.Println("hangs")
			select {}
		}
	}}
	p, err := begin(context.Background(), b, embedding.Config{Models: optional(m)})
	if err != nil {
		return err
	}
	return p.Embed(context.Background(), func(int, int) {})
}

// What a killed process has embedded is not lost, and the next one goes on at once.
func TestBackground_GoesOnAfterAKill(t *testing.T) {
	t.Parallel()
	const memories, stored = 100, batchesBeforeKill * 16
	path := filepath.Join(t.TempDir(), "store.db")
	if err := fill(t, openSQLite(t, path), memories).Close(); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env, cmd.Stderr = append(os.Environ(), helperPath+"="+path), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || strings.TrimSpace(line) != "hangs" {
		t.Fatalf("the process said %q (%v)", line, err)
	}
	m := &slow{}
	p := mustBegin(t, openSQLite(t, path), embedding.Config{Models: optional(m)})
	if err := p.LoadStored(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := state(p); s.Embedded != stored || m.count() != 0 {
		t.Errorf("%+v, want the %d memories of the other process, and none of this one", s, stored)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if err := p.Embed(t.Context(), func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	if s := state(p); s.Embedded != memories || m.count() != memories-stored {
		t.Errorf("%d texts were embedded after the kill, want %d; %+v", m.count(), memories-stored, s)
	}
}
