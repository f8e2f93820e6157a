package hub_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed/hub"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestPull(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		spec  hub.Spec
		plain bool
	}{
		{"known sums", pinned(), false},
		{"the hub's sums", tiny(), false},
		{"no sums", tiny(), true},
		{"known sums, no tags", pinned(), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			if c.plain {
				s.setPlain()
			}
			cache := newCache(t, c.spec)
			o := s.options()
			last := map[string]int64{}
			o.Progress = func(file string, done, total int64) {
				if done < last[file] || total != int64(len(s.files[file])) {
					t.Errorf("%s: progress %d of %d after %d", file, done, total, last[file])
				}
				last[file] = done
			}
			got, err := cache.Pull(t.Context(), "small", o)
			if err != nil {
				t.Fatal(err)
			}
			check(t, got)
			want := map[string]int64{}
			for name, data := range s.files {
				want[name] = int64(len(data))
			}
			if diff := cmp.Diff(want, last); diff != "" {
				t.Errorf("progress (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(pinned().Files, got.Files); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			again, err := cache.Resolve(t.Context(), "TINY")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, again); diff != "" {
				t.Errorf("Resolve after Pull (-want +got):\n%s", diff)
			}
			if err := cache.Verify(t.Context(), "tiny"); err != nil {
				t.Error(err)
			}
			if _, err := cache.Pull(t.Context(), "tiny", o); err != nil || s.count(hub.WeightsFile) != 1 {
				t.Errorf("a second pull: %v after %d requests, want none", err, s.count(hub.WeightsFile))
			}
		})
	}
}

// TestPassing checks that what may pass is waited for.
func TestPassing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		first func(w http.ResponseWriter, r *http.Request, data []byte)
		asks  int
	}{
		{"cut", func(w http.ResponseWriter, _ *http.Request, data []byte) { half(w, data) }, 2},
		{"too short", func(w http.ResponseWriter, _ *http.Request, data []byte) {
			w.Header().Set("X-Linked-Size", itoa(len(data)))
			putOpen(w, data[:len(data)/2]) // what comes is all there is
		}, 2},
		{"busy", func(w http.ResponseWriter, _ *http.Request, _ []byte) {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
		}, 2},
		{"broken", func(w http.ResponseWriter, _ *http.Request, _ []byte) { w.WriteHeader(http.StatusBadGateway) }, 2},
		{"damaged", func(w http.ResponseWriter, _ *http.Request, data []byte) {
			w.Header().Set("ETag", `"`+sum(data)+`"`)
			put(w, append([]byte("x"), data[1:]...))
		}, 2},
		{"too long", func(w http.ResponseWriter, _ *http.Request, data []byte) {
			w.Header().Set("X-Linked-Size", itoa(len(data)))
			putOpen(w, append(slices.Clip(data), 'x'))
		}, 2},
	} {
		for _, spec := range []hub.Spec{tiny(), pinned()} {
			t.Run(fmt.Sprintf("%s/%t", c.name, spec.Files[0].SHA256 != ""), func(t *testing.T) {
				t.Parallel()
				s := newServer(t)
				s.setFault(func(w http.ResponseWriter, r *http.Request, name string, n int) bool {
					if name != hub.WeightsFile || n > 1 {
						return false
					}
					c.first(w, r, s.files[name])
					return true
				})
				l, err := newCache(t, spec).Pull(t.Context(), "tiny", s.options())
				if err != nil {
					t.Fatal(err)
				}
				check(t, l)
				if got := s.count(hub.WeightsFile); got != c.asks {
					t.Errorf("%d requests, want %d", got, c.asks)
				}
			})
		}
	}
}

