package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/lab/capacity/model"
	"github.com/hippo-memory/hippo/lab/database"
)

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
