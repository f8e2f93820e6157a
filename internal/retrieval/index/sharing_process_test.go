package index_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	modelof "github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/store/filelease"
)

// helperPath makes the test binary open an index with a file of this path, and hang while a snapshot arrives.
const helperPath = "HIPPO_TEST_INDEX_PATH"

func TestMain(m *testing.M) {
	if path := os.Getenv(helperPath); path != "" {
		hang(path)
	}
	os.Exit(m.Run())
}

// hanging sends half a snapshot.
type hanging struct{ shelf }

func (h *hanging) Fetch(_ context.Context, _, _ string, _ hippo.Revision, to io.Writer) error {
	if _, err := to.Write(make([]byte, 100_000)); err != nil {
		return err
	}
	fmt.Println("hangs")
	select {}
}

func hang(path string) {
	h := &hanging{shelf{files: map[hippo.Revision][]byte{1000: nil}}}
	o := &index.Options{Path: path, Models: []modelof.Model{whole}, Sharing: &index.Sharing{Snapshots: h, Leases: filelease.New(path, time.Now), Wait: time.Hour}}
	_, err := index.Open(context.Background(), notes("s", 1000), o)
	fmt.Println(err)
}

// A process that is killed while a snapshot arrives leaves half a file, which the next process replaces. One that waits for it goes
// on when it is killed.
func TestSharing_killed(t *testing.T) {
	t.Parallel()
	src := notes("s", 1000)
	o := node(t, filled(t, src))
	o.Sharing.Wait = time.Minute
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env, cmd.Stderr = append(os.Environ(), helperPath+"="+o.Path), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "hangs\n" {
		t.Fatalf("the process said %q (%v)", line, err)
	}
	if got := left(t, o); !slices.Contains(got, "index.fetch") {
		t.Fatalf("left are %q, want half a snapshot", got)
	}
	opened := make(chan *index.Index)
	go func() {
		x, err := index.Open(t.Context(), src, o)
		if err != nil {
			t.Error(err)
		}
		opened <- x
	}()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	x := <-opened
	if st := x.Stats(); st.Memories != 1000 || st.Saved != 1000 {
		t.Errorf("got %+v, want the snapshot", st)
	}
	closeIndex(t, x)
	if got, want := left(t, o), []string{filepath.Base(o.Path), "index.lock"}; !slices.Equal(got, want) {
		t.Errorf("left are %q, want %q", got, want)
	}
}