// TestRefused checks that what does not pass is told at once, as what it is.
func TestRefused(t *testing.T) {
	t.Parallel()
	status := func(code int) func(http.ResponseWriter, []byte) {
		return func(w http.ResponseWriter, _ []byte) { w.WriteHeader(code) }
	}
	for _, c := range []struct {
		name string
		spec hub.Spec
		send func(w http.ResponseWriter, data []byte)
		kind error
		say  string
		asks int
	}{
		{"unknown", tiny(), status(404), hippo.ErrUnavailable, "owner/tiny has no model.safetensors at 0123456789abcdef", 1},
		{"no token", tiny(), status(401), hippo.ErrUnavailable, "set HF_TOKEN", 1},
		{"gated", tiny(), status(403), hippo.ErrUnavailable, "set HF_TOKEN", 1},
		{"odd", tiny(), status(418), hippo.ErrUnavailable, "418", 1},
		{"always busy", tiny(), status(503), hippo.ErrUnavailable, "503", 4},
		{"busy for long", tiny(), func(w http.ResponseWriter, _ []byte) {
			w.Header().Set("Retry-After", "86400")
			w.WriteHeader(http.StatusTooManyRequests)
		}, hippo.ErrUnavailable, "try again in 24h", 1},
		{"web page", tiny(), func(w http.ResponseWriter, _ []byte) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			put(w, []byte("<html>log in</html>"))
		}, hippo.ErrUnavailable, "web page", 1},
		{"always damaged", tiny(), func(w http.ResponseWriter, data []byte) {
			w.Header().Set("ETag", `"`+sum(data)+`"`)
			put(w, append([]byte("x"), data[1:]...))
		}, hippo.ErrCorrupt, "model.safetensors has sha256 " + sum(append([]byte("x"), content()[hub.WeightsFile][1:]...)) + ", want " + sum(content()[hub.WeightsFile]), 2},
		{"other length", pinned(), func(w http.ResponseWriter, data []byte) {
			w.Header().Set("Content-Length", itoa(len(data)-1))
			put(w, data[1:])
		}, hippo.ErrCorrupt, "model.safetensors has 960009 bytes, want 960010", 2},
		{"other file", pinned(), func(w http.ResponseWriter, data []byte) {
			w.Header().Set("X-Linked-Etag", `"`+sum(nil)+`"`)
			put(w, data)
		}, hippo.ErrCorrupt, "has sha256 " + sum(nil), 2},
		{"no model", tiny(), func(w http.ResponseWriter, _ []byte) { put(w, []byte("not found, sorry")) }, hippo.ErrCorrupt, "not a safetensors file", 2},
		{"empty", tiny(), func(http.ResponseWriter, []byte) {}, hippo.ErrCorrupt, "model.safetensors", 2},
		{"always cut, no ranges", tiny(), func(w http.ResponseWriter, data []byte) { half(w, data) }, hippo.ErrUnavailable, "after 480005 bytes", 4},
		{"endless", tiny(), func(w http.ResponseWriter, _ []byte) {
			page := make([]byte, 1<<16)
			for {
				if _, err := w.Write(page); err != nil {
					return
				}
			}
		}, hippo.ErrCorrupt, "more than", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			s.setFault(func(w http.ResponseWriter, _ *http.Request, name string, _ int) bool {
				if name != hub.WeightsFile {
					return false
				}
				c.send(w, s.files[name])
				return true
			})
			cache, o := newCache(t, c.spec), s.options()
			o.Retries = 3
			_, err := cache.Pull(t.Context(), "tiny", o)
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.say) {
				t.Errorf("Pull: %v, want %v with %q", err, c.kind, c.say)
			}
			if got := s.count(hub.WeightsFile); got != c.asks {
				t.Errorf("%d requests, want %d", got, c.asks)
			}
			if _, err := cache.Resolve(t.Context(), "tiny"); !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "hippo model pull tiny") {
				t.Errorf("Resolve: %v, want unavailable with the command", err)
			}
			s.setFault(nil)
			l, err := cache.Pull(t.Context(), "tiny", o)
			if err != nil {
				t.Fatalf("once the hub is well: %v", err)
			}
			check(t, l)
		})
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	o := s.options()
	s.Close()
	if _, err := newCache(t, tiny()).Pull(t.Context(), "tiny", o); !errors.Is(err, hippo.ErrUnavailable) {
		t.Errorf("Pull: %v, want unavailable", err)
	}
}

