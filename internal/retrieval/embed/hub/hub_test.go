package hub_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/hub"
)

// pulled is a cache that has the model.
func pulled(t *testing.T, s hub.Spec) (*hub.Cache, hub.Local) {
	t.Helper()
	cache := newCache(t, s)
	l, err := cache.Pull(t.Context(), "tiny", &hub.PullOptions{From: folder(t, content())})
	if err != nil {
		t.Fatal(err)
	}
	return cache, l
}

func TestSpecs(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, s := range hub.Specs() {
		for _, name := range append([]string{s.ID}, s.Aliases...) {
			if names[name] || name != strings.ToLower(name) || name != filepath.Base(name) {
				t.Errorf("the name %q is taken or not fit for a folder", name)
			}
			names[name] = true
		}
		if s.ID == hub.Builtin {
			continue
		}
		if s.Dimension < 1 || s.MaxTokens < 1 || s.Licence == "" || len(s.Revision) != 40 || s.Pooling != hub.Mean && s.Pooling != hub.CLS {
			t.Errorf("%s is not complete: %+v", s.ID, s)
		}
		var size int64
		for _, f := range s.Files {
			size += f.Size
			if (f.Size == 0) != (f.SHA256 == "") || f.SHA256 != "" && len(f.SHA256) != 64 {
				t.Errorf("%s: %+v has a size or a sum alone", s.ID, f)
			}
		}
		if size > 0 && size != s.Size {
			t.Errorf("%s: the files have %d bytes, it says %d", s.ID, size, s.Size)
		}
	}
	for _, name := range []string{"builtin", "minilm-l6-v2", "bge-small-en-v1.5", "e5-small", "e5_small", "e5-base", "e5_multi", "nomic", "bge-m3", "bge_m3"} {
		if !names[name] {
			t.Errorf("there is no %s", name)
		}
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	c := hub.New(nil)
	if s, err := c.Lookup("E5_MULTI"); err != nil || s.ID != "e5-base" {
		t.Errorf("Lookup = %v, %v, want e5-base", s.ID, err)
	}
	if _, err := c.Lookup("gpt"); !errors.Is(err, hippo.ErrInvalid) || !strings.Contains(err.Error(), "minilm-l6-v2") {
		t.Errorf("Lookup: %v, want the names that are known", err)
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	l := hub.Local{Spec: pinned()}
	want := "tiny@" + sum(content()[hub.WeightsFile])[:12] + "-"
	id := l.Identity()
	if len(id) != len(want)+8 || !strings.HasPrefix(id, want) {
		t.Errorf("Identity is %q, want %s and 8 digits", id, want)
	}
	seen := map[string]string{id: "itself"}
	for name, change := range map[string]func(*hub.Spec){
		"id":      func(s *hub.Spec) { s.ID = "other" },
		"pooling": func(s *hub.Spec) { s.Pooling = hub.CLS },
		"query":   func(s *hub.Spec) { s.QueryPrefix = "q" },
		"passage": func(s *hub.Spec) { s.PassagePrefix = "q" },
		"length":  func(s *hub.Spec) { s.MaxTokens = 1 },
		"config":  func(s *hub.Spec) { s.Files[0].SHA256 = sum([]byte("c")) },
		"tokens":  func(s *hub.Spec) { s.Files[1].SHA256 = sum([]byte("c")) },
		"weights": func(s *hub.Spec) { s.Files[2].SHA256 = sum([]byte("c")) },
	} {
		s := pinned()
		change(&s)
		id := hub.Local{Spec: s}.Identity()
		if before, ok := seen[id]; ok {
			t.Errorf("another %s has the identity of %s", name, before)
		}
		seen[id] = name
	}
	same := pinned()
	slices.Reverse(same.Files)
	same.Note, same.Aliases = "n", nil
	if got := (hub.Local{Spec: same}).Identity(); got != id {
		t.Errorf("Identity is %q, want %q whatever the order of files", got, id)
	}
}

func TestPullFrom(t *testing.T) {
	t.Parallel()
	without := func(name string) map[string][]byte {
		files := content()
		delete(files, name)
		return files
	}
	with := func(name, data string) map[string][]byte {
		files := content()
		files[name] = []byte(data)
		return files
	}
	flipped := content()
	flipped[hub.WeightsFile][500] ^= 1
	for _, c := range []struct {
		name  string
		spec  hub.Spec
		files map[string][]byte
		kind  error
		say   string
	}{
		{"empty", tiny(), nil, hippo.ErrInvalid, "has no config.json"},
		{"no weights", tiny(), without(hub.WeightsFile), hippo.ErrInvalid, "has no model.safetensors"},
		{"a directory", tiny(), func() map[string][]byte {
			files := without(hub.WeightsFile)
			files[hub.WeightsFile+"/x"] = nil
			return files
		}(), hippo.ErrInvalid, "is not a file"},
		{"another model", tiny(), with(hub.ConfigFile, `{"hidden_size":9}`), hippo.ErrCorrupt, "dimension 9, want 8"},
		{"no shape", tiny(), with(hub.ConfigFile, `{}`), hippo.ErrCorrupt, "hidden_size"},
		{"no JSON", tiny(), with(hub.TokenizerFile, `<html>`), hippo.ErrCorrupt, "tokenizer.json is not JSON"},
		{"other bytes", pinned(), flipped, hippo.ErrCorrupt, "has sha256"},
		{"other length", pinned(), with(hub.WeightsFile, "x"), hippo.ErrCorrupt, "has 1 bytes, want 960010"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cache := newCache(t, c.spec)
			_, err := cache.Pull(t.Context(), "tiny", &hub.PullOptions{From: folder(t, c.files)})
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.say) {
				t.Errorf("Pull: %v, want %v with %q", err, c.kind, c.say)
			}
			if _, err := cache.Resolve(t.Context(), "tiny"); !errors.Is(err, hippo.ErrUnavailable) {
				t.Errorf("Resolve: %v, want unavailable", err)
			}
			l, err := cache.Pull(t.Context(), "tiny", &hub.PullOptions{From: folder(t, content())})
			if err != nil {
				t.Fatalf("from the right folder: %v", err)
			}
			check(t, l)
		})
	}
}

