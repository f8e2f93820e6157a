package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/bucket/bucketfake"
	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/exchange"
	"github.com/hippo-memory/hippo/internal/exchange/far"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
	"github.com/hippo-memory/hippo/internal/sync/folder"
)

// inPlaceOfSSH is the argument with which this test is what ssh and the machine behind it would be.
const inPlaceOfSSH = "in-place-of-ssh"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == inPlaceOfSSH {
		stdio := &far.Stdio{Expand: func(p string) (string, error) { return p, nil }, Now: time.Now}
		if err := stdio.Serve(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if text := os.Getenv(crashChild); text != "" {
		runChild(text)
		return
	}
	fewerChecks()
	os.Exit(m.Run())
}

// kind is a kind of carrier: what an address of it is, and how often the other end was asked something, if that can be counted.
type kind struct {
	address string
	asked   *atomic.Int64
}

// kinds returns an empty carrier of each kind.
func kinds(t testing.TB) map[string]kind {
	t.Helper()
	root := t.TempDir()
	served, objects := &atomic.Int64{}, &atomic.Int64{}
	count := func(n *atomic.Int64, h http.Handler) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n.Add(1)
			h.ServeHTTP(w, r)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	dirs := make(map[string]string)
	for _, name := range []string{"folder", "ssh", "http", "git"} {
		dirs[name] = filepath.Join(root, name)
		if err := os.Mkdir(dirs[name], 0o700); err != nil {
			t.Fatal(err)
		}
	}
	handler := &far.Server{Open: func(*http.Request) (*folder.Dir, error) { return folder.OpenDir(dirs["http"]) }, Now: time.Now}
	out := map[string]kind{
		"folder": {dirs["folder"], nil}, "ssh": {"ssh:box:" + dirs["ssh"], nil}, "https": {count(served, handler), served},
		"s3": {"s3://" + bucketfake.Name + "?region=" + bucketfake.Region + "&endpoint=" + count(objects, &bucketfake.Service{}), objects},
	}
	if exec.Command("git", "init", "--quiet", "--bare", dirs["git"]).Run() == nil {
		out["git"] = kind{"git:" + dirs["git"], nil}
	}
	return out
}

// peer is a store that syncs.
type peer struct {
	*exchange.Remotes
	store *store.Store
}

func newPeer(t testing.TB) *peer {
	t.Helper()
	path := filepath.Join(t.TempDir(), "memory.db")
	b, err := sqlitestore.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := store.New(b, &store.Options{Now: time.Now})
	keys := map[string]string{"AWS_ACCESS_KEY_ID": bucketfake.AccessKey, "AWS_SECRET_ACCESS_KEY": bucketfake.SecretKey, "AWS_SESSION_TOKEN": bucketfake.Token}
	x, err := exchange.Open(t.Context(), s, exchange.Options{Dir: path + ".sync", Now: time.Now, Access: exchange.Access{
		Env:   func(name string) string { return keys[name] },
		SSH:   []string{os.Args[0], inPlaceOfSSH},
		Token: func(config.Store) (secret.Value, error) { return secret.New("token"), nil },
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(x.Close(), s.Close()) })
	return &peer{x, s}
}

func (m *peer) record(t testing.TB, text string) {
	t.Helper()
	if err := m.store.Add(t.Context(), &hippo.Memory{Content: text, Importance: hippo.Importance{Base: .5}}); err != nil {
		t.Fatal(err)
	}
}

// sync exchanges all and returns how long it took.
func (m *peer) sync(t testing.TB) (out exchange.Outcome, took time.Duration) {
	t.Helper()
	began := time.Now()
	list, err := m.Sync(t.Context())
	took = time.Since(began)
	if err != nil || len(list) != 1 || list[0].Err != nil {
		t.Fatalf("%v, %v", list, err)
	}
	return list[0], took
}

// five returns machines that sync by a carrier and have nothing to do.
func five(t testing.TB, c exchange.Carrier) []*peer {
	t.Helper()
	all := []*peer{newPeer(t)}
	all[0].record(t, "the first memory")
	if _, out, err := all[0].Init(t.Context(), c, "m0", nil); err != nil || out.Err != nil {
		t.Fatal(err, out.Err)
	}
	for i := 1; i < 5; i++ {
		code, _, err := all[0].Invite(t.Context(), "", time.Now().Add(time.Hour), false)
		if err != nil {
			t.Fatal(err)
		}
		m := newPeer(t)
		m.record(t, fmt.Sprint("a memory of machine ", i))
		if out, err := m.Join(t.Context(), code, c, fmt.Sprint("m", i), nil); err != nil || out.Err != nil {
			t.Fatal(err, out.Err)
		}
		all = append(all, m)
	}
	for range 3 {
		for _, m := range all {
			m.sync(t)
		}
	}
	return all
}

// Five machines exchange by each kind of carrier. Nothing to do is one question to another machine, ten changes are two for the one that
// has made them, and two for each that gets them.
func TestRemotes_of_each_kind(t *testing.T) {
	t.Parallel()
	all := kinds(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := all[name]
			c, err := exchange.ParseCarrier(k.address)
			if err != nil {
				t.Fatal(err)
			}
			ms := five(t, c)
			asked := func() (n int64) {
				if k.asked != nil {
					n = k.asked.Swap(0)
				}
				return n
			}
			asked()
			out, idle := ms[0].sync(t)
			idleAsked := asked()
			for i := range 10 {
				ms[0].record(t, fmt.Sprint("change number ", i))
			}
			sent, sending := ms[0].sync(t)
			sentAsked := asked()
			got, getting := ms[1].sync(t)
			gotAsked := asked()
			t.Logf("nothing to do: %v, %d questions; ten changes: %d bytes, %v, %d questions; to get them: %v, %d", idle, idleAsked, sent.BytesSent, sending, sentAsked, getting, gotAsked)
			if !out.Idle || sent.Written != 1 || len(got.Changed) != 10 {
				t.Errorf("idle %t, %d files sent, %d memories changed", out.Idle, sent.Written, len(got.Changed))
			}
			if k.asked != nil && (idleAsked != 1 || sentAsked != 2 || gotAsked != 2) {
				t.Errorf("%d, %d and %d questions, want 1, 2 and 2", idleAsked, sentAsked, gotAsked)
			}
			if verified, err := ms[2].Verify(t.Context()); err != nil || verified[0].Err != nil || len(verified[0].Skipped) > 0 {
				t.Errorf("%v, %v", verified, err)
			}
			if last, err := ms[2].Remove(t.Context(), c); err != nil || !last {
				t.Errorf("%t, %v", last, err)
			}
			if left, err := filepath.Glob(filepath.Join(ms[2].Dir, "*")); err != nil || len(left) > 1 { // the lock
				t.Errorf("%v, %v", left, err)
			}
		})
	}
}

// BenchmarkRemotes_idle measures an exchange of five machines, with 275 files, when there is nothing to do.
func BenchmarkRemotes_idle(b *testing.B) {
	all := kinds(b)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		b.Run(name, func(b *testing.B) {
			c, err := exchange.ParseCarrier(all[name].address)
			if err != nil {
				b.Fatal(err)
			}
			all := five(b, c)
			for i := range 55 {
				for _, m := range all {
					m.record(b, fmt.Sprint("memory number ", i))
					m.sync(b)
				}
			}
			m := all[0]
			m.sync(b)
			m.sync(b)
			for b.Loop() {
				if out, _ := m.sync(b); !out.Idle {
					b.Fatal("there was something to do")
				}
			}
		})
	}
}
