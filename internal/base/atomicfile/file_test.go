package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/base/atomicfile"
)

func write(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

// names returns the names in a folder.
func names(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

// check checks the content, the mode and the links of a file, and that nothing else is in its folder.
func check(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil || string(b) != text {
		t.Errorf("%s has %q (%v), want %q", path, b, err, text)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != mode {
		t.Errorf("%s is %v (%v), want %v", path, info.Mode(), err, mode)
	}
	if got := names(t, filepath.Dir(path)); got != filepath.Base(path) {
		t.Errorf("beside %s: %s", path, got)
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.txt")
	f, err := atomicfile.Read(path, 10)
	if err != nil || f.Exists {
		t.Fatalf("a new file: %+v, %v", f, err)
	}
	if err := f.Replace([]byte("one")); err != nil {
		t.Fatal(err)
	}
	check(t, path, "one", 0o600)
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if f, err = atomicfile.Read(path, 10); err != nil || string(f.Content) != "one" {
		t.Fatalf("%+v, %v", f, err)
	}
	if err := f.Replace([]byte("two")); err != nil {
		t.Fatal(err)
	}
	check(t, path, "two", 0o640)
}

// A link stays, and the file behind it is replaced where it is.
func TestReplace_Link(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	real, links := filepath.Join(dir, "real"), filepath.Join(dir, "links")
	if err := errors.Join(os.Mkdir(real, 0o700), os.Mkdir(links, 0o700)); err != nil {
		t.Fatal(err)
	}
	file, link := filepath.Join(real, "a.txt"), filepath.Join(links, "b.txt")
	write(t, file, "one", 0o644)
	if err := os.Symlink("../real/a.txt", link); err != nil {
		t.Skip(err) // Windows lets only privileged users create them
	}
	f, err := atomicfile.Read(link, 10)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Replace([]byte("two")); err != nil {
		t.Fatal(err)
	}
	check(t, file, "two", 0o644)
	if to, err := os.Readlink(link); err != nil || to != "../real/a.txt" || names(t, links) != "b.txt" {
		t.Errorf("the link leads to %q (%v)", to, err)
	}
}

// What another program did to the file after it was read stays.
func TestReplace_Changed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		exists bool
		change func(path string) error
		want   string // "" if the file is gone
	}{
		"edited":  {true, func(path string) error { return os.WriteFile(path, []byte("theirs"), 0o600) }, "theirs"},
		"created": {false, func(path string) error { return os.WriteFile(path, []byte("theirs"), 0o600) }, "theirs"},
		"deleted": {true, os.Remove, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "a.txt")
			if tc.exists {
				write(t, path, "one", 0o600)
			}
			f, err := atomicfile.Read(path, 10)
			if err != nil {
				t.Fatal(err)
			}
			if err := tc.change(path); err != nil {
				t.Fatal(err)
			}
			err = f.Replace([]byte("ours"))
			if err == nil || tc.want != "" && !errors.Is(err, atomicfile.ErrChanged) {
				t.Errorf("got %v", err)
			}
			if tc.want != "" {
				check(t, path, tc.want, 0o600)
			} else if got := names(t, filepath.Dir(path)); got != "" {
				t.Errorf("there is %s", got)
			}
		})
	}
}

func TestRead_Refuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		make func(path string) error
		want string
	}{
		"link":      {func(path string) error { return os.Symlink("nowhere", path) }, "is a link to nowhere"},
		"folder":    {func(path string) error { return os.Mkdir(path, 0o700) }, "not a regular file"},
		"large":     {func(path string) error { return os.WriteFile(path, make([]byte, 11), 0o600) }, "has 11 bytes, more than the limit of 10"},
		"read-only": {func(path string) error { return os.WriteFile(path, nil, 0o400) }, "read-only"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "a.txt")
			if err := tc.make(path); err != nil {
				t.Skip(err) // Windows lets only privileged users create links
			}
			_, err := atomicfile.Read(path, 10)
			if _, ok := errors.AsType[*atomicfile.RefusedError](err); !ok || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// The error of a link to itself names it.
func TestRead_Loop(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.Symlink("a.txt", path); err != nil {
		t.Skip(err) // Windows lets only privileged users create them
	}
	if _, err := atomicfile.Read(path, 10); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
}

// A file that cannot be renamed leaves nothing beside it.
func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	for _, text := range []string{"one", "two"} {
		if err := atomicfile.Write(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		check(t, path, text, 0o600)
	}
	folder := filepath.Join(dir, "b.json")
	if err := os.MkdirAll(filepath.Join(folder, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(folder, nil); err == nil || names(t, dir) != "a.json b.json" {
		t.Errorf("over a folder: %v, %s", err, names(t, dir))
	}
}

func TestPublish(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, temp := filepath.Join(dir, "a.txt"), filepath.Join(dir, "new")
	write(t, path, "one", 0o600)
	write(t, temp, "two", 0o640)
	if err := atomicfile.Publish(temp, path); err != nil {
		t.Fatal(err)
	}
	check(t, path, "two", 0o640)
	if err := atomicfile.Publish(temp, path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing to publish: %v", err)
	}
	check(t, path, "two", 0o640)
}
