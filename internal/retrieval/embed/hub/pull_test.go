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
	"github.com/hippo-memory/hippo/internal/retrieval/embed/hub"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestPull(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		spec  hub.Spec
		plain bool
	}{
		{"known checksums", pinned(), false},
		{"the hub's checksums", tiny(), false},
		{"no checksums", tiny(), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			s.plain = c.plain
			cache, o := newCache(t, c.spec), s.options()
			last, want := map[string]int64{}, map[string]int64{}
			o.Progress = func(file string, done, total int64) {
				if done < last[file] || total != int64(len(s.files[file])) {
					t.Errorf("%s: progress %d of %d after %d", file, done, total, last[file])
				}
				last[file], want[file] = done, total
			}
			got, err := cache.Pull(t.Context(), "small", o)
			if err != nil {
				t.Fatal(err)
			}
			check(t, got)
			if diff := cmp.Diff(want, last); diff != "" || len(last) != 3 {
				t.Errorf("progress (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(pinned().Files, got.Files); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			again, err := cache.Resolve(t.Context(), "TINY")
			if diff := cmp.Diff(got, again); err != nil || diff != "" {
				t.Errorf("Resolve after Pull: %v (-want +got):\n%s", err, diff)
			}
			if err := cache.Verify(t.Context(), "tiny"); err != nil {
				t.Error(err)
			}
			if _, err := cache.Pull(t.Context(), "tiny", o); err != nil || s.count(hub.WeightsFile) != 1 {
				t.Errorf("a second pull: %v after %d requests, want no more", err, s.count(hub.WeightsFile))
			}
		})
	}
}

// What the hub does wrong once does no harm.
func TestPull_transient_faults(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(w http.ResponseWriter, data []byte){
		"interrupted": half,
		"too short": func(w http.ResponseWriter, data []byte) {
			w.Header().Set("X-Linked-Size", itoa(len(data)))
			putOpen(w, data[:len(data)/2]) // what comes is all there is
		},
		"busy":   func(w http.ResponseWriter, _ []byte) { w.WriteHeader(http.StatusTooManyRequests) },
		"broken": func(w http.ResponseWriter, _ []byte) { w.WriteHeader(http.StatusBadGateway) },
		"damaged": func(w http.ResponseWriter, data []byte) {
			w.Header().Set("ETag", `"`+sum(data)+`"`)
			put(w, append([]byte("x"), data[1:]...))
		},
		"too long": func(w http.ResponseWriter, data []byte) {
			w.Header().Set("X-Linked-Size", itoa(len(data)))
			putOpen(w, append(slices.Clip(data), 'x'))
		},
	} {
		for _, spec := range []hub.Spec{tiny(), pinned()} {
			t.Run(fmt.Sprintf("%s/%t", name, spec.Files[0].SHA256 != ""), func(t *testing.T) {
				t.Parallel()
				s := newServer(t)
				s.setFault(func(w http.ResponseWriter, _ *http.Request, name string, n int) bool {
					if name != hub.WeightsFile || n > 1 {
						return false
					}
					first(w, s.files[name])
					return true
				})
				l, err := newCache(t, spec).Pull(t.Context(), "tiny", s.options())
				if err != nil {
					t.Fatal(err)
				}
				check(t, l)
				if got := s.count(hub.WeightsFile); got != 2 {
					t.Errorf("%d requests, want 2", got)
				}
			})
		}
	}
}

// What the hub always does wrong is reported as what it is, and leaves no model.
func TestPull_persistent_faults(t *testing.T) {
	t.Parallel()
	status := func(code int) func(http.ResponseWriter, []byte) {
		return func(w http.ResponseWriter, _ []byte) { w.WriteHeader(code) }
	}
	for _, c := range []struct {
		name     string
		spec     hub.Spec
		send     func(w http.ResponseWriter, data []byte)
		kind     error
		say      string
		requests int
	}{
		{"unknown", tiny(), status(404), hippo.ErrUnavailable, "owner/tiny has no model.safetensors at 0123456789abcdef", 1},
		{"no token", tiny(), status(401), hippo.ErrUnavailable, "set HF_TOKEN", 1},
		{"odd", tiny(), status(418), hippo.ErrUnavailable, "418", 1},
		{"always busy", tiny(), status(503), hippo.ErrUnavailable, "503", 6},
		{"web page", tiny(), func(w http.ResponseWriter, _ []byte) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			put(w, []byte("<html>log in</html>"))
		}, hippo.ErrUnavailable, "web page", 1},
		{"always damaged", tiny(), func(w http.ResponseWriter, data []byte) {
			w.Header().Set("ETag", `"`+sum(data)+`"`)
			put(w, append([]byte("x"), data[1:]...))
		}, hippo.ErrCorrupt, ", want " + sum(content()[hub.WeightsFile]), 2},
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
		{"always interrupted", tiny(), half, hippo.ErrUnavailable, "after 480005 bytes", 6},
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
				if name == hub.WeightsFile {
					c.send(w, s.files[name])
				}
				return name == hub.WeightsFile
			})
			cache := newCache(t, c.spec)
			_, err := cache.Pull(t.Context(), "tiny", s.options())
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.say) || s.count(hub.WeightsFile) != c.requests {
				t.Errorf("Pull: %v after %d requests, want %v with %q after %d", err, s.count(hub.WeightsFile), c.kind, c.say, c.requests)
			}
			if _, err := cache.Resolve(t.Context(), "tiny"); !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "hippo model pull tiny") {
				t.Errorf("Resolve: %v, want unavailable with the command", err)
			}
			s.setFault(nil)
			l, err := cache.Pull(t.Context(), "tiny", s.options())
			if err != nil {
				t.Fatalf("once the hub is well: %v", err)
			}
			check(t, l)
		})
	}
}

