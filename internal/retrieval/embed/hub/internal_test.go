package hub

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hippo-memory/hippo"
)

func TestDiskError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ err, want error }{
		{&fs.PathError{Op: "write", Err: syscall.EACCES}, hippo.ErrReadOnly},
		{&fs.PathError{Op: "write", Err: full()}, hippo.ErrFull},
		{fmt.Errorf("x: %w", fs.ErrNotExist), fs.ErrNotExist},
		{nil, nil},
	} {
		if got := diskError(c.err); !errors.Is(got, c.want) {
			t.Errorf("diskError(%v) = %v, want %v", c.err, got, c.want)
		}
	}
}

// full is the error of a full disk of this system.
func full() error {
	if os.PathSeparator == '\\' {
		return syscall.Errno(112)
	}
	return syscall.ENOSPC
}

func TestMayHaveToken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		base, to string
		want     bool
	}{
		{"https://hub.example", "https://hub.example/a", true},
		{"https://hub.example", "https://HUB.example/a", true},
		{"https://hub.example", "https://cdn.hub.example/a", false},
		{"https://hub.example", "https://hub.example:8443/a", false},
		{"https://hub.example", "http://hub.example/a", false},
		{"http://hub.example", "http://hub.example/a", false},
		{"http://127.0.0.1:80", "http://127.0.0.1:80/a", true},
		{"http://localhost", "http://localhost/a", true},
	} {
		base, err := url.Parse(c.base)
		if err != nil {
			t.Fatal(err)
		}
		to, err := url.Parse(c.to)
		if err != nil {
			t.Fatal(err)
		}
		if got := mayHaveToken(to, base); got != c.want {
			t.Errorf("from %s to %s: %t, want %t", c.base, c.to, got, c.want)
		}
	}
}

// FuzzManifest checks that no manifest leads out of its folder.
func FuzzManifest(f *testing.F) {
	const sum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	file := func(name, size, sum string) string {
		return fmt.Sprintf(`{"format":1,"id":"a","repo":"b","revision":"c","files":[{"name":%q,"size":%s,"sha256":%q}]}`, name, size, sum)
	}
	for _, s := range []string{
		"", "{}", "[]", "null", `{"format":2}`, `{"format":1,"files":[{}]}`, `{"format":1e9}`,
		file("config.json", "1", sum), file("config.json", "0", sum), file("../config.json", "1", sum), file("/x", "1", sum),
		file("config.json", "-1", sum), file("config.json", "1e99", sum), file("config.json", "1", strings.ToUpper(sum)), file("config.json", "1", ""),
	} {
		f.Add([]byte(s))
	}
	spec := Spec{ID: "a", Repo: "b", Revision: "c", Files: []File{{Name: ConfigFile}}}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		for name, data := range map[string][]byte{manifestName: data, ConfigFile: []byte("x")} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		files, err := readManifest(dir, spec)
		if err != nil {
			if !errors.Is(err, hippo.ErrCorrupt) && !errors.Is(err, hippo.ErrUnsupported) {
				t.Errorf("an error of another kind: %v", err)
			}
			return
		}
		if len(files) != 1 || files[0].Name != ConfigFile || files[0].Size != 1 || len(files[0].SHA256) != 64 {
			t.Errorf("accepted %+v", files)
		}
	})
}