func TestStall(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	s.setFault(func(w http.ResponseWriter, r *http.Request, name string, n int) bool {
		if name != hub.WeightsFile || n > 1 {
			return false
		}
		data := s.files[name]
		putPart(w, data, 1000)
		select {
		case <-release:
		case <-r.Context().Done():
		}
		return true
	})
	o := s.options()
	o.Stall = 300 * time.Millisecond
	l, err := newCache(t, tiny()).Pull(t.Context(), "tiny", o)
	if err != nil {
		t.Fatal(err)
	}
	check(t, l)
	if got := s.headers()[3].Get("Range"); got != "bytes=1000-" {
		t.Errorf("the second request has the range %q, want the rest", got)
	}
}

// TestResume cuts downloads off in many ways and goes on with another cache, as
// after a crash.
func TestResume(t *testing.T) {
	t.Parallel()
	weights := content()[hub.WeightsFile]
	middle := len(weights) / 2
	for _, c := range []struct {
		name   string
		spec   hub.Spec
		change func(s *server, staging string) error
		asked  string
	}{
		{"as it was", tiny(), func(*server, string) error { return nil }, "bytes=" + itoa(middle) + "-"},
		{"no tag but a sum", pinned(), func(s *server, _ string) error { s.setPlain(); return nil }, "bytes=" + itoa(middle) + "-"},
		{"part gone", tiny(), func(_ *server, dir string) error { return os.Remove(filepath.Join(dir, "model.safetensors.partial")) }, ""},
		{"ticket gone", tiny(), func(_ *server, dir string) error { return os.Remove(filepath.Join(dir, "model.safetensors.ticket")) }, ""},
		{"ticket nonsense", tiny(), func(_ *server, dir string) error {
			return os.WriteFile(filepath.Join(dir, "model.safetensors.ticket"), []byte("{"), 0o600)
		}, ""},
		{"part too long", tiny(), func(_ *server, dir string) error {
			return os.Truncate(filepath.Join(dir, "model.safetensors.partial"), int64(len(weights)+1))
		}, ""},
		{"part damaged", tiny(), func(_ *server, dir string) error {
			if err := os.Truncate(filepath.Join(dir, "model.safetensors.partial"), 10); err != nil {
				return err
			}
			return os.Truncate(filepath.Join(dir, "model.safetensors.partial"), 100)
		}, "bytes=100-"},
		{"part whole", tiny(), func(_ *server, dir string) error {
			return os.WriteFile(filepath.Join(dir, "model.safetensors.partial"), weights, 0o600)
		}, "none"},
		{"no ranges", tiny(), func(s *server, _ string) error {
			s.setFault(func(w http.ResponseWriter, _ *http.Request, name string, _ int) bool {
				put(w, s.files[name])
				return true
			})
			return nil
		}, "bytes=" + itoa(middle) + "-"},
		{"wrong range", tiny(), func(s *server, _ string) error {
			s.setFault(func(w http.ResponseWriter, r *http.Request, name string, _ int) bool {
				if r.Header.Get("Range") == "" {
					return false
				}
				w.Header().Set("Content-Range", fmt.Sprintf("bytes 5-%d/%d", len(weights)-1, len(weights)))
				w.WriteHeader(http.StatusPartialContent)
				put(w, weights[5:])
				return true
			})
			return nil
		}, "bytes=" + itoa(middle) + "-"},
		{"range refused", tiny(), func(s *server, _ string) error {
			s.setFault(func(w http.ResponseWriter, r *http.Request, _ string, _ int) bool {
				if r.Header.Get("Range") == "" {
					return false
				}
				w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
				return true
			})
			return nil
		}, "bytes=" + itoa(middle) + "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			ctx, cancel := context.WithCancel(t.Context())
			s.setFault(func(w http.ResponseWriter, _ *http.Request, name string, _ int) bool {
				if name != hub.WeightsFile {
					return false
				}
				half(w, s.files[name])
				return true
			})
			cache, o := newCache(t, c.spec), s.options()
			o.Progress = func(file string, done, _ int64) {
				if file == hub.WeightsFile && done >= int64(middle) {
					cancel()
				}
			}
			if _, err := cache.Pull(ctx, "tiny", o); !errors.Is(err, context.Canceled) {
				t.Fatalf("Pull: %v, want that it is cancelled", err)
			}
			entries, err := cache.List()
			if err != nil || entries[1].State != hub.Partial || entries[1].Bytes < int64(middle) {
				t.Errorf("List: %v %v, want a partial model", entries[1], err)
			}
			s.setFault(nil)
			if err := c.change(s, filepath.Join(cache.Dir(), "tiny", revision+".partial")); err != nil {
				t.Fatal(err)
			}
			before := len(s.headers())
			l, err := cache.Pull(t.Context(), "tiny", s.options())
			if err != nil {
				t.Fatal(err)
			}
			check(t, l)
			asked := "none"
			if h := s.headers(); len(h) > before {
				asked = h[before].Get("Range")
			}
			if asked != c.asked {
				t.Errorf("the first request has the range %q, want %q", asked, c.asked)
			}
			if s.count(hub.ConfigFile) != 1 {
				t.Error("a file that was here was got again")
			}
		})
	}
}

