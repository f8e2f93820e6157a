package cli_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A disk that is full while a server answers: a record is refused with the code full and shows in the metrics, what was
// acknowledged stays, reading goes on, and writing does when there is room again.
func TestServe_FullDisk(t *testing.T) {
	t.Parallel()
	if syscall.Geteuid() != 0 {
		t.Skip("only root can mount a disk of 2 MB to fill")
	}
	disk := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("this machine lets root mount no disk of 2 MB to fill, as in most containers: %v %s", err, out)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	store := "sqlite:" + filepath.Join(disk, "memory.db")
	s := serveWeb(t, nil, "--store", store)
	acknowledged, full := 0, webAnswer{}
	for i := range 100 {
		a := s.send("POST", "/api/v1/memories", s.token, fmt.Sprintf(`{"content":"note %d %s"}`, i, strings.Repeat("filler ", 8000)))
		if a.status != http.StatusCreated {
			full = a
			break
		}
		acknowledged++
	}
	if full.status != http.StatusInsufficientStorage || !strings.Contains(full.body, `"code":"full"`) || strings.Contains(full.body, "goroutine") {
		t.Errorf("on a full disk: %d %.300s", full.status, full.body)
	}
	if a := s.expect(http.StatusOK, "GET", "/api/v1/memories?limit=1", s.token, ""); !strings.Contains(a.body, "filler") {
		t.Errorf("reading on a full disk: %.300s", a.body)
	}
	if a := s.expect(http.StatusOK, "GET", "/metrics", s.token, ""); !strings.Contains(a.body, `hippo_failed_writes_total{verb="record"} 1`) {
		t.Error("the metrics do not have the failed write")
	}
	if strings.Contains(s.log(), "filler") {
		t.Error("the log has content")
	}
	if out, err := exec.CommandContext(t.Context(), "mount", "-o", "remount,size=8m", disk).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	s.expect(http.StatusCreated, "POST", "/api/v1/memories", s.token, `{"content":"there is room again"}`)
	if err := s.end(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if n := count(t, s.dir, store); n != acknowledged+1 || acknowledged == 0 {
		t.Errorf("%d memories, want %d", n, acknowledged+1)
	}
}
