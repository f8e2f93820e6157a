// Command measure measures the constants of the capacity model at sizes that are far apart, and writes them to a file. It needs the
// programs of a Postgres server, and /proc.
//
//	go run ./capacity/measure -data ../../shared/data        (in lab/)
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
	"github.com/hippo-memory/hippo/lab/capacity/model"
	"github.com/hippo-memory/hippo/lab/database"
)

// bench is what all measurements share.
type bench struct {
	url, dir string
	hippo    string // the program
	parts    []string
	log      io.Writer
	notes    *notes
	conn     *pgx.Conn
	server   database.Server
	basis    []basis // of the vectors of memories
	points   []model.Point
}

func main() {
	var o options
	flag.StringVar(&o.data, "data", "", "folder of evaluation sets whose texts are remembered; without one texts are made")
	flag.StringVar(&o.out, "out", "capacity/model/points.json", "file of the points; those of another run of the same constants are replaced")
	flag.StringVar(&o.sizes, "sizes", "100,1000,10000,100000", "memories of a tenant")
	flag.StringVar(&o.tenants, "tenants", "10,1000,100000", "numbers of tenants of ten memories; empty: none")
	flag.StringVar(&o.models, "models", config.Static+","+config.Builtin, "static: instant vectors alone, builtin: both encoders")
	flag.StringVar(&o.hippo, "hippo", "", "path of the program, to measure what HTTP costs; without one that is left out")
	flag.StringVar(&o.parts, "parts", "attach,held,http,use,tidy", "what is measured of tenants of a size, beside their tables")
	flag.IntVar(&o.embedded, "embedded", 2000, "notes that both encoders embed; the vectors of the others are mixtures of theirs")
	var held holding
	flag.StringVar(&held.url, "held-in", "", "what a process that is measured opens; not for people")
	flag.StringVar(&held.prefix, "held-by", "", "as above")
	flag.IntVar(&held.count, "held", 0, "as above")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, &o, &held)
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

type options struct {
	data, out, sizes, tenants, models, hippo, parts string
	embedded                                        int
}