func TestPull_stalled(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.setFault(func(w http.ResponseWriter, r *http.Request, name string, n int) bool {
		if name != hub.WeightsFile || n > 1 {
			return false
		}
		putPart(w, s.files[name], 1000)
		<-r.Context().Done()
		return true
	})
	o := s.options()
	o.Stall = 100 * time.Millisecond
	l, err := newCache(t, tiny()).Pull(t.Context(), "tiny", o)
	if err != nil {
		t.Fatal(err)
	}
	check(t, l)
	if got := s.headers()[3].Get("Range"); got != "bytes=1000-" {
		t.Errorf("the second request has the range %q, want the rest", got)
	}
}

// A download that was interrupted is resumed by another cache, as after a crash.
func TestPull_resumed(t *testing.T) {
	t.Parallel()
	weights := content()[hub.WeightsFile]
	middle := len(weights) / 2
	answering := func(f func(w http.ResponseWriter, r *http.Request)) func(*server, string) error {
		return func(s *server, _ string) error {
			s.setFault(func(w http.ResponseWriter, r *http.Request, _ string, _ int) bool {
				if r.Header.Get("Range") != "" {
					f(w, r)
				}
				return r.Header.Get("Range") != ""
			})
			return nil
		}
	}
	replaced := func(data []byte) func(*server, string) error {
		return func(_ *server, part string) error { return os.WriteFile(part, data, 0o600) }
	}
	plain := func(s *server, _ string) error { s.setPlain(); return nil }
	from := func(n int) string { return fmt.Sprintf("bytes=%d-", n) }
	for _, c := range []struct {
		name   string
		spec   hub.Spec
		change func(s *server, part string) error
		asked  string // the range of the first request, "none" without one
	}{
		{"as it was", tiny(), func(*server, string) error { return nil }, from(middle)},
		{"known checksum", pinned(), plain, from(middle)},
		{"no checksum at all", tiny(), plain, from(middle)},
		{"part gone", tiny(), func(_ *server, part string) error { return os.Remove(part) }, ""},
		{"part too long", pinned(), replaced(append(slices.Clip(weights), 'x')), ""},
		{"part damaged", tiny(), replaced(make([]byte, 100)), from(100)},
		{"part complete", pinned(), replaced(weights), "none"},
		{"part complete, unknown checksum", tiny(), replaced(weights), from(len(weights))},
		{"no ranges", tiny(), answering(func(w http.ResponseWriter, _ *http.Request) { put(w, weights) }), from(middle)},
		{"range refused", tiny(), answering(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusRequestedRangeNotSatisfiable) }), from(middle)},
		{"wrong range", tiny(), answering(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 5-%d/%d", len(weights)-1, len(weights)))
			w.WriteHeader(http.StatusPartialContent)
			put(w, weights[5:])
		}), from(middle)},
		{"no range", tiny(), answering(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", "bytes 5-9/*")
			w.WriteHeader(http.StatusPartialContent)
		}), from(middle)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, dir := newServer(t), t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			s.setFault(func(w http.ResponseWriter, _ *http.Request, name string, _ int) bool {
				if name == hub.WeightsFile {
					half(w, s.files[name])
				}
				return false
			})
			cache, o := cacheIn(dir, c.spec), s.options()
			o.Progress = func(file string, done, _ int64) {
				if file == hub.WeightsFile && done >= int64(middle) {
					cancel()
				}
			}
			if _, err := cache.Pull(ctx, "tiny", o); !errors.Is(err, context.Canceled) {
				t.Fatalf("Pull: %v, want that it is cancelled", err)
			}
			if e := cache.List()[1]; e.State != hub.Partial {
				t.Errorf("List: %v, want a partial model", e)
			}
			s.setFault(nil)
			must(t, c.change(s, filepath.Join(dir, "tiny", revision+".partial", "model.safetensors.partial")))
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
			if asked != c.asked || s.count(hub.ConfigFile) != 1 {
				t.Errorf("the first request has the range %q, want %q; config.json: %d requests, want 1", asked, c.asked, s.count(hub.ConfigFile))
			}
		})
	}
}

// Two versions of a file are never mixed.
func TestPull_changed(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.setPlain()
	s.setFault(func(w http.ResponseWriter, _ *http.Request, name string, n int) bool {
		if name == hub.WeightsFile && n == 1 {
			old := slices.Clone(s.files[name])
			copy(old[10:], "another version")
			half(w, old)
		}
		return false
	})
	l, err := newCache(t, tiny()).Pull(t.Context(), "tiny", s.options())
	if err != nil {
		t.Fatal(err)
	}
	check(t, l)
}

// A hub redirects to another server for the bytes, which gets no token.
func TestPull_redirected(t *testing.T) {
	t.Parallel()
	s, storage := newServer(t), newServer(t)
	storage.setFault(func(w http.ResponseWriter, _ *http.Request, _ string, _ int) bool {
		w.Header().Set("ETag", `"`+sum([]byte("not of the file"))+`"`) // as some storage does
		return false
	})
	s.setFault(func(w http.ResponseWriter, r *http.Request, name string, _ int) bool {
		w.Header().Set("X-Linked-Etag", `"`+sum(s.files[name])+`"`)
		w.Header().Set("X-Linked-Size", itoa(len(s.files[name])))
		http.Redirect(w, r, storage.URL+r.URL.Path+"?signature=secret", http.StatusFound)
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
	for _, h := range storage.headers() {
		if got := h.Get("Authorization"); got != "" {
			t.Errorf("the other server got %q", got)
		}
	}
	storage.Close()
	_, err = newCache(t, tiny()).Pull(t.Context(), "tiny", o)
	if !errors.Is(err, hippo.ErrUnavailable) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "hf_token") {
		t.Errorf("Pull: %v, want unavailable, without secrets", err)
	}
}

func TestPull_redirected_to_plain_http(t *testing.T) {
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

func TestPull_environment(t *testing.T) {
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
	if want := filepath.Join(dir, "tiny", revision); l.Dir != want || s.headers()[0].Get("Authorization") != "Bearer hf_token" {
		t.Errorf("Dir is %s, want %s; the hub got %v, want the token", l.Dir, want, s.headers()[0])
	}
}

func TestPull_concurrent(t *testing.T) {
	t.Parallel()
	s, dir := newServer(t), t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			l, err := cacheIn(dir, tiny()).Pull(t.Context(), "tiny", s.options())
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
	cache, o := newCache(t, tiny()), s.options()
	ctx, cancel := context.WithCancel(t.Context())
	o.Progress = func(string, int64, int64) {
		if ctx.Err() != nil {
			return
		}
		cancel()
		if _, err := cache.Pull(ctx, "tiny", s.options()); !errors.Is(err, context.Canceled) {
			t.Errorf("a pull that waits for another: %v, want that it is cancelled", err)
		}
	}
	if _, err := cache.Pull(t.Context(), "tiny", o); err != nil {
		t.Fatal(err)
	}
}

func TestPull_refuses(t *testing.T) {
	t.Parallel()
	manual := tiny()
	manual.Manual = "convert it"
	for _, c := range []struct {
		id   string
		spec hub.Spec
		o    *hub.PullOptions
		want error
	}{
		{"huge", tiny(), nil, hippo.ErrInvalid},
		{"./tiny", tiny(), nil, hippo.ErrInvalid},
		{"tiny", tiny(), &hub.PullOptions{Endpoint: "huggingface.co"}, hippo.ErrInvalid},
		{"tiny", tiny(), &hub.PullOptions{Endpoint: "file:///etc"}, hippo.ErrInvalid},
		{"tiny", manual, nil, hippo.ErrUnsupported},
	} {
		dir := filepath.Join(t.TempDir(), "models")
		if _, err := cacheIn(dir, c.spec).Pull(t.Context(), c.id, c.o); !errors.Is(err, c.want) {
			t.Errorf("Pull %s %v: %v, want %v", c.id, c.o, err, c.want)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("Pull %s %v wrote files", c.id, c.o)
		}
	}
	l, err := newCache(t, tiny()).Pull(t.Context(), hub.Builtin, nil)
	if err != nil || l.Dir != "" || l.Identity() != hub.Builtin {
		t.Errorf("Pull(builtin) = %v, %v, want that it is here", l, err)
	}
	blocked := filepath.Join(t.TempDir(), "file")
	write(t, blocked, nil)
	if _, err := cacheIn(filepath.Join(blocked, "models"), tiny()).Pull(t.Context(), "tiny", &hub.PullOptions{From: folder(t, content())}); err == nil {
		t.Error("Pull into a file worked")
	}
}
