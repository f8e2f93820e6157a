package far_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/bucket"
	"github.com/hippo-memory/hippo/internal/base/bucket/bucketfake"
	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/exchange/far"
	"github.com/hippo-memory/hippo/internal/sync/folder"
	"github.com/hippo-memory/hippo/internal/sync/shelf"
)

// carrier is a kind of folder, as the tests of all kinds use it.
type carrier struct {
	// at makes an empty one, and returns what opens it, again and again, as different machines do.
	at func(t *testing.T) (open func(t *testing.T) shelf.Folder)
	// behind returns the folder on the disk that the last one lies in; nil: it lies in none.
	behind func() string
}

// carriers returns all kinds.
func carriers() map[string]*carrier {
	dir, ssh, server := &carrier{}, &carrier{}, &carrier{}
	onDisk := func(c *carrier, open func(t *testing.T, root string) func(*testing.T) shelf.Folder) {
		root := ""
		c.behind = func() string { return filepath.Join(root, "hippo-sync") }
		c.at = func(t *testing.T) func(*testing.T) shelf.Folder {
			root = t.TempDir()
			return open(t, root)
		}
	}
	onDisk(dir, func(_ *testing.T, root string) func(*testing.T) shelf.Folder {
		return func(t *testing.T) shelf.Folder { return must[shelf.Folder](t)(folder.OpenDir(root)) }
	})
	onDisk(ssh, func(_ *testing.T, root string) func(*testing.T) shelf.Folder {
		return func(t *testing.T) shelf.Folder { return bySSH(t, root, "serve") }
	})
	onDisk(server, func(t *testing.T, root string) func(*testing.T) shelf.Folder {
		s := serve(t, root, nil)
		return func(t *testing.T) shelf.Folder { return s.open(t) }
	})
	return map[string]*carrier{
		"folder": dir, "ssh": ssh, "https": server,
		"s3": {at: func(t *testing.T) func(*testing.T) shelf.Folder {
			s := httptest.NewServer(&bucketfake.Service{Pages: 3})
			t.Cleanup(s.Close)
			return func(t *testing.T) shelf.Folder { return inBucket(t, s.URL, bucketfake.SecretKey) }
		}},
		"git": {at: func(t *testing.T) func(*testing.T) shelf.Folder {
			url := t.TempDir()
			if out, err := exec.Command("git", "init", "--quiet", "--bare", url).CombinedOutput(); err != nil {
				t.Fatalf("the test needs git: %v %s", err, out)
			}
			return func(t *testing.T) shelf.Folder {
				return must[shelf.Folder](t)(folder.OpenGit(context.Background(), url, filepath.Join(t.TempDir(), "copy")))
			}
		}},
	}
}

