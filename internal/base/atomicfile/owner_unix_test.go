//go:build unix

package atomicfile_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/hippo-memory/hippo/internal/base/atomicfile"
)

// Root replaces a file of a user, which stays the user's.
func TestReplace_Owner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	const user, group = 65534, 65533
	path := filepath.Join(t.TempDir(), "a.txt")
	write(t, path, "one", 0o640)
	if err := os.Chown(path, user, group); err != nil {
		t.Fatal(err)
	}
	f, err := atomicfile.Read(path, 10)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Replace([]byte("two")); err != nil {
		t.Fatal(err)
	}
	check(t, path, "two", 0o640)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || st.Uid != user || st.Gid != group {
		t.Errorf("it belongs to %d:%d, want %d:%d", st.Uid, st.Gid, user, group)
	}
}
