package main

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hippo-memory/hippo/lab/corpus"
	"github.com/hippo-memory/hippo/lab/stdio"
)

// recorded is a memory that the server has acknowledged.
type recorded struct{ id, text string }

// worker is one client and what it has seen.
type worker struct {
	*client
	texts    *corpus.Writer
	searches []time.Duration
	records  []time.Duration
	acked    []recorded
	errs     []error
}

// minSteps is the number of requests that a client makes even if they take longer than the load shall last.
const minSteps = 5

// load lets clients search and record at a time, prints what came of it, and returns the 99th
// percentile of the searches. what is added to the names of the rows.
func (o *options) load(what string) (time.Duration, error) {
	workers := make([]*worker, o.clients)
	for i := range workers {
		seed := uint64(time.Now().UnixNano()) + uint64(i) // other texts than those of the last run
		workers[i] = &worker{client: o.client(), texts: corpus.New(seed, o.words)}
		if err := o.api.begin(workers[i].client); err != nil {
			return 0, err
		}
	}
	memory := watch(o.pid)
	began := time.Now()
	each(workers, func(w *worker) {
		for i := 0; i < minSteps || time.Since(began) < o.length; i++ {
			w.step(o)
		}
	})
	took := time.Since(began)
	rss, mapped := memory()
	lost := o.lost(workers)
	p99, err := o.report(what, workers, took, lost)
	if rss > 0 {
		row("  largest resident memory of the server", fmt.Sprintf("%.0f MB", rss), "under 300 MB")
		row("    of it mapped files, which the system may drop", fmt.Sprintf("%.0f MB", mapped), "")
	}
	return p99, err
}

// each runs f for each worker at a time.
func each(workers []*worker, f func(*worker)) {
	var wg sync.WaitGroup
	for _, w := range workers {
		wg.Go(func() { f(w) })
	}
	wg.Wait()
}

// step is one search or one record.
func (w *worker) step(o *options) {
	if w.texts.Float64() < o.searches {
		query := w.texts.Query()
		began := time.Now()
		if err := o.api.search(w.client, query); err != nil {
			w.errs = append(w.errs, err)
			return
		}
		w.searches = append(w.searches, time.Since(began))
		return
	}
	text := w.texts.Text(40)
	began := time.Now()
	id, err := o.api.record(w.client, text)
	if err != nil {
		w.errs = append(w.errs, err)
		return
	}
	w.records = append(w.records, time.Since(began))
	w.acked = append(w.acked, recorded{id, text})
}

// maxTries is how often a memory is asked for again that the server had no time for.
const maxTries = 30

// errBusy is that of an answer that asks to try again later.
var errBusy = errors.New("the server refuses more requests")

// lost returns an error for each memory that was acknowledged and is not there.
func (o *options) lost(workers []*worker) (errs []error) {
	var mu sync.Mutex
	each(workers, func(w *worker) {
		for _, r := range w.acked {
			err := o.api.find(w.client, r.id, r.text)
			for try := 0; errors.Is(err, errBusy) && try < maxTries; try++ { // it reads faster than a token may
				time.Sleep(time.Second)
				err = o.api.find(w.client, r.id, r.text)
			}
			if err != nil {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
			}
		}
	})
	return errs
}

// report prints the rows of a load.
func (o *options) report(what string, workers []*worker, took time.Duration, lost []error) (time.Duration, error) {
	var searches, records []time.Duration
	var errs []error
	for _, w := range workers {
		searches, records, errs = append(searches, w.searches...), append(records, w.records...), append(errs, w.errs...)
	}
	if len(searches) == 0 || len(records) == 0 {
		return 0, errors.Join(fmt.Errorf("there are %d searches and %d records", len(searches), len(records)), first(errs))
	}
	n := len(searches) + len(records)
	load := fmt.Sprintf("%d clients, %.0f s%s", o.clients, took.Seconds(), what)
	row("requests a second, "+load, fmt.Sprintf("%.0f", float64(n)/took.Seconds()), "goal 500")
	all := slices.Concat(searches, records)
	p99 := percentile(searches, .99)
	for _, k := range []struct {
		name string
		ds   []time.Duration
	}{{"all", all}, {"searches", searches}, {"records", records}} {
		row(fmt.Sprintf("  %d %s: median", len(k.ds), k.name), ms(percentile(k.ds, .5)), "")
		row("    99th percentile", ms(percentile(k.ds, .99)), "under 250 ms")
	}
	row("  errors", fmt.Sprint(len(errs)), "0")
	row(fmt.Sprintf("  lost of %d acknowledged", len(records)), fmt.Sprint(len(lost)), "0")
	return p99, errors.Join(first(errs), first(lost))
}

// first returns the first error, with the number of the others.
func first(errs []error) error {
	switch len(errs) {
	case 0:
		return nil
	case 1:
		return errs[0]
	default:
		return fmt.Errorf("%w, and %d more errors", errs[0], len(errs)-1)
	}
}

// percentile returns the p-th percentile, 0 to 1, of ds, which it sorts.
func percentile(ds []time.Duration, p float64) time.Duration {
	slices.Sort(ds)
	return ds[int(p*float64(len(ds)-1))]
}

// watch samples the resident memory of a process; the function that it returns ends that and returns the
// largest, and the part of it that was mapped files, in MB.
func watch(pid int) func() (most, mapped float64) {
	if pid == 0 {
		return func() (float64, float64) { return 0, 0 }
	}
	var most, mapped float64
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			if all, files := stdio.RSS(pid); all > most {
				most, mapped = all, files
			}
			select {
			case <-quit:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	return func() (float64, float64) {
		close(quit)
		<-done
		return most, mapped
	}
}
