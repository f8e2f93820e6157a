package watch_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/code/codeindex/watch"
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

// await waits for an update.
func await(t *testing.T, updates <-chan bool, after string) {
	t.Helper()
	select {
	case <-updates:
	case <-time.After(10 * time.Second):
		t.Fatalf("no update after %s", after)
	}
}

// quiet waits until no update comes any more.
func quiet(updates <-chan bool) {
	for {
		select {
		case <-updates:
		case <-time.After(200 * time.Millisecond):
			return
		}
	}
}

// subfolders returns the folders in a folder, and itself; nil if it is gone.
func subfolders(dir string) (list []string) {
	_ = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			list = append(list, filepath.ToSlash(rel))
		}
		return nil
	})
	return list
}

// A folder that took the place of another one is watched, and so are those in it.
func TestRun_replaced(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{"folder": "src", "below": "src/deep", "root": "."} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parent := t.TempDir()
			dir := filepath.Join(parent, "tree")
			old, folder := filepath.Join(dir, "src"), filepath.Join(dir, filepath.FromSlash(in))
			if name == "root" {
				old = dir
			}
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			updates := start(t, dir, watch.Options{Poll: time.Hour, Fallback: 5 * time.Millisecond, Debounce: 20 * time.Millisecond}, func() []string { return subfolders(dir) })
			quiet(updates)
			if err := os.Rename(old, filepath.Join(parent, "old")); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			await(t, updates, "the replacement")
			quiet(updates)
			touch(t, filepath.Join(folder, "new.go"))
			await(t, updates, "a change in the new folder")
		})
	}
}

// What is written before the folder is watched is seen by another update.
func TestRun_written_meanwhile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	updates := start(t, dir, watch.Options{Poll: time.Hour, Debounce: time.Millisecond}, func() []string {
		touch(t, filepath.Join(dir, "a.go"))
		return []string{"."}
	})
	await(t, updates, "a change during the first one")
}

// That a folder cannot be watched is said once.
func TestRun_refused(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	updates := 0
	err := watch.Run(ctx, dir, func(context.Context) []string {
		if updates++; updates == 5 {
			cancel()
		}
		return []string{".", "missing"}
	}, watch.Options{Fallback: time.Millisecond, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if n := strings.Count(log.String(), "cannot be watched"); n != 1 {
		t.Errorf("said %d times: %s", n, log.String())
	}
}