func run(ctx context.Context, o *options, held *holding) (err error) {
	if held.url != "" {
		return held.hold(ctx, o.models)
	}
	b := &bench{hippo: o.hippo, parts: strings.Split(o.parts, ","), log: os.Stderr}
	if b.notes, err = loadNotes(o.data); err != nil {
		return err
	}
	fmt.Fprintf(b.log, "%d notes of %d bytes, %d questions\n", len(b.notes.texts), len(strings.Join(b.notes.texts, ""))/len(b.notes.texts), len(b.notes.questions))
	if b.dir, err = os.MkdirTemp("", "hippo-capacity-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir) //nolint:errcheck // it is a folder for what may be deleted
	server, err := pgtest.Launch()
	if err != nil {
		return err
	}
	defer server.Stop()
	b.url = server.URL("postgres")
	if b.conn, err = pgx.Connect(ctx, b.url); err != nil {
		return err
	}
	defer b.conn.Close(ctx) //nolint:errcheck // it is not used again
	if b.server, err = database.ServerOf(ctx, b.conn); err != nil {
		return err
	}
	if err := b.quiet(ctx); err != nil {
		return err
	}
	return errors.Join(b.warm(ctx), b.all(ctx, o), b.write(o.out))
}

// quiet keeps the server from working when nobody asks for it: what is measured is what calls cost.
func (b *bench) quiet(ctx context.Context) error {
	var err error
	for _, s := range []string{"ALTER SYSTEM SET autovacuum = off", "ALTER SYSTEM SET checkpoint_timeout = '1h'", "ALTER SYSTEM SET max_wal_size = '20GB'", "SELECT pg_reload_conf()"} {
		_, execErr := b.conn.Exec(ctx, s)
		err = errors.Join(err, execErr)
	}
	return err
}

func (b *bench) all(ctx context.Context, o *options) error {
	sizes, sizesErr := numbers(o.sizes)
	tenants, err := numbers(o.tenants)
	if err := errors.Join(err, sizesErr); err != nil {
		return err
	}
	for name := range strings.SplitSeq(o.models, ",") {
		if name == config.Builtin {
			if err := b.embed(ctx, o.embedded); err != nil {
				return err
			}
		}
		for _, n := range sizes {
			if err := b.size(ctx, name, n); err != nil {
				return fmt.Errorf("%s, %d memories: %w", name, n, err)
			}
			if err := b.write(o.out); err != nil {
				return err
			}
		}
	}
	for _, n := range tenants {
		if err := b.many(ctx, n); err != nil {
			return fmt.Errorf("%d tenants: %w", n, err)
		}
	}
	return nil
}

func numbers(list string) (out []int, err error) {
	for s := range strings.SplitSeq(list, ",") {
		if s == "" {
			continue
		}
		n, parseErr := strconv.Atoi(s)
		out, err = append(out, n), errors.Join(err, parseErr)
	}
	return out, err
}

// write merges the points into a file.
func (b *bench) write(path string) error {
	var all []model.Point
	if old, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(old, &all); err != nil {
			return err
		}
	}
	all = slices.DeleteFunc(all, func(p model.Point) bool {
		return slices.ContainsFunc(b.points, func(q model.Point) bool {
			return p.Constant == q.Constant && p.Encoders == q.Encoders && p.N == q.N
		})
	})
	out, err := json.MarshalIndent(append(all, b.points...), "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(out, '\n'), 0o644)
}

// add notes what was measured in some rounds.
func (b *bench) add(constant, modelName string, n int, values ...float64) {
	if len(values) == 0 {
		return
	}
	slices.Sort(values)
	p := model.Point{
		Constant: constant, Encoders: modelName == config.Builtin, N: float64(n), Value: values[len(values)/2], Low: values[0], High: values[len(values)-1],
		Rounds: len(values), Load: load(),
	}
	b.points = append(b.points, p)
	fmt.Fprintf(b.log, "%-34s %-8s %7d %14.3f  (%.3f to %.3f of %d, load %.1f)\n", constant, modelName, n, p.Value, p.Low, p.High, p.Rounds, p.Load)
}

// load returns the load average of the last minute.
func load() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	v, _ := strconv.ParseFloat(first, 64) // 0: unknown
	return v
}

// cost is what something took.
type cost struct {
	node, database float64 // milliseconds of a core
	log            float64 // bytes
}

// cost measures something.
func (b *bench) cost(ctx context.Context, do func() error) (c cost, err error) {
	began, used, err := b.position(ctx), database.Processor(), error(nil)
	server, serverErr := b.server.Processor()
	err = do()
	c.node = float64(database.Processor()-used) / 1e6
	after, afterErr := b.server.Processor()
	c.database, c.log = float64(after-server)/1e6, b.position(ctx)-began
	return c, errors.Join(err, serverErr, afterErr)
}

// position returns that of the log.
func (b *bench) position(ctx context.Context) (n float64) {
	if err := b.conn.QueryRow(ctx, "SELECT (pg_current_wal_insert_lsn() - '0/0')::float8").Scan(&n); err != nil {
		fmt.Fprintln(b.log, err)
	}
	return n
}

// tenants returns the namespaces of the database, with index files in a folder of their own.
func (b *bench) tenants(cache, modelName string, shared bool) (*app.Tenants, error) {
	return open(b.url, filepath.Join(b.dir, cache), modelName, shared, 0)
}

// open returns the namespaces of a database within a bound of bytes; 0: none.
func open(url, cache, modelName string, shared bool, bytes int64) (*app.Tenants, error) {
	s, err := config.ParseStore(url)
	if err == nil && cache != "" {
		err = os.Setenv("XDG_CACHE_HOME", cache)
	}
	c := config.Config{Store: s, Model: config.Model{Name: modelName}}
	return app.NewTenants(c, &app.Options{Log: slog.New(slog.DiscardHandler), Now: time.Now, Snapshots: app.Snapshots{InDatabase: shared}}, nil, bytes), err
}
