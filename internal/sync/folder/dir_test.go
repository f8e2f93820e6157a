package folder_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/folder"
	"github.com/hippo-memory/hippo/internal/sync/shelf"
)

// keeps checks what every folder promises.
func keeps(t *testing.T, f shelf.Folder) {
	t.Helper()
	ctx := context.Background()
	list := func(want map[string]int64) {
		t.Helper()
		got, err := f.List(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("List: %s", d)
		}
	}
	list(map[string]int64{})
	for name, text := range map[string]string{"format": "one\n", "keys/a.age": "\x00\xff\r\n", "r/x/1.age": ""} {
		if err := f.Put(ctx, name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	list(map[string]int64{"format": 4, "keys/a.age": 4, "r/x/1.age": 0})
	if err := errors.Join(f.Put(ctx, "format", []byte("another")), f.Remove(ctx, "r/x/1.age"), f.Remove(ctx, "r/x/none"), f.Commit(ctx)); err != nil {
		t.Fatal(err)
	}
	list(map[string]int64{"format": 4, "keys/a.age": 4})
	for name, want := range map[string]string{"format": "one\n", "keys/a.age": "\x00\xff\r\n"} {
		if b, err := f.Get(ctx, name); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	if _, err := f.Get(ctx, "r/x/none"); !errors.Is(err, hippo.ErrUnavailable) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestDir(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	d, err := folder.OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	keeps(t, d)
	list, err := os.ReadDir(filepath.Join(path, "hippo-sync", "keys"))
	if err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err) // no temporary file stays
	}
	for _, name := range []string{"../x", "/x", ""} {
		if err := d.Put(context.Background(), name, nil); !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestDir_what_it_cannot_use(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := t.TempDir()
	if _, err := folder.OpenDir(filepath.Join(path, "stick")); !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "mount") {
		t.Errorf("a folder that is not mounted: %v", err)
	}
	if err := os.WriteFile(filepath.Join(path, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.OpenDir(filepath.Join(path, "file")); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("a file: %v", err)
	}
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("permissions do not stop this user: root writes everywhere, and Windows has none of this kind")
	}
	if err := os.Chmod(path, 0o500); err != nil {
		t.Fatal(err)
	}
	d, err := folder.OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Put(ctx, "format", nil); !errors.Is(err, hippo.ErrReadOnly) {
		t.Errorf("a folder that is read-only: %v", err)
	}
}

// A link of somebody who can write to the folder leads nowhere.
func TestDir_links(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := errors.Join(os.WriteFile(secret, []byte("secret"), 0o600), os.Mkdir(filepath.Join(path, "hippo-sync"), 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(path, "hippo-sync", "format")); err != nil {
		t.Skipf("this user may not create symbolic links, as on Windows: %v", err)
	}
	d, err := folder.OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := d.List(context.Background()); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// A folder that is taken away while it is used is not made again: a sync would write beside the stick.
func TestDir_is_not_made_again(t *testing.T) {
	t.Parallel()
	outer := filepath.Join(t.TempDir(), "stick")
	if err := os.Mkdir(outer, 0o700); err != nil {
		t.Fatal(err)
	}
	d, err := folder.OpenDir(outer)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Put(t.Context(), "a/b/first", []byte("1")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(outer, outer+" in a pocket"); err != nil {
		t.Fatal(err)
	}
	if err := d.Put(t.Context(), "a/b/second", []byte("2")); !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "mount or make the folder first") {
		t.Errorf("put returned %v", err)
	}
	if _, err := os.Lstat(outer); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is there again: %v", err)
	}
}
