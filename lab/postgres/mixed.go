package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/lab/corpus"
	"github.com/hippo-memory/hippo/lab/database"
)

// popularity draws tenants: the nth one as often as 1/n.
type popularity []float64

func zipf(n int) popularity {
	p, sum := make(popularity, n), 0.
	for i := range p {
		sum += 1 / float64(i+1)
		p[i] = sum
	}
	return p
}

func (p popularity) draw() int {
	x := rand.Float64() * p[len(p)-1]
	i, _ := slices.BinarySearch(p, x)
	return i
}

// load is what clients did.
type load struct {
	mu      sync.Mutex
	reads   times
	writes  times
	failed  atomic.Int64
	problem atomic.Value // an error
}

func (l *load) add(list *times, d time.Duration, err error) {
	if err != nil {
		l.failed.Add(1)
		l.problem.Store(err)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	*list = append(*list, d)
}

// mixed measures clients that search and record in many tenants, of which few have room.
func (b *bench) mixed(ctx context.Context) error {
	if err := b.copies(ctx, "mixed", b.each, b.tenants); err != nil {
		return err
	}
	all, err := b.pool(b.budget)
	if err != nil {
		return err
	}
	if _, err := all.Of(ctx, "nobody"); err != nil { // it opens the database and the models
		return err
	}
	row("memory of the process before, that the system cannot take back", "", fmt.Sprintf("%.0f MB", anonymous()), "", "")
	began := time.Now()
	b.touch(ctx, all)
	row(fmt.Sprintf("first use of %d tenants of %d", b.tenants, b.each), "", fmt.Sprintf("%.1f s", time.Since(began).Seconds()), "", "")
	l, favourites := &load{}, zipf(b.tenants)
	var before int64
	anonymous() // garbage of that goes
	h := watch(ctx, all)
	for _, phase := range []bool{false, true} { // the first one is to warm up
		if phase {
			l = &load{}
			_, _, before = all.Counts()
		}
		began = time.Now()
		b.clientsDo(func(client int) {
			w := corpus.New(uint64(client), b.words)
			for time.Since(began) < 2*time.Duration(b.load)*time.Second && ctx.Err() == nil {
				time.Sleep(time.Duration(2 * w.Float64() * float64(b.pause)))
				l.one(ctx, all, fmt.Sprint("mixed", favourites.draw()), w)
			}
		})
	}
	seconds := time.Since(began).Seconds()
	h.stop()
	what := fmt.Sprintf("%d clients, %d tenants of %d, zipf 1, %d MB", b.clients, b.tenants, b.each, b.budget)
	for _, q := range []struct {
		at   float64
		must string
	}{{.5, "15 ms"}, {.99, "200 ms"}} {
		row(fmt.Sprintf("%s: search p%.0f", what, 100*q.at), "", millis(l.reads.at(q.at)), "", q.must)
	}
	row(what+": record p50", "", millis(l.writes.at(.5)), "", "")
	row(what+": calls", "", fmt.Sprintf("%.0f /s", float64(len(l.reads)+len(l.writes))/seconds), "", "")
	n, _, evicted := all.Counts()
	row(what+": closed to make room", "", fmt.Sprintf("%.0f /s", float64(evicted-before)/seconds), "", "")
	row(fmt.Sprintf("%s: the most that was open, %d now", what, n), "", fmt.Sprintf("%.1f MB", float64(h.bytes)/(1<<20)), "", fmt.Sprintf("%d MB", b.budget))
	row(what+": the most open at a time", "", fmt.Sprint(h.engines), "", "")
	row(what+": the most memory that the system cannot take back", "", fmt.Sprintf("%.0f MB", h.anonymous), "", "")
	row(what+": errors", "", fmt.Sprint(l.failed.Load()), "", "0")
	if p := l.problem.Load(); p != nil {
		fmt.Println(p)
	}
	return all.Shut(context.WithoutCancel(ctx))
}

// held is the most that a pool held while it was watched.
type held struct {
	bytes     int64   // by its estimate
	engines   int     // open or being closed
	anonymous float64 // MB of the process
	stop      func()  // ends the watching
}

// watch looks at a pool until stop is called.
func watch(ctx context.Context, all *app.Tenants) *held {
	h, ended := &held{}, make(chan struct{})
	ctx, cancel := context.WithCancel(ctx)
	h.stop = func() {
		cancel()
		<-ended
	}
	go func() {
		defer close(ended)
		for i := 0; ctx.Err() == nil; i++ {
			n, bytes, _ := all.Counts()
			h.engines, h.bytes = max(h.engines, n), max(h.bytes, bytes)
			if i%100 == 0 {
				h.anonymous = max(h.anonymous, rssAnon())
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	return h
}

// touch opens each tenant once, so that it has the file of its index. One that fails will fail in the load.
func (b *bench) touch(ctx context.Context, all *app.Tenants) {
	b.clientsDo(func(client int) {
		for i := client; i < b.tenants; i += b.clients {
			use, end := context.WithCancel(ctx)
			if e, err := all.Of(use, fmt.Sprint("mixed", i)); err == nil && e.Index.CatchUp(use) == nil {
				_ = e.Index.Save(use)
			}
			end()
		}
	})
}

func (b *bench) clientsDo(do func(client int)) {
	var all sync.WaitGroup
	for client := range b.clients {
		all.Go(func() { do(client) })
	}
	all.Wait()
}

// one does one call: nine in ten search.
func (l *load) one(ctx context.Context, all *app.Tenants, name string, w *corpus.Writer) {
	use, end := context.WithCancel(ctx)
	defer end()
	read := w.IntN(10) > 0
	text := w.Query()
	if !read {
		text = w.Text(60)
	}
	began := time.Now()
	e, err := all.Of(use, name)
	if err != nil {
		l.add(nil, 0, err)
		return
	}
	if read {
		_, err = query.Search(use, database.In(e, name), hippo.Query{Text: text})
		l.add(&l.reads, time.Since(began), err)
		return
	}
	_, err = memory.Record(use, database.In(e, name), &hippo.Memory{Content: text, Importance: hippo.Importance{Base: .5}})
	l.add(&l.writes, time.Since(began), err)
}