func TestResolve_damaged(t *testing.T) {
	t.Parallel()
	const manifest = "hippo-model.json"
	edited := func(before, after string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			data, err := os.ReadFile(filepath.Join(dir, manifest))
			if err != nil || !strings.Contains(string(data), before) {
				t.Fatalf("%v: no %q in %s", err, before, data)
			}
			write(t, filepath.Join(dir, manifest), []byte(strings.Replace(string(data), before, after, 1)))
		}
	}
	cut := func(name string, size int64) func(*testing.T, string) {
		return func(t *testing.T, dir string) { must(t, os.Truncate(filepath.Join(dir, name), size)) }
	}
	gone := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { must(t, os.Remove(filepath.Join(dir, name))) }
	}
	weights := sum(content()[hub.WeightsFile])
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir string)
		kind   error
		say    string
	}{
		{"manifest gone", gone(manifest), hippo.ErrCorrupt, "missing"},
		{"manifest cut", cut(manifest, 20), hippo.ErrCorrupt, manifest},
		{"other format", edited(`"format": 1`, `"format": 2`), hippo.ErrUnsupported, "format 2"},
		{"other model", edited(`"id": "tiny"`, `"id": "big"`), hippo.ErrCorrupt, "it is of big"},
		{"outside", edited(`"config.json"`, `"../../secret"`), hippo.ErrCorrupt, `file "../../secret"`},
		{"unknown file", edited(`"config.json"`, `"run.py"`), hippo.ErrCorrupt, `file "run.py"`},
		{"another file", edited(`"files": [`, `"files": [{},`), hippo.ErrCorrupt, "with 4 files"},
		{"size", edited(`"size": 960010`, `"size": 5`), hippo.ErrCorrupt, "has 5 bytes"},
		{"negative size", edited(`"size": 960010`, `"size": -5`), hippo.ErrCorrupt, "with size -5"},
		{"checksum", edited(weights, sum(nil)), hippo.ErrCorrupt, "has sha256 " + sum(nil)},
		{"no checksum", edited(weights, "?"), hippo.ErrCorrupt, `sha256 "?"`},
		{"weights gone", gone(hub.WeightsFile), hippo.ErrCorrupt, "model.safetensors is missing"},
		{"weights cut", cut(hub.WeightsFile, 100), hippo.ErrCorrupt, "has 100 bytes"},
		{"a link", func(t *testing.T, dir string) {
			path := filepath.Join(dir, hub.WeightsFile)
			must(t, os.Rename(path, path+"2"))
			if err := os.Symlink(path+"2", path); err != nil {
				write(t, filepath.Join(path, "x"), nil) // a directory, where there are no links
			}
		}, hippo.ErrCorrupt, "not a regular file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cache, l := pulled(t, pinned())
			c.change(t, l.Dir)
			_, err := cache.Resolve(t.Context(), "tiny")
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.say) || !strings.Contains(err.Error(), "hippo model pull tiny") {
				t.Errorf("Resolve: %v, want %v with %q and the command", err, c.kind, c.say)
			}
			if e := cache.List()[1]; e.State != hub.Damaged || !errors.Is(e.Problem, c.kind) {
				t.Errorf("List: %v, want a damaged model", e)
			}
			l, err = cache.Pull(t.Context(), "tiny", &hub.PullOptions{From: folder(t, content())})
			if err != nil {
				t.Fatalf("Pull again: %v", err)
			}
			check(t, l)
		})
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	cache, l := pulled(t, tiny())
	if err := cache.Verify(t.Context(), "tiny"); err != nil {
		t.Error(err)
	}
	data := content()[hub.WeightsFile]
	data[700] ^= 1
	write(t, filepath.Join(l.Dir, hub.WeightsFile), data)
	if _, err := cache.Resolve(t.Context(), "tiny"); err != nil {
		t.Errorf("Resolve: %v, want that it looks at sizes only", err)
	}
	err := cache.Verify(t.Context(), "tiny")
	if !errors.Is(err, hippo.ErrCorrupt) || !strings.Contains(err.Error(), "model.safetensors has sha256 "+sum(data)+", want "+sum(content()[hub.WeightsFile])) {
		t.Errorf("Verify: %v, want corrupt with both sums", err)
	}
	if err := cache.Verify(t.Context(), hub.Builtin); err != nil {
		t.Errorf("Verify(builtin): %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := cache.Verify(ctx, "tiny"); !errors.Is(err, context.Canceled) {
		t.Errorf("Verify: %v, want that it is cancelled", err)
	}
}

