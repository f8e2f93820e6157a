package ondemand_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hippo-memory/hippo/internal/base/ondemand"
)

// What was started while the function ran makes it run once more, however often that was.
func TestWorker_Start(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w ondemand.Worker
		defer w.Close()
		var runs atomic.Int64
		f := func() { time.Sleep(time.Second); runs.Add(1) }
		w.Start(f)
		synctest.Wait()
		for range 5 {
			w.Start(f)
		}
		time.Sleep(time.Minute)
		if runs := runs.Load(); runs != 2 {
			t.Errorf("got %d runs, want 2", runs)
		}
		w.Start(f)
		time.Sleep(time.Minute)
		if runs := runs.Load(); runs != 3 {
			t.Errorf("got %d runs, want 3", runs)
		}
	})
}

// An idle worker has no goroutine; a closed one starts none, and waits for the one that runs.
func TestWorker_Close(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w ondemand.Worker
		var runs atomic.Int64
		f := func() { time.Sleep(time.Second); runs.Add(1) }
		before := runtime.NumGoroutine()
		w.Start(f)
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := runtime.NumGoroutine(); n > before {
			t.Errorf("%d goroutines while idle, want %d", n, before)
		}
		w.Start(f)
		w.Start(f)
		w.Close()
		if runs := runs.Load(); runs != 2 {
			t.Errorf("got %d runs at the end, want 2", runs)
		}
		w.Start(f)
		time.Sleep(time.Minute)
		if runs := runs.Load(); runs != 2 {
			t.Errorf("got %d runs after the end, want 2", runs)
		}
	})
}

// Every start is followed by a run that begins after it.
func TestWorker_race(t *testing.T) {
	t.Parallel()
	var w ondemand.Worker
	var asked, seen atomic.Int64
	f := func() { seen.Store(asked.Load()) }
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 1000 {
				asked.Add(1)
				w.Start(f)
			}
		})
	}
	wg.Wait()
	for w.Start(f); seen.Load() != 8000; {
		runtime.Gosched()
	}
	w.Close()
}