// TestChanged checks that two versions of a file are never put together.
func TestChanged(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.setPlain()
	old := append([]byte(nil), s.files[hub.WeightsFile]...)
	for i := 10; i < len(old); i++ {
		old[i] = 'z'
	}
	s.setFault(func(w http.ResponseWriter, _ *http.Request, name string, n int) bool {
		if name == hub.WeightsFile && n == 1 {
			half(w, old)
			return true
		}
		return false
	})
	l, err := newCache(t, tiny()).Pull(t.Context(), "tiny", s.options())
	if err != nil {
		t.Fatal(err)
	}
	check(t, l)
}

// TestRedirect plays a hub that sends one on to another server for the bytes.
func TestRedirect(t *testing.T) {
	t.Parallel()
	s, bytes := newServer(t), newServer(t)
	bytes.setFault(func(w http.ResponseWriter, _ *http.Request, _ string, _ int) bool {
		w.Header().Set("ETag", `"`+sum([]byte("not the file's"))+`"`) // as other stores do
		return false
	})
	s.setFault(func(w http.ResponseWriter, r *http.Request, name string, _ int) bool {
		w.Header().Set("X-Linked-Etag", `"`+sum(s.files[name])+`"`)
		w.Header().Set("X-Linked-Size", itoa(len(s.files[name])))
		http.Redirect(w, r, bytes.URL+r.URL.Path+"?signature=secret", http.StatusFound)
		return true
	})
	o := s.options()
	o.Token = "hf_token"
	l, err := newCache(t, tiny()).Pull(t.Context(), "tiny", o)
	if err != nil {
		t.Fatal(err)
	}
	check(t, l)
	for _, h := range s.headers() {
		if got := h.Get("Authorization"); got != "Bearer hf_token" {
			t.Errorf("the hub got %q, want the token", got)
		}
	}
	for _, h := range bytes.headers() {
		if got := h.Get("Authorization"); got != "" {
			t.Errorf("the other server got %q", got)
		}
	}

	bytes.Close()
	_, err = newCache(t, tiny()).Pull(t.Context(), "tiny", o)
	if !errors.Is(err, hippo.ErrUnavailable) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "hf_token") {
		t.Errorf("Pull: %v, want unavailable, without secrets", err)
	}
}

