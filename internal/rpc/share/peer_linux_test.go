package share_test

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/rpc/share"
)

// Both ends refuse a process of another user, even where the modes of files would let it in.
func TestPeer_AnotherUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	a, store := address(t)
	listen(t, a, store, echo)
	for path, mode := range map[string]os.FileMode{filepath.Dir(filepath.Dir(a.Socket)): 0o755, filepath.Dir(a.Socket): 0o755, a.Socket: 0o666} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	var said []byte
	var dialed error
	as(t, 65534, func() error {
		c, err := net.Dial("unix", a.Socket)
		if err != nil {
			return err
		}
		said, err = io.ReadAll(c)
		_, dialed = share.Dial(t.Context(), a)
		return errors.Join(err, c.Close())
	})
	if !strings.Contains(string(said), "of user 65534") {
		t.Errorf("the process that listens says %q", said)
	}
	if !errors.Is(dialed, share.ErrRefused) || !errors.Is(dialed, hippo.ErrForbidden) {
		t.Errorf("the process that connects: %v", dialed)
	}
	if _, _, err := dial(t, a).Call(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

// as runs f on a thread of another user. The thread ends with its goroutine.
func as(t *testing.T, uid int, f func() error) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		if _, _, failed := syscall.RawSyscall(syscall.SYS_SETRESUID, uintptr(uid), uintptr(uid), uintptr(uid)); failed != 0 {
			done <- failed
			return
		}
		done <- f()
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
