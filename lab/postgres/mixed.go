package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

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

// mixed measures clients that search and record in many tenants, while only a few indexes fit into memory.
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
	anonymous() // garbage of that goes
	h := watch(ctx, all)
	before, err := b.used(ctx, all)
	if err != nil {
		return err
	}
	var l *load
	for warm := range 2 { // the first time is to warm up
		if warm == 1 {
			before, err = b.used(ctx, all)
		}
		began, l = time.Now(), b.busy(ctx, all)
	}
	seconds := time.Since(began).Seconds()
	after, usedErr := b.used(ctx, all)
	h.stop()
	b.report(l, h, seconds, before, after)
	return errors.Join(err, usedErr, all.Shut(context.WithoutCancel(ctx)))
}

// busy has clients search and record for some time.
func (b *bench) busy(ctx context.Context, all *app.Tenants) *load {
	l, favourites, began := &load{}, zipf(b.tenants), time.Now()
	b.clientsDo(func(client int) {
		w := corpus.New(uint64(client), b.words)
		for time.Since(began) < 2*time.Duration(b.load)*time.Second && ctx.Err() == nil {
			time.Sleep(time.Duration(2 * w.Float64() * float64(b.pause)))
			l.one(ctx, all, fmt.Sprint("mixed", favourites.draw()), w)
		}
	})
	return l
}

// report prints what clients did, and what that took.
func (b *bench) report(l *load, h *held, seconds float64, before, after used) {
	what := fmt.Sprintf("%d clients, %d tenants of %d, zipf 1, %d MB", b.clients, b.tenants, b.each, b.budget)
	value := func(name, must, format string, v ...any) {
		row(what+": "+name, "", fmt.Sprintf(format, v...), "", must)
	}
	rate := func(n int) float64 { return float64(n) / seconds }
	value("search p50", "15 ms", "%s", millis(l.reads.at(.5)))
	value("search p99", "200 ms", "%s", millis(l.reads.at(.99)))
	value("record p50", "", "%s", millis(l.writes.at(.5)))
	value("searches; records", "", "%.1f; %.1f /s", rate(len(l.reads)), rate(len(l.writes)))
	value("closed to make room", "", "%.1f /s", rate(int(after.evicted-before.evicted)))
	value("busy cores of the node; of the server", "", "%.3f; %.3f", (after.node-before.node).Seconds()/seconds, (after.server-before.server).Seconds()/seconds)
	value(fmt.Sprintf("the most that was open, %d now", after.open), fmt.Sprintf("%d MB", b.budget), "%.1f MB", float64(h.bytes)/(1<<20))
	value("the most open at a time", "", "%d", h.engines)
	value("the most memory that the system cannot take back", "", "%.0f MB", h.anonymous)
	value("errors", "0", "%d", l.failed.Load())
	if p := l.problem.Load(); p != nil {
		fmt.Println(p)
	}
}

// used is what a pool and the database have used so far.
type used struct {
	node, server time.Duration // of a processor
	open         int
	evicted      int64
}

func (b *bench) used(ctx context.Context, all *app.Tenants) (u used, err error) {
	c, err := pgx.Connect(ctx, b.url)
	if err != nil {
		return u, err
	}
	defer c.Close(ctx) //nolint:errcheck // it is not used again
	server, err := database.ServerOf(ctx, c)
	if err != nil {
		return u, err
	}
	u.open, _, u.evicted = all.Counts()
	u.node = database.Processor()
	u.server, err = server.Processor()
	return u, err
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