// inBucket opens a folder in a bucket.
func inBucket(t *testing.T, endpoint, key string) *far.Folder {
	t.Helper()
	env := map[string]string{"AWS_ACCESS_KEY_ID": bucketfake.AccessKey, "AWS_SECRET_ACCESS_KEY": key, "AWS_SESSION_TOKEN": bucketfake.Token}
	b, err := bucket.Parse("carrier", "s3://"+bucketfake.Name+"/own?region="+bucketfake.Region+"&endpoint="+endpoint, func(name string) string { return env[name] }, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return far.OpenBucket(b, filepath.Join(t.TempDir(), "memo"))
}

func must[T any](t *testing.T) func(T, error) T {
	return func(x T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}

// bySSH opens a folder through a program in place of ssh: this test, called in another way.
func bySSH(t *testing.T, path, mode string) *far.Folder {
	t.Helper()
	f, err := far.OpenSSH(t.Context(), far.SSH{Command: []string{os.Args[0], inPlaceOfSSH, mode}, Host: "me@box", Path: path}, filepath.Join(t.TempDir(), "memo"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// served is a server with a folder, which counts what it is asked.
type served struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

// serve serves a folder as hippo serve does. With is what the server answers in place of it if it returns true.
func serve(t *testing.T, root string, with func(http.ResponseWriter, *http.Request) bool) *served {
	t.Helper()
	s := &served{}
	handler := &far.Server{Open: func(*http.Request) (*folder.Dir, error) { return folder.OpenDir(root) }, Now: time.Now}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.Method)
		s.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer right" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if with == nil || !with(w, r) {
			handler.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *served) open(t *testing.T) *far.Folder {
	t.Helper()
	return s.openBeside(t, t.TempDir())
}

// openBeside opens the folder with what is remembered in a directory.
func (s *served) openBeside(t *testing.T, dir string) *far.Folder {
	t.Helper()
	f := far.OpenServer(s.URL, secret.New("right"), s.Client().Transport, filepath.Join(dir, "memo"))
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// took returns what was asked since the last call.
func (s *served) took() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.asked
	s.asked = nil
	return out
}

// named returns the name of a file of a replica with some content, or of a holder.
func named(begin string, data []byte) string {
	sum := sha256.Sum256(data)
	return begin + "-" + hex.EncodeToString(sum[:16]) + ".age"
}

const (
	replica = "r/0123456789abcdef0123456789abcdef/"
	holder  = "keys/0123456789abcdef0123456789abcdef"
)

// each runs a test for all kinds.
func each(t *testing.T, test func(t *testing.T, c *carrier)) {
	t.Helper()
	eachOf(t, carriers(), test)
}

// eachOnDisk runs a test with each kind whose files lie in a folder of this machine.
func eachOnDisk(t *testing.T, test func(t *testing.T, c *carrier)) {
	t.Helper()
	all := carriers()
	maps.DeleteFunc(all, func(_ string, c *carrier) bool { return c.behind == nil })
	eachOf(t, all, test)
}

func eachOf(t *testing.T, all map[string]*carrier, test func(t *testing.T, c *carrier)) {
	t.Helper()
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, all[name])
		})
	}
}

func checkList(t *testing.T, f shelf.Folder, want map[string]int64) {
	t.Helper()
	got, err := f.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("List: %s", d)
	}
}

func checkGet(t *testing.T, f shelf.Folder, name string, want []byte) {
	t.Helper()
	if b, err := f.Get(t.Context(), name); err != nil || !bytes.Equal(b, want) {
		t.Errorf("%s: %.40q, %v", name, b, err)
	}
}

