package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo/lab/corpus"
	"github.com/hippo-memory/hippo/lab/stdio"
)

func parseSizes(s string) []int {
	var out []int
	for f := range strings.SplitSeq(s, ",") {
		if n, err := strconv.Atoi(strings.TrimSpace(f)); err == nil && n > 0 {
			out = append(out, n)
		}
	}
	return out
}

func (b *bench) serve(store string) []string { return []string{b.hippo, "serve", "--store", store} }

// starts measures spawn to the reply of initialize, taking turns with the bare
// server so that both see the same machine.
func (b *bench) starts(store string) (hippo, bare time.Duration, err error) {
	var hs, bs []time.Duration
	for range b.runs {
		for _, s := range []struct {
			command []string
			times   *[]time.Duration
		}{{b.serve(store), &hs}, {[]string{b.bare}, &bs}} {
			var c *stdio.Client
			d, err := timed(func() (err error) { c, err = stdio.Hello(s.command...); return err })
			if err != nil {
				return 0, 0, err
			}
			*s.times = append(*s.times, d)
			if err := c.Stop(); err != nil {
				return 0, 0, err
			}
		}
	}
	return median(hs), median(bs), nil
}

func (b *bench) printStarts(what, store string) error {
	h, bare, err := b.starts(store)
	if err != nil {
		return err
	}
	row("spawn to initialize, "+what, ms(h), "at most 10 ms")
	row("  ratio to a bare go-sdk server ("+ms(bare)+")", fmt.Sprintf("%.2fx", float64(h)/float64(bare)), "at most 1.2x")
	return nil
}

// empty measures a new store: start, record, pipelined records.
func (b *bench) empty() error {
	for _, kind := range []string{"sqlite", "dir"} {
		store := kind + ":" + filepath.Join(b.dir, "empty-"+kind)
		if err := b.printStarts("empty "+kind+" store", store); err != nil {
			return err
		}
		if err := b.records(kind, store); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) records(kind, store string) error {
	c, err := stdio.Hello(b.serve(store)...)
	if err != nil {
		return err
	}
	w := corpus.New(7, b.words)
	var ds []time.Duration
	for range 500 {
		args := record(w)
		d, err := timed(func() error { _, err := c.Tool("hippo_record_insight", args); return err })
		if err != nil {
			return err
		}
		ds = append(ds, d)
	}
	row("record, acknowledged and durable, "+kind, ms(median(ds)), "at most 1.5 ms, goal 0.6")
	const n = 5000
	d, err := timed(func() error { return pipeline(c, w, n) })
	if err != nil {
		return err
	}
	row(fmt.Sprintf("%d pipelined records, %s", n, kind), fmt.Sprintf("%.2f s", d.Seconds()), "under 2 s")
	return c.Stop()
}

func record(w *corpus.Writer) map[string]any {
	return map[string]any{"content": w.Text(40), "situation": []string{w.Text(3), w.Text(2)}, "importance": .5}
}

// pipeline sends n records without waiting and then reads all replies.
func pipeline(c *stdio.Client, w *corpus.Writer, n int) error {
	sent := make(chan error, 1)
	go func() {
		for range n {
			if err := c.Post("tools/call", map[string]any{"name": "hippo_record_insight", "arguments": record(w)}); err != nil {
				sent <- err
				return
			}
		}
		sent <- nil
	}()
	for range n {
		if _, err := c.Reply(); err != nil {
			return err
		}
	}
	return <-sent
}

// filled measures a store of n memories of about 40 words.
func (b *bench) filled(n int) error {
	lines := filepath.Join(b.dir, fmt.Sprintf("corpus-%d.jsonl", n))
	if err := corpus.New(uint64(n), b.words).Write(lines, n); err != nil {
		return err
	}
	store := "sqlite:" + filepath.Join(b.dir, fmt.Sprintf("filled-%d.db", n))
	d, err := timed(func() error {
		out, err := exec.Command(b.hippo, "import", "--store", store, lines).CombinedOutput()
		if err != nil {
			return fmt.Errorf("import: %w\n%s", err, out)
		}
		return nil
	})
	if err != nil {
		return err
	}
	size := fmt.Sprintf("%d memories", n)
	row("import, "+size, fmt.Sprintf("%.1f s", d.Seconds()), "")
	if err := b.printStarts(size, store); err != nil {
		return err
	}
	if err := b.firstSearch(store, size, n); err != nil {
		return err
	}
	return b.warm(store, size, n)
}

func limitOf(n int, small, large string) string {
	if n <= 10000 {
		return "at most " + small
	}
	return "at most " + large
}

// firstSearch measures spawn to the reply of the first search.
func (b *bench) firstSearch(store, size string, n int) error {
	w := corpus.New(11, b.words)
	var ds []time.Duration
	for range b.runs {
		var c *stdio.Client
		d, err := timed(func() (err error) {
			if c, err = stdio.Hello(b.serve(store)...); err != nil {
				return err
			}
			_, err = c.Tool("hippo_search_insights", map[string]any{"query": w.Query()})
			return err
		})
		if err != nil {
			return err
		}
		ds = append(ds, d)
		if err := c.Stop(); err != nil {
			return err
		}
	}
	row("first search after spawn, "+size, ms(median(ds)), limitOf(n, "25 ms", "120 ms"))
	return nil
}

// warm measures searches of a server that is warm, lexical and by default.
func (b *bench) warm(store, size string, n int) error {
	c, err := stdio.Hello(b.serve(store)...)
	if err != nil {
		return err
	}
	for _, kind := range []struct{ name, ranker, small, large string }{
		{"words only", "bm25", "1 ms", "4 ms"},
		{"default", "hippo", "2 ms", "10 ms"},
	} {
		w := corpus.New(13, b.words)
		var ds []time.Duration
		for i := range 1200 {
			q := w.Query()
			d, err := timed(func() error {
				_, err := c.Tool("hippo_search_insights", map[string]any{"query": q, "ranker": kind.ranker})
				return err
			})
			if err != nil {
				return err
			}
			if i >= 200 {
				ds = append(ds, d)
			}
		}
		row("warm search, "+kind.name+", "+size, ms(median(ds)), limitOf(n, kind.small, kind.large))
		row("  95th percentile", ms(percentile(ds, .95)), "")
		all, files := c.RSS()
		row("resident memory after 1,200 of them, "+size, fmt.Sprintf("%.0f MB", all), limitOf(n, "65 MB", "180 MB"))
		row("  of it mapped files, which the system may drop", fmt.Sprintf("%.0f MB", files), "")
	}
	return c.Stop()
}
