// Command postgres measures a memory in a Postgres database, beside the same one in SQLite on the same disk, and prints one table.
// What is compared is done in turns in one process.
//
//	go run ./postgres        (in lab/; make bench-postgres does it)
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"time"

	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
	"github.com/hippo-memory/hippo/lab/corpus"
)

// bench is what all measurements share.
type bench struct {
	url, dir, model string
	words           []string
	sizes
}

// sizes say how much is measured.
type sizes struct {
	memories, rounds, load         int // of a warm tenant, of what is timed, seconds of writes
	tenants, each, clients, budget int // of the load of many tenants: their number, memories of each, clients, MB
	held                           int // tenants whose memory is measured
	pause                          time.Duration
}

func main() {
	b := &bench{}
	flag.StringVar(&b.url, "database", "", "URL of an empty database; without one a server is started")
	flag.StringVar(&b.model, "model", config.Static, "model of the memories: builtin embeds all of them, 18 ms each")
	flag.IntVar(&b.memories, "memories", 10000, "memories of a warm tenant")
	flag.IntVar(&b.rounds, "rounds", 300, "searches and records that are timed")
	flag.IntVar(&b.load, "load", 5, "seconds of each load of writes")
	flag.IntVar(&b.tenants, "tenants", 1000, "tenants of the mixed load")
	flag.IntVar(&b.each, "each", 1000, "memories of each")
	flag.IntVar(&b.clients, "clients", 64, "clients")
	flag.IntVar(&b.budget, "index-memory", 512, "MB of indexes that are open in the mixed load")
	flag.DurationVar(&b.pause, "pause", 300*time.Millisecond, "time that a client of the mixed load takes between two calls, on average")
	flag.IntVar(&b.held, "held", 60, "tenants of 1,000 whose memory is measured")
	child := flag.String("held-by", "", "what a process that is measured opens; not for people")
	only := flag.String("only", "", "only the parts whose names begin so: single, writes, attach, held, mixed")
	profile := flag.String("cpuprofile", "", "file for a profile")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := b.profiled(*profile, func() error { return b.run(ctx, *child, *only) })
	if err != nil {
		fmt.Fprintln(os.Stderr, "postgres:", err)
		os.Exit(1)
	}
}

// profiled runs something, and writes a profile of it if there is a file for that.
func (*bench) profiled(path string, run func() error) error {
	if path == "" {
		return run()
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it is read by tools that notice
	defer pprof.StopCPUProfile()
	return run()
}

func (b *bench) run(ctx context.Context, child, only string) (err error) {
	if child != "" {
		return b.hold(ctx, child)
	}
	if b.words, err = corpus.Words(); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "hippo-postgres-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir) //nolint:errcheck // it is a folder for what may be deleted
	if b.url == "" {
		server, err := pgtest.Launch()
		if err != nil {
			return err
		}
		defer server.Stop()
		b.url = server.URL("postgres")
	}
	if err := os.Setenv("XDG_CACHE_HOME", filepath.Join(b.dir, "cache")); err != nil {
		return err
	}
	fmt.Printf("model %s, %d memories\n%-64s %12s %12s %7s   %s\n", b.model, b.memories, "", "sqlite", "postgres", "ratio", "must")
	for _, part := range []struct {
		name string
		run  func(context.Context) error
	}{{"single", b.single}, {"writes", b.writes}, {"attach", b.attach}, {"held", b.memory}, {"mixed", b.mixed}} {
		if only == "" || only == part.name {
			err = errors.Join(err, part.run(ctx))
		}
	}
	average, _ := os.ReadFile("/proc/loadavg") // other systems have none
	fmt.Printf("load average %s", average)
	return err
}

// row prints one line of the table; an empty value was not measured.
func row(what, sqlite, postgres, ratio, must string) {
	fmt.Printf("%-64s %12s %12s %7s   %s\n", what, sqlite, postgres, ratio, must)
}
