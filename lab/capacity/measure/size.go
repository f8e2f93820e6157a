package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
	"github.com/hippo-memory/hippo/lab/capacity/model"
	"github.com/hippo-memory/hippo/lab/database"
)

// sized are tenants of one size.
type sized struct {
	*bench
	model, prefix string
	n, count      int
}

// together is the number of memories of the tenants of one size, unless one has more.
const together = 10000

// size measures everything that depends on the size of a tenant.
func (b *bench) size(ctx context.Context, modelName string, n int) error {
	s := &sized{b, modelName, fmt.Sprint(modelName, "-", n, "-"), n, max(1, together/n)}
	for _, part := range []struct {
		name string
		run  func(context.Context) error
	}{{"", s.filled}, {"attach", s.attached}, {"held", s.held}, {"http", s.served}, {"use", s.used}, {"tidy", s.tidied}} {
		if part.name != "" && !slices.Contains(b.parts, part.name) {
			continue
		}
		if err := part.run(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *sized) add(constant string, values ...float64) {
	s.bench.add(constant, s.model, s.n, values...)
}

func (s *sized) name(i int) string { return fmt.Sprint(s.prefix, i) }

// filled makes the tenants, and measures their tables. What updates have left in tables stays.
func (s *sized) filled(ctx context.Context) error {
	before, err := s.tables(ctx)
	if err != nil {
		return err
	}
	all, err := s.tenants("fill", config.Static, false)
	if err != nil {
		return err
	}
	for i := range s.count {
		use, end := context.WithCancel(ctx)
		e, fillErr := s.fill(use, all, s.name(i), i*s.n, s.n)
		if fillErr == nil && s.model == config.Builtin {
			fillErr = s.mixed(use, e, s.name(i), i*s.n, s.n)
		}
		if fillErr == nil {
			m := database.In(e, s.name(i))
			fillErr = errors.Join(upkeep.Scored(use, m), m.Flush(use))
		}
		end()
		if err = errors.Join(err, fillErr); err != nil {
			break
		}
	}
	if err := errors.Join(err, all.Shut(context.WithoutCancel(ctx)), os.RemoveAll(filepath.Join(s.dir, "fill"))); err != nil {
		return err
	}
	after, err := s.tables(ctx)
	for i, name := range []string{model.RowHeap, model.RowIndex, model.RowToast} {
		s.add(name, (after[i]-before[i])/float64(s.count))
	}
	return err
}

// tables returns the bytes of the tables of memories: of the tables, their indexes, and what they keep elsewhere.
func (b *bench) tables(ctx context.Context) (bytes [3]float64, err error) {
	if _, err := b.conn.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		return bytes, err
	}
	err = b.conn.QueryRow(ctx, `SELECT coalesce(sum(pg_relation_size(oid)), 0)::float8, coalesce(sum(pg_indexes_size(oid)), 0)::float8,
		coalesce(sum(coalesce(pg_total_relation_size(nullif(reltoastrelid, 0)), 0)), 0)::float8
		FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'hippo') AND relkind = 'r' AND relname <> 'snapshot'`).Scan(&bytes[0], &bytes[1], &bytes[2])
	return bytes, err
}

// attached measures the first search in tenants that are not open.
func (s *sized) attached(ctx context.Context) error {
	built, err := s.firsts(ctx, s.cache(), false, true)
	if err != nil {
		return err
	}
	s.addCosts(model.BuildNode, model.BuildDatabase, "", built)
	files, err := filepath.Glob(filepath.Join(s.dir, s.cache(), "*", "*", "*.index"))
	size := 0.
	for _, f := range files {
		if i, statErr := os.Stat(f); statErr == nil {
			size = max(size, float64(i.Size()))
		}
	}
	s.add(model.File, size)
	here, hereErr := s.firsts(ctx, s.cache(), false, false)
	if err := errors.Join(err, hereErr); err != nil {
		return err
	}
	s.addCosts(model.OpenNode, model.OpenDatabase, "", here)
	if s.n < 200 {
		return nil // so small a file is not kept for others before an hour
	}
	sent, err := s.sent(ctx, here)
	if err != nil {
		return err
	}
	s.addCosts(model.SendNode, model.SendDatabase, model.SendLog, sent)
	fetched, err := s.firsts(ctx, s.prefix+"fetched", true, true)
	s.addCosts(model.FetchNode, model.FetchDatabase, "", fetched)
	return err
}

// cache is the folder of the index files of the tenants.
func (s *sized) cache() string { return s.prefix + "files" }

// addCosts notes costs under up to three names; an empty one is not noted.
func (s *sized) addCosts(node, server, log string, list []cost) {
	var values [3][]float64
	for _, c := range list {
		values[0], values[1], values[2] = append(values[0], c.node), append(values[1], c.database), append(values[2], c.log)
	}
	for i, name := range []string{node, server, log} {
		if name != "" {
			s.add(name, values[i]...)
		}
	}
}

// rounds is how often something is measured that can be done once with a tenant.
const rounds = 3

// firsts opens tenants and searches in each. If fresh, a tenant has no file; the last time all tenants get one.
func (s *sized) firsts(ctx context.Context, cache string, shared, fresh bool) (list []cost, err error) {
	for round := range rounds {
		if fresh {
			if err := os.RemoveAll(filepath.Join(s.dir, cache)); err != nil {
				return nil, err
			}
		}
		all, err := s.tenants(cache, s.model, shared)
		if err != nil {
			return nil, err
		}
		c, err := s.first(ctx, all)
		list = append(list, c)
		for i := 0; i < s.count && round == rounds-1 && err == nil; i++ {
			err = s.saved(ctx, all, i)
		}
		if err := errors.Join(err, all.Shut(context.WithoutCancel(ctx))); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// first measures the first search in a tenant, with the database and the models open: the mean of some tenants, one after the other.
func (s *sized) first(ctx context.Context, all *app.Tenants) (cost, error) {
	if err := s.connected(ctx, all); err != nil {
		return cost{}, err
	}
	count := min(s.count, 10)
	c, err := s.cost(ctx, func() (err error) {
		for i := range count {
			err = errors.Join(err, s.opened(ctx, all, i))
		}
		return err
	})
	n := float64(count)
	return cost{c.node / n, c.database / n, c.log / n}, err
}

// opened opens a tenant and searches in it, and counts what it found.
func (s *sized) opened(ctx context.Context, all *app.Tenants, i int) error {
	e, err := all.Of(ctx, s.name(i))
	if err != nil {
		return err
	}
	if s.model == config.Builtin {
		if err := e.Embed(ctx, func(int, int) {}); err != nil { // it takes over the vectors
			return err
		}
	}
	return s.search(ctx, database.In(e, s.name(i)), i)
}

// connected opens the database and the models, and has connections prepare their statements: a few small tenants are searched.
func (s *sized) connected(ctx context.Context, all *app.Tenants) error {
	for i := range 4 {
		name := fmt.Sprint("warm-", i)
		use, end := context.WithCancel(ctx)
		e, err := all.Of(use, name)
		if err == nil {
			m := database.In(e, name)
			_, err = query.Search(use, m, hippo.Query{Text: s.notes.question(i)})
			err = errors.Join(err, m.Flush(use))
		}
		end()
		if err != nil {
			return err
		}
	}
	s.idle()
	return nil
}

// idle waits until the process does nothing in the background, but not for long.
func (*sized) idle() {
	for range 100 {
		used := database.Processor()
		time.Sleep(200 * time.Millisecond)
		if database.Processor()-used < 2*time.Millisecond {
			return
		}
	}
}

// saved writes the file of a tenant.
func (s *sized) saved(ctx context.Context, all *app.Tenants, i int) error {
	use, end := context.WithCancel(ctx)
	defer end()
	e, err := all.Of(use, s.name(i))
	if err != nil {
		return err
	}
	err = e.Index.CatchUp(use)
	if err == nil && s.model == config.Builtin {
		err = e.Embed(use, func(int, int) {})
	}
	return errors.Join(err, e.Index.Save(use))
}

// sent measures what it takes to keep the file of a tenant for other nodes, which happens while it is open or when it is closed: that takes as
// much more than opening it with its file.
func (s *sized) sent(ctx context.Context, opened []cost) (list []cost, err error) {
	base := opened[0]
	for _, c := range opened {
		base.node, base.database = min(base.node, c.node), min(base.database, c.database)
	}
	for round := range rounds {
		if _, err := s.conn.Exec(ctx, "DELETE FROM hippo.snapshot WHERE tenant = $1", s.name(round%s.count)); err != nil {
			return nil, err
		}
		all, err := open(s.url, filepath.Join(s.dir, s.cache()), s.model, true, 1) // what nobody uses is closed at once
		if err != nil {
			return nil, err
		}
		if err := s.connected(ctx, all); err != nil {
			return nil, err
		}
		use, end := context.WithCancel(ctx)
		c, err := s.cost(ctx, func() error {
			err := s.opened(use, all, round%s.count)
			end()
			for open, _, _ := all.Counts(); open > 0; open, _, _ = all.Counts() {
				time.Sleep(time.Millisecond)
			}
			return err
		})
		end()
		if err := errors.Join(err, all.Shut(context.WithoutCancel(ctx))); err != nil {
			return nil, err
		}
		list = append(list, cost{max(0, c.node-base.node), max(0, c.database-base.database), c.log})
	}
	return list, nil
}

// used measures searches and records in warm tenants.
func (s *sized) used(ctx context.Context) error {
	all, err := s.tenants(s.cache(), s.model, false)
	if err != nil {
		return err
	}
	var warm []*engine.Memories
	for i := range min(s.count, 20) {
		e, err := all.Of(ctx, s.name(i))
		if err != nil {
			return err
		}
		warm = append(warm, database.In(e, s.name(i)))
	}
	asked, recorded := 0, 0
	search := func() error {
		asked++
		return s.search(ctx, warm[asked%len(warm)], asked)
	}
	record := func() error {
		recorded++
		return s.record(ctx, warm[recorded%len(warm)], recorded)
	}
	for range max(20, len(warm)) { // to warm up
		if err := errors.Join(search(), record()); err != nil {
			return err
		}
	}
	const searches, records = 40, 20
	err = errors.Join(
		s.repeated(ctx, searches, search, model.SearchNode, model.SearchDatabase, model.SearchLog), s.repeated(ctx, records, record, model.RecordNode, model.RecordDatabase, model.RecordLog),
		s.logged(ctx, model.SearchFirstLog, search), s.logged(ctx, model.RecordFirstLog, record))
	return errors.Join(err, all.Shut(context.WithoutCancel(ctx)))
}

func (s *sized) search(ctx context.Context, m *engine.Memories, i int) error {
	_, err := query.Search(ctx, m, hippo.Query{Text: s.notes.question(i)})
	return errors.Join(err, m.Flush(ctx))
}

func (s *sized) record(ctx context.Context, m *engine.Memories, i int) error {
	text, _, _ := s.notes.text(1_000_000 + i)
	_, _, err := memory.RecordCompared(ctx, m, &hippo.Memory{Content: text, Importance: hippo.Importance{Base: .5}})
	if err == nil && s.model == config.Builtin {
		err = m.Embed(ctx, func(int, int) {})
	}
	return errors.Join(err, upkeep.Scored(ctx, m), m.Flush(ctx))
}

// repeated measures what something costs when it is done many times.
func (s *sized) repeated(ctx context.Context, times int, do func() error, node, server, log string) error {
	var list []cost
	for range 5 {
		c, err := s.cost(ctx, func() (err error) {
			for range times {
				err = errors.Join(err, do())
			}
			return err
		})
		if err != nil {
			return err
		}
		f := float64(times)
		list = append(list, cost{c.node / f, c.database / f, c.log / f})
	}
	s.addCosts(node, server, log, list)
	return nil
}

// logged measures the log of something just after a checkpoint.
func (s *sized) logged(ctx context.Context, constant string, do func() error) error {
	var list []cost
	for range 5 {
		if _, err := s.conn.Exec(ctx, "CHECKPOINT"); err != nil {
			return err
		}
		c, err := s.cost(ctx, do)
		if err != nil {
			return err
		}
		list = append(list, c)
	}
	s.addCosts("", "", constant, list)
	return nil
}

// tidied measures consolidations, each in a tenant that had none.
func (s *sized) tidied(ctx context.Context) error {
	all, err := s.tenants(s.cache(), s.model, false)
	if err != nil {
		return err
	}
	var list []cost
	for i := range min(s.count, rounds) {
		e, err := all.Of(ctx, s.name(i))
		if err != nil {
			return err
		}
		m := database.In(e, s.name(i))
		if err := s.search(ctx, m, i); err != nil {
			return err
		}
		c, err := s.cost(ctx, func() error {
			_, err := upkeep.Consolidate(ctx, m, upkeep.ConsolidateOptions{Horizon: api.Monthly})
			return err
		})
		if err != nil {
			return err
		}
		list = append(list, c)
	}
	s.addCosts(model.TidyNode, model.TidyDatabase, model.TidyLog, list)
	time.Sleep(time.Second) // the index follows
	return all.Shut(context.WithoutCancel(ctx))
}
