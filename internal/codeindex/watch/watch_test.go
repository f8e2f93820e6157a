package watch_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/codeindex/watch"
)

// start runs a watch and returns a channel of its updates.
func start(t *testing.T, dir string, o watch.Options, folders func() []string) <-chan bool {
	t.Helper()
	updates := make(chan bool, 100)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- watch.Run(ctx, dir, func(context.Context) []string {
			updates <- true
			return folders()
		}, o)
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	<-updates // the first one needs no change
	return updates
}

func touch(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(path), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]watch.Options{"notified": {Poll: time.Hour, Debounce: time.Millisecond}, "polled": {NoNotify: true, Fallback: time.Millisecond}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			updates := start(t, dir, o, func() []string {
				list := []string{"."}
				if _, err := os.Stat(filepath.Join(dir, "sub")); err == nil {
					list = append(list, "sub")
				}
				return list
			})
			for i := 0; ; i++ { // the folder is watched some time after the first update
				touch(t, filepath.Join(dir, "a.go"))
				select {
				case <-updates:
				case <-time.After(10 * time.Millisecond):
					continue
				}
				break
			}
			if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
				t.Fatal(err)
			}
			<-updates
			for {
				touch(t, filepath.Join(dir, "sub", "b.go"))
				select {
				case <-updates:
					return
				case <-time.After(10 * time.Millisecond):
				}
			}
		})
	}
}