func TestListAndRemove(t *testing.T) {
	t.Parallel()
	cache := newCache(t, tiny())
	states := func() []hub.State {
		var s []hub.State
		for _, e := range cache.List() {
			s = append(s, e.State)
		}
		return s
	}
	if diff := cmp.Diff([]hub.State{hub.Here, hub.Absent}, states()); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
	if err := cache.Remove(t.Context(), "tiny"); err != nil {
		t.Errorf("Remove of nothing: %v", err)
	}
	l, err := cache.Pull(t.Context(), "tiny", &hub.PullOptions{From: folder(t, content())})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]hub.State{hub.Here, hub.Here}, states()); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
	models := filepath.Dir(filepath.Dir(l.Dir))
	write(t, filepath.Join(models, "tiny", "older", hub.WeightsFile), []byte("x"))

	open, err := os.Open(filepath.Join(l.Dir, hub.WeightsFile))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = open.Close() })
	if runtime.GOOS == "windows" { // where an open file cannot be removed
		must(t, open.Close())
	}
	if err := cache.Remove(t.Context(), "small"); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		if got, err := io.ReadAll(open); err != nil || !bytes.Equal(got, content()[hub.WeightsFile]) {
			t.Errorf("a file in use has %d bytes, %v, want all", len(got), err)
		}
	}
	if diff := cmp.Diff([]hub.State{hub.Here, hub.Absent}, states()); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
	left, err := os.ReadDir(models)
	if err != nil || len(left) != 1 || left[0].Name() != "tiny.lock" {
		t.Errorf("%v, %v are left, want the lock only", left, err)
	}
	for _, id := range []string{hub.Builtin, "./tiny", "huge"} {
		if err := cache.Remove(t.Context(), id); !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("Remove(%s): %v, want invalid", id, err)
		}
	}
}

// Files of two folders, or of a folder and the hub, are never mixed when no checksums
// are known.
func TestOrigins(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cache := cacheIn(dir, tiny())
	other := content()
	other[hub.TokenizerFile] = []byte(`{"of":"another"}`)
	delete(other, hub.WeightsFile)
	if _, err := cache.Pull(t.Context(), "tiny", &hub.PullOptions{From: folder(t, other)}); !errors.Is(err, hippo.ErrInvalid) {
		t.Fatalf("Pull: %v, want invalid", err)
	}
	// what a copy leaves that was killed
	left := filepath.Join(dir, "tiny", revision+".copy")
	write(t, filepath.Join(left, hub.TokenizerFile), other[hub.TokenizerFile])
	write(t, filepath.Join(left, hub.WeightsFile+".partial"), []byte("x"))
	l, err := cache.Pull(t.Context(), "tiny", &hub.PullOptions{From: folder(t, content())})
	if err != nil {
		t.Fatal(err)
	}
	check(t, l)
	if _, err := os.Stat(left); err == nil {
		t.Error("the copy is left")
	}
}