// What is written is listed and read by all, is written once, and is removed for all.
func TestCarrier(t *testing.T) {
	each(t, func(t *testing.T, c *carrier) {
		open, ctx := c.at(t), t.Context()
		a, b := open(t), open(t)
		checkList(t, a, map[string]int64{})
		checkList(t, b, map[string]int64{})
		format, key, empty := []byte("{\"format\":1}\n"), []byte("\x00\xff\r\n"), []byte{}
		keyName, one := named(holder, key), named(replica+"1-1-1", empty)
		for _, x := range []struct {
			name string
			data []byte
		}{{"format", format}, {keyName, key}, {one, empty}} {
			if err := a.Put(ctx, x.name, x.data); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		all := map[string]int64{"format": int64(len(format)), keyName: 4, one: 0}
		for _, f := range []shelf.Folder{a, b, open(t)} {
			checkList(t, f, all)
			checkGet(t, f, keyName, key)
			checkGet(t, f, one, empty)
		}
		// the second writer of a name, who may not have seen the first one
		blind := open(t)
		if _, err := blind.List(ctx); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(blind.Put(ctx, "format", []byte("another\n")), blind.Commit(ctx), b.Remove(ctx, one), b.Remove(ctx, named(replica+"1-2-2", nil)), b.Commit(ctx)); err != nil {
			t.Fatal(err)
		}
		delete(all, one)
		for _, f := range []shelf.Folder{a, b, open(t)} {
			checkList(t, f, all)
			checkGet(t, f, "format", format)
			checkGet(t, f, keyName, key)
			if _, err := f.Get(ctx, one); !errors.Is(err, hippo.ErrUnavailable) {
				t.Errorf("a missing file: %v", err)
			}
		}
	})
}

// A file of many parts arrives as it was.
func TestCarrier_large(t *testing.T) {
	each(t, func(t *testing.T, c *carrier) {
		open, ctx := c.at(t), t.Context()
		a, b := open(t), open(t)
		data := make([]byte, 9<<20)
		_, _ = rand.Read(data)
		name := named(replica+"1-1-4096", data)
		checkList(t, a, map[string]int64{})
		if err := errors.Join(a.Put(ctx, name, data), a.Commit(ctx)); err != nil {
			t.Fatal(err)
		}
		checkList(t, b, map[string]int64{name: int64(len(data))})
		checkGet(t, b, name, data)
	})
}

// Several machines write at once, some of them the same name. Nobody sees a part of a file, and nothing is lost.
func TestCarrier_at_once(t *testing.T) {
	each(t, func(t *testing.T, c *carrier) {
		open, ctx := c.at(t), t.Context()
		const machines, rounds = 3, 3
		data := func(m, n int) []byte { return bytes.Repeat(fmt.Appendf(nil, "%d %d\n", m, n), 20_000) }
		shared := bytes.Repeat([]byte("shared"), 50_000)
		name := func(m, n int) string { return named(fmt.Sprintf("%s%d-%d-1", replica, m+1, n+1), data(m, n)) }
		var all sync.WaitGroup
		for m := range machines {
			f := open(t)
			all.Go(func() {
				for n := range rounds {
					seen, err := f.List(ctx)
					for name, size := range seen {
						b, err := f.Get(ctx, name)
						if err == nil && (int64(len(b)) != size || named("", b) != name[len(name)-len(named("", b)):]) || err != nil && !errors.Is(err, hippo.ErrUnavailable) {
							t.Errorf("%s: %d of %d bytes, %v", name, len(b), size, err)
						}
					}
					err = errors.Join(err, f.Put(ctx, name(m, n), data(m, n)), f.Put(ctx, named(holder, shared), shared))
					if n > 1 {
						err = errors.Join(err, f.Remove(ctx, name(m, n-2)))
					}
					if err = errors.Join(err, f.Commit(ctx)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		want := map[string]int64{named(holder, shared): int64(len(shared))}
		for m := range machines {
			for n := 1; n < rounds; n++ {
				want[name(m, n)] = int64(len(data(m, n)))
			}
		}
		checkList(t, open(t), want)
	})
}

// Files that others put into the folder, and half ones, do no harm.
func TestCarrier_foreign(t *testing.T) {
	eachOnDisk(t, func(t *testing.T, c *carrier) {
		open, ctx := c.at(t), t.Context()
		a := open(t)
		data := []byte("data")
		name := named(replica+"1-1-1", data)
		if err := errors.Join(a.Put(ctx, "format", []byte("x")), a.Put(ctx, name, data)); err != nil {
			t.Fatal(err)
		}
		for _, foreign := range []string{"format (conflicted copy)", "desktop.ini", ".DS_Store", "r/.new-123", "keys/ä"} {
			path := filepath.Join(c.behind(), filepath.FromSlash(foreign))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("foreign"), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		list, err := open(t).List(ctx)
		if err != nil || list["format"] != 1 || list[name] != 4 {
			t.Errorf("%v, %v", list, err)
		}
		checkGet(t, open(t), name, data)
	})
}

// A folder that cannot be written is read, and the error of writing says what to do.
func TestCarrier_read_only(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("permissions do not stop root")
	}
	eachOnDisk(t, func(t *testing.T, c *carrier) {
		open, ctx := c.at(t), t.Context()
		a := open(t)
		if err := a.Put(ctx, "format", []byte("x")); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(c.behind(), 0o500); err != nil {
			t.Fatal(err)
		}
		b := open(t)
		checkList(t, b, map[string]int64{"format": 1})
		if err := b.Put(ctx, "other", nil); !errors.Is(err, hippo.ErrReadOnly) {
			t.Errorf("got %v", err)
		}
	})
}

// A folder that is gone is an error, and no empty one.
func TestCarrier_gone(t *testing.T) {
	eachOnDisk(t, func(t *testing.T, c *carrier) {
		open, ctx := c.at(t), t.Context()
		a := open(t)
		if err := a.Put(ctx, "format", []byte("x")); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Dir(c.behind())); err != nil {
			t.Fatal(err)
		}
		late, _ := folder.OpenDir(filepath.Dir(c.behind()))
		if late != nil {
			t.Fatal("it can be opened")
		}
		if _, ok := a.(*folder.Dir); ok {
			return // it is found when it is opened
		}
		if list, err := a.List(ctx); !errors.Is(err, hippo.ErrUnavailable) {
			t.Errorf("%v, %v", list, err)
		}
	})
}
