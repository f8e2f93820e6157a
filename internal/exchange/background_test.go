package exchange_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/exchange"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// running is a store in RAM with its own keys.
type running struct {
	t      *testing.T
	store  *store.Store
	dir    string
	joined atomic.Int64 // how often others have changed memories
	bg     *exchange.Background
}

func newRunning(t *testing.T, dir string) *running {
	t.Helper()
	m := &running{t: t, store: store.New(memstore.New(nil), &store.Options{Now: time.Now, Zone: time.UTC}), dir: dir}
	return m
}

func (m *running) options() exchange.Options {
	return exchange.Options{Dir: m.dir, Now: time.Now, Changed: func() { m.joined.Add(1) }}
}

// begin begins to sync every minute. The times of the test are those of its bubble.
func (m *running) begin() {
	m.bg = exchange.Begin(m.store, exchange.BackgroundOptions{Options: m.options(), Every: time.Minute})
}

// end ends everything.
func (m *running) end() {
	m.t.Helper()
	m.bg.End()
	if err := m.store.Close(); err != nil {
		m.t.Error(err)
	}
}

// use opens the remotes for a function.
func (m *running) use(fn func(context.Context, *exchange.Remotes) error) {
	m.t.Helper()
	x, err := exchange.Open(context.Background(), m.store, m.options())
	if err != nil {
		m.t.Fatal(err)
	}
	if err := fn(context.Background(), x); err != nil {
		m.t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		m.t.Fatal(err)
	}
}

func (m *running) record(text string) {
	m.t.Helper()
	now := time.Now()
	err := m.store.In(hippo.LocalScope("")).Add(context.Background(), &hippo.Memory{Content: text, CreatedAt: now, UpdatedAt: now, Trust: hippo.TrustDefault})
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *running) has(text string) bool {
	m.t.Helper()
	for c, err := range m.store.Changes(context.Background(), 0) {
		if err != nil {
			m.t.Fatal(err)
		}
		if c.Memory != nil && c.Memory.Content == text {
			return true
		}
	}
	return false
}

func (m *running) known(carrier exchange.Carrier) exchange.RemoteStatus {
	m.t.Helper()
	list, err := exchange.Known(m.dir)
	if err != nil {
		m.t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(r exchange.RemoteStatus) bool { return r.Carrier == carrier })
	if i < 0 {
		m.t.Fatalf("%s is not among %+v", carrier, list)
	}
	return list[i]
}

// pair returns two machines that sync by a folder.
func pair(t *testing.T, dir string) (a, b *running, folder string) {
	t.Helper()
	a, b, folder = newRunning(t, filepath.Join(dir, "a.sync")), newRunning(t, filepath.Join(dir, "b.sync")), filepath.Join(dir, "drop")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	code := ""
	a.use(func(ctx context.Context, x *exchange.Remotes) error {
		_, _, err := x.Init(ctx, exchange.Carrier(folder), "a", nil)
		if err == nil {
			code, _, err = x.Invite(ctx, "", time.Now().Add(time.Hour), false)
		}
		return err
	})
	b.use(func(ctx context.Context, x *exchange.Remotes) error {
		_, err := x.Join(ctx, code, exchange.Carrier(folder), "b", nil)
		return err
	})
	return a, b, folder
}

// What is written on one machine is on the other one by itself, within the interval and the time that a writer rests.
func TestBackground(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		a, b, _ := pair(t, dir)
		a.begin()
		b.begin()
		defer a.end()
		defer b.end()
		time.Sleep(time.Minute)
		a.record("the heron stands")
		time.Sleep(2 * time.Minute)
		if !b.has("the heron stands") || b.joined.Load() == 0 {
			t.Errorf("the memory has not arrived; %d calls that something changed", b.joined.Load())
		}
		b.record("the crane dances")
		time.Sleep(2 * time.Minute)
		if !a.has("the crane dances") {
			t.Error("the memory of the other machine has not arrived")
		}
		a.record("the last word")
		a.bg.End()
		time.Sleep(2 * time.Minute)
		if !b.has("the last word") {
			t.Error("what was written before the end was not sent")
		}
	})
}

// A store that does not sync costs a timer, and one that begins to is noticed.
func TestBackground_Off(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		a, b := newRunning(t, filepath.Join(dir, "a.sync")), newRunning(t, filepath.Join(dir, "b.sync"))
		a.begin()
		b.begin()
		defer b.end()
		defer a.end()
		time.Sleep(time.Hour)
		if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
			t.Errorf("the folder has %v (%v)", list, err)
		}
		folder := filepath.Join(dir, "drop")
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		a.use(func(ctx context.Context, x *exchange.Remotes) error {
			_, _, err := x.Init(ctx, exchange.Carrier(folder), "a", nil)
			return err
		})
		before := a.known(exchange.Carrier(folder)).Synced
		time.Sleep(2 * time.Minute)
		if after := a.known(exchange.Carrier(folder)).Synced; !after.After(before) {
			t.Errorf("synced at %v, as before", after)
		}
	})
}

// A remote that fails is tried less and less often, says why, and keeps nobody from the others.
func TestBackground_Failure(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		a, b, folder := pair(t, dir)
		stick := filepath.Join(dir, "stick")
		if err := os.Mkdir(stick, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, m := range []*running{a, b} {
			m.use(func(ctx context.Context, x *exchange.Remotes) error {
				_, err := x.Add(ctx, exchange.Carrier(stick), "")
				return err
			})
		}
		if err := os.Rename(stick, stick+".away"); err != nil {
			t.Fatal(err)
		}
		a.begin()
		b.begin()
		defer a.end()
		defer b.end()
		time.Sleep(2 * time.Hour)
		a.record("the heron stands")
		time.Sleep(2 * time.Minute)
		if !b.has("the heron stands") {
			t.Error("the other remote did not carry the memory")
		}
		r := a.known(exchange.Carrier(stick))
		if f := r.Failure; f == nil || f.Code != hippo.CodeUnavailable || !strings.Contains(f.Text, "mount or make the folder first") || f.Times < 8 || f.Times > 14 || f.At.Sub(f.Since) < time.Hour {
			t.Errorf("got %+v, want some ten failures since the beginning", f)
		}
		if r := a.known(exchange.Carrier(folder)); r.Failure != nil || time.Since(r.Synced) > 2*time.Minute {
			t.Errorf("the folder that works: %+v", r)
		}
		if err := os.Rename(stick+".away", stick); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Minute)
		if r := a.known(exchange.Carrier(stick)); r.Failure != nil || time.Since(r.Synced) > 20*time.Minute {
			t.Errorf("the folder that is back: %+v", r)
		}
	})
}
