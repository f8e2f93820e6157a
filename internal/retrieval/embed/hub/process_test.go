package hub_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/embed/hub"
)

// The environment of a process that TestMain makes a download of.
const (
	helperDir      = "HIPPO_TEST_HUB_DIR"
	helperEndpoint = "HIPPO_TEST_HUB_ENDPOINT"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperDir); dir != "" {
		_, err := hub.New(&hub.Options{Dir: dir, Specs: []hub.Spec{tiny()}}).
			Pull(context.Background(), "tiny", &hub.PullOptions{Endpoint: os.Getenv(helperEndpoint)})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func helper(t *testing.T, dir, endpoint string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), helperDir+"="+dir, helperEndpoint+"="+endpoint)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// TestKilled kills a process that downloads; one that waits for it goes on.
func TestKilled(t *testing.T) {
	t.Parallel()
	s, dir := newServer(t), t.TempDir()
	middle := make(chan struct{})
	s.setFault(func(w http.ResponseWriter, r *http.Request, name string, n int) bool {
		if name != hub.WeightsFile || n > 1 {
			return false
		}
		data := s.files[name]
		putPart(w, data, len(data)/2)
		close(middle)
		<-r.Context().Done()
		return true
	})
	first := helper(t, dir, s.URL)
	select {
	case <-middle:
	case <-t.Context().Done():
		t.Fatal("the first process asks for nothing")
	}
	second := helper(t, dir, s.URL)
	cache := hub.New(&hub.Options{Dir: dir, Specs: []hub.Spec{tiny()}})
	if e := cache.List()[0]; e.State != hub.Partial {
		t.Errorf("List: %v, want a partial model", e)
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := first.Wait(); err == nil {
		t.Error("the first process ended well")
	}
	if err := second.Wait(); err != nil {
		t.Errorf("the second process: %v", err)
	}
	l, err := cache.Resolve(t.Context(), "tiny")
	if err != nil {
		t.Fatal(err)
	}
	check(t, l)
	if got := s.count(hub.ConfigFile); got != 1 {
		t.Errorf("config.json was got %d times", got)
	}
}
