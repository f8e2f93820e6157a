package pgstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/hippo-memory/hippo"
)

// Snapshots keeps the files of the index of a tenant in the database, for machines that have none. It implements the interface
// of the same name of package index.
type Snapshots struct{ place *place }

// Snapshots returns the files of indexes that the database has of the store.
func (s *Store) Snapshots() Snapshots { return Snapshots{s.place} }

const (
	partSize = 1 << 20
	// partsAtOnce are sent or read in one round trip.
	partsAtOnce = 4
)

const newestSnapshot = "SELECT coalesce(max(revision), 0) FROM hippo.snapshot WHERE tenant = $1 AND store = $2 AND form = $3 AND revision <= $4 AND part = 0"

// Newest returns the highest revision of a snapshot that is not above most; 0: there is none. Cost: one round trip.
func (s Snapshots) Newest(ctx context.Context, store, form string, most hippo.Revision) (r hippo.Revision, err error) {
	err = s.place.view(ctx, func(q querier) error {
		list, err := collect(ctx, q, pgx.RowTo[hippo.Revision], newestSnapshot, s.place.tenant, store, form, min(most, math.MaxInt64))
		if err == nil {
			r = list[0]
		}
		return err
	})
	return r, err
}

const selectParts = `SELECT data FROM hippo.snapshot WHERE tenant = $1 AND store = $2 AND form = $3 AND revision = $4 AND part >= $5 AND part < $6 ORDER BY part`

// Fetch writes a snapshot to a file. The error is [hippo.ErrNotFound] if it does not exist any more. A snapshot that replaces
// it meanwhile may be mixed with it: its checksums reveal that. Cost: a round trip for four MiB.
func (s Snapshots) Fetch(ctx context.Context, store, form string, revision hippo.Revision, to io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type page struct {
		parts [][]byte
		err   error
	}
	pages := make(chan page) // one is read while the one before it is written
	go func() {
		defer close(pages)
		for from := 0; ; from += partsAtOnce {
			parts, err := s.parts(ctx, store, form, revision, from)
			select {
			case pages <- page{parts, err}:
			case <-ctx.Done():
				return
			}
			if err != nil || len(parts) < partsAtOnce {
				return
			}
		}
	}()
	n := 0
	for p := range pages {
		if p.err != nil {
			return p.err
		}
		for _, b := range p.parts {
			if _, err := to.Write(b); err != nil {
				return err
			}
			n++
		}
	}
	if n == 0 && ctx.Err() == nil {
		return fmt.Errorf("%w: %s has no snapshot of revision %d", hippo.ErrNotFound, s.place, revision)
	}
	return ctx.Err()
}

// parts reads some parts of a snapshot.
func (s Snapshots) parts(ctx context.Context, store, form string, revision hippo.Revision, from int) (list [][]byte, err error) {
	err = s.place.view(ctx, func(q querier) (err error) {
		list, err = collect(ctx, q, pgx.RowTo[[]byte], selectParts, s.place.tenant, store, form, revision, from, from+partsAtOnce)
		return err
	})
	return list, err
}

const (
	deleteSnapshot = "DELETE FROM hippo.snapshot WHERE tenant = $1 AND store = $2 AND form = $3 AND revision = $4"
	insertPart     = "INSERT INTO hippo.snapshot (tenant, store, form, revision, part, data) VALUES ($1, $2, $3, $4, $5, $6)"
	// What stays is the snapshot that was kept, the one before it, and the newest one of the other forms. What is above it was of a
	// store that has lost its last changes; other stores had the tenant before it was deleted.
	deleteOld = `DELETE FROM hippo.snapshot WHERE tenant = $1 AND (store <> $2 OR form = $3 AND revision > $4
		OR form = $3 AND revision < (SELECT max(revision) FROM hippo.snapshot WHERE tenant = $1 AND store = $2 AND form = $3 AND revision < $4)
		OR form <> $3 AND revision < (SELECT max(revision) FROM hippo.snapshot WHERE tenant = $1 AND store = $2 AND form <> $3))`
)

// Keep stores a snapshot, in one transaction, in place of one of the same revision, and removes old ones. Cost: a round trip for four
// MiB, and two. It does not wait for writers, nor do they.
func (s Snapshots) Keep(ctx context.Context, store, form string, revision hippo.Revision, from *io.SectionReader) error {
	if s.place.closed.Load() {
		return fmt.Errorf("%w: the store is closed", hippo.ErrUnavailable)
	}
	d := s.place.db
	return d.explain("keep a snapshot", d.retry(ctx, func() error {
		c, err := d.acquire(ctx)
		if err != nil {
			return err
		}
		defer c.Release()
		return lost(c, pgx.BeginFunc(ctx, c, func(t pgx.Tx) error {
			if err := keep(ctx, t, []any{s.place.tenant, store, form, revision}, io.NewSectionReader(from, 0, from.Size())); err != nil {
				return err
			}
			_, err := s.place.only(collect(ctx, t, scanHead, selectHead+" FOR KEY SHARE", s.place.tenant)) // of a tenant that is deleted nothing stays
			return err
		}))
	}))
}

// keep writes the parts of a snapshot; key is what its rows have in common.
func keep(ctx context.Context, t pgx.Tx, key []any, from io.Reader) error {
	b := &pgx.Batch{}
	b.Queue(deleteSnapshot, key...)
	for part, end := 0, false; !end; {
		for range partsAtOnce {
			data := make([]byte, partSize)
			n, err := io.ReadFull(from, data)
			if end = errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF); err != nil && !end {
				return err
			}
			if n > 0 {
				b.Queue(insertPart, append(slices.Clip(key), part, data[:n])...)
				part++
			}
			if end {
				b.Queue(deleteOld, key...)
				break
			}
		}
		if err := t.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		b = &pgx.Batch{}
	}
	return nil
}
