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