func TestRedirectToPlain(t *testing.T) {
	t.Parallel()
	plain := newServer(t)
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, plain.URL+r.URL.Path, http.StatusFound)
	}))
	t.Cleanup(secure.Close)
	o := &hub.PullOptions{Endpoint: secure.URL, Client: secure.Client()}
	if _, err := newCache(t, tiny()).Pull(t.Context(), "tiny", o); !errors.Is(err, hippo.ErrUnavailable) || len(plain.headers()) > 0 {
		t.Errorf("Pull: %v, want that it refuses", err)
	}
	o.Client = nil // which does not trust the server
	if _, err := newCache(t, tiny()).Pull(t.Context(), "tiny", o); !errors.Is(err, hippo.ErrUnavailable) {
		t.Errorf("Pull: %v, want that it refuses", err)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	dir := t.TempDir()
	env := map[string]string{"HIPPO_MODELS": dir, "HF_ENDPOINT": s.URL + "/", "HF_TOKEN": "hf_token"}
	cache := hub.New(&hub.Options{Specs: []hub.Spec{tiny()}, Getenv: func(k string) string { return env[k] }})
	l, err := cache.Pull(t.Context(), "tiny", nil)
	if err != nil {
		t.Fatal(err)
	}
	check(t, l)
	if want := filepath.Join(dir, "tiny", revision); l.Dir != want {
		t.Errorf("Dir is %s, want %s", l.Dir, want)
	}
	if got := s.headers()[0].Get("Authorization"); got != "Bearer hf_token" {
		t.Errorf("the hub got %q, want the token", got)
	}
}

func TestPullTogether(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			l, err := hub.New(&hub.Options{Dir: dir, Specs: []hub.Spec{tiny()}}).Pull(t.Context(), "tiny", s.options())
			if err != nil {
				t.Error(err)
				return
			}
			check(t, l)
		})
	}
	wg.Wait()
	if got := s.count(hub.WeightsFile); got != 1 {
		t.Errorf("%d requests for the weights, want 1", got)
	}
}

func TestWaitIsCancelled(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	cache, o := newCache(t, tiny()), s.options()
	ctx, cancel := context.WithCancel(t.Context())
	o.Progress = func(string, int64, int64) {
		if ctx.Err() != nil {
			return
		}
		cancel()
		if _, err := cache.Pull(ctx, "tiny", s.options()); !errors.Is(err, context.Canceled) {
			t.Errorf("a pull that waits: %v, want that it is cancelled", err)
		}
	}
	if _, err := cache.Pull(t.Context(), "tiny", o); err != nil {
		t.Fatal(err)
	}
}

func TestPullInvalid(t *testing.T) {
	t.Parallel()
	manual := tiny()
	manual.Manual = "convert it"
	for _, c := range []struct {
		name, id string
		spec     hub.Spec
		o        *hub.PullOptions
		want     error
	}{
		{"unknown", "huge", tiny(), nil, hippo.ErrInvalid},
		{"path", "./tiny", tiny(), nil, hippo.ErrInvalid},
		{"no address", "tiny", tiny(), &hub.PullOptions{Endpoint: "huggingface.co"}, hippo.ErrInvalid},
		{"manual", "tiny", manual, nil, hippo.ErrUnsupported},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cache := newCache(t, c.spec)
			if _, err := cache.Pull(t.Context(), c.id, c.o); !errors.Is(err, c.want) {
				t.Errorf("Pull: %v, want %v", err, c.want)
			}
			if _, err := os.Stat(cache.Dir()); err == nil {
				t.Error("it wrote files")
			}
		})
	}
	l, err := newCache(t, tiny()).Pull(t.Context(), hub.Builtin, nil)
	if err != nil || l.Dir != "" || l.Identity() != hub.Builtin {
		t.Errorf("Pull(builtin) = %v, %v, want that it is here", l, err)
	}
}
