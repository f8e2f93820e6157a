package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/lab/capacity/model"
	"github.com/hippo-memory/hippo/lab/database"
)

// many measures what the number of tenants of a database costs its calls, with ten memories each. Calls are of thirty of them.
func (b *bench) many(ctx context.Context, count int) error {
	const memories, asked = 10, 30
	s := &sized{b, config.Static, fmt.Sprint("many-", count, "-"), count, 1}
	all, err := b.tenants("many", config.Static, false)
	if err != nil {
		return err
	}
	if _, err := b.fill(ctx, all, s.name(0), 0, memories); err != nil {
		return err
	}
	if err := errors.Join(all.Shut(context.WithoutCancel(ctx)), database.Copies(ctx, b.url, s.prefix, count)); err != nil {
		return err
	}
	if _, err := b.conn.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		return err
	}
	if all, err = b.tenants("many", config.Static, false); err != nil {
		return err
	}
	var warm []*engine.Memories
	for i := range min(count, asked) {
		name := s.name(i * (count / min(count, asked)))
		e, err := all.Of(ctx, name)
		if err != nil {
			return err
		}
		warm = append(warm, database.In(e, name))
	}
	asks, records := 0, 0
	search := func() error {
		asks++
		return s.search(ctx, warm[asks%len(warm)], asks)
	}
	record := func() error {
		records++
		return s.record(ctx, warm[records%len(warm)], records)
	}
	for range len(warm) { // to warm up
		if err := search(); err != nil {
			return err
		}
	}
	err = errors.Join(s.repeated(ctx, 60, search, "", model.TenantsSearch, model.TenantsSearchLog), s.repeated(ctx, 30, record, "", model.TenantsRecord, model.TenantsRecordLog))
	return errors.Join(err, all.Shut(context.WithoutCancel(ctx)))
}
