package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/lab/database"
)

// copies fills a namespace with n memories, and copies it to others with the same prefix until there are count.
func (b *bench) copies(ctx context.Context, prefix string, n, count int) error {
	all, err := b.pool(0)
	if err != nil {
		return err
	}
	e, err := all.Of(ctx, prefix+"0")
	if err == nil {
		err = b.fill(ctx, database.In(e, prefix+"0"), 3, n)
	}
	if err = errors.Join(err, all.Shut(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	return database.Copies(ctx, b.url, prefix, count)
}

// attach measures the first search of tenants that are not open.
func (b *bench) attach(ctx context.Context) error {
	for _, n := range []int{b.memories / 10, b.memories} {
		const tenants = 5
		prefix := fmt.Sprint("attach", n, "-")
		if err := b.copies(ctx, prefix, n, tenants); err != nil {
			return err
		}
		cache := os.Getenv("XDG_CACHE_HOME")
		for _, how := range []struct {
			name, cache, must string
			snapshots         bool
		}{
			{"without its file", "none", "100 ms, .8 s of CPU", true}, {"with its file on this machine", "none", "", false}, {"with its file, from the database", "fresh", "25, 100 ms", true},
		} {
			if err := os.Setenv("XDG_CACHE_HOME", filepath.Join(b.dir, how.cache+prefix)); err != nil {
				return err
			}
			wall, cpu, err := b.firsts(ctx, prefix, tenants, how.snapshots)
			if err != nil {
				return err
			}
			what := fmt.Sprintf("attach %d and search, %s", n, how.name)
			row(what+", wall p50", "", millis(wall.at(.5)), "", how.must)
			row(what+", CPU p50", "", millis(cpu.at(.5)), "", how.must)
		}
		if err := os.Setenv("XDG_CACHE_HOME", cache); err != nil {
			return err
		}
	}
	return nil
}

// firsts opens tenants and searches in each, and returns how long that took.
func (b *bench) firsts(ctx context.Context, prefix string, tenants int, snapshots bool) (wall, cpu times, err error) {
	c, err := b.postgres("")
	if err != nil {
		return nil, nil, err
	}
	all := app.NewTenants(c, &app.Options{Log: slog.New(slog.DiscardHandler), Snapshots: app.Snapshots{InDatabase: snapshots}}, nil, 0)
	_, err = all.Of(ctx, "nobody") // it opens the database and the models
	for i := range tenants {
		name := fmt.Sprint(prefix, i)
		runtime.GC()
		began, used := time.Now(), database.Processor()
		e, openErr := all.Of(ctx, name)
		if err = errors.Join(err, openErr); err != nil {
			break
		}
		_, searchErr := query.Search(ctx, database.In(e, name), hippo.Query{Text: "the name of a file", NoTouch: true})
		wall, cpu = append(wall, time.Since(began)), append(cpu, database.Processor()-used)
		err = errors.Join(err, searchErr, e.Index.Save(ctx))
		time.Sleep(300 * time.Millisecond)
	}
	return wall, cpu, errors.Join(err, all.Shut(context.WithoutCancel(ctx)))
}

// memory measures what tenants hold in memory that the system cannot take back, in a process of their own.
func (b *bench) memory(ctx context.Context) error {
	const each = 1000
	if err := b.copies(ctx, "held", each, b.held); err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	for range 2 { // the first process writes the files of the indexes
		c := exec.CommandContext(ctx, exe, "-database", b.url, "-model", b.model, "-held", strconv.Itoa(b.held), "-held-by", "held")
		c.Stderr = os.Stderr
		out, err := c.Output()
		if err != nil {
			return err
		}
		var before, after float64
		if _, err := fmt.Sscan(string(out), &before, &after); err != nil {
			return fmt.Errorf("%q: %w", out, err)
		}
		what := fmt.Sprintf("memory of a tenant of %d, of %d", each, b.held)
		row(what+", before its first search", "", fmt.Sprintf("%.2f MB", before), "", ".2 MB")
		row(what+", searched", "", fmt.Sprintf("%.2f MB", after), "", ".5 MB")
	}
	return nil
}

// hold opens tenants, and prints how many MB each takes, before and after a search in it.
func (b *bench) hold(ctx context.Context, prefix string) error {
	all, err := b.pool(0)
	if err != nil {
		return err
	}
	each := func(do func(m *engine.Memories) error) error {
		for i := range b.held {
			name := fmt.Sprint(prefix, i)
			e, err := all.Of(ctx, name)
			if err == nil {
				err = do(database.In(e, name))
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	e, err := all.Of(ctx, prefix+"0")
	if err != nil {
		return err
	}
	if _, err := query.Search(ctx, database.In(e, prefix+"0"), hippo.Query{Text: "the name of a file"}); err != nil {
		return err
	}
	empty := anonymous()
	err = each(func(m *engine.Memories) error { return m.Index.CatchUp(ctx) })
	opened := anonymous()
	err = errors.Join(err, each(func(m *engine.Memories) error {
		_, err := query.Search(ctx, m, hippo.Query{Text: "the name of a file"})
		return errors.Join(err, m.Flush(ctx))
	}))
	time.Sleep(time.Second)
	n := float64(b.held - 1)
	fmt.Println((opened-empty)/n, (anonymous()-empty)/n)
	return errors.Join(err, all.Shut(context.WithoutCancel(ctx)))
}

// anonymous returns how many MB of memory the process holds that the system cannot take back.
func anonymous() float64 {
	time.Sleep(500 * time.Millisecond)
	debug.FreeOSMemory()
	return rssAnon()
}

// rssAnon returns how many MB of memory the process holds that the system cannot take back, garbage included.
func rssAnon() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "RssAnon:")
	kB, err := strconv.ParseFloat(strings.Fields(rest + " 0")[0], 64)
	if err != nil {
		return 0
	}
	return kB / 1024
}
